#include "gradcheck.h"
#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"
#include "wick/tensor/ops_conv.h"
#include "wick/tensor/ops_index.h"
#include "wick/tensor/ops_shape.h"

namespace wick {
namespace {

using testing_support::gradients_match;
using testing_support::spread;
using testing_support::TensorFunction;

TensorFunction of_one(std::function<Tensor(const Tensor&)> f) {
  return [f = std::move(f)](std::span<const Tensor> x) { return f(x[0]); };
}

Tensor x234() {
  return spread({2, 3, 4}, -2, 2);
}

Tensor ints(std::vector<int64_t> values, Shape shape) {
  return from_vector(values, std::move(shape));
}

TEST(MovementRules, Broadcast) {
  const auto f = of_one([](const Tensor& x) { return square(broadcast_to(x, {2, 3, 4})); });

  for (const Shape& shape : {Shape{}, Shape{1}, Shape{4}, Shape{3, 1}, Shape{2, 1, 4}}) {
    EXPECT_TRUE(gradients_match(f, {spread(shape, -2, 2)})) << to_string(shape);
  }
}

TEST(MovementRules, ReshapeAndPermute) {
  const auto f = of_one([](const Tensor& x) {
    return square(x.reshape({4, 6})) + x.permute({2, 0, 1}).reshape({4, 6});
  });

  EXPECT_TRUE(gradients_match(f, {x234()}));
}

struct SliceCase {
  Axes starts;
  Axes sizes;
  Axes steps;
};

TEST(MovementRules, SliceWithAnySteps) {
  const std::vector<SliceCase> cases = {
      {{0, 1, 2}, {2, 2, 2}, {1, 1, 1}},
      {{1, 0, 0}, {1, 2, 2}, {1, 2, 3}},
      {{1, 2, 3}, {2, 3, 4}, {-1, -1, -1}},
      {{0, 2, 3}, {2, 2, 2}, {1, -2, -3}},
      {{1, 0, 2}, {1, 1, 1}, {5, -7, 2}},
      {{0, 0, 1}, {2, 0, 2}, {1, 1, 2}},
  };
  for (const SliceCase& c : cases) {
    const auto f = of_one([&c](const Tensor& x) {
      return square(record(ir::OpKind::slice,
                           {&x, 1},
                           {{"starts", c.starts}, {"sizes", c.sizes}, {"steps", c.steps}},
                           Where::current()));
    });
    EXPECT_TRUE(gradients_match(f, {x234()})) << c.steps[1] << " " << c.sizes[1];
  }
}

TEST(MovementRules, SlicesOfTheApi) {
  const auto f = of_one([](const Tensor& x) {
    return slice(x, 1, 1, 3) * slice(x, 1, 0, -1) + slice(x, 1, 3, 0, -1) +
           unsqueeze(select(x, 1, -1), 1);
  });

  EXPECT_TRUE(gradients_match(f, {x234()}));
}

TEST(MovementRules, Concat) {
  const TensorFunction f = [](std::span<const Tensor> x) {
    return square(concat({x[0], x[1], x[0]}, 1));
  };

  EXPECT_TRUE(gradients_match(f, {x234(), spread({2, 1, 4}, -1, 1)}));
}

struct PadCase {
  Axes low;
  Axes high;
  Axes interior;
};

TEST(MovementRules, PadWithBordersGapsAndCrops) {
  const std::vector<PadCase> cases = {{{1, 2}, {3, 0}, {0, 0}},
                                      {{0, 0}, {0, 0}, {1, 2}},
                                      {{2, 1}, {1, 2}, {2, 1}},
                                      {{-1, 0}, {0, -1}, {0, 0}},
                                      {{-1, 2}, {-1, -2}, {1, 2}},
                                      {{-2, 0}, {3, 0}, {0, 3}},
                                      {{-4, 0}, {1, 0}, {0, 0}}};
  for (const PadCase& c : cases) {
    const TensorFunction f = [&c](std::span<const Tensor> x) {
      return square(record(ir::OpKind::pad,
                           x,
                           {{"low", c.low}, {"high", c.high}, {"interior", c.interior}},
                           Where::current()));
    };
    EXPECT_TRUE(gradients_match(f, {spread({3, 4}, -2, 2), spread({}, 1, 2)}))
        << c.low[0] << " " << c.interior[1];
  }
}

TEST(MovementRules, GatherAddsWhatRepeats) {
  for (const int axis : {0, 1, 2}) {
    for (const Tensor& indices :
         {ints({1, 0, 1, 1}, {4}), ints({0, 1, 1, 0}, {2, 2}), ints({1}, {})}) {
      const auto f = of_one([&](const Tensor& x) { return square(take(x, indices, axis)); });
      EXPECT_TRUE(gradients_match(f, {x234()})) << axis << to_string(indices.shape());
    }
  }
}

/// Few beside each other, which the elements ask for, and many, which are scattered; some equal,
/// some out of range.
TEST(MovementRules, GatherAlongAnAxisAddsWhatRepeats) {
  for (const int axis : {0, 1, 2}) {
    for (const int64_t count : {0, 1, 2, 4, 5}) {
      Shape places{2, 3, 4};
      places.set(axis, count);
      std::vector<int64_t> numbers(static_cast<size_t>(places.numel()));
      for (size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<int64_t>(i * i % 7) - 1;
      const Tensor indices = ints(numbers, places);
      const auto f = of_one([&](const Tensor& x) { return square(gather(x, axis, indices)); });
      EXPECT_TRUE(gradients_match(f, {x234()})) << axis << " " << count;
    }
  }
}

TEST(MovementRules, GatherClampsItsIndices) {
  Tensor x = tensor({1, 2, 3});
  x.requires_grad_();
  const std::vector<Tensor> operands = {x, ints({-5, 9, 1}, {3})};

  sum(record(ir::OpKind::gather, operands, {{"axis", int64_t{0}}}, Where::current())).backward();

  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{1, 1, 1}));
}

TEST(MovementRules, ScatterAdd) {
  for (const int axis : {0, 1, 2}) {
    const TensorFunction f = [axis](std::span<const Tensor> x) {
      return square(index_add(x[0], axis, ints({1, 0, 1}, {3}), x[1]));
    };
    Shape updates{2, 3, 4};
    updates.set(axis, 3);
    EXPECT_TRUE(gradients_match(f, {x234(), spread(updates, -1, 1)})) << axis;
  }
}

TEST(MovementRules, DroppedUpdatesGetNothing) {
  Tensor updates = tensor({{1, 2}, {3, 4}, {5, 6}});
  updates.requires_grad_();

  sum(index_add(zeros({2, 2}), 0, ints({0, 7, -1}, {3}), updates)).backward();

  EXPECT_EQ(updates.grad().to_vector<float>(), (std::vector<float>{1, 1, 0, 0, 0, 0}));
}

TEST(MovementRules, Windows) {
  struct Case {
    int64_t size;
    int64_t stride;
  };

  for (const auto& [size, stride] : {Case{3, 1}, Case{2, 2}, Case{4, 2}, Case{3, 2}, Case{6, 1}}) {
    const auto along = [&](const Tensor& x) { return square(unfold(x, 1, size, stride)); };
    EXPECT_TRUE(gradients_match(of_one(along), {spread({2, 7, 2}, -2, 2)}))
        << size << " " << stride;

    const UnfoldOptions options{.kernel = {size, 2}, .stride = {stride, 1}};
    const auto columns = [&](const Tensor& x) { return square(unfold(x, options)); };
    EXPECT_TRUE(gradients_match(of_one(columns), {spread({2, 7, 3}, -2, 2)}))
        << size << " " << stride;

    const int64_t windows = ((7 - size) / stride + 1) * 2;
    const auto image = [&](const Tensor& x) { return square(fold(x, {7, 3}, options)); };
    EXPECT_TRUE(gradients_match(of_one(image), {spread({2 * size, windows}, -2, 2)}))
        << size << " " << stride;
  }
}

}  // namespace
}  // namespace wick
