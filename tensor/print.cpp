// Printing as NumPy does: brackets, aligned columns, long tensors shortened.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ostream>

#include <fmt/format.h>

#include "wick/tensor/tensor.h"

namespace wick {

namespace {

constexpr int64_t kShortenAbove = 1000;  // elements
constexpr int64_t kEdgeItems = 3;
constexpr size_t kLineWidth = 75;
constexpr int kMaxDigits = 8;  // after the point

/// How the floats of one tensor are written.
struct FloatFormat {
  bool scientific = false;
  int digits = 0;
};

std::string fixed_text(double value, const FloatFormat& format) {
  return format.scientific ? fmt::format("{:#.{}e}", value, format.digits)
                           : fmt::format("{:#.{}f}", value, format.digits);
}

/// Digits after the point until the text reads back as the same number of the tensor's dtype.
int digits_needed(double value, FloatFormat format, DType dtype) {
  for (format.digits = 0; format.digits < kMaxDigits; ++format.digits) {
    const double back = std::strtod(fixed_text(value, format).c_str(), nullptr);
    const bool same =
        dtype == DType::f64 ? back == value : static_cast<float>(back) == static_cast<float>(value);
    if (same) break;
  }
  return format.digits;
}

FloatFormat float_format(const std::vector<double>& values, DType dtype) {
  double largest = 0;
  double smallest = HUGE_VAL;
  for (const double value : values) {
    const double size = std::fabs(value);
    if (!std::isfinite(size) || size == 0) continue;
    largest = std::max(largest, size);
    smallest = std::min(smallest, size);
  }
  FloatFormat format;
  // NumPy's bounds for leaving positional notation.
  format.scientific =
      largest != 0 && (largest >= 1e8 || smallest < 1e-4 || largest / smallest > 1000.0);
  for (const double value : values) {
    if (std::isfinite(value)) {
      format.digits = std::max(format.digits, digits_needed(value, format, dtype));
    }
  }
  // Halves need no more: their neighbours are further apart.
  if (dtype == DType::f16 || dtype == DType::bf16) format.digits = std::min(format.digits, 4);
  return format;
}

std::string float_text(double value, const FloatFormat& format) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::string text = fixed_text(value, format);
  if (format.scientific) return text;
  // Spaces instead of zeros keep the points aligned.
  const size_t last = text.find_last_not_of('0');
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(last) + 1, text.end(), ' ');
  return text;
}

/// The elements of a tensor that are shown, as texts of one width.
class Cells {
 public:
  Cells(const Tensor& tensor, bool shortened) : type_(tensor.type()), shortened_(shortened) {
    collect(0, 0);
    if (is_float(type_.dtype)) {
      format_floats(tensor.to_vector<double>());
    } else if (type_.dtype == DType::bool_) {
      for (const bool value : picked(tensor.to_vector<bool>())) {
        texts_.emplace_back(value ? "true" : "false");
      }
    } else {
      for (const int64_t value : picked(tensor.to_vector<int64_t>())) {
        texts_.push_back(std::to_string(value));
      }
    }
    for (const std::string& text : texts_)
      width_ = std::max(width_, text.size());
  }

  /// Positions of `extent` that are shown; -1 stands for the gap.
  [[nodiscard]] std::vector<int64_t> shown(int64_t extent) const {
    std::vector<int64_t> positions;
    const bool gap = shortened_ && extent > 2 * kEdgeItems;
    for (int64_t i = 0; i < extent; ++i) {
      if (gap && i == kEdgeItems) {
        positions.push_back(-1);
        i = extent - kEdgeItems;
      }
      positions.push_back(i);
    }
    return positions;
  }

  /// The shown elements in order, padded.
  std::string next() { return fmt::format("{:>{}}", texts_[next_++], width_); }

 private:
  // NOLINTNEXTLINE(misc-no-recursion): as deep as the rank.
  void collect(int axis, int64_t index) {
    if (axis == type_.shape.ndim()) {
      indices_.push_back(index);
      return;
    }
    for (const int64_t i : shown(type_.shape[axis])) {
      if (i >= 0) collect(axis + 1, index * type_.shape[axis] + i);
    }
  }

  template <typename T>
  std::vector<T> picked(const std::vector<T>& all) const {
    std::vector<T> values;
    for (const int64_t index : indices_)
      values.push_back(all[static_cast<size_t>(index)]);
    return values;
  }

  void format_floats(const std::vector<double>& all) {
    const std::vector<double> values = picked(all);
    const FloatFormat format = float_format(values, type_.dtype);
    for (const double value : values)
      texts_.push_back(float_text(value, format));
  }

  const Type& type_;  // of the tensor being printed
  bool shortened_;
  std::vector<int64_t> indices_;
  std::vector<std::string> texts_;
  size_t width_ = 0;
  size_t next_ = 0;
};

void print_row(std::string& out, int64_t extent, size_t indent, Cells& cells) {
  size_t column = indent + 1;
  bool first = true;
  out += '[';
  for (const int64_t i : cells.shown(extent)) {
    const std::string text = i < 0 ? "..." : cells.next();
    if (!first && column + 1 + text.size() >= kLineWidth) {
      out += '\n' + std::string(indent + 1, ' ');
      column = indent + 1;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += text;
    column += text.size();
    first = false;
  }
  out += ']';
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the rank.
void print_axis(std::string& out, const Shape& shape, int axis, Cells& cells) {
  const auto indent = static_cast<size_t>(axis);
  if (axis == shape.ndim() - 1) {
    print_row(out, shape[axis], indent, cells);
    return;
  }
  const std::string line_break(static_cast<size_t>(shape.ndim() - 1 - axis), '\n');
  bool first = true;
  out += '[';
  for (const int64_t i : cells.shown(shape[axis])) {
    if (!first) out += line_break + std::string(indent + 1, ' ');
    first = false;
    if (i < 0) {
      out += "...";
    } else {
      print_axis(out, shape, axis + 1, cells);
    }
  }
  out += ']';
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  if (!tensor.defined()) return out << "undefined";
  Cells cells(tensor, tensor.numel() > kShortenAbove);
  if (tensor.ndim() == 0) return out << cells.next();
  if (tensor.numel() == 0) return out << "[] " << to_string(tensor.type());
  std::string text;
  print_axis(text, tensor.shape(), 0, cells);
  return out << text;
}

}  // namespace wick
