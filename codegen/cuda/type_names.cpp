#include "wick/codegen/cuda/type_names.h"

#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace wick::codegen::cuda {

namespace {

constexpr std::string_view kMemoryTypes[kNumDTypes] = {
    "float", "double", "Half", "BFloat", "i8", "i16", "i32", "i64", "u8", "bool"};

/// The shortest digits that read back as the value.
template <typename T>
std::string digits_of(T value, std::string_view suffix) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text += suffix;
}

}  // namespace

std::string_view memory_type(DType dtype) {
  return kMemoryTypes[static_cast<size_t>(dtype)];
}

std::string_view register_type(DType dtype) {
  return is_half(dtype) ? "float" : memory_type(dtype);
}

std::string literal_text(const Literal& value) {
  const DType dtype = value.type().dtype;
  if (dtype == DType::bool_) return value.as_integer(0) != 0 ? "true" : "false";
  if (!is_float(dtype)) {
    const int64_t number = value.as_integer(0);
    // The lowest number is no literal of C++: a minus applies to one that is too large.
    if (number == std::numeric_limits<int64_t>::min()) return "Limits<i64>::low()";
    return fmt::format("{}({}{})", memory_type(dtype), number, dtype == DType::i64 ? "ll" : "");
  }
  const double number = value.as_double(0);
  if (dtype == DType::f64) {
    if (std::isfinite(number)) return digits_of(number, "");
    return fmt::format("bits_as<double>(u64({:#x}))", std::bit_cast<uint64_t>(number));
  }
  const auto narrow = static_cast<float>(number);
  if (std::isfinite(narrow)) return digits_of(narrow, "f");
  return fmt::format("bits_as<float>(u32({:#x}))", std::bit_cast<uint32_t>(narrow));
}

}  // namespace wick::codegen::cuda
