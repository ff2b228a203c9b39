#include "wick/tensor/capture.h"

#include <algorithm>

#include "expect_values.h"
#include "support/on_host.h"

#include "wick/tensor/import.h"
#include "wick/tensor/materialize.h"

namespace wick::detail {
namespace {

using wick::testing_support::expect_values;

Capture capture_of(std::initializer_list<Tensor> tensors, bool with_escaping = false) {
  std::vector<Ref<Node>> roots;
  for (const Tensor& tensor : tensors)
    roots.push_back(tensor.node());
  Capture capture;
  const std::lock_guard guard(materialization_lock());
  capture.walk(roots, with_escaping);
  return capture;
}

int num_donated(const Capture& capture) {
  return static_cast<int>(std::ranges::count_if(capture.entries(), &Capture::Entry::donated));
}

Tensor value(Shape shape) {
  Tensor x = arange(shape.numel(), DType::f32).reshape(shape);
  materialize(x);
  return x;
}

/// y = tanh(a * b + c), recorded in one of several orders.
Tensor expression(const Tensor& a, const Tensor& b, const Tensor& c, bool other_order) {
  if (!other_order) return tanh(a * b + c) * (a - c);
  const Tensor difference = a - c;
  const Tensor product = a * b;
  const Tensor unrelated = exp(a);
  return tanh(product + c) * difference;
}

TEST(Capture, DoesNotDependOnTheOrderOfRecording) {
  const Tensor a = value({4}), b = value({4}), c = value({4});

  const Capture one = capture_of({expression(a, b, c, false)});
  const Capture two = capture_of({expression(a, b, c, true)});

  EXPECT_EQ(one.num_ops(), 5);
  EXPECT_EQ(one.hash(), two.hash());
}

TEST(Capture, TellsSharedLeavesFromDistinctOnes) {
  const Tensor a = value({4}), b = value({4});

  EXPECT_NE(capture_of({a + b}).hash(), capture_of({a + a}).hash());
  EXPECT_EQ(capture_of({a + b}).hash(), capture_of({b + a}).hash());
}

TEST(Capture, ScalarsAreNoPartOfTheTrace) {
  const Tensor a = value({4});

  EXPECT_EQ(capture_of({a * 0.1}).hash(), capture_of({a * 0.2}).hash());
  EXPECT_EQ(capture_of({full({4}, 3) * a}).hash(), capture_of({full({4}, 4) * a}).hash());
  EXPECT_NE(capture_of({a * 0.1}).hash(), capture_of({a * 2}).hash());
  EXPECT_NE(capture_of({pow(a, 2)}).hash(), capture_of({pow(a, 3)}).hash());
  EXPECT_EQ(capture_of({pow(a, 2.5)}).hash(), capture_of({pow(a, 3.5)}).hash());
}

TEST(Capture, TypesAndAttributesArePartOfTheTrace) {
  const Tensor a = value({4, 4});

  EXPECT_NE(capture_of({a.sum({0})}).hash(), capture_of({a.sum({1})}).hash());
  EXPECT_EQ(capture_of({a.sum({1})}).hash(), capture_of({a.sum({-1})}).hash());
  EXPECT_NE(capture_of({exp(a)}).hash(), capture_of({exp(value({4, 5}))}).hash());
}

TEST(Capture, RandomSeedsAreNoPartOfTheTrace) {
  manual_seed(1);
  const Capture one = capture_of({rand({8})});
  manual_seed(2);
  const Capture two = capture_of({rand({8})});

  EXPECT_EQ(one.hash(), two.hash());
}

TEST(Capture, DonatesLeavesThatDieWithTheRun) {
  const Tensor kept = value({4});
  Tensor x = value({4});

  x = x * 2 + kept;  // the old value of x hangs on the product alone

  EXPECT_EQ(num_donated(capture_of({x})), 1);
}

TEST(Capture, DonatesNothingThatIsStillReferredTo) {
  Tensor x = value({4});
  const Tensor product = x * 2;
  const Tensor sum = product + 1;
  x = Tensor();

  EXPECT_EQ(num_donated(capture_of({sum})), 0) << "product still needs x";
  EXPECT_EQ(num_donated(capture_of({sum, product})), 1);
}

TEST(Capture, DonatesLeavesUsedTwice) {
  Tensor x = value({4});

  x = x * x + exp(x);

  EXPECT_EQ(num_donated(capture_of({x})), 1);
}

TEST(Capture, DonatesNoForeignMemory) {
  if (!on_host()) GTEST_SKIP() << "shares memory of the host";
  std::vector<float> memory = {1, 2};
  Tensor x = from_buffer(memory.data(), {DType::f32, {2}}, nullptr);

  x = x + 1;

  EXPECT_EQ(num_donated(capture_of({x})), 0);
  expect_values(x, {2}, {2, 3});
  EXPECT_EQ(memory[0], 1);
}

TEST(Capture, ALoopThatAsksOfEachStateComputesNoneAgain) {
  Tensor state = value({4});
  std::vector<int64_t> ops;
  for (int turn = 0; turn < 5; ++turn) {
    state = sin(state) + 1;
    const Tensor size = sum(state);
    ops.push_back(capture_of({size}).num_ops());
    (void)size.item<float>();
  }

  // The second turn computes the first state again; from there on, each is kept.
  EXPECT_EQ(ops, (std::vector<int64_t>{3, 5, 3, 3, 3}));
}

TEST(Capture, WhatFollowsFromAKeptValueIsNotKeptForThat) {
  const Tensor prepared = value({4}) * 2;
  std::vector<size_t> kept;
  for (int turn = 0; turn < 4; ++turn) {
    const Tensor difference = prepared - 1;
    const Tensor error = sum(difference * difference);
    kept.push_back(capture_of({error}).outputs().size());
    (void)error.item<float>();
  }

  // The second turn finds that `prepared` is needed again, and keeps it and what followed.
  EXPECT_EQ(kept, (std::vector<size_t>{1, 3, 1, 1}));
}

TEST(Capture, HistoryKeepsOperandsAndExpensiveValues) {
  Tensor w = value({4, 4});
  w.node()->set_requires_grad(true);
  Tensor x = value({4, 4});

  const Tensor h = exp(matmul(x, w));
  const Tensor y = sum(h * 2);
  x = Tensor();
  const Capture capture = capture_of({y});

  EXPECT_TRUE(y.node()->requires_grad());
  EXPECT_EQ(num_donated(capture), 0);
  ASSERT_EQ(capture.outputs().size(), 2U) << "the sum and the product";
  EXPECT_EQ(capture.entries()[capture.outputs()[1]].node->op(), ir::OpKind::matmul);
}

TEST(Capture, HistoryFollowsTheGradMode) {
  const Tensor w = value({4});
  w.node()->set_requires_grad(true);

  EXPECT_TRUE((w * 2).node()->keeps_history());
  EXPECT_FALSE((w < 2).node()->requires_grad());
  set_grad_mode(false);
  EXPECT_FALSE((w * 2).node()->requires_grad());
  set_grad_mode(true);
  EXPECT_FALSE((value({4}) * 2).node()->requires_grad());
}

TEST(Capture, KeepsWhatEscapesWhenAsked) {
  const Tensor x = value({4});
  const Tensor h = exp(x);
  const Tensor y = h * 3;

  EXPECT_EQ(capture_of({y}).outputs().size(), 1U);
  EXPECT_EQ(capture_of({y}, true).outputs().size(), 2U);
  Tensor z = exp(x);
  z = z * 3;
  EXPECT_EQ(capture_of({z}, true).outputs().size(), 1U);
}

TEST(Capture, WhatIsAskedForAgainIsKept) {
  const Tensor h = exp(value({4}));

  materialize(h + 1);
  EXPECT_FALSE(h.is_materialized());
  materialize(h + 2);
  EXPECT_TRUE(h.is_materialized()) << "a third program would compute it a third time";
}

TEST(Capture, ParametersAreKept) {
  const Tensor w = exp(value({4}));
  w.node()->set_requires_grad(true);

  materialize(w * 2);

  EXPECT_TRUE(w.is_materialized());
}

TEST(Capture, AValueIsNeverComputedAgain) {
  const Tensor h = exp(value({4}));
  materialize(h);

  EXPECT_EQ(capture_of({h * 2}).num_ops(), 1);
}

TEST(Capture, SharedAncestorsRunOnce) {
  const Tensor h = exp(value({4}));
  const Tensor a = h + 1, b = h * 3, c = h - 1;

  const Capture capture = capture_of({a, b, c});

  EXPECT_EQ(capture.num_ops(), 4);
  EXPECT_EQ(capture.outputs().size(), 3U);
}

TEST(Capture, ReleasesOperandsAfterTheRun) {
  Tensor x = value({4});
  const Ref<Node> node = x.node();
  Tensor y = x + 1;
  x = Tensor();
  EXPECT_EQ(node->ref_count(), 2U);

  materialize(y);

  EXPECT_EQ(node->ref_count(), 1U);
  EXPECT_TRUE(y.node()->operands().empty());
}

TEST(Capture, PrintsThePendingProgram) {
  const Tensor x = value({2, 3});

  EXPECT_EQ(relu(x * 0.3).sum({1}).ir(),
            R"(graph @main(%p0: f32[2,3], %p1: f32[] {scalar}) -> (f32[2]) {
  %0 = mul %p0, %p1 : f32[2,3]
  %1 = constant {value = dense<f32[]: 0>} : f32[]
  %2 = le %0, %1 : bool[2,3]
  %3 = where %2, %1, %0 : f32[2,3]
  %4 = reduce_sum %3 {axes = [1]} : f32[2]
  return %4
}
)");
}

TEST(Capture, ImportsLocations) {
  const Tensor y = exp(value({2}));
  const uint32_t line = __LINE__ - 1;

  const std::unique_ptr<ir::Graph> graph = import_graph(capture_of({y}));

  EXPECT_EQ(graph->last()->location().line, line);
  EXPECT_STREQ(graph->last()->location().file, __FILE__);
}

}  // namespace
}  // namespace wick::detail
