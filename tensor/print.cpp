#include "wick/tensor/print.h"

#include <algorithm>
#include <mutex>
#include <ostream>

#include <fmt/format.h>

#include "wick/tensor/float_text.h"

namespace wick {

namespace {

using detail::ElementFormat;
using detail::FloatNotation;

struct SharedOptions {
  std::mutex lock;
  PrintOptions value;
};

SharedOptions& shared_options() {
  static SharedOptions options;
  return options;
}

/// Positions along an axis that are shown; -1 stands for the gap.
std::vector<int64_t> shown_positions(int64_t extent, bool shortened, int64_t edge_items) {
  std::vector<int64_t> positions;
  const bool gap = shortened && extent > 2 * edge_items;
  for (int64_t i = 0; i < extent; ++i) {
    if (gap && i == edge_items) {
      positions.push_back(-1);
      i = extent - edge_items;
      if (edge_items == 0) break;
    }
    positions.push_back(i);
  }
  return positions;
}

template <typename To>
To element_as(const void* data, DType dtype, int64_t index) {
  return visit_dtype(dtype, [&]<typename T>() {
    const T& value = static_cast<const T*>(data)[index];
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
      return static_cast<To>(static_cast<float>(value));
    } else {
      return static_cast<To>(value);
    }
  });
}

/// The text of a tensor's elements between brackets.
class Layout {
 public:
  Layout(const Tensor& tensor, const PrintOptions& options)
      : type_(tensor.type()),
        data_(tensor.node()->data()),
        options_(options),
        shortened_(tensor.numel() > options.threshold) {
    collect(0, 0);
  }

  void format_as_numpy() {
    if (is_float(type_.dtype)) {
      const std::vector<double> values = picked<double>();
      if (type_.shape.ndim() == 0) {
        texts_.push_back(detail::single_float_text(values[0], type_.dtype));
        return;
      }
      const FloatNotation notation(values, type_.dtype, options_);
      for (const double value : values)
        texts_.push_back(notation.text(value));
    } else if (type_.dtype == DType::bool_) {
      const bool pads = type_.shape.ndim() > 0;
      for (const int64_t value : picked<int64_t>())
        texts_.emplace_back(value != 0 ? (pads ? " True" : "True") : "False");
    } else {
      for (const int64_t value : picked<int64_t>())
        texts_.push_back(std::to_string(value));
    }
  }

  void format_by(const ElementFormat& format) {
    if (is_float(type_.dtype)) {
      for (const double value : picked<double>())
        texts_.push_back(format.real(value));
    } else {
      for (const int64_t value : picked<int64_t>())
        texts_.push_back(format.integer(value));
    }
  }

  std::string text() {
    size_t width = 0;
    for (const std::string& text : texts_)
      width = std::max(width, text.size());
    for (std::string& text : texts_)
      text.insert(0, width - text.size(), ' ');
    if (type_.shape.ndim() == 0) return texts_.front();
    print_axis(0);
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::vector<int64_t> shown(int axis) const {
    return shown_positions(type_.shape[axis], shortened_, options_.edge_items);
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as the rank.
  void collect(int axis, int64_t index) {
    if (axis == type_.shape.ndim()) {
      indices_.push_back(index);
      return;
    }
    for (const int64_t i : shown(axis)) {
      if (i >= 0) collect(axis + 1, index * type_.shape[axis] + i);
    }
  }

  template <typename T>
  [[nodiscard]] std::vector<T> picked() const {
    std::vector<T> values;
    values.reserve(indices_.size());
    for (const int64_t index : indices_)
      values.push_back(element_as<T>(data_, type_.dtype, index));
    return values;
  }

  void print_row() {
    const int axis = type_.shape.ndim() - 1;
    const std::string indent(static_cast<size_t>(axis) + 1, ' ');
    const auto limit = static_cast<size_t>(std::max<int64_t>(options_.line_width - axis - 1, 0));
    std::string row;
    std::string line = indent;
    for (const int64_t i : shown(axis)) {
      const std::string& word = i < 0 ? kGap : texts_[next_++];
      // Where a line has no word yet, breaking it does not help.
      if (line.size() + word.size() > limit && line.size() > indent.size()) {
        row += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
        line = indent;
      }
      line += word + ' ';
    }
    line.pop_back();
    out_ += '[' + (row + line).substr(indent.size()) + ']';
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as the rank.
  void print_axis(int axis) {
    if (axis == type_.shape.ndim() - 1) return print_row();
    const auto rank = static_cast<size_t>(type_.shape.ndim() - 1);
    const std::string separator =
        std::string(rank - static_cast<size_t>(axis), '\n') + std::string(axis + 1U, ' ');
    bool first = true;
    out_ += '[';
    for (const int64_t i : shown(axis)) {
      if (!first) out_ += separator;
      first = false;
      if (i < 0) {
        out_ += kGap;
      } else {
        print_axis(axis + 1);
      }
    }
    out_ += ']';
  }

  static inline const std::string kGap = "...";

  const Type& type_;  // this and the elements: of the tensor being printed
  const void* data_;
  const PrintOptions& options_;
  bool shortened_;
  std::vector<int64_t> indices_;
  std::vector<std::string> texts_;
  size_t next_ = 0;
  std::string out_;
};

std::string text_of(const Tensor& tensor,
                    const ElementFormat* format,
                    const PrintOptions& options) {
  if (!tensor.defined()) return "undefined";
  if (tensor.numel() == 0) return "[] " + to_string(tensor.type());
  materialize({tensor});
  Layout layout(tensor, options);
  if (format != nullptr) {
    layout.format_by(*format);
  } else {
    layout.format_as_numpy();
  }
  return layout.text();
}

}  // namespace

PrintOptions print_options() {
  SharedOptions& shared = shared_options();
  const std::lock_guard guard(shared.lock);
  return shared.value;
}

void set_print_options(const PrintOptions& options, Where where) {
  const auto check = [where](std::string_view name, int64_t value) {
    if (value >= 0) return;
    throw Error(where, "set_print_options", fmt::format("{} is negative: {}", name, value));
  };
  check("precision", options.precision);
  check("threshold", options.threshold);
  check("edge_items", options.edge_items);
  check("line_width", options.line_width);
  SharedOptions& shared = shared_options();
  const std::lock_guard guard(shared.lock);
  shared.value = options;
}

std::string to_string(const Tensor& tensor) {
  return to_string(tensor, print_options());
}

std::string to_string(const Tensor& tensor, const PrintOptions& options) {
  return text_of(tensor, nullptr, options);
}

std::string detail::to_string(const Tensor& tensor,
                              const ElementFormat& format,
                              const PrintOptions& options) {
  return text_of(tensor, &format, options);
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  return out << to_string(tensor);
}

}  // namespace wick
