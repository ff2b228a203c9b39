#include "wick/tensor/ops_linalg.h"

#include <regex>

#include "expect_values.h"
#include "support/failing_call.h"
#include <fmt/format.h>

namespace wick {
namespace {

using testing_support::counting;
using testing_support::expect_values;
using testing_support::FailingCall;
using testing_support::kNan;

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

class ProductErrors : public ::testing::TestWithParam<FailingCall<>> {};

TEST_P(ProductErrors, NameOpAndLine) {
  expect_failure(GetParam());
}

const FailingCall<> kProductMistakes[] = {
    {[] { return mm(ones({2}), ones({2, 2})); }, "mm: operand 1 needs 2 axes, got f32[2]"},
    {[] { return mv(ones({2, 3}), ones({2})); },
     "mv: extents differ: lhs f32[2,3] has 3, rhs f32[2] has 2"},
    {[] { return dot(ones({2}), Tensor()); }, "dot: operand 2 is an undefined tensor"},
    {[] { return addmm(ones({3}), ones({2, 2}), ones({2, 2})); },
     "addmm: f32[3] does not broadcast to the product f32[2,2]"},
    {[] { return addmm(ones({1, 2, 2}), ones({2, 2}), ones({2, 2})); },
     "addmm: f32[1,2,2] does not broadcast to the product f32[2,2]"},
    {[] { return linear(scalar(1), ones({2, 2})); },
     "linear: x f32[] needs an axis, w f32[2,2] one or two"},
    {[] { return tensordot(ones({2}), ones({2, 2})); },
     "tensordot: cannot sum over 2 axes of f32[2] and f32[2,2]"},
    {[] { return tensordot(ones({2}), ones({2}), {1}, {0}); },
     "tensordot: axis 1 is out of range for f32[2]"},
    {[] { return tensordot(ones({2, 2}), ones({2, 2}), {0, -2}, {0, 1}); },
     "tensordot: axis 0 of f32[2,2] is named twice"},
    {[] { return tensordot(ones({2}), ones({2}), {0}, Axes{}); },
     "tensordot: 1 axes of lhs cannot be paired with 0 of rhs"},
    {[] { return tensordot(ones({2, 3}), ones({2, 2}), {1}, {0}); },
     "tensordot: extents differ: axis 1 of lhs f32[2,3] and axis 0 of rhs "
     "f32[2,2]"},
    {[] { return cross(ones({2}), ones({3})); },
     "cross: axis -1 needs extent 3 in both operands, got f32[2] and f32[3]"},
    {[] { return vecdot(ones({2}), ones({2, 2}), 0); },
     "vecdot: axis 0 is out of range for f32[2] and f32[2,2]"},
    {[] { return multi_dot({ones({2, 2})}); }, "multi_dot: needs two matrices, got 1"},
    {[] { return einsum("i1->i", {ones({2})}); }, "einsum: 'i1->i': unexpected '1' in 'i1'"},
    {[] { return einsum("...i...", {ones({2})}); },
     "einsum: '...i...': unexpected '.' in '...i...'"},
    {[] { return einsum("i,j", {ones({2})}); }, "einsum: 'i,j': has 2 operands, got 1"},
    {[] { return einsum("ij", {ones({2})}); }, "einsum: 'ij': 'ij' does not fit operand 1, f32[2]"},
    {[] { return einsum("i,i", {ones({2}), ones({3})}); }, "einsum: 'i,i': i has extents 2 and 3"},
    {[] { return einsum("ii", {ones({2, 3})}); },
     "einsum: 'ii': i is twice in operand 1, f32[2,3], with different extents"},
    {[] { return einsum("i->k", {ones({2})}); },
     "einsum: 'i->k': k of the output is in no operand"},
    {[] { return einsum("i->ii", {ones({2})}); },
     "einsum: 'i->ii': the output has i more than once"},
    {[] { return einsum("i->i...", {ones({2})}); },
     "einsum: 'i->i...': the ... of the output is in no operand"},
    {[] { (void)mm(ones({2, 3}), ones({2, 3})); },
     "mm: extents differ: lhs f32[2,3] has 3, rhs f32[2,3] has 2"},
    {[] { (void)mm(Tensor(), ones({2, 3})); }, "mm: operand 1 is an undefined tensor"},
    {[] { (void)bmm(ones({2, 3}), ones({2, 3, 1})); }, "bmm: operand 1 needs 3 axes, got f32[2,3]"},
    {[] { (void)bmm(ones({2, 3, 1}), ones({3, 1, 2})); },
     "bmm: extents differ: lhs f32[2,3,1] has 2, rhs f32[3,1,2] has 3"},
    {[] { (void)dot(ones({2}), ones({3})); },
     "dot: extents differ: lhs f32[2] has 2, rhs f32[3] has 3"},
    {[] { (void)dot(ones({2, 2}), ones({2})); }, "dot: operand 1 needs 1 axes, got f32[2,2]"},
    {[] { (void)inner(ones({2, 3}), ones({2})); },
     "inner: extents differ: lhs f32[2,3] has 3, rhs f32[2] has 2"},
    {[] { (void)outer(ones({2, 2}), ones({2})); }, "outer: operand 1 needs 1 axes, got f32[2,2]"},
    {[] { (void)vecdot(ones({2}), ones({3})); },
     "vecdot: extents differ: lhs f32[2] has 2, rhs f32[3] has 3"},
    {[] { (void)addmv(ones({3}), ones({2, 2}), ones({2})); },
     "addmv: f32[3] does not broadcast to the product f32[2]"},
    {[] { (void)addr(ones({3}), ones({2}), ones({2})); },
     "addr: f32[3] does not broadcast to the product f32[2,2]"},
    {[] { (void)baddbmm(ones({3}), ones({2, 3, 1}), ones({2, 1, 2})); },
     "baddbmm: f32[3] does not broadcast to the product f32[2,3,2]"},
    {[] { (void)kron(Tensor(), ones({2})); }, "kron: operand 1 is an undefined tensor"},
    {[] { (void)cross(Tensor(), ones({3})); }, "cross: operand 1 is an undefined tensor"},
    {[] { (void)multi_dot({ones({2, 2}), ones({3, 2})}); },
     "multi_dot: extents differ: lhs f32[2,2] has 2, rhs f32[3,2] has 3"},
    {[] { (void)multi_dot({ones({2, 2, 2}), ones({3, 2})}); },
     "multi_dot: operand 1 needs 2 axes, got f32[2,2,2]"},
    {[] { (void)linear(ones({2, 3}), ones({4, 2})); },
     "linear: extents differ: lhs f32[2,3] has 3, rhs f32[4,2] has 2"},
    {[] { (void)linear(ones({2, 3}), Tensor()); }, "linear: operand 2 is an undefined tensor"},
    {[] { (void)linear(ones({2, 3}), ones({4, 3}), ones({3})); },
     "add: shapes do not broadcast: f32[2,4] and f32[3]"},
    {[] { (void)tensordot(Tensor(), ones({2})); }, "tensordot: operand 1 is an undefined tensor"},
    {[] { (void)tensordot(ones({2, 3}), ones({2, 3}), -1); },
     "tensordot: cannot sum over -1 axes of f32[2,3] and f32[2,3]"},
    {[] { (void)einsum("i,i", {ones({2}), Tensor()}); },
     "einsum: 'i,i': operand 2 is an undefined tensor"},
    {[] { (void)einsum("ij,jk->ikl", {ones({2, 2}), ones({2, 2})}); },
     "einsum: 'ij,jk->ikl': l of the output is in no operand"},
};

INSTANTIATE_TEST_SUITE_P(All, ProductErrors, ::testing::ValuesIn(kProductMistakes));

}  // namespace
}  // namespace wick
