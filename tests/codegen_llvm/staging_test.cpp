// Memory that vectors cross and that goes through memory of the kernel's own: transposed operands
// in tiles, plain images in strips, and short rows.

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "kernel_builder.h"
#include "support/guarded_pages.h"
#include <gtest/gtest.h>

namespace wick::codegen::test {
namespace {

using ir::OpKind;

/// Shapes share a kernel: extents and strides are parameters.
KernelFunction compile_once(const Kernel& kernel) {
  return KernelCache::instance().get(kernel);
}

class Staging : public testing::Test {
 protected:
  void SetUp() override { KernelCache::instance().reset(""); }
};

/// Sums of rows of `length`, `stride` elements apart, and their elements less the sum. Kernels may
/// know small strides.
KernelBuilder rows_less_sum(
    DType dtype, int64_t rows, int64_t length, int64_t stride, bool knows_stride = false) {
  constexpr int64_t kLargestKnown = 7;
  KernelBuilder k("rows_less_sum");
  const auto at_row = [&] {
    Affine address = k.at({stride, 1});
    if (knows_stride && stride > 1 && stride <= kLargestKnown) address.terms[0].known = stride;
    return address;
  };
  const int x = k.buffer(dtype);
  const int y = k.buffer(dtype, true);
  k.vector(k.outer(rows));
  k.inner(length);
  k.kernel().longest_row = kShortRow;
  k.loop();
  const int in = k.load(x, at_row());
  const int sum = k.accumulate(OpKind::reduce_sum, dtype, {in});
  k.loop();
  const int again = k.load(x, at_row());
  k.store(y, at_row(), k.compute(OpKind::sub, dtype, {again, sum}));
  return k;
}

template <typename T>
void expect_rows_less_sum(const T* in, const T* out, int64_t rows, int64_t length, int64_t stride) {
  for (int64_t r = 0; r < rows; ++r) {
    const T* row = in + r * stride;
    const T sum = std::accumulate(row, row + length, T{0});  // integers wrap
    for (int64_t c = 0; c < length; ++c)
      ASSERT_EQ(out[r * stride + c], static_cast<T>(row[c] - sum))
          << rows << ", " << length << ": " << r << ", " << c;
  }
}

/// Small integers: sums are exact in any order.
template <typename T>
void fill(T* begin, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    begin[i] = static_cast<T>(i * 7 % 31 - 15);
}

template <typename T>
void check_rows_between_guards(DType dtype, bool knows_stride) {
  const GuardedPages in;
  const GuardedPages out;
  for (int64_t length = 1; length <= kShortRow; ++length) {
    for (const int64_t rows : {1, 3, 8, 33, 150}) {
      const int64_t count = rows * length;
      const size_t bytes = static_cast<size_t>(count) * sizeof(T);
      KernelBuilder k = rows_less_sum(dtype, rows, length, length, knows_stride);
      const KernelFunction function = compile_once(k.kernel());
      const auto check_at = [&](void* x, void* y) {
        fill(static_cast<T*>(x), count);
        void* buffers[] = {x, y};
        function(buffers, k.params().data(), 0, 1, 0, rows);
        expect_rows_less_sum(
            static_cast<const T*>(x), static_cast<const T*>(y), rows, length, length);
      };
      check_at(in.head(), out.head());
      check_at(in.tail(bytes), out.tail(bytes));
    }
    if (length > 10) length += 6;
  }
}

TEST_F(Staging, ShortRowsStayInsideTheBuffers) {
  for (const bool knows_stride : {false, true}) {
    check_rows_between_guards<float>(DType::f32, knows_stride);
    check_rows_between_guards<double>(DType::f64, knows_stride);
    check_rows_between_guards<int64_t>(DType::i64, knows_stride);
  }
}

TEST_F(Staging, ShortRowsLeaveWhatIsBetweenThemAlone) {
  constexpr int64_t kRows = 101;
  for (const auto& [length, stride] : {std::array<int64_t, 2>{1, 13},
                                       {2, 13},
                                       {3, 13},
                                       {5, 13},
                                       {10, 13},
                                       {2, 3},
                                       {3, 5},
                                       {4, 6}}) {
    for (const int64_t begin : {0, 5, 40}) {
      KernelBuilder k = rows_less_sum(DType::f32, kRows, length, stride, stride < 13);
      std::vector<float> in(static_cast<size_t>(kRows * stride));
      fill(in.data(), std::ssize(in));
      std::vector<float> out(in.size(), 5000.0F);
      void* buffers[] = {in.data(), out.data()};

      compile_once(k.kernel())(buffers, k.params().data(), 0, 1, begin, 77);

      const int64_t first = begin * stride;
      expect_rows_less_sum(in.data() + first, out.data() + first, 77 - begin, length, stride);
      for (int64_t i = 0; i < std::ssize(out); ++i) {
        const bool is_written = i / stride >= begin && i / stride < 77 && i % stride < length;
        if (is_written) continue;
        ASSERT_EQ(out[static_cast<size_t>(i)], 5000.0F) << i;
      }
    }
  }
}

constexpr int64_t kHuge = int64_t{1} << 40;  // more than any cache holds

/// A piece of a launch of kHuge rows, and what must not be touched around it.
template <typename T>
void check_piece_of_huge(
    DType dtype, int64_t length, int64_t stride, int64_t begin, int64_t end, bool knows_stride) {
  constexpr int64_t kRows = 300;
  KernelBuilder k = rows_less_sum(dtype, kHuge, length, stride, knows_stride);
  std::vector<T> in(static_cast<size_t>(kRows * stride));
  fill(in.data(), std::ssize(in));
  alignas(64) std::array<T, kRows*(kShortRow + 3)> out{};
  out.fill(T{100});
  void* buffers[] = {in.data(), out.data()};

  compile_once(k.kernel())(buffers, k.params().data(), 0, 1, begin, end);

  const auto is_untouched = [](T x) { return x == T{100}; };
  const int64_t first = begin * stride;
  const int64_t last = (end - 1) * stride + length;
  expect_rows_less_sum(in.data() + first, out.data() + first, end - begin, length, stride);
  EXPECT_TRUE(std::all_of(out.data(), out.data() + first, is_untouched));
  EXPECT_TRUE(std::all_of(out.data() + last, out.data() + out.size(), is_untouched));
}

/// Rows without gaps, from a line's begin or from elsewhere, that fill lines or do not, and rows
/// with gaps.
TEST_F(Staging, ShortRowsGoPastTheCaches) {
  for (const int64_t length : {1, 2, 3, 4, 5, 6, 10, 16, 32}) {
    for (const int64_t stride : {length, length + 3}) {
      for (const int64_t begin : {0, 16, 5}) {
        for (const int64_t end : {297, 160, 96}) {
          for (const bool knows_stride : {false, true}) {
            check_piece_of_huge<float>(DType::f32, length, stride, begin, end, knows_stride);
            check_piece_of_huge<double>(DType::f64, length, stride, begin, end, knows_stride);
            check_piece_of_huge<uint8_t>(DType::u8, length, stride, begin, end, knows_stride);
          }
        }
      }
    }
  }
  const std::string assembly =
      llvm_compiler().assembly(rows_less_sum(DType::f32, kHuge, 10, 10).kernel());
  EXPECT_NE(assembly.find("movnt"), std::string::npos);
  EXPECT_NE(assembly.find("prefetch"), std::string::npos);
}

TEST_F(Staging, ShortRowsAreWrittenInPlace) {
  constexpr int64_t kRows = 83;
  for (const int64_t length : {2, 3, 4, 5, 6, 7, 10, 32}) {
    KernelBuilder k = rows_less_sum(DType::f32, kRows, length, length, length < 8 && length != 3);
    for (BufferArg& buffer : k.kernel().buffers)
      buffer.no_alias = false;
    std::vector<float> in(static_cast<size_t>(kRows * length));
    fill(in.data(), std::ssize(in));
    std::vector<float> both = in;
    void* buffers[] = {both.data(), both.data()};

    compile_once(k.kernel())(buffers, k.params().data(), 0, 1, 0, kRows);

    expect_rows_less_sum(in.data(), both.data(), kRows, length, length);
  }
}

TEST_F(Staging, WhatALoopLeavesInTheResultIsReadAgain) {
  constexpr int64_t kRows = 70;
  constexpr int64_t kLength = 10;
  KernelBuilder k("again");
  const int x = k.buffer(DType::f32);
  const int y = k.buffer(DType::f32, true);
  k.vector(k.outer(kRows));
  k.inner(kLength);
  k.kernel().longest_row = kShortRow;
  const Affine out_address = k.at({kLength, 1});
  k.loop();
  const int in = k.load(x, k.at({kLength, 1}));
  const int sum = k.accumulate(OpKind::reduce_sum, DType::f32, {in});
  k.store(y, out_address, k.compute(OpKind::neg, DType::f32, {in}));
  k.loop();
  const int left = k.load(y, out_address);
  k.store(y, out_address, k.compute(OpKind::add, DType::f32, {left, sum}));
  std::vector<float> values(kRows * kLength);
  fill(values.data(), std::ssize(values));
  std::vector<float> out(values.size());
  void* buffers[] = {values.data(), out.data()};

  compile_once(k.kernel())(buffers, k.params().data(), 0, 1, 0, kRows);

  for (float& value : out)
    value = -value;
  expect_rows_less_sum(values.data(), out.data(), kRows, kLength, kLength);
}

/// z[b, i, j] = x[b, i, j] + y[b, j, i] for all or some i and j.
KernelBuilder add_transposed(DType dtype, int64_t batch, int64_t rows, int64_t columns) {
  KernelBuilder k("add_transposed");
  const int x = k.buffer(dtype);
  const int y = k.buffer(dtype);
  const int z = k.buffer(dtype, true);
  k.outer(batch);
  k.outer(rows);
  k.vector(k.outer(columns));
  k.straight();
  const int64_t size = rows * columns;
  const int direct = k.load(x, k.at({size, columns, 1}));
  // A dynamic stride also where it happens to be 1.
  Affine across = k.at({size, 1, 2});
  k.params()[static_cast<size_t>(across.terms[2].param)] = rows;
  const int transposed = k.load(y, across);
  k.store(z, k.at({size, columns, 1}), k.compute(OpKind::add, dtype, {direct, transposed}));
  return k;
}

struct Ranges {
  int64_t task_begin, task_end, vector_begin, vector_end;
};

/// The scalar product of each row of x with each of y, in each of some pairs of matrices: rows of y
/// are staged once for many of x.
template <typename T>
void check_each_with_each(DType dtype, int64_t tasks, int64_t rows, int64_t length) {
  constexpr int64_t kPairs = 3;
  KernelBuilder k("each_with_each");
  const int x = k.buffer(dtype);
  const int y = k.buffer(dtype);
  const int out = k.buffer(dtype, true);
  k.outer(kPairs);
  k.outer(tasks);
  k.vector(k.outer(rows));
  k.inner(length);
  k.kernel().longest_row = length <= kShortRow ? kShortRow : kSharedRow;
  k.loop();
  const int left = k.load(x, k.at({tasks * length, length, 0, 1}));
  const int right = k.load(y, k.at({rows * length, 0, length, 1}));
  const int sum =
      k.accumulate(OpKind::reduce_sum, dtype, {k.compute(OpKind::mul, dtype, {left, right})});
  k.straight();
  k.store(out, k.at({tasks * rows, rows, 1, 0}), sum);
  const KernelFunction function = compile_once(k.kernel());
  std::vector<T> xs(static_cast<size_t>(kPairs * tasks * length));
  std::vector<T> ys(static_cast<size_t>(kPairs * rows * length));
  fill(xs.data(), std::ssize(xs));
  fill(ys.data(), std::ssize(ys));
  const int64_t all = kPairs * tasks;
  for (const auto [begin, end, first, last] : {std::array{int64_t{0}, all, int64_t{0}, rows},
                                               std::array{all / 4, all, rows / 3, rows},
                                               std::array{all / 2, all / 2 + 1, int64_t{0}, rows},
                                               std::array{all / 2, all / 2, int64_t{0}, rows}}) {
    std::vector<T> z(static_cast<size_t>(all * rows), T{-1});
    void* buffers[] = {xs.data(), ys.data(), z.data()};
    function(buffers, k.params().data(), begin, end, first, last);
    for (int64_t at = 0; at < std::ssize(z); ++at) {
      const int64_t task = at / rows;
      const int64_t row = at % rows;
      const bool is_written = task >= begin && task < end && row >= first && row < last;
      const T* const of_x = xs.data() + task * length;
      const T* const of_y = ys.data() + (task / tasks * rows + row) * length;
      const T expected = is_written ? std::inner_product(of_x, of_x + length, of_y, T{0}) : T{-1};
      ASSERT_EQ(z[static_cast<size_t>(at)], expected)
          << tasks << " with " << rows << " of " << length << ": " << at;
    }
  }
}

TEST_F(Staging, RowsThatManyTasksRead) {
  for (const int64_t length : {1, 2, 16, 32, 33, 100, 511, 512}) {
    for (const int64_t tasks : {1, 5, 64, 70}) {
      for (const int64_t rows : {1, 15, 16, 64, 131})
        check_each_with_each<float>(DType::f32, tasks, rows, length);
    }
    check_each_with_each<double>(DType::f64, 17, 77, length);
    check_each_with_each<int32_t>(DType::i32, 66, 30, length);
  }
}

template <typename T>
void expect_transposed_sums(const std::vector<T>& x,
                            const std::vector<T>& y,
                            const std::vector<T>& z,
                            int64_t rows,
                            int64_t columns,
                            const Ranges& ranges) {
  for (size_t i = 0; i < z.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const int64_t task = at / columns;
    const int64_t column = at % columns;
    const bool is_written = task >= ranges.task_begin && task < ranges.task_end &&
                            column >= ranges.vector_begin && column < ranges.vector_end;
    const int64_t across = task / rows * rows * columns + column * rows + task % rows;
    const T expected = static_cast<T>(x[i] + y[static_cast<size_t>(across)]);
    ASSERT_EQ(z[i], is_written ? expected : T{0}) << rows << ", " << columns << ": " << i;
  }
}

template <typename T>
void check_transposed(DType dtype, int64_t batch, int64_t rows, int64_t columns) {
  KernelBuilder k = add_transposed(dtype, batch, rows, columns);
  const KernelFunction function = compile_once(k.kernel());
  std::vector<T> x(static_cast<size_t>(batch * rows * columns));
  std::vector<T> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<T>(i % 61 + 1);
    y[i] = static_cast<T>(i * 5 % 67);
  }
  const int64_t tasks = batch * rows;
  for (const Ranges& ranges : {Ranges{0, tasks, 0, columns},
                               Ranges{tasks / 3, tasks, columns / 3, columns},
                               Ranges{0, tasks - tasks / 4, 0, columns - columns / 2}}) {
    std::vector<T> z(x.size(), T{0});
    void* buffers[] = {x.data(), y.data(), z.data()};
    function(buffers,
             k.params().data(),
             ranges.task_begin,
             ranges.task_end,
             ranges.vector_begin,
             ranges.vector_end);
    expect_transposed_sums(x, y, z, rows, columns, ranges);
  }
}

TEST_F(Staging, TransposedOperandsOfAnyShape) {
  for (const int64_t rows : {1, 2, 3, 4, 7, 16, 33, 64, 65, 131}) {
    for (const int64_t columns : {1, 5, 8, 31, 127, 128, 129, 300}) {
      check_transposed<float>(DType::f32, 1, rows, columns);
      check_transposed<float>(DType::f32, 3, rows, columns);
    }
  }
}

TEST_F(Staging, TransposedOperandsOfAnySize) {
  for (const int64_t rows : {1, 2, 3, 9, 20, 70}) {
    for (const int64_t columns : {3, 17, 64, 140}) {
      check_transposed<double>(DType::f64, 2, rows, columns);
      check_transposed<int16_t>(DType::i16, 2, rows, columns);
      check_transposed<int8_t>(DType::i8, 2, rows, columns);
    }
  }
}

TEST_F(Staging, TransposedOperandsThatGoPastTheCaches) {
  check_transposed<float>(DType::f32, 1, 1409, 2311);  // more than any second-level cache, 8 times
  check_transposed<float>(DType::f32, 29, 409, 307);
}

TEST_F(Staging, TransposedOperandsAreReadInsideTheBuffers) {
  const GuardedPages in;
  for (const int64_t rows : {1, 2, 3, 5, 64, 67}) {
    for (const int64_t columns : {1, 9, 64, 130, 257}) {
      const auto count = static_cast<size_t>(rows * columns);
      std::vector<float> x(count, 1.0F);
      std::vector<float> z(count);
      KernelBuilder k = add_transposed(DType::f32, 1, rows, columns);
      const KernelFunction function = compile_once(k.kernel());
      for (void* y : {in.head(), in.tail(count * sizeof(float))}) {
        void* buffers[] = {x.data(), y, z.data()};
        function(buffers, k.params().data(), 0, rows, 0, columns);
      }
    }
  }
}

/// Channels from `first` on, up to `last`, every `every`-th: those that x has.
struct Channels {
  int64_t count;  // in a block
  int64_t first;
  int64_t last;
  int64_t every = 1;

