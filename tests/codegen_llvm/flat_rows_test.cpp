// Rows that end anywhere in a vector, walked as one, with values for each column and for each row,
// and short ones whose columns are stored behind each other.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "kernel_builder.h"
#include "support/guarded_pages.h"
#include <gtest/gtest.h>

namespace wick::codegen::test {
namespace {

constexpr int64_t kTasks = 3;

/// out[t, r, c] = x[t, r, c] * column[t, c] + row[r], all rows of a task in one.
struct ScaledRows {
  ScaledRows(DType dtype, int64_t rows, int64_t length) : builder("scaled_rows") {
    KernelBuilder& k = builder;
    const int x = k.buffer(dtype);
    const int columns = k.buffer(dtype);
    const int of_rows = k.buffer(dtype);
    const int out = k.buffer(dtype, true);
    k.outer(kTasks);
    k.vector(k.outer(rows * length));
    k.kernel().row_length_param = k.param(length);
    k.straight();
    const Affine dense = k.at({rows * length, 1});
    Affine by_column = k.at({length, 0});
    by_column.terms[1].stride = Stride::column;
    Affine by_row = k.at({0, 0});
    by_row.terms[1].stride = Stride::row;
    const int scaled =
        k.compute(ir::OpKind::mul, dtype, {k.load(x, dense), k.load(columns, by_column)});
    k.store(out, dense, k.compute(ir::OpKind::add, dtype, {scaled, k.load(of_rows, by_row)}));
  }

  KernelBuilder builder;
};

template <typename T>
class FlatRows {
 public:
  FlatRows(DType dtype, int64_t rows, int64_t length)
      : rows_(rows),
        length_(length),
        kernel_(dtype, rows, length),
        x_(static_cast<size_t>(kTasks * rows * length)),
        out_(x_.size()) {
    for (size_t i = 0; i < x_.size(); ++i)
      x_[i] = static_cast<T>(i % 11);
  }

  void check(GuardedPages& columns, GuardedPages& of_rows, bool at_head) {
    const auto place = [&](GuardedPages& pages, int64_t count) {
      const size_t bytes = static_cast<size_t>(count) * sizeof(T);
      return static_cast<T*>(at_head ? pages.head() : pages.tail(bytes));
    };
    T* const column = place(columns, kTasks * length_);
    T* const row = place(of_rows, rows_);
    for (int64_t i = 0; i < kTasks * length_; ++i)
      column[i] = static_cast<T>(i % 7 - 3);
    for (int64_t i = 0; i < rows_; ++i)
      row[i] = static_cast<T>(i % 5);
    const int64_t extent = rows_ * length_;
    for (const auto [first_task, last_task, begin, end] :
         {std::array{int64_t{0}, kTasks, int64_t{0}, extent},
          std::array{int64_t{1}, kTasks, extent / 3, extent},
          std::array{int64_t{0}, int64_t{2}, extent / 2 + 1, extent - 1},
          std::array{int64_t{2}, kTasks, extent / 2, extent / 2}}) {
      run(column, row, first_task, last_task, begin, end);
    }
  }

 private:
  void run(T* column, T* row, int64_t first_task, int64_t last_task, int64_t begin, int64_t end) {
    std::ranges::fill(out_, T{100});
    void* buffers[] = {x_.data(), column, row, out_.data()};
    KernelBuilder& k = kernel_.builder;
    KernelCache::instance().get(k.kernel())(
        buffers, k.params().data(), first_task, last_task, begin, end);
    const int64_t extent = rows_ * length_;
    for (int64_t at = 0; at < kTasks * extent; ++at) {
      const int64_t task = at / extent;
      const int64_t within = at % extent;
      const bool is_written =
          task >= first_task && task < last_task && within >= begin && within < end;
      const T value =
          static_cast<T>(x_[static_cast<size_t>(at)] * column[task * length_ + within % length_] +
                         row[within / length_]);
      ASSERT_EQ(out_[static_cast<size_t>(at)], is_written ? value : T{100})
          << rows_ << " rows of " << length_ << ": " << at;
    }
  }

