#include "wick/ir/dtype.h"

#include <array>
#include <bit>

namespace wick {
namespace {

constexpr std::array<std::string_view, kNumDTypes> kNames = {
    "f32", "f64", "f16", "bf16", "i8", "i16", "i32", "i64", "u8", "bool"};

constexpr uint32_t kMagnitude = 0x7FFFFFFFU;
constexpr uint32_t kInfinity = 0x7F800000U;

uint16_t half_magnitude(uint32_t magnitude) {
  constexpr uint32_t kRoundsToInfinity = 0x477FF000U;  // 65520
  constexpr uint32_t kSmallestNormal = 0x38800000U;    // 2^-14
  if (magnitude > kInfinity) {
    return static_cast<uint16_t>(0x7E00U | ((magnitude >> 13U) & 0x3FFU));  // stays a quiet NaN
  }
  if (magnitude >= kRoundsToInfinity) return 0x7C00U;
  if (magnitude < kSmallestNormal) {
    // One unit in the last place of 0.5 is that of subnormal halves: the addition rounds.
    const float rounded = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<uint16_t>(std::bit_cast<uint32_t>(rounded) - 0x3F000000U);
  }
  const uint32_t rounded = magnitude + 0xFFFU + ((magnitude >> 13U) & 1U);
  return static_cast<uint16_t>((rounded - 0x38000000U) >> 13U);
}

}  // namespace

std::string_view to_string(DType dtype) {
  return kNames[static_cast<size_t>(dtype)];
}

std::optional<DType> dtype_from_string(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

Half::Half(float value) {
  const auto word = std::bit_cast<uint32_t>(value);
  bits = static_cast<uint16_t>(((word >> 16U) & 0x8000U) | half_magnitude(word & kMagnitude));
}

Half::operator float() const {
  const uint32_t sign = (bits & 0x8000U) << 16U;
  const uint32_t exponent = (bits >> 10U) & 0x1FU;
  const uint32_t mantissa = bits & 0x3FFU;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | sign);
  }
  const uint32_t widened = exponent == 0x1FU ? 0xFFU : exponent + 112U;
  return std::bit_cast<float>(sign | (widened << 23U) | (mantissa << 13U));
}

BFloat16::BFloat16(float value) {
  const auto word = std::bit_cast<uint32_t>(value);
  if ((word & kMagnitude) > kInfinity) {
    bits = static_cast<uint16_t>((word >> 16U) | 0x40U);  // rounding could carry a NaN to infinity
  } else {
    bits = static_cast<uint16_t>((word + 0x7FFFU + ((word >> 16U) & 1U)) >> 16U);
  }
}

BFloat16::operator float() const {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16U);
}

}  // namespace wick
