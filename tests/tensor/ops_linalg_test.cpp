#include "wick/tensor/ops_linalg.h"

#include <functional>
#include <limits>
#include <regex>

#include "expect_values.h"
#include <fmt/format.h>

namespace wick {
namespace {

using testing::expect_values;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Tensor counting(Shape shape, DType dtype = DType::f32) {
  return arange(shape.numel(), dtype).reshape(shape);
}

TEST(Products, OfVectors) {
  const Tensor a = tensor({1, 2, 3});
  const Tensor b = tensor({4, 5, 6});

  expect_values(dot(a, b), {}, {32});
  expect_values(vdot(counting({2, 2}), counting({4})), {}, {14});
  expect_values(inner(counting({2, 2}), counting({3, 2})), {2, 3}, {1, 3, 5, 3, 13, 23});
  expect_values(inner(a, scalar(2)), {3}, {2, 4, 6});
  expect_values(vecdot(counting({2, 3}), a), {2}, {8, 26});
  expect_values(vecdot(counting({3, 2}), counting({3, 1}), 0), {2}, {10, 13});
  expect_values(outer(a, tensor({1, 10})), {3, 2}, {1, 10, 2, 20, 3, 30});
  expect_values(cross(a, b), {3}, {-3, 6, -3});
  expect_values(cross(counting({3, 1}), counting({3, 2}), 0), {3, 2}, {0, -1, 0, 2, 0, -1});
}

TEST(Products, ZeroBetaIgnoresWhatIsAddedTo) {
  const Tensor unknown = full({2}, kNan);
  const Tensor a = counting({2, 2});

  expect_values(addmm(unknown, a, a, {.beta = 0}), {2, 2}, {2, 3, 6, 11});
  expect_values(addmm(unknown, a, a, {.beta = 1}), {2, 2}, {kNan, kNan, kNan, kNan});
  expect_values(addmv(ones({2}), a, ones({2}), {.beta = 2, .alpha = 10}), {2}, {12, 52});
  expect_values(addr(ones({2, 2}), ones({2}), ones({2}), {.alpha = 3}), {2, 2}, {4, 4, 4, 4});
  expect_values(addbmm(zeros({1}), counting({2, 1, 2}), counting({2, 2, 1})), {1, 1}, {14});
}

TEST(Products, OfIntegersStayIntegers) {
  const Tensor a = counting({2, 2}, DType::i32);

  const Tensor sum = addmm(a, a, a, {.beta = 2, .alpha = 3});
  EXPECT_EQ(sum.dtype(), DType::i32);
  expect_values(sum, {2, 2}, {6, 11, 22, 39});
  const Tensor products = kron(a, counting({2}, DType::i32));
  EXPECT_EQ(products.dtype(), DType::i32);
  expect_values(products, {2, 4}, {0, 0, 0, 1, 0, 2, 0, 3});
}

TEST(Products, OverNothingAreZero) {
  expect_values(mm(zeros({2, 0}), zeros({0, 2})), {2, 2}, {0, 0, 0, 0});
  expect_values(dot(zeros({0}), zeros({0})), {}, {0});
  expect_values(tensordot(zeros({2, 0, 3}), zeros({0, 3, 1})), {2, 1}, {0, 0});
  expect_values(linear(zeros({0, 2}), ones({3, 2})), {0, 3}, {});
}

TEST(Products, TensordotPairsAxesInTheOrderGiven) {
  const Tensor a = counting({2, 3});

  expect_values(tensordot(a, a, {0, 1}, {0, 1}), {}, {55});
  expect_values(tensordot(a, transpose(a, 0, 1), {-1}, {0}), {2, 2}, {5, 14, 14, 50});
  expect_values(tensordot(tensor({1, 2}), tensor({3, 4}), 0), {2, 2}, {3, 4, 6, 8});
}

TEST(Products, MultiDotTakesTheCheapestOrder) {
  const Tensor row = ones({1000});
  const Tensor tall = ones({1000, 1000});
  const Tensor chain = multi_dot({tall, tall, row});

  EXPECT_FALSE(std::regex_search(chain.ir(), std::regex(R"(matmul .*: f32\[1000,1000\])")));
  expect_values(slice(chain, 0, 0, 1), {1}, {1e6});
  expect_values(multi_dot({tensor({1, 2}), counting({2, 2}), tensor({1, 1})}), {}, {11});
}

struct FailingProduct {
  const char* name;
  std::function<Tensor()> run;
  const char* message;
};

class ProductErrors : public ::testing::TestWithParam<FailingProduct> {};

TEST_P(ProductErrors, NameOpAndLine) {
  try {
    (void)GetParam().run();
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.op() + ": " + error.text(), GetParam().message);
    EXPECT_TRUE(std::string_view(error.where().file).ends_with("ops_linalg_test.cpp"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All,
    ProductErrors,
    ::testing::Values(
        FailingProduct{"mm",
                       [] { return mm(ones({2}), ones({2, 2})); },
                       "mm: operand 1 needs 2 axes, got f32[2]"},
        FailingProduct{"mv",
                       [] { return mv(ones({2, 3}), ones({2})); },
                       "mv: extents differ: lhs f32[2,3] has 3, rhs f32[2] has 2"},
        FailingProduct{"undefined",
                       [] { return dot(ones({2}), Tensor()); },
                       "dot: operand 2 is an undefined tensor"},
        FailingProduct{"addmm",
                       [] { return addmm(ones({3}), ones({2, 2}), ones({2, 2})); },
                       "addmm: f32[3] does not broadcast to the product f32[2,2]"},
        FailingProduct{"addmm_rank",
                       [] { return addmm(ones({1, 2, 2}), ones({2, 2}), ones({2, 2})); },
                       "addmm: f32[1,2,2] does not broadcast to the product f32[2,2]"},
        FailingProduct{"linear",
                       [] { return linear(scalar(1), ones({2, 2})); },
                       "linear: x f32[] needs an axis, w f32[2,2] one or two"},
        FailingProduct{"tensordot_count",
                       [] { return tensordot(ones({2}), ones({2, 2})); },
                       "tensordot: cannot sum over 2 axes of f32[2] and f32[2,2]"},
        FailingProduct{"tensordot_axis",
                       [] { return tensordot(ones({2}), ones({2}), {1}, {0}); },
                       "tensordot: axis 1 is out of range for f32[2]"},
        FailingProduct{"tensordot_twice",
                       [] { return tensordot(ones({2, 2}), ones({2, 2}), {0, -2}, {0, 1}); },
                       "tensordot: axis 0 of f32[2,2] is named twice"},
        FailingProduct{"tensordot_pairs",
                       [] { return tensordot(ones({2}), ones({2}), {0}, Axes{}); },
                       "tensordot: 1 axes of lhs cannot be paired with 0 of rhs"},
        FailingProduct{"tensordot_extents",
                       [] { return tensordot(ones({2, 3}), ones({2, 2}), {1}, {0}); },
                       "tensordot: extents differ: axis 1 of lhs f32[2,3] and axis 0 of rhs "
                       "f32[2,2]"},
        FailingProduct{"cross",
                       [] { return cross(ones({2}), ones({3})); },
                       "cross: axis -1 needs extent 3 in both operands, got f32[2] and f32[3]"},
        FailingProduct{"vecdot",
                       [] { return vecdot(ones({2}), ones({2, 2}), 0); },
                       "vecdot: axis 0 is out of range for f32[2] and f32[2,2]"},
        FailingProduct{"multi_dot",
                       [] { return multi_dot({ones({2, 2})}); },
                       "multi_dot: needs two matrices, got 1"},
        FailingProduct{"einsum_letter",
                       [] { return einsum("i1->i", {ones({2})}); },
                       "einsum: 'i1->i': unexpected '1' in 'i1'"},
        FailingProduct{"einsum_dots",
                       [] { return einsum("...i...", {ones({2})}); },
                       "einsum: '...i...': unexpected '.' in '...i...'"},
        FailingProduct{"einsum_count",
                       [] { return einsum("i,j", {ones({2})}); },
                       "einsum: 'i,j': has 2 operands, got 1"},
        FailingProduct{"einsum_rank",
                       [] { return einsum("ij", {ones({2})}); },
                       "einsum: 'ij': 'ij' does not fit operand 1, f32[2]"},
        FailingProduct{"einsum_extents",
                       [] { return einsum("i,i", {ones({2}), ones({3})}); },
                       "einsum: 'i,i': i has extents 2 and 3"},
        FailingProduct{"einsum_diagonal",
                       [] { return einsum("ii", {ones({2, 3})}); },
                       "einsum: 'ii': i is twice in operand 1, f32[2,3], with different extents"},
        FailingProduct{"einsum_output",
                       [] { return einsum("i->k", {ones({2})}); },
                       "einsum: 'i->k': k of the output is in no operand"},
        FailingProduct{"einsum_output_twice",
                       [] { return einsum("i->ii", {ones({2})}); },
                       "einsum: 'i->ii': the output has i more than once"},
        FailingProduct{"einsum_output_dots",
                       [] { return einsum("i->i...", {ones({2})}); },
                       "einsum: 'i->i...': the ... of the output is in no operand"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace wick