  int64_t rows_;
  int64_t length_;
  ScaledRows kernel_;
  std::vector<T> x_;
  std::vector<T> out_;
};

template <typename T>
void check_lengths(DType dtype) {
  GuardedPages columns;
  GuardedPages rows;
  for (const int64_t length : {16, 17, 23, 31, 32, 33, 48, 63, 100, 127, 129, 255}) {
    for (const int64_t count : {1, 2, 8, 37}) {
      FlatRows<T> test(dtype, count, length);
      test.check(columns, rows, true);
      test.check(columns, rows, false);
    }
  }
}

TEST(FlatRows, EndAnywhereInAVector) {
  KernelCache::instance().reset("");
  check_lengths<float>(DType::f32);
  check_lengths<double>(DType::f64);
  check_lengths<int8_t>(DType::i8);
}

TEST(FlatRows, ThatGoPastTheCaches) {
  GuardedPages columns;
  GuardedPages rows;
  FlatRows<float> test(DType::f32, 40009, 131);
  test.check(columns, rows, false);
}

struct Strides {
  int64_t task;
  int64_t row;
  int64_t column;
};

/// out[t, r, c] = -x at these strides, all rows of a task in one.
template <typename T>
void check_transposed(DType dtype,
                      int64_t rows,
                      int64_t length,
                      const Strides& strides,
                      GuardedPages& pages,
                      bool at_head) {
  const int64_t extent = rows * length;
  KernelBuilder k("transposed_rows");
  const int from = k.buffer(dtype);
  const int to = k.buffer(dtype, true);
  k.outer(kTasks);
  k.vector(k.outer(extent));
  k.kernel().row_length = length;
  k.straight();
  Affine by_column = k.at({strides.task, 0});
  by_column.terms[1] = {Stride::transposed, k.param(strides.column)};
  if (strides.row != 1) by_column.terms[1].row_param = k.param(strides.row);
  k.store(to, k.at({extent, 1}), k.compute(ir::OpKind::neg, dtype, {k.load(from, by_column)}));
  const auto count = static_cast<size_t>(kTasks * extent);
  auto* const x = static_cast<T*>(at_head ? pages.head() : pages.tail(count * sizeof(T)));
  for (size_t i = 0; i < count; ++i)
    x[i] = static_cast<T>(i % 101);
  for (const auto [begin, end] : {std::array{int64_t{0}, extent},
                                  std::array{extent / 3, extent},
                                  std::array{extent / 2 + 1, extent - 1}}) {
    std::vector<T> out(count, T{100});
    void* buffers[] = {x, out.data()};
    KernelCache::instance().get(k.kernel())(buffers, k.params().data(), 0, kTasks, begin, end);
    for (int64_t at = 0; at < kTasks * extent; ++at) {
      const int64_t within = at % extent;
      const T value = static_cast<T>(-x[at / extent * strides.task + within / length * strides.row +
                                        within % length * strides.column]);
      ASSERT_EQ(out[static_cast<size_t>(at)], within >= begin && within < end ? value : T{100})
          << rows << " rows of " << length << ": " << at;
    }
  }
}

template <typename T>
void check_transposed_lengths(DType dtype) {
  GuardedPages pages;
  for (int64_t length = 2; length < 16; ++length) {
    for (const int64_t rows : {1, 16, 37, 200}) {
      const Strides x_ctr{.task = rows, .row = 1, .column = kTasks * rows};
      const Strides x_crt{.task = 1, .row = kTasks, .column = kTasks * rows};
      const Strides x_rtc{.task = length, .row = kTasks * length, .column = 1};
      for (const Strides& strides : {x_ctr, x_crt, x_rtc}) {
        check_transposed<T>(dtype, rows, length, strides, pages, true);
        check_transposed<T>(dtype, rows, length, strides, pages, false);
      }
    }
  }
}

TEST(FlatRows, OfElementsApart) {
  KernelCache::instance().reset("");
  check_transposed_lengths<float>(DType::f32);
  check_transposed_lengths<double>(DType::f64);
  check_transposed_lengths<int8_t>(DType::i8);
}

}  // namespace
}  // namespace wick::codegen::test
