#include "wick/runtime/result_error.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "wick/runtime/validate.h"

namespace wick::runtime {
namespace {

template <size_t N>
Literal floats(const std::array<float, N>& values) {
  return Literal::from<float>({static_cast<int64_t>(N)}, values);
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const float kNan = std::nanf("");

TEST(LargestError, EqualValuesHaveNone) {
  const Literal value = floats<3>({1, kNan, kInfinity});

  EXPECT_FALSE(largest_error(value, value));
}

TEST(LargestError, CountsUlps) {
  const float next = std::nextafter(std::nextafter(1.0F, 2.0F), 2.0F);

  const auto error = largest_error(floats<2>({5, 1}), floats<2>({5, next}));

  ASSERT_TRUE(error);
  EXPECT_EQ(error->position, 1);
  EXPECT_EQ(error->ulps, 2);
  EXPECT_EQ(error->absolute, static_cast<double>(next) - 1);
  EXPECT_EQ(error->outside, 0);
}

TEST(LargestError, UlpsGoThroughZero) {
  const float least = std::numeric_limits<float>::denorm_min();

  EXPECT_EQ(largest_error(floats<1>({least}), floats<1>({-least}))->ulps, 2);
}

TEST(LargestError, IsTheOneFarthestOutsideOfWhatIsAllowed) {
  // The mean magnitude, 334, decides for the small elements and the element for the large one.
  const auto error = largest_error(floats<3>({1, 1, 1000}), floats<3>({1, 3, 1002.5F}));

  ASSERT_TRUE(error);
  EXPECT_EQ(error->position, 1);
  EXPECT_NEAR(error->allowed, 334 * 2e-3, 1e-6);
  EXPECT_EQ(error->outside, 2);
}

TEST(LargestError, NanAndInfinityAreOutside) {
  for (const float got : {kNan, 7.0F, -kInfinity}) {
    const auto error = largest_error(floats<2>({kInfinity, 1}), floats<2>({got, 1}));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->outside, 1) << got;
    EXPECT_TRUE(difference(floats<2>({kInfinity, 1}), floats<2>({got, 1}), true)) << got;
  }
}

TEST(LargestError, OfIntegersIsTheirDifference) {
  const std::array<int32_t, 2> expected{3, 4};
  const std::array<int32_t, 2> got{3, 9};

  const auto error =
      largest_error(Literal::from<int32_t>({2}, expected), Literal::from<int32_t>({2}, got));

  ASSERT_TRUE(error);
  EXPECT_EQ(error->ulps, 5);
  EXPECT_EQ(error->outside, 1);
}

TEST(LargestError, ComparesIntegersThatNoDoubleTellsApart) {
  constexpr int64_t kLimit = int64_t{1} << 53U;
  const std::array<int64_t, 1> expected{kLimit};
  const std::array<int64_t, 1> got{kLimit + 1};

  const auto error =
      largest_error(Literal::from<int64_t>({1}, expected), Literal::from<int64_t>({1}, got));

  ASSERT_TRUE(error);
  EXPECT_EQ(error->absolute, 1);
  EXPECT_EQ(error->ulps, 1);
  EXPECT_EQ(error->outside, 1);
}

TEST(LargestError, OfTheFarthestIntegersDoesNotOverflow) {
  const std::array<int64_t, 1> expected{std::numeric_limits<int64_t>::min()};
  const std::array<int64_t, 1> got{std::numeric_limits<int64_t>::max()};

  const auto error =
      largest_error(Literal::from<int64_t>({1}, expected), Literal::from<int64_t>({1}, got));

  ASSERT_TRUE(error);
  EXPECT_EQ(error->absolute, 0x1p64);
}

}  // namespace
}  // namespace wick::runtime
