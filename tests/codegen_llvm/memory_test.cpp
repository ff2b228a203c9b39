// What compiled kernels read and write: nothing outside their ranges, gathers, shared buffers, task
// dimensions.

#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>

#include "kernel_builder.h"
#include "support/guarded_pages.h"
#include <gtest/gtest.h>

namespace wick::codegen::test {
namespace {

using ir::OpKind;

TEST(KernelMemory, TailsStayInsideTheBuffers) {
  const GuardedPages in;
  const GuardedPages out;
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::i8, DType::bool_}) {
    for (int64_t count = 1; count <= 70; ++count) {
      const size_t bytes = static_cast<size_t>(count) * size_of(dtype);
      KernelBuilder k = elementwise(OpKind::add, {dtype, dtype}, dtype, count);
      const KernelFunction function = compile(k.kernel());
      void* at_head[] = {in.head(), in.head(), out.head()};
      function(at_head, k.params().data(), 0, 1, 0, count);
      void* at_tail[] = {in.tail(bytes), in.tail(bytes), out.tail(bytes)};
      function(at_tail, k.params().data(), 0, 1, 0, count);
      if (count > 20) count += 10;
    }
  }
}

TEST(KernelMemory, StoresLeaveTheRestAlone) {
  for (const int64_t begin : {0, 3, 16, 21}) {
    for (const int64_t end : {21, 32, 64, 90, 117}) {
      KernelBuilder k = elementwise(OpKind::neg, {DType::f32}, DType::f32, 128);
      std::vector<float> in(128, 1.0F);
      std::vector<float> out(128, 5.0F);
      void* buffers[] = {in.data(), out.data()};

      compile(k.kernel())(buffers, k.params().data(), 0, 1, begin, end);

      for (int64_t i = 0; i < 128; ++i) {
        EXPECT_EQ(out[static_cast<size_t>(i)], i >= begin && i < end ? -1.0F : 5.0F) << i;
      }
    }
  }
}

/// What is left of a row behind whole vectors may be computed twice, but not of its own results.
TEST(KernelMemory, ElementsAreWrittenOverOnce) {
  for (const bool one_buffer : {false, true}) {
    for (const int64_t count : {5, 8, 13, 35, 75}) {
      KernelBuilder k("doubled");
      const int in = k.buffer(DType::f32, one_buffer);
      const int out = one_buffer ? in : k.buffer(DType::f32, true);
      for (BufferArg& buffer : k.kernel().buffers)
        buffer.no_alias = one_buffer;
      k.vector(k.outer(count));
      k.straight();
      const int x = k.load(in, k.at({1}));
      k.store(out, k.at({1}), k.compute(OpKind::add, DType::f32, {x, x}));
      std::vector<float> values(static_cast<size_t>(count), 1.0F);
      void* buffers[] = {values.data(), values.data()};

      compile(k.kernel())(buffers, k.params().data(), 0, 1, 0, count);

      EXPECT_EQ(values, std::vector<float>(values.size(), 2.0F)) << count;
    }
  }
}

TEST(KernelMemory, TransposeGathersWithADynamicStride) {
  constexpr int64_t kRows = 5;
  constexpr int64_t kColumns = 37;
  KernelBuilder k("transpose");
  const int x = k.buffer(DType::f32);
  const int y = k.buffer(DType::f32, true);
  k.outer(kColumns);
  k.vector(k.outer(kRows));
  k.straight();
  k.store(y, k.at({kRows, 1}), k.load(x, k.at({1, kColumns})));
  std::vector<float> in(kRows * kColumns);
  std::iota(in.begin(), in.end(), 0.0F);
  std::vector<float> out(in.size());
  void* buffers[] = {in.data(), out.data()};

  compile(k.kernel())(buffers, k.params().data(), 0, kColumns, 0, kRows);

  for (int64_t c = 0; c < kColumns; ++c) {
    for (int64_t r = 0; r < kRows; ++r) {
      EXPECT_EQ(out[static_cast<size_t>(c * kRows + r)], in[static_cast<size_t>(r * kColumns + c)]);
    }
  }
}

