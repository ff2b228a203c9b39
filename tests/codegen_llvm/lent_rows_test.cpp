// What a loop leaves of a row for later ones, in a row of a result while this stays in the caches.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <regex>
#include <string>
#include <vector>

#include "kernel_builder.h"
#include "support/guarded_pages.h"
#include <gtest/gtest.h>

namespace wick::codegen::test {
namespace {

using ir::OpKind;

constexpr int64_t kOwn = 4096;

/// exp(x) stays of each row; results are exp(x) divided by its sum and, where that is wanted, then
/// exp(x) itself, read once more when the first result is stored.
KernelBuilder exponentials(int64_t rows, int64_t columns, bool reads_behind) {
  KernelBuilder k("exponentials");
  const int x = k.buffer(DType::f32);
  const int own = k.buffer(DType::f32, true);
  const int quotients = k.buffer(DType::f32, true);
  const int powers = reads_behind ? k.buffer(DType::f32, true) : -1;
  k.kernel().buffers[static_cast<size_t>(own)].own_elements = kOwn;
  k.outer(rows);
  k.vector(k.inner(columns));
  const Affine place = k.at({columns, 1});
  const Affine own_place = k.at({0, 1});
  k.loop();
  const int power = k.compute(OpKind::exp, DType::f32, {k.load(x, place)});
  const int sum = k.accumulate(OpKind::reduce_sum, DType::f32, {power});
  k.store(own, own_place, power);
  k.loop();
  const int kept = k.load(own, own_place);
  k.store(quotients, place, k.compute(OpKind::div, DType::f32, {kept, sum}));
  if (reads_behind) {
    k.loop();
    k.store(powers, place, k.load(own, own_place));
  }
  return k;
}

/// Runs two rows in the middle of a launch of so many, whose results end where memory does.
void check_rows(int64_t rows, int64_t columns, bool reads_behind) {
  constexpr int64_t kBegin = 1;
  constexpr int64_t kEnd = 3;
  KernelBuilder k = exponentials(rows, columns, reads_behind);
  const KernelFunction function = compile(k.kernel());
  const auto count = static_cast<size_t>(kEnd * columns);
  std::vector<float> x(count);
  for (size_t i = 0; i < count; ++i)
    x[i] = std::sin(static_cast<float>(i));
  GuardedPages pages[2];
  float* results[2];
  for (int i = 0; i < 2; ++i) {
    results[i] = static_cast<float*>(pages[i].tail(count * sizeof(float)));
    std::fill_n(results[i], count, -1.0F);
  }
  std::vector<void*> buffers{x.data(), nullptr, results[0], results[1]};

  function(buffers.data(), k.params().data(), kBegin, kEnd, 0, columns);

  for (int64_t row = 0; row < kEnd; ++row) {
    const auto first = static_cast<size_t>(row * columns);
    double sum = 0;
    for (int64_t i = 0; i < columns; ++i)
      sum += std::exp(x[first + static_cast<size_t>(i)]);
    for (size_t i = first; i < first + static_cast<size_t>(columns); ++i) {
      const double power = std::exp(x[i]);
      if (row < kBegin) {
        ASSERT_EQ(results[0][i], -1.0F) << i;
        continue;
      }
      ASSERT_NEAR(results[0][i], power / sum, 1e-6 * power) << i << " of " << columns;
      const double behind = reads_behind ? power : -1.0;
      ASSERT_NEAR(results[1][i], behind, 1e-6 * power) << i << " of " << columns;
    }
  }
}

/// Of launches that the caches take, and of one that is too large for any.
TEST(LentRows, HoldWhatLaterLoopsNeed) {
  for (const int64_t rows : {int64_t{3}, int64_t{1} << 40}) {
    for (const int64_t columns : {4096, 4001, 1030, 37}) {
      check_rows(rows, columns, /*reads_behind=*/false);
      check_rows(rows, columns, /*reads_behind=*/true);
    }
  }
}

TEST(LentRows, AreChosenAtLaunch) {
  const std::string text = llvm_compiler().llvm_ir(exponentials(3, kOwn, false).kernel());
  EXPECT_TRUE(std::regex_search(text, std::regex("select i1 %\\w+, ptr %\\w+, ptr %\\w+"))) << text;
}

}  // namespace
}  // namespace wick::codegen::test
