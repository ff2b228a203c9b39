#include "wick/passes/pass_registry.h"

#include <algorithm>
#include <stdexcept>

#include <gtest/gtest.h>

#include "wick/passes/pass_options.h"

namespace wick::passes {
namespace {

PassInfo named(std::string name) {
  return {.name = std::move(name), .summary = "", .options = {}, .create = {}};
}

TEST(PassRegistry, HoldsTheBuiltInPasses) {
  for (const char* name : {"canonicalize", "constant-fold", "cse", "dce", "fuse", "plan-memory"}) {
    const PassInfo* info = PassRegistry::instance().find(name);
    ASSERT_NE(info, nullptr) << name;
    EXPECT_FALSE(info->summary.empty()) << name;
    EXPECT_EQ(info->create({})->name(), name);
  }
}

TEST(PassRegistry, FindsNothingUnderOtherNames) {
  EXPECT_EQ(PassRegistry::instance().find("cs"), nullptr);
  EXPECT_EQ(PassRegistry::instance().find("csex"), nullptr);
  EXPECT_EQ(PassRegistry::instance().find(""), nullptr);
}

TEST(PassRegistry, ListsByName) {
  PassRegistry registry;
  registry.add(named("b"));
  registry.add(named("c"));
  registry.add(named("a"));

  const auto all = registry.all();

  ASSERT_EQ(all.size(), 3U);
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, [](const PassInfo* info) { return info->name; }));
}

TEST(PassRegistry, RefusesANameTwice) {
  PassRegistry registry;
  registry.add(named("a"));
  try {
    registry.add(named("a"));
    FAIL() << "added twice";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "a pass named 'a' is already registered");
  }
}

TEST(PassOptions, ReadsFlags) {
  const PassOptions options = {{"a", ""}, {"b", "true"}, {"c", "0"}, {"d", "yes"}};

  EXPECT_TRUE(flag_option(options, "a"));
  EXPECT_TRUE(flag_option(options, "b"));
  EXPECT_FALSE(flag_option(options, "c", true));
  EXPECT_TRUE(flag_option(options, "absent", true));
  try {
    (void)flag_option(options, "d");
    FAIL() << "read as a flag";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "option 'd' is 'yes', expected true or false");
  }
}

TEST(PassOptions, ReadsIntegers) {
  const PassOptions options = {{"a", "12"}, {"b", "-3"}, {"c", "4x"}};

  EXPECT_EQ(integer_option(options, "a", 0), 12);
  EXPECT_EQ(integer_option(options, "absent", 7), 7);
  EXPECT_EQ(integer_option(options, "b", 0, -5), -3);
  EXPECT_THROW((void)integer_option(options, "b", 0), std::invalid_argument);
  EXPECT_THROW((void)integer_option(options, "c", 0), std::invalid_argument);
}

}  // namespace
}  // namespace wick::passes
