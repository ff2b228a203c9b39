// Library calls of ops that have an axis in order, scatter, scan and argsort, against the reference
// interpreter.

#include <random>
#include <string>
#include <string_view>

#include "run_call.h"
#include "run_graph.h"
#include "support/all_dtypes.h"
#include <gtest/gtest.h>

#include "wick/runtime/library_call.h"

namespace wick::runtime {
namespace {

using ir::OpKind;

class OrderedCall : public testing::TestWithParam<DType> {};

TEST_P(OrderedCall, Scatters) {
  for (const char* mode : {"add", "mul", "max", "min", "set"}) {
    for (const int64_t axis : {0, 1, 2}) {
      const Type x{GetParam(), {5, 6, 7}};
      Shape updates = x.shape;
      updates.set(static_cast<int>(axis), 10);
      const LibraryOp op = make_op(OpKind::scatter,
                                   {x, {DType::i64, {10}}, {GetParam(), updates}},
                                   {{"axis", axis}, {"mode", std::string(mode)}});
      expect_equal(op);  // some indices are out of range
    }
  }
}

TEST_P(OrderedCall, ScattersElementsAlongAnAxis) {
  const DType index = GetParam() == DType::f32 ? DType::i32 : DType::i64;
  for (const char* mode : {"add", "mul", "max", "min", "set"}) {
    for (const Shape& shape : {Shape{21, 6, 7}, Shape{3, 2, 90}, Shape{40, 1, 1}}) {
      for (const int axis : {0, 1, 2}) {
        Shape updates = shape;
        updates.set(axis, 10);
        const LibraryOp op =
            make_op(OpKind::scatter,
                    {{GetParam(), shape}, {index, updates}, {GetParam(), updates}},
                    {{"along", true}, {"axis", int64_t{axis}}, {"mode", std::string(mode)}});
        expect_equal(op);  // some indices are out of range
      }
    }
  }
}

TEST_P(OrderedCall, Scans) {
  std::mt19937_64 random(4);
  for (const char* kind : {"sum", "prod", "max", "min", "logaddexp"}) {
    if (kind == std::string_view("logaddexp") && !is_float(GetParam())) continue;
    for (const Shape& shape : {Shape{3, 70, 5},
                               Shape{1, 9, 150},
                               Shape{4, 30, 1},
                               Shape{4, 23, 2},
                               Shape{2, 34, 3},
                               Shape{2, 11, 4},
                               Shape{3, 25, 7},
                               Shape{2, 0, 3},
                               Shape{0, 4, 1}}) {
      for (const bool reverse : {false, true}) {
        const LibraryOp op =
            make_op(OpKind::scan,
                    {{GetParam(), shape}},
                    {{"axis", int64_t{1}}, {"kind", std::string(kind)}, {"reverse", reverse}});
        expect_equal(op, {random_literal(op.operands[0], random)});
        expect_equal(op, {special_literal(op.operands[0], random)});
      }
    }
  }
}

TEST_P(OrderedCall, Sorts) {
  std::mt19937_64 random(5);
  // Above and below where radix sort begins.
  for (const Shape& shape : {Shape{3, 20, 4}, Shape{2, 1500, 2}, Shape{2, 0, 3}, Shape{4, 1, 1}}) {
    for (const bool descending : {false, true}) {
      const LibraryOp op = make_op(OpKind::argsort,
                                   {{GetParam(), shape}},
                                   {{"axis", int64_t{1}}, {"descending", descending}});
      expect_equal(op, {random_literal(op.operands[0], random)});
      expect_equal(op, {special_literal(op.operands[0], random)});
    }
  }
}

/// Rises or falls along axis 1, each element at least `width` times.
Literal stairs(const Type& type, int64_t width, bool falls) {
  Literal value(type);
  const int64_t extent = type.shape[1];
  const int64_t inner = type.shape[2];
  if (size_of(type.dtype) == 1) width = std::max(width, extent / 100 + 1);
  visit_dtype(type.dtype, [&]<typename T>() {
    int64_t i = 0;
    for (T& element : value.mutable_values<T>()) {
      const int64_t along = i++ / inner % extent;
      const int64_t step = (falls ? extent - 1 - along : along) / width;
      element = static_cast<T>(static_cast<float>(step));
    }
  });
  return value;
}

TEST_P(OrderedCall, SortsAWindow) {
  std::mt19937_64 random(6);
  for (const Shape& shape : {Shape{3, 20, 4}, Shape{2, 700, 1}, Shape{1, 3000, 2}}) {
    const int64_t n = shape[1];
    // The first, which one pass finds, some of the others, and so many that all are sorted.
    const std::pair<int64_t, int64_t> windows[] = {{0, 0},
                                                   {0, 1},
                                                   {0, n / 70},
                                                   {n / 200, n / 100},
                                                   {n / 9, 1},
                                                   {0, n / 8},
                                                   {n / 16, n / 16},
                                                   {n / 2, 1},
                                                   {n / 2, 9},
                                                   {n - 1, 1},
                                                   {n / 3, n / 4},
                                                   {n / 8, n * 5 / 6},
                                                   {0, n},
                                                   {n, 0}};
    for (const auto& [start, count] : windows) {
      for (const bool descending : {false, true}) {
        const LibraryOp op = make_op(
            OpKind::argsort,
            {{GetParam(), shape}},
            {{"axis", int64_t{1}}, {"descending", descending}, {"start", start}, {"count", count}});
        const Type& x = op.operands[0];
        expect_equal(op, {random_literal(x, random)});
        expect_equal(op, {special_literal(x, random)});
        expect_equal(op, {stairs(x, 1, false)});
        expect_equal(op, {stairs(x, 1, true)});
        expect_equal(op, {stairs(x, n / 3, true)});
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(DTypes, OrderedCall, testing::ValuesIn(kAllDTypes), [](const auto& info) {
  return std::string(to_string(info.param));
});

TEST(ScatterCall, SharesSlicesOutWhereLanesAreFew) {
  for (const DType dtype : {DType::f32, DType::bf16, DType::i64}) {
    expect_equal(make_op(OpKind::scatter,
                         {{dtype, {10, 2}}, {DType::i64, {90000}}, {dtype, {90000, 2}}},
                         {{"axis", int64_t{0}}, {"mode", std::string("max")}}));
  }
}

TEST(ScatterCall, PutsSingleElements) {
  for (const DType dtype : {DType::f32, DType::bf16, DType::i64}) {
    expect_equal(make_op(OpKind::scatter,
                         {{dtype, {100}}, {DType::i64, {90000}}, {dtype, {90000}}},
                         {{"axis", int64_t{0}}}));
    expect_equal(make_op(OpKind::scatter,
                         {{dtype, {70, 9}}, {DType::i32, {40}}, {dtype, {70, 40}}},
                         {{"axis", int64_t{1}}, {"mode", std::string("set")}}));
  }
}

TEST(ScatterCall, SharesRowsAndColumnsOut) {
  for (const Shape& shape : {Shape{3001, 40}, Shape{2, 60, 900}, Shape{700, 130}}) {
    const int axis = shape.ndim() == 3 ? 1 : shape.ndim() - 1;
    Shape updates = shape;
    updates.set(axis, 90);
    expect_equal(make_op(OpKind::scatter,
                         {{DType::f32, shape}, {DType::i64, updates}, {DType::f32, updates}},
                         {{"along", true}, {"axis", int64_t{axis}}}));
  }
}

TEST(ScatterCall, TakesI32IndicesOfTwoAxesAndNothing) {
  expect_equal(make_op(OpKind::scatter,
                       {{DType::f32, {9, 300}}, {DType::i32, {50, 3}}, {DType::f32, {50, 3, 300}}},
                       {{"axis", int64_t{0}}}));
  expect_equal(make_op(OpKind::scatter,
                       {{DType::f32, {9, 3}}, {DType::i32, {0}}, {DType::f32, {0, 3}}},
                       {{"axis", int64_t{0}}}));
  expect_equal(make_op(OpKind::scatter,
                       {{DType::f32, {0, 3}}, {DType::i32, {2}}, {DType::f32, {2, 3}}},
                       {{"axis", int64_t{0}}}));
}

}  // namespace
}  // namespace wick::runtime
