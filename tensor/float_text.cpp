#include "wick/tensor/float_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace wick::detail {

namespace {

/// A finite number's digits: its sign, the digits of d.ddd, and the power of ten they count in.
struct Decimal {
  bool negative = false;
  std::string digits;
  int exponent = 0;
};

Decimal parse_scientific(std::string_view text) {
  Decimal result;
  if (text.starts_with('-')) {
    result.negative = true;
    text.remove_prefix(1);
  }
  const size_t e = text.find('e');
  for (const char c : text.substr(0, e)) {
    if (c != '.') result.digits += c;
  }
  result.exponent = std::atoi(std::string(text.substr(e + 1)).c_str());
  return result;
}

template <typename T>
std::string shortest_scientific(T value) {
  char text[64];
  const auto [end, problem] =
      std::to_chars(text, text + sizeof text, value, std::chars_format::scientific);
  return {text, end};
}

bool reads_back(const std::string& text, double value, DType dtype) {
  const auto read = static_cast<float>(std::strtod(text.c_str(), nullptr));
  return dtype == DType::f16 ? Half(read).bits == Half(static_cast<float>(value)).bits
                             : BFloat16(read).bits == BFloat16(static_cast<float>(value)).bits;
}

/// The fewest digits that no other number of the dtype is nearer to.
Decimal shortest(double value, DType dtype) {
  if (dtype == DType::f64) return parse_scientific(shortest_scientific(value));
  if (dtype == DType::f32) return parse_scientific(shortest_scientific(static_cast<float>(value)));
  std::string text;
  constexpr int kEnough = 8;
  for (int digits = 0; digits < kEnough; ++digits) {
    text = fmt::format("{:.{}e}", value, digits);
    if (reads_back(text, value, dtype)) break;
  }
  return parse_scientific(text);
}

/// The parts of a number's text.
struct Parts {
  std::string whole;
  std::string fraction;  // without zeros at its end
  int exponent = 0;
};

void strip_zeros(std::string& digits) {
  digits.resize(digits.find_last_not_of('0') + 1);
}

Parts positional(double value, DType dtype, int precision) {
  const Decimal number = shortest(value, dtype);
  const auto num_digits = static_cast<int>(number.digits.size());
  Parts parts;
  if (num_digits - 1 - number.exponent > precision) {
    const std::string text = fmt::format("{:.{}f}", value, precision);
    const size_t point = std::min(text.find('.'), text.size());
    parts.whole = text.substr(0, point);
    if (point < text.size()) parts.fraction = text.substr(point + 1);
  } else {
    std::string digits = number.digits;
    if (number.exponent < 0) digits.insert(0, static_cast<size_t>(-number.exponent), '0');
    const auto num_whole = static_cast<size_t>(std::max(number.exponent, 0)) + 1;
    if (digits.size() < num_whole) digits.append(num_whole - digits.size(), '0');
    parts.whole = fmt::format("{}{}", number.negative ? "-" : "", digits.substr(0, num_whole));
    parts.fraction = digits.substr(num_whole);
  }
  strip_zeros(parts.fraction);
  return parts;
}

Parts split_digits(const Decimal& number) {
  return {fmt::format("{}{}", number.negative ? "-" : "", number.digits.substr(0, 1)),
          number.digits.substr(1),
          number.exponent};
}

/// With so many digits after the point.
Parts exact_scientific(double value, int digits) {
  return split_digits(parse_scientific(fmt::format("{:.{}e}", value, digits)));
}

/// With no more digits than tell the number from others.
Parts scientific(double value, DType dtype, int precision) {
  const Decimal number = shortest(value, dtype);
  Parts parts = static_cast<int>(number.digits.size()) - 1 > precision
                    ? exact_scientific(value, precision)
                    : split_digits(number);
  strip_zeros(parts.fraction);
  return parts;
}

size_t exponent_digits(int exponent) {
  return std::abs(exponent) < 100 ? 2 : 3;  // never fewer than two
}

std::string exponent_text(int exponent, size_t digits) {
  return fmt::format("e{}{:0{}}", exponent < 0 ? '-' : '+', std::abs(exponent), digits);
}

/// A quotient of two numbers of the dtype is one itself.
double rounded_to(double value, DType dtype) {
  if (dtype == DType::f32 || dtype == DType::bf16) return static_cast<float>(value);
  if (dtype == DType::f16) return static_cast<float>(Half(static_cast<float>(value)));
  return value;
}

bool wants_scientific(std::span<const double> values, DType dtype, bool suppress) {
  double largest = 0;
  double smallest = HUGE_VAL;
  for (const double value : values) {
    const double size = std::fabs(value);
    if (!std::isfinite(size) || size == 0) continue;
    largest = std::max(largest, size);
    smallest = std::min(smallest, size);
  }
  if (largest == 0) return false;
  return largest >= 1e8 ||
         (!suppress && (smallest < 1e-4 || rounded_to(largest / smallest, dtype) > 1000));
}

std::string special_text(double value) {
  if (std::isnan(value)) return "nan";
  return value < 0 ? "-inf" : "inf";
}

}  // namespace

FloatNotation::FloatNotation(std::span<const double> values,
                             DType dtype,
                             const PrintOptions& options)
    : dtype_(dtype),
      precision_(options.precision),
      scientific_(wants_scientific(values, dtype, options.suppress)) {
  size_t special = 0;
  bool has_finite = false;
  for (const double value : values) {
    if (!std::isfinite(value)) {
      special = std::max(special, special_text(value).size());
      continue;
    }
    has_finite = true;
    const Parts parts =
        scientific_ ? scientific(value, dtype, precision_) : positional(value, dtype, precision_);
    before_point_ = std::max(before_point_, parts.whole.size());
    after_point_ = std::max(after_point_, parts.fraction.size());
    if (scientific_) exponent_ = std::max(exponent_, exponent_digits(parts.exponent));
  }
  const size_t others = has_finite ? 1 + after_point_ + (scientific_ ? exponent_ + 2 : 0) : 1;
  if (special > before_point_ + others) before_point_ = special - others;
}

std::string FloatNotation::text(double value) const {
  const size_t width = before_point_ + 1 + after_point_ + (scientific_ ? exponent_ + 2 : 0);
  if (!std::isfinite(value)) return fmt::format("{:>{}}", special_text(value), width);
  if (!scientific_) {
    const Parts parts = positional(value, dtype_, precision_);
    return fmt::format("{:>{}}.{:<{}}", parts.whole, before_point_, parts.fraction, after_point_);
  }
  // Digits beyond those that tell the number from others are its own, not zeros.
  const Parts parts = exact_scientific(value, static_cast<int>(after_point_));
  return fmt::format("{:>{}}.{}{}",
                     parts.whole,
                     before_point_,
                     parts.fraction,
                     exponent_text(parts.exponent, exponent_));
}

std::string single_float_text(double value, DType dtype) {
  if (!std::isfinite(value)) return special_text(value);
  const double size = std::fabs(value);
  constexpr int kAll = 400;
  if (size == 0 || (size >= 1e-4 && size < 1e16)) {
    const Parts parts = positional(value, dtype, kAll);
    return parts.whole + '.' + (parts.fraction.empty() ? "0" : parts.fraction);
  }
  const Parts parts = scientific(value, dtype, kAll);
  return parts.whole + (parts.fraction.empty() ? "" : '.' + parts.fraction) +
         exponent_text(parts.exponent, exponent_digits(parts.exponent));
}

}  // namespace wick::detail