/// y[image, channel, pixel] = x[image, pixel, channel] for some tasks and pixels, of which many are
/// taken in chunks.
TEST(KernelMemory, ChannelsAreSeparatedInAnyPieces) {
  constexpr int64_t kImages = 2;
  for (const auto& [channels, pixels] :
       {std::array<int64_t, 2>{2, 9000}, {3, 1}, {3, 100}, {3, 350003}, {4, 270001}}) {
    const int64_t size = channels * pixels;
    const int64_t tasks = kImages * channels;
    std::vector<float> in(static_cast<size_t>(kImages * size));
    std::iota(in.begin(), in.end(), 1.0F);
    KernelBuilder k("channels");
    const int x = k.buffer(DType::f32);
    const int y = k.buffer(DType::f32, true);
    k.outer(kImages);
    k.outer(channels);
    k.vector(k.outer(pixels));
    k.straight();
    Affine across = k.at({size, 1, channels});
    across.terms[2].known = channels;
    k.store(y, k.at({size, pixels, 1}), k.load(x, std::move(across)));
    const KernelFunction function = compile(k.kernel());
    for (const auto& [begin, end, first, last] :
         {std::array{int64_t{0}, tasks, int64_t{0}, pixels},
          std::array{int64_t{1}, tasks - 1, pixels / 3, pixels - pixels / 5},
          std::array{tasks / 2, tasks, pixels, pixels}}) {
      std::vector<float> out(in.size());
      void* buffers[] = {in.data(), out.data()};

      function(buffers, k.params().data(), begin, end, first, last);

      for (int64_t at = 0; at < std::ssize(out); ++at) {
        const int64_t task = at / pixels;
        const int64_t pixel = at % pixels;
        const bool is_inside = task >= begin && task < end && pixel >= first && pixel < last;
        const int64_t from = task / channels * size + pixel * channels + task % channels;
        ASSERT_EQ(out[static_cast<size_t>(at)], is_inside ? in[static_cast<size_t>(from)] : 0.0F)
            << channels << ", " << pixels << ": " << at;
      }
    }
  }
}

TEST(KernelMemory, ScattersWithADynamicStride) {
  constexpr int64_t kCount = 50;
  KernelBuilder k("spread");
  const int x = k.buffer(DType::i32);
  const int y = k.buffer(DType::i32, true);
  k.vector(k.outer(kCount));
  k.straight();
  k.store(y, k.at({3}, 2), k.load(x, k.at({1})));
  std::vector<int32_t> in(kCount);
  std::iota(in.begin(), in.end(), 100);
  std::vector<int32_t> out(kCount * 3 + 2, -1);
  void* buffers[] = {in.data(), out.data()};

  compile(k.kernel())(buffers, k.params().data(), 0, 1, 0, kCount);

  for (size_t i = 0; i < out.size(); ++i) {
    EXPECT_EQ(out[i], i % 3 == 2 && i / 3 < kCount ? 100 + static_cast<int>(i / 3) : -1) << i;
  }
}

TEST(KernelMemory, GathersRowsAndElements) {
  constexpr int64_t kRows = 6;
  constexpr int64_t kColumns = 21;
  std::vector<float> table(10 * kColumns);
  std::iota(table.begin(), table.end(), 0.0F);
  std::vector<int64_t> rows = {9, 0, 3, 3, 8, 1};
  std::vector<float> out(kRows * kColumns);
  // The index varies with the task: whole rows are copied.
  KernelBuilder by_row("rows");
  by_row.buffer(DType::f32);
  by_row.buffer(DType::i64);
  by_row.buffer(DType::f32, true);
  by_row.outer(kRows);
  by_row.vector(by_row.outer(kColumns));
  by_row.straight();
  const int row = by_row.load(1, by_row.at({1, 0}));
  by_row.store(2, by_row.at({kColumns, 1}), by_row.gather(0, by_row.at({0, 1}), row, kColumns));
  void* buffers[] = {table.data(), rows.data(), out.data()};
  compile(by_row.kernel())(buffers, by_row.params().data(), 0, kRows, 0, kColumns);
  for (size_t r = 0; r < kRows; ++r) {
    for (size_t c = 0; c < kColumns; ++c) {
      EXPECT_EQ(out[r * kColumns + c], table[static_cast<size_t>(rows[r]) * kColumns + c]);
    }
  }
  // The index varies along the vector.
  KernelBuilder by_element("elements");
  by_element.buffer(DType::f32);
  by_element.buffer(DType::i64);
  by_element.buffer(DType::f32, true);
  by_element.vector(by_element.outer(kRows));
  by_element.straight();
  const int at = by_element.load(1, by_element.at({1}));
  by_element.store(
      2, by_element.at({1}), by_element.gather(0, by_element.at({0}, 4), at, kColumns));
  compile(by_element.kernel())(buffers, by_element.params().data(), 0, 1, 0, kRows);
  for (size_t r = 0; r < kRows; ++r) {
    EXPECT_EQ(out[r], table[static_cast<size_t>(rows[r]) * kColumns + 4]);
  }
}

