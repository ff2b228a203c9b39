#include "expect_values.h"

#include "wick/tensor/ops_conv.h"
#include "wick/tensor/ops_pool.h"

namespace wick {
namespace {

using testing_support::counting;
using testing_support::expect_values;

TEST(Contract, MatmulOfMatricesVectorsAndBatches) {
  const Tensor a = tensor({{1, 2}, {3, 4}});
  const Tensor b = tensor({{5, 6}, {7, 8}});
  const Tensor v = tensor({1, 10});

  expect_values(matmul(a, b), {2, 2}, {19, 22, 43, 50});
  expect_values(matmul(a, v), {2}, {21, 43});
  expect_values(matmul(v, a), {2}, {31, 42});
  expect_values(matmul(v, v), {}, {101});
  expect_values(matmul(counting({2, 1, 2}), a), {2, 1, 2}, {3, 4, 11, 16});
}

TEST(Contract, Conv2d) {
  const Tensor x = counting({1, 1, 3, 3});
  const Tensor w = ones({1, 1, 2, 2});

  expect_values(conv2d(x, w), {1, 1, 2, 2}, {8, 12, 20, 24});
  expect_values(conv2d(x, w, {.stride = {2, 2}, .padding = {1, 1}}), {1, 1, 2, 2}, {0, 3, 9, 24});
  expect_values(conv2d(x, w, {.dilation = {2, 2}}), {1, 1, 1, 1}, {16});
  const Tensor two = counting({1, 2, 1, 1});
  expect_values(conv2d(two, full({2, 1, 1, 1}, 3), {.groups = 2}), {1, 2, 1, 1}, {0, 3});
}

TEST(Contract, Pooling) {
  const Tensor x = counting({1, 1, 4, 4});

  expect_values(max_pool2d(x, {.kernel = {2, 2}}), {1, 1, 2, 2}, {5, 7, 13, 15});
  expect_values(avg_pool2d(x, {.kernel = {2, 2}}), {1, 1, 2, 2}, {2.5, 4.5, 10.5, 12.5});
  expect_values(
      max_pool2d(x, {.kernel = {3, 3}, .stride = {1, 1}}), {1, 1, 2, 2}, {10, 11, 14, 15});
}

TEST(Contract, PaddingCountsUnlessExcluded) {
  const Tensor x = full({1, 1, 1, 1}, 8);
  AvgPoolOptions options{.kernel = {2, 2}, .stride = {2, 2}, .padding = {1, 1}};

  expect_values(avg_pool2d(x, options), {1, 1, 1, 1}, {2});
  options.count_include_pad = false;
  expect_values(avg_pool2d(x, options), {1, 1, 1, 1}, {8});
}

/// Enough of them for kernels instead of a library; small integers, whose sums are exact.
TEST(Contract, ManySmallProductsInAllTransposes) {
  constexpr int64_t kProducts = 40;
  constexpr int64_t kM = 3;
  constexpr int64_t kN = 5;
  constexpr int64_t kK = 4;
  const auto element = [](int64_t product, int64_t row, int64_t column) {
    return static_cast<double>((product * 31 + row * 7 + column * 3) % 13 - 6);
  };
  const auto matrices = [&](int64_t rows, int64_t columns, int64_t salt) {
    std::vector<float> values;
    for (int64_t p = 0; p < kProducts; ++p) {
      for (int64_t i = 0; i < rows * columns; ++i)
        values.push_back(static_cast<float>(element(p + salt, i / columns, i % columns)));
    }
    return from_span<float>(values, {kProducts, rows, columns});
  };
  std::vector<double> expected;
  for (int64_t p = 0; p < kProducts; ++p) {
    for (int64_t i = 0; i < kM * kN; ++i) {
      double sum = 0;
      for (int64_t k = 0; k < kK; ++k)
        sum += element(p, i / kN, k) * element(p + 5, k, i % kN);
      expected.push_back(sum);
    }
  }
  const Tensor lhs = matrices(kM, kK, 0);
  const Tensor rhs = matrices(kK, kN, 5);
  const Tensor across_lhs = transpose(lhs, 1, 2) + 0;
  const Tensor across_rhs = transpose(rhs, 1, 2) + 0;
  materialize(across_lhs, across_rhs);

  for (const Tensor& a : {lhs, transpose(across_lhs, 1, 2)}) {
    for (const Tensor& b : {rhs, transpose(across_rhs, 1, 2)})
      expect_values(matmul(a, b), {kProducts, kM, kN}, expected);
  }
}

}  // namespace
}  // namespace wick
