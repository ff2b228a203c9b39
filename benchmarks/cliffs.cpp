// Times random programs that cut, join, turn and reduce tensors of a million elements, and prints
// those that take long for each element that passes through them:
//
//     cliffs [--seed N] [--programs N] [--above NS]
//
// That is where what single ops of usual shapes do not show comes to light.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "wick/wick.h"

namespace {

using namespace wick;  // NOLINT: programs read as users write them

using Step = std::function<Tensor(const Tensor&)>;

struct Program {
  Tensor input;
  std::vector<Step> steps;
  std::string text;
  double elements = 0;  // of all tensors between the ops

  [[nodiscard]] Tensor run() const {
    Tensor x = input;
    for (const Step& step : steps)
      x = step(x);
    return x;
  }
};

/// Draws one program after the other.
class Author {
 public:
  explicit Author(uint64_t seed) : generator_(seed) {}

  Program write() {
    Program program;
    program.input = rand(Shape(draw_extents()));
    materialize(program.input);
    program.text = to_string(program.input.shape());
    Tensor x = program.input;
    const int count = 2 + below(4);
    program.elements = static_cast<double>(x.numel());
    for (int i = 0; i < count; ++i) {
      const Step step = draw_step(x);
      if (!step) continue;
      x = step(x);
      program.steps.push_back(step);
      program.text += fmt::format(" {} {}", name_, to_string(x.shape()));
      program.elements += static_cast<double>(x.numel());
    }
    return program;
  }

 private:
  int below(int64_t end) { return static_cast<int>(generator_() % static_cast<uint64_t>(end)); }

  std::vector<int64_t> draw_extents() {
    constexpr int64_t kUsual[] = {2, 3, 4, 5, 7, 8, 10, 16, 20, 32, 50, 64, 100, 300, 1000};
    std::vector<int64_t> extents;
    int64_t left = 1'000'000;
    for (int axis = below(4); axis > 0; --axis) {
      extents.push_back(std::min(kUsual[below(std::ssize(kUsual))], left));
      left /= extents.back();
    }
    extents.push_back(std::max<int64_t>(left, 1));
    std::ranges::shuffle(extents, generator_);
    return extents;
  }

  /// An op that x may have, named in name_; none where the drawn one does not fit.
  Step draw_step(const Tensor& x) {
    const int axes = x.ndim();
    const int axis = below(axes);
    const int64_t extent = x.size(axis);
    const auto named = [&](const char* op, Step step) {
      name_ = fmt::format("{}({})", op, axis);
      return step;
    };
    switch (below(13)) {
      case 0: {
        Axes order;
        for (int i = 0; i < axes; ++i)
          order.push_back(i);
        std::ranges::shuffle(order, generator_);
        name_ = fmt::format("permute({})", fmt::join(order, ","));
        return [=](const Tensor& v) { return permute(v, order); };
      }
      case 1: {
        const int64_t step = 2 + below(3);
        if (extent < 2 * step) return {};
        const int64_t begin = below(2);
        name_ = fmt::format("slice({}, {}::{})", axis, begin, step);
        return [=](const Tensor& v) { return slice(v, axis, begin, extent, step); };
      }
      case 2:
        if (extent < 4) return {};
        return named("inner", [=](const Tensor& v) { return slice(v, axis, 1, extent - 1); });
      case 3:
        if (x.numel() > kMostElements) return {};
        return named("join", [=](const Tensor& v) { return concat({v, v * 2.0}, axis); });
      case 4:
        if (x.numel() > kMostElements) return {};
        return named("mirror", [=](const Tensor& v) { return concat({v, flip(v, {axis})}, axis); });
      case 5:
        return named("flip", [=](const Tensor& v) { return flip(v, {axis}) + 1.0; });
      case 6:
        return named("roll", [=](const Tensor& v) { return roll(v, {1}, {axis}); });
      case 7:
        return named("pad", [=](const Tensor& v) {
          Axes low(static_cast<size_t>(v.ndim()), 0);
          Axes high = low;
          low[static_cast<size_t>(axis)] = 1;
          high[static_cast<size_t>(axis)] = 2;
          return pad(v, low, high);
        });
      case 8:
        if (axes < 2) return {};
        return named("sum", [=](const Tensor& v) { return sum(v, {axis}); });
      case 9:
        if (axes < 2) return {};
        return named("less max", [=](const Tensor& v) { return v - max(v, {axis}, true); });
      case 10:
        return named("tanh", [](const Tensor& v) { return tanh(v) * 0.5 + v; });
      case 11:
        return axes > 4 ? Step() : draw_split(axis, extent);
      default:
        if (axis + 1 >= axes) return {};
        return named("merge", [=](const Tensor& v) { return flatten(v, axis, axis + 1); });
    }
  }

  Step draw_split(int axis, int64_t extent) {
    for (const int64_t factor : {2, 4, 3, 8, 5, 7}) {
      if (extent % factor != 0 || extent == factor) continue;
      name_ = fmt::format("split({}, {})", axis, factor);
      return [=](const Tensor& v) { return unflatten(v, axis, Shape{extent / factor, factor}); };
    }
    return {};
  }

  static constexpr int64_t kMostElements = 1'500'000;

  std::mt19937_64 generator_;
  std::string name_;  // of the last op that was drawn
};

/// The least of a few runs, which others on the machine disturb least.
double milliseconds_of(const Program& program) {
  constexpr int kRuns = 6;
  double least = 1e9;
  for (int run = 0; run < kRuns; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    materialize(program.run());
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - begin;
    if (run > 0) least = std::min(least, taken.count());
  }
  return least;
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t seed = 1;
  int programs = 1000;
  double limit = 2;
  CLI::App app("Random programs that take long for each element");
  app.add_option("--seed", seed, "Of the first program");
  app.add_option("--programs", programs, "How many to try");
  app.add_option("--above", limit, "Nanoseconds an element from which a program is printed");
  CLI11_PARSE(app, argc, argv);
  const NoGradGuard no_grad;
  int found = 0;
  for (int i = 0; i < programs; ++i, ++seed) {
    const Program program = Author(seed).write();
    const double milliseconds = milliseconds_of(program);
    const double nanoseconds = milliseconds * 1e6 / program.elements;
    fmt::print(stderr, "\r{} of {} programs, {} found", i + 1, programs, found);
    if (nanoseconds < limit) continue;
    ++found;
    fmt::print("\r{:.2f} ns an element, {:.3f} ms, --seed {}: {}\n",
               nanoseconds,
               milliseconds,
               seed,
               program.text);
  }
  fmt::print(stderr, "\n");
}
