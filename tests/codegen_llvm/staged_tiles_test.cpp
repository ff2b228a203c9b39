// Short rows of elementwise kernels with operands that are stored transposed: without loops, and
// past the caches a tile at a time.

#include <algorithm>
#include <array>
#include <memory>
#include <new>

#include "kernel_builder.h"
#include <gtest/gtest.h>

namespace wick::codegen::test {
namespace {

using ir::OpKind;

constexpr int64_t kBatch = 2;  // of matrices

struct Rows {
  int64_t count;  // of a matrix
  int64_t length;
  int64_t pitch;     // from a result's row to the next one
  bool fill_memory;  // as a piece of a launch that no cache holds
};

/// sum[b, i, j] = x[b, i, j] + y[b, j, i], and the product of the same.
KernelBuilder sums_and_products(DType dtype, const Rows& rows) {
  constexpr int64_t kHuge = int64_t{1} << 40;
  KernelBuilder k("sums_and_products");
  const int x = k.buffer(dtype);
  const int y = k.buffer(dtype);
  const int sum = k.buffer(dtype, true);
  const int product = k.buffer(dtype, true);
  k.outer(rows.fill_memory ? kHuge : kBatch);
  k.outer(rows.count);
  k.vector(k.outer(rows.length));
  k.kernel().row_bound = bound_of(rows.length);
  k.kernel().lane_guarded = rows.length % kRowStep != 0;
  k.straight();
  const int64_t size = rows.count * rows.length;
  const int direct = k.load(x, k.at({size, rows.length, 1}));
  const int transposed = k.load(y, k.at({size, 1, rows.count}));
  const Affine out = k.at({rows.count * rows.pitch, rows.pitch, 1});
  k.store(sum, out, k.compute(OpKind::add, dtype, {direct, transposed}));
  k.store(product, out, k.compute(OpKind::mul, dtype, {direct, transposed}));
  return k;
}

/// Elements that begin so many behind a line.
template <typename T>
class Elements {
 public:
  Elements(int64_t count, int64_t shift)
      : memory_(static_cast<T*>(::operator new(static_cast<size_t>(count + shift) * sizeof(T),
                                               std::align_val_t(kLine)))),
        begin_(memory_.get() + shift) {
    std::fill_n(begin_, count, T{0});
  }

  T* begin() const { return begin_; }

  T& operator[](int64_t i) const { return begin_[i]; }

 private:
  static constexpr size_t kLine = 64;

  struct Delete {
    void operator()(T* memory) const { ::operator delete(memory, std::align_val_t(kLine)); }
  };

  std::unique_ptr<T, Delete> memory_;
  T* begin_;
};

template <typename T>
void check(DType dtype, const Rows& rows, int64_t shift) {
  KernelBuilder k = sums_and_products(dtype, rows);
  const KernelFunction function = KernelCache::instance().get(k.kernel());
  const int64_t tasks = kBatch * rows.count;
  const int64_t elements = tasks * rows.length;
  const Elements<T> x(elements, 0);
  const Elements<T> y(elements, 0);
  for (int64_t i = 0; i < elements; ++i) {
    x[i] = static_cast<T>(i % 9 + 1);
    y[i] = static_cast<T>(i * 5 % 11 + 1);
  }
  for (const auto& [begin, end, first, last] :
       {std::array{int64_t{0}, tasks, int64_t{0}, rows.length},
        std::array{tasks / 3, tasks, int64_t{0}, rows.length},
        std::array{int64_t{0}, tasks, rows.length / 2, rows.length},
        std::array{int64_t{0}, tasks, int64_t{0}, rows.length - 1}}) {
    const Elements<T> sum(tasks * rows.pitch, shift);
    const Elements<T> product(tasks * rows.pitch, shift);
    void* buffers[] = {x.begin(), y.begin(), sum.begin(), product.begin()};
    function(buffers, k.params().data(), begin, end, first, last);
    for (int64_t at = 0; at < tasks * rows.pitch; ++at) {
      const int64_t task = at / rows.pitch;
      const int64_t column = at % rows.pitch;
      const bool is_written = task >= begin && column >= first && column < last;
      const T left = is_written ? x[task * rows.length + column] : T{0};
      const int64_t matrix = task / rows.count * rows.count * rows.length;
      const T right = is_written ? y[matrix + column * rows.count + task % rows.count] : T{0};
      ASSERT_EQ(sum[at], static_cast<T>(left + right))
          << rows.count << ", " << rows.length << ": " << at;
      ASSERT_EQ(product[at], static_cast<T>(left * right))
          << rows.count << ", " << rows.length << ": " << at;
    }
  }
}

class StagedTiles : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override { KernelCache::instance().reset(""); }
};

TEST_P(StagedTiles, TakeShortRowsOfAnyLength) {
  for (const int64_t length : {8, 13, 16, 17, 20, 32, 33, 47, 48, 64, 65, 100, 128, 200, 256}) {
    for (const int64_t count : {2, 5, 63, 64, 65, 192}) {
      check<float>(DType::f32, {count, length, length, GetParam()}, 0);
      check<double>(DType::f64, {count, length, length, GetParam()}, 0);
    }
    check<int16_t>(DType::i16, {70, length, length, GetParam()}, 0);
  }
}

/// Results with gaps between rows, or that begin behind the beginning of a line.
TEST_P(StagedTiles, WriteRowsWhereverTheyLie) {
  for (const int64_t length : {17, 32, 40, 64, 100}) {
    for (const int64_t shift : {0, 1, 4, 8}) {
      check<float>(DType::f32, {128, length, length, GetParam()}, shift);
      check<float>(DType::f32, {130, length, length + shift, GetParam()}, 0);
      check<double>(DType::f64, {64, length, length, GetParam()}, shift);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(InCachesAndPastThem, StagedTiles, testing::Bool());

}  // namespace
}  // namespace wick::codegen::test
