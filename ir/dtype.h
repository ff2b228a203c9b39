#pragma once

// Element types.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace wick {

/// Enumerators are spelled as the IR prints them, `bool_` excepted.
enum class DType : uint8_t { f32, f64, f16, bf16, i8, i16, i32, i64, u8, bool_ };

inline constexpr int kNumDTypes = 10;

/// Bytes of one element; bool takes one byte holding 0 or 1.
constexpr size_t size_of(DType dtype) {
  constexpr size_t kSizes[kNumDTypes] = {4, 8, 2, 2, 1, 2, 4, 8, 1, 1};
  return kSizes[static_cast<int>(dtype)];
}

constexpr bool is_float(DType dtype) {
  return dtype <= DType::bf16;
}

/// Stored in 16 bits, computed in f32.
constexpr bool is_half(DType dtype) {
  return dtype == DType::f16 || dtype == DType::bf16;
}

constexpr bool is_integer(DType dtype) {
  return dtype >= DType::i8 && dtype <= DType::u8;
}

constexpr bool is_signed_integer(DType dtype) {
  return dtype >= DType::i8 && dtype <= DType::i64;
}

/// `f32`, `bool`, ...
std::string_view to_string(DType dtype);
std::optional<DType> dtype_from_string(std::string_view name);

/// IEEE half and bfloat16 as storage; arithmetic converts to float and rounds to nearest even.
struct Half {
  uint16_t bits = 0;
  Half() = default;
  explicit Half(float value);
  explicit operator float() const;
};

struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value);
  explicit operator float() const;
};

/// The dtype that stores C++ type T: dtype_of<float>() is f32.
template <typename T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, float>)
    return DType::f32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::f64;
  else if constexpr (std::is_same_v<T, Half>)
    return DType::f16;
  else if constexpr (std::is_same_v<T, BFloat16>)
    return DType::bf16;
  else if constexpr (std::is_same_v<T, bool>)
    return DType::bool_;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return DType::u8;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 1)
    return DType::i8;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 2)
    return DType::i16;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 4)
    return DType::i32;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 8)
    return DType::i64;
  else
    static_assert(sizeof(T) == 0, "no Wick dtype stores this type");
}

/// Calls `visitor.template operator()<T>()` with the C++ type that stores `dtype`.
template <typename Visitor>
decltype(auto) visit_dtype(DType dtype, Visitor&& visitor) {
  switch (dtype) {
    case DType::f32:
      return visitor.template operator()<float>();
    case DType::f64:
      return visitor.template operator()<double>();
    case DType::f16:
      return visitor.template operator()<Half>();
    case DType::bf16:
      return visitor.template operator()<BFloat16>();
    case DType::i8:
      return visitor.template operator()<int8_t>();
    case DType::i16:
      return visitor.template operator()<int16_t>();
    case DType::i32:
      return visitor.template operator()<int32_t>();
    case DType::i64:
      return visitor.template operator()<int64_t>();
    case DType::u8:
      return visitor.template operator()<uint8_t>();
    case DType::bool_:
      return visitor.template operator()<bool>();
  }
  __builtin_unreachable();
}

}  // namespace wick
