// Gradients of scans and scatters.

#include <limits>

#include "gradcheck.h"
#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"
#include "wick/tensor/ops_index.h"
#include "wick/tensor/ops_sort.h"

namespace wick {
namespace {

using testing_support::gradients_match;
using testing_support::second_gradients_match;
using testing_support::spread;
using testing_support::TensorFunction;

Tensor ints(std::vector<int64_t> values, Shape shape) {
  return from_vector(values, std::move(shape));
}

std::vector<double> gradient(const TensorFunction& f, Tensor x) {
  x.requires_grad_();
  sum(f({&x, 1})).backward();
  return x.grad().to_vector<double>();
}

TensorFunction scan_of(const std::string& kind, int64_t axis, bool reverse) {
  return [=](std::span<const Tensor> x) {
    ir::Attributes attributes{{"axis", axis}, {"kind", kind}, {"reverse", reverse}};
    return square(record(ir::OpKind::scan, x, std::move(attributes), Where::current()));
  };
}

TEST(ScanRules, OfEveryKind) {
  for (const char* kind : {"sum", "prod", "max", "min", "logaddexp"}) {
    for (const int64_t axis : {0, 1}) {
      for (const bool reverse : {false, true}) {
        const TensorFunction f = scan_of(kind, axis, reverse);
        EXPECT_TRUE(gradients_match(f, {spread({3, 4}, -2, 2)})) << kind << axis << reverse;
        EXPECT_TRUE(second_gradients_match(f, {spread({2, 3}, 0.3, 2)}, {.tolerance = 1e-6}))
            << kind << axis << reverse;
      }
    }
  }
}

TEST(ScanRules, ProductsWithZeros) {
  const std::vector<std::vector<double>> cases = {
      {0, 2, 3, 4}, {2, 0, 3, 4}, {2, 3, 4, 0}, {2, 0, 3, 0}, {0, 0, 2, 3}};
  for (const std::vector<double>& x : cases) {
    for (const bool reverse : {false, true}) {
      EXPECT_TRUE(gradients_match(scan_of("prod", 0, reverse), {from_vector(x, {4})}));
    }
  }
}

TEST(ScanRules, LogarithmsOfLargeAndNoAmounts) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const TensorFunction f = [](std::span<const Tensor> x) { return logcumsumexp(x[0], 0); };

  const std::vector<double> got =
      gradient(f, from_vector(std::vector<double>{-kInfinity, 1000, -1000, 1000}, {4}));

  const std::vector<double> expected = {0, 2.5, 0, 0.5};
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], 1e-12);
}

TEST(ScanRules, ExtremesGiveToTheLastOfEqualOnes) {
  const Tensor x = tensor({1, 3, 3, 2, 3});

  EXPECT_EQ(gradient([](std::span<const Tensor> t) { return cummax(t[0], 0).values; }, x),
            (std::vector<double>{1, 1, 2, 0, 1}));
}

TEST(ScatterRules, OfEveryMode) {
  const Tensor at = ints({1, 0, 1, 7, -1}, {5});
  for (const char* mode : {"add", "mul", "max", "min", "set"}) {
    for (const int64_t axis : {0, 1}) {
      const TensorFunction f = [=](std::span<const Tensor> x) {
        return square(record(ir::OpKind::scatter,
                             std::vector<Tensor>{x[0], at, x[1]},
                             {{"axis", axis}, {"mode", std::string(mode)}},
                             Where::current()));
      };
      Shape updates{3, 4};
      updates.set(static_cast<int>(axis), 5);
      const std::vector<Tensor> inputs = {spread({3, 4}, 0.5, 2), spread(updates, 0.4, 2.1, 2)};
      EXPECT_TRUE(gradients_match(f, inputs)) << mode << axis;
      EXPECT_TRUE(second_gradients_match(f, inputs, {.tolerance = 1e-6})) << mode << axis;
    }
  }
}

TEST(ScatterRules, OfElementsAlongAnAxisInEveryMode) {
  for (const char* mode : {"add", "mul", "max", "min", "set"}) {
    for (const int64_t axis : {0, 1}) {
      Shape updates{3, 3};
      updates.set(static_cast<int>(axis), 5);
      const Tensor at =
          reshape(ints({1, 0, 1, 7, -1, 1, 2, 0, 0, 2, 1, 1, 2, 2, 0}, {15}), updates);
      const TensorFunction f = [=](std::span<const Tensor> x) {
        return square(record(ir::OpKind::scatter,
                             std::vector<Tensor>{x[0], at, x[1]},
                             {{"along", true}, {"axis", axis}, {"mode", std::string(mode)}},
                             Where::current()));
      };
      const std::vector<Tensor> inputs = {spread({3, 3}, 0.5, 2), spread(updates, 0.4, 2.1, 2)};
      EXPECT_TRUE(gradients_match(f, inputs)) << mode << axis;
      EXPECT_TRUE(second_gradients_match(f, inputs, {.tolerance = 1e-6})) << mode << axis;
    }
  }
}

TEST(ScatterRules, ProductsWithZeros) {
  const TensorFunction f = [](std::span<const Tensor> x) {
    return square(scatter(x[0], 0, ints({0, 0, 1, 1, 2}, {5}), x[1], ScatterMode::mul));
  };
  const std::vector<double> x = {2, 0, 0};
  for (const std::vector<double>& updates :
       std::vector<std::vector<double>>{{3, 0, 2, 5, 7}, {0, 0, 0, 5, 0}, {4, 5, 6, 7, 8}}) {
    EXPECT_TRUE(gradients_match(f, {from_vector(x, {3}), from_vector(updates, {5})}));
  }
}

TEST(ScatterRules, EqualExtremesShare) {
  const TensorFunction f = [](std::span<const Tensor> x) {
    return scatter(x[0], 0, ints({0, 0, 1}, {3}), tensor({5, 5, 1}), ScatterMode::max);
  };

  EXPECT_EQ(gradient(f, tensor({5, 2})), (std::vector<double>{1.0F / 3, 1}));
}

}  // namespace
}  // namespace wick
