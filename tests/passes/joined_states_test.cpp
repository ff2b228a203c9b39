// Random programs that join states and take them apart again mean the same when each part is
// computed by itself.

#include <random>

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

/// Steps of a state s[extent, 2], or s[2, extent], that is joined of computed parts.
class StateProgram {
 public:
  explicit StateProgram(uint64_t seed) : random_(seed), axis_(draw(0, 1)) {
    for (int64_t i = draw(2, 4); i > 0; --i)
      parts_.push_back(draw(1, 3));
    for (const int64_t part : parts_)
      extent_ += part;
  }

  std::string text() {
    const std::string whole = type(extent_);
    std::string state = "%s";
    for (int64_t step = draw(1, 3); step > 0; --step) {
      const std::string change = scaled(joined(state));
      state = line(fmt::format("add {}, {} : {}", state, change, whole));
    }
    const int64_t step = draw(1, 2);
    const int64_t size = draw(1, (extent_ - 1) / step + 1);
    const int64_t start = draw(0, extent_ - (size - 1) * step - 1);
    const bool backwards = draw(0, 2) == 0;
    const std::string slice = backwards ? this->slice(state, start + (size - 1) * step, size, -step)
                                        : this->slice(state, start, size, step);
    return fmt::format(
        "graph @f(%s: {}, %row: f32[2], %along: f32[{}], %across: f32[{}], %scalar: f32[]) -> ({}, "
        "{}) {{\n{}"
        "  return {}, {}\n}}\n",
        whole,
        axis_ == 0 ? fmt::format("{},1", extent_) : fmt::format("1,{}", extent_),
        axis_ == 0 ? "1,2" : "2,1",
        type(size),
        whole,
        body_,
        slice,
        state);
  }

 private:
  int64_t draw(int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random_);
  }

  [[nodiscard]] std::string type(int64_t extent) const {
    return axis_ == 0 ? fmt::format("f32[{},2]", extent) : fmt::format("f32[2,{}]", extent);
  }

  std::string line(const std::string& op) {
    body_ += fmt::format("  %{} = {}\n", next_, op);
    return fmt::format("%{}", next_++);
  }

  std::string slice(const std::string& x, int64_t start, int64_t size, int64_t step) {
    const auto pair = [&](int64_t along, int64_t across) {
      return axis_ == 0 ? fmt::format("[{}, {}]", along, across)
                        : fmt::format("[{}, {}]", across, along);
    };
    return line(fmt::format("slice {} {{starts = {}, sizes = {}, steps = {}}} : {}",
                            x,
                            pair(start, 0),
                            pair(size, 2),
                            pair(step, 1),
                            type(size)));
  }

  std::string joined(const std::string& state) {
    std::string operands;
    int64_t start = 0;
    for (const int64_t part : parts_) {
      const std::string own = slice(state, start, part, 1);
      const std::string computed =
          line(fmt::format("{} {} : {}", draw(0, 1) == 0 ? "neg" : "tanh", own, type(part)));
      operands += (operands.empty() ? "" : ", ") + computed;
      start += part;
    }
    return line(fmt::format("concat {} {{axis = {}}} : {}", operands, axis_, type(extent_)));
  }

  std::string scaled(std::string x) {
    constexpr const char* kOthers[] = {"%along", "%across", "%scalar", "%row"};
    for (int64_t i = draw(0, 3); i > 0; --i) {
      // A row of f32[2] goes with columns alone.
      const char* other = kOthers[draw(0, axis_ == 0 ? 3 : 2)];
      x = line(fmt::format("mul {}, {} : {}", x, other, type(extent_)));
    }
    return x;
  }

  std::mt19937_64 random_;
  int64_t axis_;
  std::vector<int64_t> parts_;
  int64_t extent_ = 0;
  std::string body_;
  int next_ = 0;
};

TEST(JoinedStates, MeanTheSameInParts) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const std::string text = StateProgram(seed).text();
    const auto graph = ir::parse_graph(text);
    const std::vector<Literal> inputs = random_inputs(*graph, seed, /*special_values=*/false);
    const std::vector<Literal> expected = ir::interpret(*graph, inputs);

    run_passes(*graph, "canonicalize,cse,dce");

    const std::vector<Literal> actual = ir::interpret(*graph, inputs);
    for (size_t i = 0; i < expected.size(); ++i) {
      const auto difference = first_difference(expected[i], actual[i]);
      ASSERT_EQ(difference, std::nullopt) << text << "\nbecame\n" << to_string(*graph);
    }
  }
}

}  // namespace
}  // namespace wick::passes
