// Reductions along contiguous and strided axes of awkward extents, against the interpreter.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "kernel_builder.h"
#include "reduction_case.h"
#include <gtest/gtest.h>

namespace wick::codegen::test {
namespace {

using ir::OpKind;

constexpr int64_t kExtents[] = {1, 7, 15, 16, 17, 31, 63, 64, 65, 127, 1000};

void run(KernelBuilder& k, KernelFunction function, std::vector<void*> buffers, int64_t outer) {
  if (k.kernel().vector_is_inner()) {
    function(buffers.data(), k.params().data(), 0, outer, 0, 0);
  } else {
    function(buffers.data(), k.params().data(), 0, 1, 0, outer);
  }
}

void expect_reduction(const ReductionCase& c) {
  KernelBuilder k = kernel_of(c);
  ASSERT_EQ(verify(k.kernel()), std::nullopt);
  Literal x = c.values();
  const int64_t outer = c.results();
  Literal expected(Type{c.result_dtype(), {outer}});
  Literal actual(expected.type());
  std::vector<void*> buffers = {x.data(), expected.data()};
  interpret(k.kernel(),
            buffers.data(),
            k.params().data(),
            0,
            c.along_columns ? outer : 1,
            0,
            c.along_columns ? 1 : outer);

  run(k, compile(k.kernel()), {x.data(), actual.data()}, outer);

  expect_close(actual, expected, c.text());
}

TEST(Reductions, AgreeAlongTheContiguousAxis) {
  for (const OpKind op : kReductions) {
    for (const int64_t extent : kExtents)
      expect_reduction({op, DType::f32, 3, extent, true});
  }
}

TEST(Reductions, AgreeAlongTheStridedAxis) {
  for (const OpKind op : kReductions) {
    for (const int64_t extent : kExtents)
      expect_reduction({op, DType::f32, extent, 35, false});
    for (const int64_t columns : kExtents)
      expect_reduction({op, DType::f32, 9, columns, false});
  }
}

/// All of a row at once and, where little is computed, several rows: the last of them may be fewer.
TEST(Reductions, AgreeOfFewColumns) {
  for (const OpKind op : kReductions) {
    for (const int64_t rows : {1, 2, 3, 4, 5, 11}) {
      for (const int64_t columns : {17, 32, 33, 48, 49, 64}) {
        ReductionCase c{op, DType::f32, rows, columns, /*along_columns=*/false};
        c.column_vectors = static_cast<int>((columns + kShortVector - 1) / kShortVector);
        expect_reduction(c);
        c.special = true;
        expect_reduction(c);
      }
    }
  }
}

/// Threads that share out columns leave each other parts of a row.
TEST(Reductions, AgreeOfPiecesOfFewColumns) {
  for (const int64_t columns : {17, 33, 47}) {
    ReductionCase c{OpKind::reduce_sum, DType::f32, 9, columns, /*along_columns=*/false};
    c.column_vectors = static_cast<int>((columns + kShortVector - 1) / kShortVector);
    KernelBuilder k = kernel_of(c);
    const KernelFunction function = compile(k.kernel());
    Literal x = c.values();
    std::vector<float> whole(static_cast<size_t>(columns));
    run(k, function, {x.data(), whole.data()}, columns);
    whole.resize(whole.size() + kShortVector, -1.0F);  // which stays as it is
    std::vector<float> pieces(whole.size(), -1.0F);
    std::vector<void*> buffers = {x.data(), pieces.data()};

    for (int64_t begin = 0; begin < columns; begin += kShortVector) {
      const int64_t end = std::min(begin + kShortVector, columns);
      function(buffers.data(), k.params().data(), 0, 1, begin, end);
    }

    EXPECT_EQ(pieces, whole) << c.text();
  }
}

TEST(Reductions, AgreeInEveryDType) {
  for (const OpKind op : kReductions) {
    for (int d = 0; d < kNumDTypes; ++d) {
      expect_reduction({op, static_cast<DType>(d), 2, 77, true});
      expect_reduction({op, static_cast<DType>(d), 77, 20, false});
    }
  }
}

std::vector<float> reduced_row(OpKind op, std::vector<float> row, std::vector<int64_t>* position) {
  KernelBuilder k = kernel_of({op, DType::f32, 1, static_cast<int64_t>(row.size())});
  std::vector<float> value(1);
  std::vector<int64_t> at(1);
  void* out = op == OpKind::argmax ? static_cast<void*>(at.data()) : value.data();
  run(k, compile(k.kernel()), {row.data(), out}, 1);
  if (position != nullptr) *position = at;
  return value;
}

TEST(Reductions, NanWinsWhereverItIs) {
  for (const size_t place : {size_t{0}, size_t{16}, size_t{63}, size_t{64}, size_t{99}}) {
    std::vector<float> row(100, 1.0F);
    row[place] = std::nanf("");
    for (const OpKind op : {OpKind::reduce_max, OpKind::reduce_min}) {
      EXPECT_TRUE(std::isnan(reduced_row(op, row, nullptr)[0])) << place;
    }
    std::vector<int64_t> position;
    reduced_row(OpKind::argmax, row, &position);
    EXPECT_EQ(position[0], static_cast<int64_t>(place));
  }
}

TEST(Reductions, TheFirstOfEqualsWins) {
  std::vector<float> row(100, -std::numeric_limits<float>::infinity());
  std::vector<int64_t> position;
  reduced_row(OpKind::argmax, row, &position);
  EXPECT_EQ(position[0], 0);
  row[90] = row[37] = 2;
  reduced_row(OpKind::argmax, row, &position);
  EXPECT_EQ(position[0], 37);
}

/// Loops over a row go there and back: each element counts once, and of equals the first is found.
TEST(Reductions, OfLaterLoops) {
  for (const int64_t extent : kExtents) {
    KernelBuilder k("loops");
    const int in = k.buffer(DType::f32);
    const int largest = k.buffer(DType::i64, true);
    const int spread = k.buffer(DType::f32, true);
    const int out = k.buffer(DType::f32, true);
    k.outer(1);
    k.vector(k.inner(extent));
    k.loop();
    const int sum = k.accumulate(OpKind::reduce_sum, DType::f32, {k.load(in, k.at({0, 1}))});
    k.loop();
    const int centered = k.compute(OpKind::sub, DType::f32, {k.load(in, k.at({0, 1})), sum});
    const int place = k.accumulate(OpKind::argmax, DType::i64, {centered, k.index(k.at({0, 1}))});
    k.loop();
    const int last = k.load(in, k.at({0, 1}));
    k.store(out, k.at({0, 1}), k.compute(OpKind::sub, DType::f32, {last, sum}));
    k.loop();
    const int distance = k.compute(OpKind::sub, DType::f32, {k.load(in, k.at({0, 1})), sum});
    const int total = k.accumulate(OpKind::reduce_sum, DType::f32, {distance});
    k.straight();
    k.store(largest, k.at({0, 0}), place);
    k.store(spread, k.at({0, 0}), total);
    std::vector<float> row(static_cast<size_t>(extent));
    for (size_t i = 0; i < row.size(); ++i)
      row[i] = static_cast<float>(i % 11 == 5 || row.size() < 6 ? 2 : -1);
    std::vector<int64_t> first(1);
    std::vector<float> distances(1);
    std::vector<float> results(row.size());

    run(k, compile(k.kernel()), {row.data(), first.data(), distances.data(), results.data()}, 1);

    const float of_row = std::accumulate(row.begin(), row.end(), 0.0F);
    EXPECT_EQ(first[0], row.size() < 6 ? 0 : 5) << extent;
    EXPECT_EQ(distances[0], of_row - static_cast<float>(extent) * of_row) << extent;
    for (size_t i = 0; i < row.size(); ++i)
      EXPECT_EQ(results[i], row[i] - of_row) << i << " of " << extent;
  }
}

/// So much is known of each column that little of a row fits memory with it.
TEST(Reductions, UseManyValuesOfColumns) {
  constexpr int64_t kRows = 40;
  constexpr int64_t kColumns = 70;
  constexpr int kValues = 150;
  KernelBuilder k("columns");
  const int x = k.buffer(DType::f32);
  const int w = k.buffer(DType::f32);
  const int y = k.buffer(DType::f32, true);
  k.vector(k.outer(kColumns));
  k.inner(kRows);
  k.straight();
  std::vector<int> values = {k.load(w, k.at({1, 0}))};
  for (int i = 1; i < kValues; ++i)
    values.push_back(k.compute(OpKind::add, DType::f32, {values.back(), values[0]}));
  k.loop();
  int term = k.load(x, k.at({1, kColumns}));
  for (const int value : values)
    term = k.compute(OpKind::maximum, DType::f32, {term, value});
  const int sum = k.accumulate(OpKind::reduce_sum, DType::f32, {term});
  k.straight();
  k.store(y, k.at({1, 0}), sum);
  std::vector<float> in(kRows * kColumns);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i % 500);
  std::vector<float> weights(kColumns);
  std::iota(weights.begin(), weights.end(), -10.0F);
  std::vector<float> sums(kColumns);

