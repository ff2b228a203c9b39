#include "wick/ir/dtype.h"

#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "wick/ir/convert.h"
#include "wick/ir/literal.h"

namespace wick {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(DType, NamesReadBack) {
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(dtype_from_string(to_string(dtype)), dtype);
    EXPECT_EQ(visit_dtype(dtype, []<typename T>() { return dtype_of<T>(); }), dtype);
    EXPECT_EQ(visit_dtype(dtype, []<typename T>() { return sizeof(T); }), size_of(dtype));
  }
  EXPECT_EQ(to_string(DType::bool_), "bool");
  EXPECT_EQ(dtype_from_string("f8"), std::nullopt);
}

TEST(Half, EveryValueSurvivesFloat) {
  for (uint32_t bits = 0; bits <= 0xFFFFU; ++bits) {
    Half half;
    half.bits = static_cast<uint16_t>(bits);
    const auto wide = static_cast<float>(half);
    if (std::isnan(wide)) {
      EXPECT_EQ(Half(wide).bits, bits | 0x200U);  // quiet, payload kept
    } else {
      ASSERT_EQ(Half(wide).bits, bits);
    }
  }
}

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(Half(1.0F + 0x1p-11F).bits, 0x3C00U);      // a tie: down to even
  EXPECT_EQ(Half(1.0F + 3 * 0x1p-11F).bits, 0x3C02U);  // a tie: up to even
  EXPECT_EQ(Half(1.0F + 0x1p-11F + 0x1p-20F).bits, 0x3C01U);
  EXPECT_EQ(Half(65519.99F).bits, 0x7BFFU);
  EXPECT_EQ(Half(65520.0F).bits, 0x7C00U);
  EXPECT_EQ(Half(-kInfinity).bits, 0xFC00U);
  EXPECT_EQ(Half(0x1p-25F).bits, 0U);  // a tie with 0
  EXPECT_EQ(Half(0x1.002p-25F).bits, 1U);
  EXPECT_EQ(Half(3 * 0x1p-25F).bits, 2U);
  EXPECT_EQ(Half(-0.0F).bits, 0x8000U);
  EXPECT_EQ(static_cast<float>(Half(0x1p-24F)), 0x1p-24F);
}

TEST(BFloat16, EveryValueSurvivesFloat) {
  for (uint32_t bits = 0; bits <= 0xFFFFU; ++bits) {
    BFloat16 number;
    number.bits = static_cast<uint16_t>(bits);
    const auto wide = static_cast<float>(number);
    if (std::isnan(wide)) {
      EXPECT_EQ(BFloat16(wide).bits, bits | 0x40U);
    } else {
      ASSERT_EQ(BFloat16(wide).bits, bits);
    }
  }
}

TEST(BFloat16, RoundsToNearestEven) {
  EXPECT_EQ(BFloat16(1.0F + 0x1p-8F).bits, 0x3F80U);
  EXPECT_EQ(BFloat16(1.0F + 3 * 0x1p-8F).bits, 0x3F82U);
  EXPECT_EQ(BFloat16(std::numeric_limits<float>::max()).bits, 0x7F80U);
  EXPECT_EQ(BFloat16(std::bit_cast<float>(0x7F800001U)).bits, 0x7FC0U);  // still a NaN
}

TEST(Convert, RoundsDoublesOnce) {
  // By way of float the first would land on a tie and go to even.
  const double above_a_tie = 1 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(Half(static_cast<float>(above_a_tie)).bits, 0x3C00U);
  EXPECT_EQ(ir::from_double<Half>(above_a_tie).bits, 0x3C01U);
  EXPECT_EQ(ir::from_double<Half>(-above_a_tie).bits, 0xBC01U);
  EXPECT_EQ(ir::from_double<Half>(1 + 3 * 0x1p-11 - 0x1p-40).bits, 0x3C01U);
  EXPECT_EQ(ir::from_double<BFloat16>(1 + 0x1p-8 + 0x1p-50).bits, 0x3F81U);
  EXPECT_EQ(ir::from_double<Half>(1e300).bits, 0x7C00U);
  EXPECT_EQ(ir::from_double<Half>(1e-300).bits, 0U);
}

TEST(Convert, RoundsIntegersOnce) {
  // 2^62 + 2^54 is a tie of bf16; the 1 is beyond the digits of double.
  constexpr int64_t kTie = (int64_t{1} << 62U) + (int64_t{1} << 54U);
  EXPECT_EQ(ir::from_integer<BFloat16>(kTie).bits, 0x5E80U);
  EXPECT_EQ(ir::from_integer<BFloat16>(kTie + 1).bits, 0x5E81U);
  EXPECT_EQ(ir::from_integer<BFloat16>(-kTie - 1).bits, 0xDE81U);
  EXPECT_EQ(ir::from_integer<float>((int64_t{1} << 53U) + (int64_t{1} << 29U) + 1),
            0x1p53F + 0x1p30F);
}

TEST(Convert, SaturatesFloatsToIntegers) {
  EXPECT_EQ(ir::from_double<int8_t>(-128.9), -128);
  EXPECT_EQ(ir::from_double<int8_t>(300), 127);
  EXPECT_EQ(ir::from_double<uint8_t>(-1), 0);
  EXPECT_EQ(ir::from_double<uint8_t>(255.5), 255);
  EXPECT_EQ(ir::from_double<int32_t>(-2.9), -2);
  EXPECT_EQ(ir::from_double<int64_t>(0x1p63), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(ir::from_double<int64_t>(-kInfinity), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(ir::from_double<int16_t>(std::nan("")), 0);
  EXPECT_TRUE(ir::from_double<bool>(0.25));
  EXPECT_TRUE(ir::from_double<bool>(std::nan("")));
}

TEST(Convert, WrapsIntegers) {
  EXPECT_EQ((ir::convert<int8_t>(int32_t{200})), -56);
  EXPECT_EQ((ir::convert<uint8_t>(int32_t{-1})), 255);
  EXPECT_EQ((ir::convert<int32_t>(int64_t{1} << 32U)), 0);
  EXPECT_TRUE((ir::convert<bool>(int64_t{256})));
}

TEST(Literal, HoldsAndConverts) {
  const float values[] = {1.5F, -2};
  const Literal literal = Literal::from<float>({2}, values);

  EXPECT_EQ(literal.as_double(0), 1.5);
  EXPECT_EQ(literal.as_integer(1), -2);
  EXPECT_FALSE(literal.is_splat(1.5));
  EXPECT_TRUE(Literal::scalar(DType::bf16, 3).is_splat(3));
  EXPECT_FALSE(Literal(Type{DType::f32, {0}}).is_splat(0));
  EXPECT_EQ(Literal::scalar_integer(DType::i64, int64_t{1} << 60U).as_integer(0),
            int64_t{1} << 60U);
}

TEST(Literal, ComparesBits) {
  EXPECT_EQ(Literal::scalar(DType::f32, NAN), Literal::scalar(DType::f32, NAN));
  EXPECT_NE(Literal::scalar(DType::f32, 0.0), Literal::scalar(DType::f32, -0.0));
  EXPECT_NE(Literal::scalar(DType::f32, 0.0), Literal::scalar(DType::i32, 0.0));
}

TEST(Literal, RefusesAnotherElementType) {
  EXPECT_THROW((void)Literal::scalar(DType::f32, 1).values<int32_t>(), std::logic_error);
}

}  // namespace
}  // namespace wick
