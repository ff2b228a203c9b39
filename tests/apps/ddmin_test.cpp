#include "ddmin.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace wick::reduce {
namespace {

FirstInteresting needs(Positions needed, int* calls = nullptr) {
  return [needed, calls](std::span<const Positions> candidates) -> std::optional<size_t> {
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (calls != nullptr) ++*calls;
      if (std::ranges::includes(candidates[i], needed)) return i;
    }
    return std::nullopt;
  };
}

TEST(Minimize, FindsOneElementInLogarithmicallyManySteps) {
  int calls = 0;

  const Positions kept = minimize(1024, needs({317}, &calls));

  EXPECT_EQ(kept, Positions({317}));
  EXPECT_LE(calls, 2 * 10);
}

TEST(Minimize, KeepsElementsFarApart) {
  EXPECT_EQ(minimize(400, needs({0, 199, 399})), Positions({0, 199, 399}));
}

TEST(Minimize, KeepsAllWhenAllAreNeeded) {
  EXPECT_EQ(minimize(5, needs({0, 1, 2, 3, 4})), Positions({0, 1, 2, 3, 4}));
}

TEST(Minimize, NeverTriesToKeepNothing) {
  const auto always = [](std::span<const Positions> candidates) -> std::optional<size_t> {
    for (const Positions& candidate : candidates)
      EXPECT_FALSE(candidate.empty());
    return candidates.empty() ? std::nullopt : std::optional<size_t>(0);
  };

  EXPECT_EQ(minimize(8, always), Positions({7}));
  EXPECT_EQ(minimize(0, always), Positions());
}

}  // namespace
}  // namespace wick::reduce
