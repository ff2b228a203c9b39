#include "wick/tensor/shared_attributes.h"

#include <vector>

#include <gtest/gtest.h>

namespace wick::detail {
namespace {

TEST(SharedAttributes, OfFieldsAreThoseOfValues) {
  const std::vector<int64_t> axes{0, -3, 7};
  const ir::Attributes expected{
      {"axes", axes}, {"axis", int64_t{5}}, {"dtype", DType::f64}, {"keepdims", true}};

  const auto of_fields =
      share({{"axes", axes}, {"axis", int64_t{5}}, {"dtype", DType::f64}, {"keepdims", true}});

  EXPECT_EQ(of_fields->value, expected);
  EXPECT_EQ(of_fields->hash, share(expected)->hash);
}

TEST(SharedAttributes, AreFoundAgain) {
  const std::vector<int64_t> shape{2, 3};
  const auto first = share({{"shape", shape}});

  EXPECT_EQ(share({{"shape", shape}}).get(), first.get());
  EXPECT_NE(share({{"sizes", shape}}).get(), first.get()) << "names begin alike";
  const std::vector<int64_t> longer{2, 3, 1};
  EXPECT_NE(share({{"shape", longer}}).get(), first.get());
  EXPECT_NE(share({{"shape", int64_t{2}}}).get(), first.get());
}

/// More than are remembered, so that some take the place of others.
TEST(SharedAttributes, ManyOfThemKeepTheirValues) {
  constexpr int64_t kMany = 5000;
  for (int round = 0; round < 2; ++round) {
    for (int64_t i = 0; i < kMany; ++i) {
      const std::vector<int64_t> starts{i, 0};
      const auto attributes = share({{"starts", starts}});
      ASSERT_EQ(attributes->value.integers("starts"), starts);
    }
  }
}

}  // namespace
}  // namespace wick::detail
