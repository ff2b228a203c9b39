#include "property.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "wick/ir/parser.h"

namespace wick::reduce {
namespace {

/// Fails on a graph with a tanh, and slowly on one with an exp.
int fake_run(const std::vector<std::string>& arguments) {
  std::ifstream file(arguments.at(1));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const bool slow = text.find("exp") != std::string::npos;
  if (slow) usleep(50'000);
  if (!slow && text.find("tanh") == std::string::npos) return 0;
  std::puts("found it");
  return 1;
}

class PropertyTest : public testing::Test {
 protected:
  PropertyTest() { std::filesystem::create_directories(scratch_); }

  ~PropertyTest() override { std::filesystem::remove_all(scratch_); }

  [[nodiscard]] Property property(std::string expected, int jobs = 2) const {
    return {{.test = {},
             .expected_error = std::move(expected),
             .command = {"wick-run", "{}"},
             .timeout = std::chrono::minutes(1),
             .jobs = jobs},
            scratch_,
            {[] {}, fake_run}};
  }

  static std::vector<std::unique_ptr<ir::Graph>> graphs(const std::vector<std::string>& ops) {
    std::vector<std::unique_ptr<ir::Graph>> all;
    for (const std::string& op : ops) {
      all.push_back(ir::parse_graph("graph @f(%x: f32[2]) -> (f32[2]) {\n  %0 = " + op +
                                    " %x : f32[2]\n  return %0\n}"));
    }
    return all;
  }

 private:
  std::filesystem::path scratch_ =
      std::filesystem::temp_directory_path() / ("property_test." + std::to_string(getpid()));
};

TEST_F(PropertyTest, WantsAFailureThatMatches) {
  const auto graph = graphs({"neg", "tanh"});

  EXPECT_EQ(property("found it").first_interesting(graph), 1U);
  EXPECT_EQ(property("exit code 1").first_interesting(graph), 1U);
  EXPECT_EQ(property("exit code 0").first_interesting(graph), std::nullopt);
  EXPECT_EQ(property("something else").first_interesting(graph), std::nullopt);
}

TEST_F(PropertyTest, TheFirstInOrderWinsWhicheverEndsFirst) {
  const std::vector<std::string> ops = {"neg", "exp", "abs", "tanh"};

  for (const int jobs : {1, 2, 5})
    EXPECT_EQ(property("found it", jobs).first_interesting(graphs(ops)), 1U) << jobs;
}

}  // namespace
}  // namespace wick::reduce
