// Pooling by hand-written kernels.

#include <cmath>

#include "runtime_cuda/native_case.h"
#include <gtest/gtest.h>

#include "wick/ir/interpreter.h"
#include "wick/ir/op.h"

namespace wick::runtime::cuda {
namespace {

using ir::Attributes;
using ir::OpKind;
using Ints = std::vector<int64_t>;

constexpr DType kFloats[] = {DType::f32, DType::f64, DType::f16, DType::bf16};

/// Of sums: those of a row of windows, in f32 or rounded to a half at the end.
constexpr FloatTolerance kPoolingTolerance{.f64 = 1e-14, .f32 = 1e-6, .f16 = 6e-4, .bf16 = 4.5e-3};

struct Pool {
  Shape x;
  Ints kernel;
  Ints stride;  // none: the kernel's
  Ints padding;
};

const Pool kPools[] = {{{2, 3, 8, 8}, {2, 2}, {}, {}},
                       {{1, 2, 7, 5}, {3, 3}, {2, 2}, {1, 1}},
                       {{1, 1, 9, 11}, {3, 5}, {1, 1}, {2, 3}},
                       {{2, 1, 13, 13}, {5, 5}, {1, 1}, {2, 2}},
                       {{1, 3, 6, 9}, {2, 2}, {3, 4}, {}},  // gaps between windows
                       {{1, 1, 1, 17}, {1, 4}, {1, 3}, {0, 2}},
                       {{3, 1, 4, 1}, {4, 1}, {}, {}},
                       {{0, 3, 4, 4}, {2, 2}, {}, {}},
                       {{5, 7, 19, 23}, {3, 2}, {2, 1}, {1, 0}},
                       {{1, 2, 19, 23}, {16, 17}, {2, 3}, {3, 8}}};  // more elements than bytes

Attributes attributes_of(const Pool& pool) {
  Attributes attributes{{"kernel", pool.kernel}};
  if (!pool.stride.empty()) attributes.set("stride", pool.stride);
  if (!pool.padding.empty()) attributes.set("padding", pool.padding);
  return attributes;
}

Shape pooled_shape(const Pool& pool) {
  const Type x{DType::f32, pool.x};
  const std::vector<const Type*> types{&x};
  return ir::infer_type(OpKind::max_pool2d, types, attributes_of(pool), {}).shape;
}

NativeCase max_pool(const Pool& pool, Literal x) {
  return {OpKind::max_pool2d, attributes_of(pool), {std::move(x)}};
}

NativeCase argmax_pool(const Pool& pool, Literal x) {
  Attributes attributes = attributes_of(pool);
  attributes.set("argmax", true);
  return {OpKind::max_pool2d, attributes, {std::move(x)}};
}

NativeCase max_pool_grad(const Pool& pool, const Literal& x) {
  const NativeCase argmax = argmax_pool(pool, x);
  const Literal* const operands[] = {&x};
  const Type cotangent{x.type().dtype, pooled_shape(pool)};
  Attributes attributes = attributes_of(pool);
  attributes.set("input_shape", Ints(pool.x.begin(), pool.x.end()));
  return {OpKind::max_pool2d_grad,
          attributes,
          {ir::interpret_op(argmax.op, argmax.attributes, operands, library_op_of(argmax).result),
           small_numbers(cotangent, 5, 9)}};
}

/// Sums of small numbers are exact, so only the choice of the largest decides.
TEST(NativePooling, MaxPoolAndItsGradientChooseAsTheInterpreter) {
  for (const Pool& pool : kPools) {
    for (const DType dtype : kFloats) {
      const Type x{dtype, pool.x};
      for (const Literal& values :
           {small_numbers(x, 1, 2), special_numbers(x, 2), plain_numbers(x, 3)}) {
        expect_as_interpreted(max_pool(pool, values));
        expect_as_interpreted(argmax_pool(pool, values));
        expect_as_interpreted(max_pool_grad(pool, values));
      }
    }
  }
}

TEST(NativePooling, WindowsOfMinusInfinityAloneGiveTheirFirstElementTheGradient) {
  const Pool& pool = kPools[1];
  Literal x(Type{DType::f32, pool.x});
  std::ranges::fill(x.mutable_values<float>(), -INFINITY);

  expect_as_interpreted(max_pool(pool, x));
  expect_as_interpreted(argmax_pool(pool, x));
  expect_as_interpreted(max_pool_grad(pool, x));
}

TEST(NativePooling, MeansAndTheirGradients) {
  for (const Pool& pool : kPools) {
    for (const DType dtype : kFloats) {
      for (const bool exclude_padding : {false, true}) {
        Attributes attributes = attributes_of(pool);
        if (exclude_padding) attributes.set("exclude_padding", true);
        const Literal x = plain_numbers({dtype, pool.x}, 1);
        const Literal cotangent = plain_numbers({dtype, pooled_shape(pool)}, 2);
        expect_as_interpreted({OpKind::avg_pool2d, attributes, {x}}, kPoolingTolerance.of(dtype));
        attributes.set("input_shape", Ints(pool.x.begin(), pool.x.end()));
        expect_as_interpreted({OpKind::avg_pool2d_grad, attributes, {cotangent}},
                              kPoolingTolerance.of(dtype));
      }
    }
  }
}

TEST(NativePooling, NanAndInfinitiesSpreadAsInTheInterpreter) {
  const Pool& pool = kPools[2];

  expect_as_interpreted(
      {OpKind::avg_pool2d, attributes_of(pool), {special_numbers({DType::f32, pool.x}, 1)}}, 1e-6);
}

TEST(NativePooling, FewBlocksAndWidePositionsChangeNothing) {
  const NativeRun run{.limits = {.wide_from = 0, .most_blocks = 2}};
  for (const Pool& pool : {kPools[2], kPools[8]}) {
    const Literal x = small_numbers({DType::f32, pool.x}, 1, 2);

    expect_as_interpreted(max_pool(pool, x), 0, run);
    expect_as_interpreted(argmax_pool(pool, x), 0, run);
    expect_as_interpreted(max_pool_grad(pool, x), 0, run);
    expect_as_interpreted({OpKind::avg_pool2d, attributes_of(pool), {x}}, 1e-6, run);
  }
}

TEST(NativePooling, EveryTextStaysInRegisters) {
  const Pool& pool = kPools[1];
  for (const DType dtype : kFloats) {
    for (const int64_t wide_from : {int64_t{0}, NativeLimits().wide_from}) {
      const Literal x(Type{dtype, pool.x});
      expect_compiles(max_pool(pool, x), {.wide_from = wide_from});
      expect_compiles({OpKind::avg_pool2d, attributes_of(pool), {x}}, {.wide_from = wide_from});
    }
  }
}

TEST(NativePooling, GivesEachResultAThread) {
  const Pool& pool = kPools[8];
  const Literal x(Type{DType::f32, pool.x});

  const auto argmax = make_native_program(library_op_of(argmax_pool(pool, x)));
  const auto gradient = make_native_program(library_op_of(max_pool_grad(pool, x)));

  ASSERT_TRUE(argmax.has_value() && gradient.has_value());
  ASSERT_EQ(argmax->launches.size(), 1U);
  ASSERT_EQ(gradient->launches.size(), 1U);
  const int64_t outputs = pooled_shape(pool).numel();
  EXPECT_EQ(argmax->launches[0].shape.grid[0], static_cast<unsigned>((outputs + 255) / 256));
  EXPECT_EQ(gradient->launches[0].shape.grid[0], (5U * 7 * 19 * 23 + 255) / 256);
}

TEST(NativePooling, NothingIsLaunchedWithoutImages) {
  const Pool& pool = kPools[7];
  const Literal x(Type{DType::f32, pool.x});

  EXPECT_TRUE(make_native_program(library_op_of(max_pool_grad(pool, x)))->launches.empty());
}

TEST(NativePooling, BlocksOfChannelsAreLeftToOthers) {
  const Literal x(Type{DType::f32, {1, 2, 4, 4, 8}});

  EXPECT_FALSE(make_native_program(library_op_of(max_pool(kPools[0], x))).has_value());
}

}  // namespace
}  // namespace wick::runtime::cuda