  void* buffers[] = {in.data(), weights.data(), sums.data()};
  compile(k.kernel())(buffers, k.params().data(), 0, 1, 0, kColumns);

  for (size_t column = 0; column < kColumns; ++column) {
    const float most = std::max(weights[column], kValues * weights[column]);
    float expected = 0;
    for (size_t row = 0; row < kRows; ++row)
      expected += std::max(in[row * kColumns + column], most);
    EXPECT_EQ(sums[column], expected) << column;
  }
}

TEST(Reductions, OfNothingGiveTheNeutralElement) {
  EXPECT_EQ(reduced_row(OpKind::reduce_sum, {}, nullptr)[0], 0);
  EXPECT_EQ(reduced_row(OpKind::reduce_prod, {}, nullptr)[0], 1);
}

TEST(Reductions, BlocksCoverTheRangeOnce) {
  constexpr int64_t kCount = 1000;
  for (const int64_t size : {64, 100, 999, 1000, 5000}) {
    const int64_t blocks = (kCount + size - 1) / size;
    KernelBuilder k("blocks");
    const int x = k.buffer(DType::f32);
    const int y = k.buffer(DType::f32, true);
    const int outer = k.outer(blocks);
    const int inner = k.inner(kCount);
    k.vector(inner);
    k.blocks(outer, inner, size);
    k.loop();
    const int sum = k.accumulate(OpKind::reduce_sum, DType::f32, {k.load(x, k.at({0, 1}))});
    k.straight();
    k.store(y, k.at({1, 0}), sum);
    std::vector<float> in(kCount);
    for (size_t i = 0; i < in.size(); ++i)
      in[i] = static_cast<float>(i % 13);
    std::vector<float> out(static_cast<size_t>(blocks));

    run(k, compile(k.kernel()), {in.data(), out.data()}, blocks);

    for (int64_t block = 0; block < blocks; ++block) {
      float expected = 0;
      for (int64_t i = block * size; i < std::min(kCount, (block + 1) * size); ++i) {
        expected += in[static_cast<size_t>(i)];
      }
      EXPECT_EQ(out[static_cast<size_t>(block)], expected) << size << " block " << block;
    }
  }
}

TEST(Reductions, GiveTheSameBitsHoweverTasksAreCut) {
  constexpr int64_t kRows = 12;
  constexpr int64_t kColumns = 1003;
  for (const bool along_columns : {true, false}) {
    KernelBuilder k = kernel_of({OpKind::reduce_sum, DType::f32, kRows, kColumns, along_columns});
    const KernelFunction function = compile(k.kernel());
    std::mt19937_64 generator(5);
    std::normal_distribution<float> reals;
    std::vector<float> x(static_cast<size_t>(kRows * kColumns));
    for (float& v : x)
      v = reals(generator);
    const int64_t outer = along_columns ? kRows : kColumns;
    std::vector<float> whole(static_cast<size_t>(outer));
    std::vector<float> pieces(static_cast<size_t>(outer));
    void* buffers[] = {x.data(), whole.data()};
    run(k, function, {x.data(), whole.data()}, outer);
    buffers[1] = pieces.data();
    for (int64_t at = 0; at < outer; at += 5) {
      const int64_t end = std::min(outer, at + 5);
      if (along_columns) {
        function(buffers, k.params().data(), at, end, 0, 0);
      } else {
        function(buffers, k.params().data(), 0, 1, at, end);
      }
    }
    EXPECT_EQ(whole, pieces);
  }
}

}  // namespace
}  // namespace wick::codegen::test
