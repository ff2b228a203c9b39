#include "wick/passes/text_diff.h"

#include <gtest/gtest.h>

namespace wick::passes {
namespace {

TEST(DiffLines, OfEqualTextsIsEmpty) {
  EXPECT_EQ(diff_lines("a\nb\n", "a\nb\n", false), "");
  EXPECT_EQ(diff_lines("", "", false), "");
}

TEST(DiffLines, ShowsWhatWentAndCame) {
  EXPECT_EQ(diff_lines("a\nb\nc\n", "a\nx\nc\ny\n", false), "@@ -1 +1 @@\n a\n-b\n+x\n c\n+y\n");
  EXPECT_EQ(diff_lines("", "a\n", false), "@@ -1 +1 @@\n+a\n");
  EXPECT_EQ(diff_lines("a\nb\n", "", false), "@@ -1 +1 @@\n-a\n-b\n");
}

TEST(DiffLines, KeepsThreeLinesAroundAndSplitsWhatIsFarApart) {
  const std::string before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";
  const std::string after = "0\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n13\n";

  EXPECT_EQ(diff_lines(before, after, false),
            "@@ -1 +1 @@\n-1\n+0\n 2\n 3\n 4\n@@ -9 +9 @@\n 9\n 10\n 11\n-12\n+13\n");
}

TEST(DiffLines, ShowsTextsThatHaveLittleInCommonWhole) {
  std::string before;
  std::string after;
  for (int i = 0; i < 3000; ++i) {
    before += i == 1500 ? "same\n" : "old " + std::to_string(i) + "\n";
    after += i == 1500 ? "same\n" : "new " + std::to_string(i) + "\n";
  }
  const std::string diff = diff_lines(before, after, false);

  EXPECT_EQ(diff.find("@@ -1 +1 @@\n-old 0\n-old 1\n"), 0U);
  EXPECT_LT(diff.find("-old 2999\n"), diff.find("+new 0\n"));
  EXPECT_EQ(diff.find("\n same\n"), std::string::npos) << "not searched for what is common";
}

TEST(DiffLines, ColorsWhatChanged) {
  EXPECT_EQ(diff_lines("a\n", "b\n", true), "@@ -1 +1 @@\n\033[31m-a\033[0m\n\033[32m+b\033[0m\n");
}

}  // namespace
}  // namespace wick::passes
