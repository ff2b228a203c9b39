#include "gradcheck.h"
#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"
#include "wick/tensor/ops_conv.h"

namespace wick {
namespace {

using testing_support::gradients_match;
using testing_support::second_gradients_match;
using testing_support::spread;
using testing_support::TensorFunction;

struct BatchCase {
  Axes lhs;
  Axes rhs;
};

Shape matrix(Axes batch, int64_t rows, int64_t columns, bool transposed) {
  batch.push_back(transposed ? columns : rows);
  batch.push_back(transposed ? rows : columns);
  return Shape(batch);
}

TEST(MatmulRules, EqualDifferencesForAllFlagsAndBatches) {
  const std::vector<BatchCase> batches = {{{}, {}},
                                          {{2}, {}},
                                          {{}, {2}},
                                          {{2}, {2}},
                                          {{2, 1}, {3}},
                                          {{1}, {2}},
                                          {{2}, {1}},
                                          {{2, 2}, {}}};
  for (const BatchCase& c : batches) {
    for (const int flags : {0, 1, 2, 3}) {
      const bool lhs = (flags & 1) != 0;
      const bool rhs = (flags & 2) != 0;
      const TensorFunction f = [&](std::span<const Tensor> x) {
        return square(record(ir::OpKind::matmul,
                             x,
                             {{"transpose_lhs", lhs}, {"transpose_rhs", rhs}},
                             Where::current()));
      };
      EXPECT_TRUE(gradients_match(
          f,
          {spread(matrix(c.lhs, 2, 3, lhs), -1, 1, 1), spread(matrix(c.rhs, 3, 2, rhs), -1, 1, 2)}))
          << c.lhs.size() << " and " << c.rhs.size() << " batch axes, flags " << flags;
    }
  }
}

TEST(MatmulRules, EqualDifferencesForVectors) {
  const TensorFunction f = [](std::span<const Tensor> x) { return square(matmul(x[0], x[1])); };

  EXPECT_TRUE(gradients_match(f, {spread({3}, -1, 1, 1), spread({3}, -1, 1, 2)}));
  EXPECT_TRUE(gradients_match(f, {spread({3}, -1, 1, 1), spread({3, 2}, -1, 1, 2)}));
  EXPECT_TRUE(gradients_match(f, {spread({2, 3}, -1, 1, 1), spread({3}, -1, 1, 2)}));
}

TEST(MatmulRules, RecordNoPermutes) {
  Tensor a = ones({4, 2, 3});
  Tensor b = ones({3, 5});
  a.requires_grad_();
  b.requires_grad_();

  const auto gradients = grad({sum(matmul(a, b))}, {a, b});

  EXPECT_EQ(gradients[0].ir().find("permute"), std::string::npos) << gradients[0].ir();
  EXPECT_EQ(gradients[1].ir().find("permute"), std::string::npos) << gradients[1].ir();
}

struct ConvCase {
  Shape x;
  Shape w;
  ConvOptions options;
};

std::vector<ConvCase> conv_cases() {
  return {
      {{1, 1, 4, 4}, {1, 1, 3, 3}, {}},
      {{2, 2, 4, 5}, {3, 2, 2, 3}, {.padding = {1, 2}}},
      {{1, 2, 6, 5}, {2, 2, 3, 2}, {.stride = {2, 3}, .padding = {1, 0}}},
      {{1, 2, 6, 6}, {2, 2, 2, 2}, {.padding = {1, 1}, .dilation = {2, 3}}},
      {{1, 4, 3, 3}, {4, 2, 2, 2}, {.stride = {2, 1}, .padding = {1, 1}, .groups = 2}},
  };
}

TEST(Conv2dRules, EqualDifferences) {
  for (const ConvCase& c : conv_cases()) {
    const TensorFunction f = [&c](std::span<const Tensor> x) {
      return square(conv2d(x[0], x[1], c.options));
    };
    EXPECT_TRUE(gradients_match(f, {spread(c.x, -1, 1, 1), spread(c.w, -1, 1, 2)}))
        << to_string(c.x) << to_string(c.w);
  }
}

TEST(Conv2dRules, SecondGradientsEqualDifferences) {
  for (const ConvCase& c : conv_cases()) {
    const TensorFunction f = [&c](std::span<const Tensor> x) {
      return square(conv2d(x[0], x[1], c.options));
    };
    // A fourth-degree polynomial of many terms: the differences lose two digits more.
    EXPECT_TRUE(second_gradients_match(
        f, {spread(c.x, -1, 1, 1), spread(c.w, -1, 1, 2)}, {.tolerance = 1e-6}))
        << to_string(c.x) << to_string(c.w);
  }
}

}  // namespace
}  // namespace wick