  [[nodiscard]] bool has(int64_t channel) const {
    return channel >= first && channel < last && channel % every == 0;
  }
};

/// y[image, position, channel] = x[image, channel - first, position], or 0 of other channels, in
/// pieces of positions.
KernelBuilder to_blocks(int64_t images,
                        int64_t pieces,
                        const Channels& channels,
                        int64_t positions) {
  KernelBuilder k("to_blocks");
  const int x = k.buffer(DType::f32);
  const int y = k.buffer(DType::f32, true);
  k.outer(images);
  const int piece = k.outer(pieces);
  k.vector(k.outer(channels.count));
  const int inner = k.inner(positions);
  k.blocks(piece, inner, (positions + pieces - 1) / pieces);
  k.kernel().short_vector = true;
  k.loop();
  const auto number = [&](int64_t value) {
    return k.constant(Literal::scalar_integer(DType::i64, value));
  };
  const int channel = k.index(k.at({0, 0, 1, 0}));
  const int from_first = k.compute(OpKind::le, DType::bool_, {number(channels.first), channel});
  const int to_last = k.compute(OpKind::lt, DType::bool_, {channel, number(channels.last)});
  int wanted = k.compute(OpKind::bit_and, DType::bool_, {from_first, to_last});
  const int rest = k.compute(OpKind::rem, DType::i64, {channel, number(channels.every)});
  const int is_one = k.compute(OpKind::eq, DType::bool_, {rest, number(0)});
  wanted = k.compute(OpKind::bit_and, DType::bool_, {wanted, is_one});
  const int64_t height = channels.last - channels.first;
  // A dynamic stride also where it happens to be 1.
  Affine across = k.at({height * positions, 0, 2, 1}, -channels.first * positions);
  k.params()[static_cast<size_t>(across.terms[2].param)] = positions;
  const int value = k.load(x, std::move(across), wanted);
  Affine out = k.at({channels.count * positions, 0, 1, 2});
  k.params()[static_cast<size_t>(out.terms[3].param)] = channels.count;
  k.store(y, std::move(out), value);
  return k;
}

void check_to_blocks(const GuardedPages& pages,
                     int64_t pieces,
                     const Channels& channels,
                     int64_t positions) {
  constexpr int64_t kImages = 3;
  const int64_t height = channels.last - channels.first;
  const int64_t count = kImages * height * positions;
  KernelBuilder k = to_blocks(kImages, pieces, channels, positions);
  const KernelFunction function = compile_once(k.kernel());
  for (void* place : {pages.head(), pages.tail(static_cast<size_t>(count) * sizeof(float))}) {
    auto* const x = static_cast<float*>(place);
    std::iota(x, x + count, 1.0F);
    std::vector<float> y(static_cast<size_t>(kImages * channels.count * positions), -1.0F);
    void* buffers[] = {x, y.data()};
    function(buffers, k.params().data(), 0, kImages * pieces, 0, channels.count);
    for (int64_t i = 0; i < std::ssize(y); ++i) {
      const int64_t channel = i % channels.count;
      const int64_t position = i / channels.count % positions;
      const int64_t image = i / channels.count / positions;
      const int64_t at = (image * height + channel - channels.first) * positions + position;
      ASSERT_EQ(y[static_cast<size_t>(i)], channels.has(channel) ? x[at] : 0.0F)
          << positions << " positions, channels " << channels.first << " to " << channels.last
          << " of " << channels.count << " in " << pieces << " pieces: " << i;
    }
  }
}

TEST_F(Staging, PlainImagesAreReadInStrips) {
  const GuardedPages pages;
  for (const int64_t positions : {1, 2, 3, 5, 32, 33, 67, 100}) {
    for (const Channels& channels : {Channels{16, 0, 16},
                                     Channels{16, 0, 5},
                                     Channels{16, 13, 16},
                                     Channels{16, 4, 9},
                                     Channels{16, 7, 7},
                                     Channels{16, 0, 16, 3},
                                     Channels{8, 0, 8},
                                     Channels{5, 1, 4},
                                     Channels{1, 0, 1}}) {
      check_to_blocks(pages, 1, channels, positions);
      check_to_blocks(pages, 3, channels, positions);
    }
  }
  KernelBuilder k = to_blocks(1, 1, {16, 0, 16}, 100);
  EXPECT_EQ(llvm_compiler().assembly(k.kernel()).find("gather"), std::string::npos);
}

}  // namespace
}  // namespace wick::codegen::test
