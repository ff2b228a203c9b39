#include "wick/ir/literal_text.h"

#include <bit>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

#include "wick/ir/convert.h"
#include "wick/ir/format.h"

namespace wick::ir {
namespace {

template <typename T>
auto bits_of(T value) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<uint32_t>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<uint64_t>(value);
  } else {
    return value.bits;
  }
}

/// `nan` is the quiet NaN that arithmetic gives, without sign or payload.
template <typename T>
bool is_plain_nan(T value) {
  return bits_of(value) == bits_of(from_double<T>(std::numeric_limits<double>::quiet_NaN()));
}

template <typename T>
std::string float_text(T value) {
  const double wide = to_double(value);
  if (std::isnan(wide)) {
    return is_plain_nan(value) ? "nan" : fmt::format("nan({:#x})", bits_of(value));
  }
  if (std::isinf(wide)) return wide < 0 ? "-inf" : "inf";
  if constexpr (std::is_same_v<T, double>) {
    return fmt::format("{}", value);
  } else {
    return fmt::format("{}", static_cast<float>(value));
  }
}

template <typename T>
std::string element_text(T value) {
  if constexpr (kIsFloat<T>) {
    return float_text(value);
  } else {
    return fmt::format("{}", value);
  }
}

bool is_splat(const Literal& literal) {
  const size_t size = size_of(literal.type().dtype);
  const std::span<const std::byte> bytes = literal.bytes();
  return literal.numel() > 1 &&
         std::memcmp(bytes.data(), bytes.data() + size, bytes.size() - size) == 0;
}

}  // namespace

std::string number_text(double value) {
  std::string text = float_text(value);
  const bool reads_as_integer = text.find_first_not_of("-0123456789") == std::string::npos;
  return reads_as_integer ? text + ".0" : text;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string literal_text(const Literal& literal) {
  std::string text = fmt::format("dense<{}", literal.type());
  const bool splat = is_splat(literal);
  if (splat) text += ": splat";
  visit_dtype(literal.type().dtype, [&]<typename T>() {
    const std::span<const T> values = literal.values<T>();
    for (size_t i = 0; i < (splat ? 1 : values.size()); ++i) {
      text += splat ? " " : i == 0 ? ": " : ", ";
      text += element_text(values[i]);
    }
  });
  return text + ">";
}

}  // namespace wick::ir
