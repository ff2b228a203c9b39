// Argsort by hand-written kernels.

#include "runtime_cuda/native_case.h"
#include <gtest/gtest.h>

namespace wick::runtime::cuda {
namespace {

using ir::OpKind;

NativeCase argsort(Literal x, int64_t axis, bool descending = false) {
  return {OpKind::argsort, {{"axis", axis}, {"descending", descending}}, {std::move(x)}};
}

void expect_sorts(const Type& type, int64_t axis, const NativeRun& run = {}) {
  for (const bool descending : {false, true}) {
    expect_as_interpreted(argsort(small_numbers(type, 1, 4), axis, descending), 0, run);
    expect_as_interpreted(argsort(special_numbers(type, 2), axis, descending), 0, run);
  }
}

TEST(NativeArgsort, SortsEveryDType) {
  for (const DType dtype : kAllDTypes) {
    expect_sorts({dtype, {3, 37}}, 1);
    expect_sorts({dtype, {5, 9, 4}}, 1);
  }
}

TEST(NativeArgsort, LanesOfAnyLengthAndPlace) {
  struct Lanes {
    Shape shape;
    int64_t axis;
  };

  for (const Lanes& lanes : {Lanes{{1}, 0},
                             Lanes{{2}, 0},
                             Lanes{{7, 1, 3}, 1},
                             Lanes{{1000, 2}, 1},
                             Lanes{{2, 1000}, 0},
                             Lanes{{3, 513}, 1},
                             Lanes{{513, 3}, 0},
                             Lanes{{2048}, 0},
                             Lanes{{5, 64}, 1},
                             Lanes{{2, 17, 33}, 0}})
    expect_sorts({DType::f32, lanes.shape}, lanes.axis);
}

TEST(NativeArgsort, GivesAWindowOfTheSorted) {
  struct Window {
    int64_t start;
    int64_t count;
  };

  const NativeRun merging{.limits = {.sorted_at_once = 16}};
  for (const Window& window :
       {Window{0, 0}, Window{0, 1}, Window{0, 10}, Window{7, 20}, Window{36, 1}, Window{37, 0}}) {
    for (const Shape& shape : {Shape{3, 37}, Shape{3, 37, 5}}) {
      NativeCase c = argsort(small_numbers({DType::f32, shape}, 1, 4), 1, true);
      c.attributes.set("start", window.start);
      c.attributes.set("count", window.count);
      expect_as_interpreted(c);
      expect_as_interpreted(c, 0, merging);
    }
  }
}

TEST(NativeArgsort, LongLanesAreMerged) {
  for (const int64_t extent : {65, 127, 128, 129, 1000, 2047})
    expect_sorts({DType::f32, {2, extent}}, 1, {.limits = {.sorted_at_once = 64}});
  expect_sorts({DType::f64, {2, 333, 3}}, 1, {.limits = {.sorted_at_once = 16}});
  expect_sorts({DType::f32, {10'007}}, 0);
}

TEST(NativeArgsort, FewBlocksAndWidePositionsChangeNothing) {
  const NativeLimits limits{.wide_from = 0, .most_blocks = 2, .sorted_at_once = 128};

  expect_sorts({DType::i32, {3, 1001}}, 1, {.limits = limits});
  expect_sorts({DType::i32, {31, 97}}, 0, {.limits = limits});
}

TEST(NativeArgsort, EveryTextStaysInRegisters) {
  for (const DType dtype : kAllDTypes)
    expect_compiles(argsort(Literal(Type{dtype, {4, 4}}), 1));
  expect_compiles(argsort(Literal(Type{DType::f64, {4, 4}}), 1), {.wide_from = 0});
}

TEST(NativeArgsort, TakesAPassForEachDoubling) {
  const auto launches_for = [](int64_t extent) {
    const Literal x(Type{DType::f32, {extent}});
    return make_native_program(library_op_of(argsort(x, 0)))->launches.size();
  };

  EXPECT_EQ(launches_for(0), 0U);
  EXPECT_EQ(launches_for(2048), 1U);
  EXPECT_EQ(launches_for(2049), 3U);
  EXPECT_EQ(launches_for(100'000), 8U);
}

}  // namespace
}  // namespace wick::runtime::cuda
