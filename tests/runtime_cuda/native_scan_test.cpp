// Scans by hand-written kernels.

#include "runtime_cuda/native_case.h"
#include <gtest/gtest.h>

namespace wick::runtime::cuda {
namespace {

using ir::OpKind;

constexpr const char* kKinds[] = {"sum", "prod", "max", "min", "logaddexp"};

NativeCase scan(Literal x, int64_t axis, const std::string& kind, bool reverse = false) {
  return {OpKind::scan, {{"axis", axis}, {"kind", kind}, {"reverse", reverse}}, {std::move(x)}};
}

/// Sums are rounded once, but for f64.
constexpr FloatTolerance kScanTolerance{.f64 = 1e-13, .f32 = 1e-7, .f16 = 5e-4, .bf16 = 4e-3};

struct Lanes {
  Shape shape;
  int64_t axis;
};

const Lanes kLanes[] = {{{1}, 0},
                        {{3}, 0},
                        {{7, 5}, 1},
                        {{7, 5}, 0},
                        {{3, 129}, 1},
                        {{2, 1031}, 1},
                        {{300, 4}, 1},
                        {{2, 9, 31}, 1},
                        {{5, 1, 3}, 1},
                        {{2, 3, 4097}, 2}};

TEST(NativeScan, EveryKindBothWays) {
  for (const char* kind : kKinds) {
    for (const bool reverse : {false, true}) {
      for (const Lanes& lanes : kLanes) {
        expect_as_interpreted(
            scan(plain_numbers({DType::f32, lanes.shape}, 1), lanes.axis, kind, reverse), 1e-7);
      }
    }
  }
}

TEST(NativeScan, EveryDType) {
  for (const DType dtype : kAllDTypes) {
    for (const Lanes& lanes : {kLanes[3], kLanes[4]}) {
      expect_as_interpreted(scan(plain_numbers({dtype, lanes.shape}, 1), lanes.axis, "sum"),
                            kScanTolerance.of(dtype));
    }
  }
  for (const DType dtype : {DType::f16, DType::i64, DType::u8, DType::bool_})
    expect_as_interpreted(scan(plain_numbers({dtype, {5, 70}}, 1), 1, "min"));
}

TEST(NativeScan, NanAndInfinities) {
  for (const char* kind : kKinds) {
    for (const Lanes& lanes : kLanes) {
      for (const uint64_t seed : {1, 2, 3}) {
        expect_as_interpreted(
            scan(special_numbers({DType::f32, lanes.shape}, seed), lanes.axis, kind), 1e-7);
      }
    }
  }
}

/// Rows by many threads a chunk, and columns by one.
TEST(NativeScan, FewLongLanesAreCut) {
  for (const Lanes& lanes : {Lanes{{20'011}, 0}, Lanes{{2, 40'000}, 1}, Lanes{{1003, 3}, 0}}) {
    for (const bool reverse : {false, true}) {
      const NativeCase sums =
          scan(plain_numbers({DType::f32, lanes.shape}, 1), lanes.axis, "sum", reverse);
      EXPECT_EQ(make_native_program(library_op_of(sums))->launches.size(), 3U);

      expect_as_interpreted(sums, 1e-7);
      expect_as_interpreted(
          scan(plain_numbers({DType::i32, lanes.shape}, 1), lanes.axis, "sum", reverse));
    }
  }
}

TEST(NativeScan, TakesTheMemoryOfX) {
  for (const Lanes& lanes : kLanes) {
    expect_as_interpreted(scan(plain_numbers({DType::f32, lanes.shape}, 1), lanes.axis, "sum"),
                          1e-7,
                          {.limits = {}, .in_place = true});
  }
}

TEST(NativeScan, FewBlocksChangeNothing) {
  for (const Lanes& lanes : {Lanes{{30, 200}, 1}, Lanes{{25, 61}, 0}, Lanes{{20'011}, 0}}) {
    expect_as_interpreted(scan(plain_numbers({DType::i64, lanes.shape}, 1), lanes.axis, "sum"),
                          0,
                          {.limits = {.most_blocks = 2}});
  }
}

TEST(NativeScan, NothingIsLaunchedForNothing) {
  for (const Shape& shape : {Shape{0}, Shape{3, 0}, Shape{0, 3}})
    expect_as_interpreted(scan(Literal(Type{DType::f32, shape}), 0, "sum"));
  const Literal none(Type{DType::f32, {3, 0}});
  EXPECT_TRUE(make_native_program(library_op_of(scan(none, 0, "sum")))->launches.empty());
}

TEST(NativeScan, EveryTextStaysInRegisters) {
  for (const char* kind : kKinds)
    expect_compiles(scan(Literal(Type{DType::f32, {4}}), 0, kind));
  for (const DType dtype : kAllDTypes)
    expect_compiles(scan(Literal(Type{dtype, {4}}), 0, "sum"));
}

}  // namespace
}  // namespace wick::runtime::cuda