TEST(KernelMemory, WorksInPlace) {
  KernelBuilder k = elementwise(OpKind::add, {DType::f32, DType::f32}, DType::f32, 1000);
  k.kernel().buffers[0].no_alias = false;
  k.kernel().buffers[2].no_alias = false;
  std::vector<float> x(1000, 1.0F);
  std::vector<float> y(1000, 2.0F);
  void* buffers[] = {x.data(), y.data(), x.data()};

  compile(k.kernel())(buffers, k.params().data(), 0, 1, 0, 1000);

  EXPECT_EQ(x, std::vector<float>(1000, 3.0F));
}

TEST(KernelMemory, WalksTaskDimensionsInAnyPieces) {
  // y[i, j, k] = x[i, j, k] + 100 i + 10 j on [3, 4, 5], tasks over i and j.
  KernelBuilder k("tasks");
  k.buffer(DType::i64);
  k.buffer(DType::i64, true);
  k.outer(3);
  k.outer(4);
  k.vector(k.outer(5));
  k.straight();
  const int position = k.index(k.at({100, 10, 0}));
  const int value = k.load(0, k.at({20, 5, 1}));
  k.store(1, k.at({20, 5, 1}), k.compute(OpKind::add, DType::i64, {value, position}));
  const KernelFunction function = compile(k.kernel());
  std::vector<int64_t> x(60);
  std::iota(x.begin(), x.end(), 0);
  for (const int64_t piece : {1, 3, 5, 12}) {
    std::vector<int64_t> y(60, -1);
    void* buffers[] = {x.data(), y.data()};
    for (int64_t task = 0; task < 12; task += piece) {
      function(buffers, k.params().data(), task, std::min<int64_t>(12, task + piece), 0, 5);
    }
    for (int64_t i = 0; i < 60; ++i) {
      EXPECT_EQ(y[static_cast<size_t>(i)], i + 100 * (i / 20) + 10 * (i / 5 % 4)) << piece;
    }
  }
}

TEST(KernelMemory, SeveralInnerLoopsNest) {
  // Sums over the last two axes of [2, 3, 37].
  KernelBuilder k("nest");
  k.buffer(DType::f32);
  k.buffer(DType::f32, true);
  k.outer(2);
  k.inner(3);
  k.vector(k.inner(37));
  k.loop();
  const int sum = k.accumulate(OpKind::reduce_sum, DType::f32, {k.load(0, k.at({111, 37, 1}))});
  k.straight();
  k.store(1, k.at({1, 0, 0}), sum);
  std::vector<float> x(222, 1.0F);
  x[200] = 5;
  std::vector<float> y(2);
  void* buffers[] = {x.data(), y.data()};

  compile(k.kernel())(buffers, k.params().data(), 0, 2, 0, 0);

  EXPECT_EQ(y, (std::vector<float>{111, 115}));
}

/// Negates 21 rows of a buffer in place, `stride` elements apart.
void expect_rows_negated(int64_t length, int64_t stride) {
  constexpr int64_t kRows = 21;
  constexpr size_t kMargin = 20;
  KernelBuilder k("rows");
  k.kernel().short_vector = true;
  k.buffer(DType::f32, true);
  k.kernel().buffers[0].no_alias = false;
  k.vector(k.outer(length));
  k.inner(kRows);
  k.loop();
  k.store(0, k.at({1, stride}), k.compute(OpKind::neg, DType::f32, {k.load(0, k.at({1, stride}))}));
  std::vector<float> x(2 * kMargin + static_cast<size_t>(kRows * stride));
  std::iota(x.begin(), x.end(), 1.0F);
  std::vector<float> expected = x;
  for (int64_t row = 0; row < kRows; ++row) {
    for (int64_t i = 0; i < length; ++i)
      expected[kMargin + static_cast<size_t>(row * stride + i)] *= -1;
  }
  void* buffers[] = {x.data() + kMargin};

  compile(k.kernel())(buffers, k.params().data(), 0, 1, 0, length);

  EXPECT_EQ(x, expected) << length << " of " << stride;
}

