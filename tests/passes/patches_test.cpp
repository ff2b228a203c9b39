// Sums of what has zeros around it and between its elements mean the same when they are joined.

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "run_passes.h"
#include "support/random_graph.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wick/ir/interpreter.h"
#include "wick/ir/parser.h"
#include "wick/ir/printer.h"

namespace wick::passes {
namespace {

using testing_support::first_difference;
using testing_support::random_inputs;

/// Where the elements of a part are along one axis.
struct Places {
  int64_t first;
  int64_t step;
  int64_t count;

  [[nodiscard]] int64_t behind(int64_t extent) const {
    return extent - 1 - first - (count - 1) * step;
  }
};

/// A sum of paddings to one matrix, in a random order.
class PatchProgram {
 public:
  explicit PatchProgram(uint64_t seed) : random_(seed) {
    const auto rows = cut();
    const auto columns = cut();
    for (const Places& row : rows.parts) {
      for (const Places& column : columns.parts) {
        if (draw(0, 9) > 0) add_patch(row, column, rows.extent, columns.extent);
      }
    }
    if (paddings_.empty()) add_patch(rows.parts[0], columns.parts[0], rows.extent, columns.extent);
    std::ranges::shuffle(paddings_, random_);
    sum_ = paddings_[0];
    type_ = fmt::format("f32[{},{}]", rows.extent, columns.extent);
    for (size_t i = 1; i < paddings_.size(); ++i) {
      body_ += fmt::format("  %s{} = add {}, {} : {}\n", i, sum_, paddings_[i], type_);
      sum_ = fmt::format("%s{}", i);
    }
  }

  [[nodiscard]] std::string text() const {
    return fmt::format(
        "graph @patches({}) -> ({}) {{\n  %zero = constant {{value = dense<f32[]: 0.0>}} : f32[]\n"
        "{}  return {}\n}}\n",
        parameters_,
        type_,
        body_,
        sum_);
  }

 private:
  struct Cut {
    std::vector<Places> parts;
    int64_t extent;
  };

  int64_t draw(int64_t low, int64_t high) {
    return std::uniform_int_distribution(low, high)(random_);
  }

  /// In turns, or one behind the other; sometimes with a border.
  Cut cut() {
    const int64_t num_parts = draw(1, 4);
    const int64_t border = draw(0, 2) == 0 ? draw(1, 3) : 0;
    Cut cut{.parts = {}, .extent = border};
    if (draw(0, 1) == 0) {
      const int64_t count = draw(1, 4);
      for (int64_t i = 0; i < num_parts; ++i)
        cut.parts.push_back({border + i, num_parts, count});
      cut.extent += num_parts * count;
    } else {
      for (int64_t i = 0; i < num_parts; ++i) {
        const int64_t count = draw(1, 4);
        cut.parts.push_back({cut.extent, 1, count});
        cut.extent += count;
      }
    }
    return cut;
  }

  void add_patch(const Places& row, const Places& column, int64_t rows, int64_t columns) {
    const size_t number = paddings_.size();
    parameters_ +=
        fmt::format("{}%p{}: f32[{},{}]", number == 0 ? "" : ", ", number, row.count, column.count);
    body_ += fmt::format(
        "  %q{0} = pad %p{0}, %zero {{low = [{1},{2}], high = [{3},{4}], interior = [{5},{6}]}} : "
        "f32[{7},{8}]\n",
        number,
        row.first,
        column.first,
        row.behind(rows),
        column.behind(columns),
        row.step - 1,
        column.step - 1,
        rows,
        columns);
    paddings_.push_back(fmt::format("%q{}", number));
  }

  std::mt19937_64 random_;
  std::vector<std::string> paddings_;
  std::string parameters_;
  std::string body_;
  std::string sum_;
  std::string type_;
};

TEST(Patches, MeanTheSameJoined) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const std::string text = PatchProgram(seed).text();
    const auto graph = ir::parse_graph(text);
    const std::vector<Literal> inputs = random_inputs(*graph, seed, seed % 4 == 3);
    const std::vector<Literal> expected = ir::interpret(*graph, inputs);

    run_passes(*graph, "canonicalize,cse,dce");

    const std::vector<Literal> actual = ir::interpret(*graph, inputs);
    const auto difference = first_difference(expected[0], actual[0]);
    ASSERT_EQ(difference, std::nullopt) << text << "\nbecame\n" << to_string(*graph);
  }
}

}  // namespace
}  // namespace wick::passes