TEST(KernelMemory, ShortRowsLeaveTheRestAlone) {
  for (int64_t length = 1; length <= 16; ++length) {
    for (const int64_t stride : {length, length + 1, length + 20})
      expect_rows_negated(length, stride);
  }
}

/// Sums of columns, and of what is added to each, of rows that end where memory does, the last in
/// front when `stride` is negative.
void expect_columns_summed(int64_t rows, int64_t length, int64_t stride) {
  const GuardedPages pages;
  const int64_t count = (rows - 1) * std::abs(stride) + length;
  auto* x = static_cast<float*>(pages.tail(static_cast<size_t>(count) * sizeof(float)));
  std::iota(x, x + count, 1.0F);
  const GuardedPages other_pages;
  auto* added = static_cast<float*>(other_pages.tail(static_cast<size_t>(length) * sizeof(float)));
  std::fill_n(added, length, 3.0F);
  KernelBuilder k("columns");
  k.kernel().short_vector = true;
  k.buffer(DType::f32);
  k.buffer(DType::f32, true);
  k.buffer(DType::f32);
  k.kernel().buffers[2].no_alias = false;  // loaded in each round
  k.vector(k.outer(length));
  k.inner(rows);
  k.loop();
  const int64_t first = stride < 0 ? (1 - rows) * stride : 0;
  const int element = k.load(0, k.at({1, stride}, first));
  const int term = k.compute(OpKind::add, DType::f32, {element, k.load(2, k.at({1, 0}))});
  const int sum = k.accumulate(OpKind::reduce_sum, DType::f32, {term});
  k.straight();
  k.store(1, k.at({1, 0}), sum);
  std::vector<float> y(static_cast<size_t>(length));
  void* buffers[] = {x, y.data(), added};

  compile(k.kernel())(buffers, k.params().data(), 0, 1, 0, length);

  for (int64_t column = 0; column < length; ++column) {
    float expected = 0;
    for (int64_t row = 0; row < rows; ++row)
      expected += x[first + row * stride + column] + 3;
    EXPECT_EQ(y[static_cast<size_t>(column)], expected) << rows << ", " << length << ", " << stride;
  }
}

TEST(KernelMemory, ColumnsOfShortRowsReadNothingBehindTheLast) {
  for (int64_t length = 1; length <= 16; ++length) {
    for (const int64_t rows : {1, 8, 9, 16, 23, 24, 41}) {
      for (const int64_t stride : {length, length + 3, -length - 1})
        expect_columns_summed(rows, length, stride);
    }
  }
}

/// y[i, j] = x[i, length - 1 - j].
TEST(RowsReadBackwards, AreLoadedAsVectorsAndNothingBesideThem) {
  constexpr int64_t kRows = 3;
  const GuardedPages pages;
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::i8, DType::i64}) {
    for (const int64_t length : {1, 7, 16, 64, 131}) {
      KernelBuilder k("backwards");
      const int x = k.buffer(dtype);
      const int y = k.buffer(dtype, true);
      k.outer(kRows);
      k.vector(k.outer(length));
      k.straight();
      k.store(y, k.at({length, 1}), k.load(x, k.at({length, -1}, length - 1)));
      const KernelFunction function = compile(k.kernel());
      EXPECT_EQ(llvm_compiler().assembly(k.kernel()).find("gather"), std::string::npos);
      const size_t size = size_of(dtype);
      const auto bytes = static_cast<size_t>(kRows * length) * size;
      for (void* const memory : {pages.head(), pages.tail(bytes)}) {
        auto* const in = static_cast<uint8_t*>(memory);
        for (size_t i = 0; i < bytes; ++i)
          in[i] = static_cast<uint8_t>(i % 63);  // no NaN of any dtype
        std::vector<uint8_t> out(bytes);
        void* buffers[] = {in, out.data()};

        function(buffers, k.params().data(), 0, kRows, 0, length);

        for (int64_t i = 0; i < kRows * length; ++i) {
          const int64_t row = i / length * length;
          const auto from = static_cast<size_t>(row + length - 1 - (i - row)) * size;
          const auto to = static_cast<size_t>(i) * size;
          ASSERT_EQ(std::memcmp(&in[from], &out[to], size), 0)
              << to_string(dtype) << " " << length << " at " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace wick::codegen::test
