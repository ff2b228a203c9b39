// What goes past the caches and what is asked for ahead.

#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "kernel_builder.h"
#include "support/guarded_pages.h"
#include <gtest/gtest.h>

namespace wick::codegen::test {
namespace {

using ir::OpKind;

/// A piece of a launch that is too large for any cache: whole lines are stored past the caches,
/// what does not start on one as ever, and nothing outside of the piece. The same of one that is
/// not too large.
TEST(StreamingStores, WriteThePieceWhereverItStarts) {
  constexpr int64_t kHuge = int64_t{1} << 40;
  constexpr int64_t kCount = 400;
  std::vector<float> in(kCount);
  std::iota(in.begin(), in.end(), 1.0F);
  const std::pair<int64_t, int64_t> pieces[] = {
      {0, 395}, {3, 395}, {16, 400}, {0, 360}, {3, 372}, {64, 65}, {3, 10}, {15, 17}, {7, 7}};
  for (const int64_t extent : {kHuge, kCount}) {
    KernelBuilder k = elementwise(OpKind::neg, {DType::f32}, DType::f32, extent);
    const KernelFunction function = compile(k.kernel());
    for (const auto& [begin, end] : pieces) {
      alignas(64) std::array<float, kCount> out{};
      void* buffers[] = {in.data(), out.data()};

      function(buffers, k.params().data(), 0, 1, begin, end);

      for (int64_t i = 0; i < kCount; ++i) {
        const bool is_inside = i >= begin && i < end;
        const auto at = static_cast<size_t>(i);
        EXPECT_EQ(out[at], is_inside ? -in[at] : 0.0F) << i << " from " << begin << " to " << end;
      }
    }
    const std::string assembly = llvm_compiler().assembly(k.kernel());
    EXPECT_NE(assembly.find("movntps"), std::string::npos);
  }
}

/// Ordinary stores of a kernel that does little else come two by two on Zen; a function's copies
/// are computed side by side.
TEST(CachedStores, TakeTurnsOfTwoWhereTheyDecide) {
  if (!has_avx512()) GTEST_SKIP() << "the pattern is for its registers";
  const auto num_stores = [](OpKind op) {
    KernelBuilder k = elementwise(op, {DType::f32}, DType::f32, 400);
    const std::string assembly = llvm_compiler().assembly(k.kernel());
    const std::regex store("vmov(?:ups|dqu64)\\s%zmm\\d+, [^\n]*\\)\\n");
    return std::distance(std::sregex_iterator(assembly.begin(), assembly.end(), store), {});
  };
  if (is_on_zen5()) {  // which stores the last vectors without masks as well
    EXPECT_EQ(num_stores(OpKind::tanh) - num_stores(OpKind::neg), 2);
  } else {
    EXPECT_EQ(num_stores(OpKind::neg), is_on_zen() ? 2 : 4);
    EXPECT_EQ(num_stores(OpKind::tanh), 4);
  }
}

/// Stores of a piece go past the caches later than those of a launch that one thread runs.
TEST(StreamingStores, OfPiecesHaveABoundOfTheirOwn) {
  const std::string target = llvm_compiler().target_id();
  std::smatch caches;
  ASSERT_TRUE(std::regex_search(target, caches, std::regex(R"(caches \d+ (\d+) (\d+))")));
  KernelBuilder k = elementwise(OpKind::neg, {DType::f32}, DType::f32, 400);

  const std::string text = llvm_compiler().llvm_ir(k.kernel());

  for (const std::string& bound : {caches[1].str(), caches[2].str()})
    EXPECT_TRUE(std::regex_search(text, std::regex("icmp [us]gt i64 %\\w+, " + bound))) << bound;
}

/// The same of columns that two loops walk, the last of which stores past the caches. It uses what
/// was known of each column before: a number that has been overwritten since, one that the first
/// loop computed, and a condition.
TEST(StreamingStores, WriteRowsOfColumnsWhereverTheyStart) {
  constexpr int64_t kHuge = int64_t{1} << 40;
  constexpr int64_t kRows = 40;
  constexpr int64_t kCount = 403;
  KernelBuilder k("centered");
  const int in = k.buffer(DType::f32);
  const int places = k.buffer(DType::f32);
  const int factors = k.buffer(DType::f32, true);
  const int out = k.buffer(DType::f32, true);
  k.vector(k.outer(kHuge));
  k.inner(kRows);
  k.loop();
  const int place = k.load(places, k.at({1, 0}));
  const int twice = k.compute(OpKind::add, DType::f32, {place, place});
  const int first = k.load(in, k.at({1, kCount}));
  const int shifted = k.compute(OpKind::add, DType::f32, {first, twice});
  const int sum = k.accumulate(OpKind::reduce_sum, DType::f32, {shifted});
  k.straight();
  const int factor = k.load(factors, k.at({1, 0}));
  k.store(factors, k.at({1, 0}), sum);
  const int is_small = k.compute(OpKind::lt, DType::bool_, {factor, twice});
  k.loop();
  const int x = k.load(in, k.at({1, kCount}));
  const int scaled = k.compute(OpKind::mul, DType::f32, {x, factor});
  const int other = k.compute(OpKind::add, DType::f32, {twice, sum});
  k.store(out, k.at({1, kCount}), k.compute(OpKind::where, DType::f32, {is_small, scaled, other}));
  const KernelFunction function = compile(k.kernel());
  std::vector<float> x_of(kRows * kCount);
  for (size_t i = 0; i < x_of.size(); ++i)
    x_of[i] = static_cast<float>(i % 17);
  std::vector<float> place_of(kCount);
  std::iota(place_of.begin(), place_of.end(), 1.0F);
  const auto factor_of = [](size_t column) { return static_cast<float>(column % 13 * 50); };
  const std::pair<int64_t, int64_t> pieces[] = {{0, 403}, {3, 395}, {16, 80}, {64, 65}, {7, 7}};
  for (const auto& [begin, end] : pieces) {
    std::vector<float> factors_now(kCount);
    for (size_t column = 0; column < factors_now.size(); ++column)
      factors_now[column] = factor_of(column);
    std::vector<float> results(x_of.size());
    void* buffers[] = {x_of.data(), place_of.data(), factors_now.data(), results.data()};

    function(buffers, k.params().data(), 0, 1, begin, end);

    for (size_t column = 0; column < kCount; ++column) {
      const bool is_inside = std::cmp_greater_equal(column, begin) && std::cmp_less(column, end);
      const float doubled = 2 * place_of[column];
      float total = 0;
      for (size_t row = 0; row < kRows; ++row)
        total += x_of[row * kCount + column] + doubled;
      EXPECT_EQ(factors_now[column], is_inside ? total : factor_of(column)) << column;
      for (size_t row = 0; row < kRows; ++row) {
        const size_t at = row * kCount + column;
        const float factor_before = factor_of(column);
        const float expected = factor_before < doubled ? x_of[at] * factor_before : doubled + total;
        EXPECT_EQ(results[at], is_inside ? expected : 0.0F) << row << ", " << column;
      }
    }
  }
  const std::string assembly = llvm_compiler().assembly(k.kernel());
  EXPECT_NE(assembly.find("movntps"), std::string::npos);
}

/// Several streams are asked for some pages on, one where the machine does not follow it by itself.
TEST(StreamingStores, AskAheadForWhatIsRead) {
  constexpr int64_t kHuge = int64_t{1} << 40;
  const auto asks_ahead = [](KernelBuilder k) {
    return llvm_compiler().assembly(k.kernel()).find("prefetcht1") != std::string::npos;
  };
  EXPECT_TRUE(asks_ahead(elementwise(OpKind::add, {DType::f32, DType::f32}, DType::f32, kHuge)));
  EXPECT_EQ(asks_ahead(elementwise(OpKind::neg, {DType::f32}, DType::f32, kHuge)), !is_on_zen());
}

/// Every third element, up to the end of what may be touched. Zen takes gathers apart, slowly.
TEST(StridedLoads, TouchNothingBehindTheLast) {
  constexpr int64_t kStride = 3;
  const GuardedPages pages;
  for (const int64_t count : {1, 5, 16, 17, 100}) {
    KernelBuilder k("strided");
    const int in = k.buffer(DType::f32);
    const int out = k.buffer(DType::f32, true);
    k.vector(k.outer(count));
    k.straight();
    k.store(out, k.at({1}), k.load(in, k.at({kStride})));
    const auto num_read = static_cast<size_t>((count - 1) * kStride + 1);
    auto* x = static_cast<float*>(pages.tail(num_read * sizeof(float)));
    std::iota(x, x + num_read, 1.0F);
    std::vector<float> y(static_cast<size_t>(count));
    void* buffers[] = {x, y.data()};

    compile(k.kernel())(buffers, k.params().data(), 0, 1, 0, count);

    for (size_t i = 0; i < y.size(); ++i)
      EXPECT_EQ(y[i], x[i * kStride]) << i << " of " << count;
    const std::string assembly = llvm_compiler().assembly(k.kernel());
    EXPECT_FALSE(is_on_zen() && assembly.find("vgather") != std::string::npos);
  }
}

/// Blocks of channels of a launch that is too large for any cache: whole lines go past the caches,
/// smaller blocks and what begins within a line as ever, and nothing outside is touched.
TEST(StreamingStores, WriteBlocksOfChannels) {
  constexpr int64_t kHuge = int64_t{1} << 40;
  constexpr int64_t kPixels = 21;
  constexpr int64_t kStride = 16;
  for (const int64_t channels : {16, 12}) {
    KernelBuilder k("blocks");
    const int x = k.buffer(DType::f32);
    const int y = k.buffer(DType::f32, true);
    k.outer(kHuge);
    k.vector(k.outer(channels));
    k.inner(kPixels);
    k.kernel().short_vector = true;
    k.loop();
    const int in = k.load(x, k.at({0, 1, kStride}));
    k.store(y, k.at({kPixels * kStride, 1, kStride}), k.compute(OpKind::neg, DType::f32, {in}));
    std::vector<float> in_values(kPixels * kStride);
    std::iota(in_values.begin(), in_values.end(), 1.0F);
    for (const size_t begin : {0, 3}) {
      alignas(64) std::array<float, kPixels * kStride + 8> out{};
      out.fill(5000.0F);
      void* buffers[] = {in_values.data(), out.data() + begin};

      compile(k.kernel())(buffers, k.params().data(), 0, 1, 0, channels);

      for (size_t i = 0; i < out.size(); ++i) {
        const auto at = static_cast<int64_t>(i) - static_cast<int64_t>(begin);
        const bool is_inside = at >= 0 && at < kPixels * kStride && at % kStride < channels;
        const float expected = is_inside ? -in_values[static_cast<size_t>(at)] : 5000;
        EXPECT_EQ(out[i], expected) << i << " from " << begin << ", " << channels << " channels";
      }
    }
    const bool has_lines = llvm_compiler().assembly(k.kernel()).find("%zmm") != std::string::npos;
    if (!has_lines) continue;
    EXPECT_NE(llvm_compiler().assembly(k.kernel()).find("movntps"), std::string::npos);
  }
}

/// y[i, j] = x[at(i), j]
Kernel rows_kernel(bool indices_in_memory) {
  constexpr int64_t kRow = 32;
  KernelBuilder k("rows");
  const int x = k.buffer(DType::f32);
  const int indices = k.buffer(DType::i64);
  const int y = k.buffer(DType::f32, true);
  k.outer(int64_t{1} << 35);
  k.vector(k.outer(kRow));
  k.straight();
  const int at = indices_in_memory ? k.load(indices, k.at({1, 0})) : k.index(k.at({1, 0}));
  k.store(y, k.at({kRow, 1}), k.gather(x, k.at({0, 1}), at, kRow));
  return k.kernel();
}

TEST(StreamingStores, GoThroughTheCachesWhereRowsAreGathered) {
  const auto streams = [](bool indices_in_memory) {
    return llvm_compiler().assembly(rows_kernel(indices_in_memory)).find("movntps") !=
           std::string::npos;
  };
  EXPECT_TRUE(streams(false));
  EXPECT_FALSE(streams(true));
}

/// y = x - max(x) by rows, or max(x) alone.
Kernel row_kernel(bool has_second_loop) {
  KernelBuilder k("rows");
  const int x = k.buffer(DType::f32);
  const int y = k.buffer(DType::f32, true);
  k.outer(3);
  k.vector(k.inner(100));
  k.loop();
  const int most = k.accumulate(OpKind::reduce_max, DType::f32, {k.load(x, k.at({100, 1}))});
  if (has_second_loop) {
    k.loop();
    const int rest = k.compute(OpKind::sub, DType::f32, {k.load(x, k.at({100, 1})), most});
    k.store(y, k.at({100, 1}), rest);
  } else {
    k.straight();
    k.store(y, k.at({1, 0}), most);
  }
  return k.kernel();
}

/// y = x - sum(x - max(x)) + z by rows, where z is read by the last of three loops alone.
Kernel three_loops(bool reads_z) {
  KernelBuilder k("rows");
  const int x = k.buffer(DType::f32);
  const int z = k.buffer(DType::f32);
  const int y = k.buffer(DType::f32, true);
  k.outer(3);
  k.vector(k.inner(100));
  const auto less = [&](int number) {
    return k.compute(OpKind::sub, DType::f32, {k.load(x, k.at({100, 1})), number});
  };
  k.loop();
  const int most = k.accumulate(OpKind::reduce_max, DType::f32, {k.load(x, k.at({100, 1}))});
  k.loop();
  const int sum = k.accumulate(OpKind::reduce_sum, DType::f32, {less(most)});
  k.loop();
  int value = less(sum);
  if (reads_z) value = k.compute(OpKind::add, DType::f32, {value, k.load(z, k.at({100, 1}))});
  k.store(y, k.at({100, 1}), value);
  return k.kernel();
}

/// As far as the second level. Copies of a loop, for results past the caches and for rests, count
/// each.
int64_t num_loops_that_prefetch(const Kernel& kernel) {
  const std::string assembly = llvm_compiler().assembly(kernel);
  int64_t count = 0;
  bool counted = false;  // in this block
  std::istringstream lines(assembly);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(".LBB")) counted = false;
    if (counted || line.find("prefetcht1") == std::string::npos) continue;
    counted = true;
    ++count;
  }
  return count;
}

TEST(Prefetching, EveryLoopButTheReaderAsksForItsShare) {
  const int64_t last = num_loops_that_prefetch(row_kernel(true));
  const int64_t last_two = num_loops_that_prefetch(three_loops(false));
  const int64_t all = num_loops_that_prefetch(three_loops(true));
  EXPECT_EQ(num_loops_that_prefetch(row_kernel(false)), 0);
  EXPECT_GT(last, 0);
  EXPECT_GT(last_two, last);
  EXPECT_GT(all, last_two);
}

/// Sums of the channels of images, or the channels less these.
Kernel sums_of_channels(bool subtracts) {
  constexpr int64_t kImages = 8;
  constexpr int64_t kBlocks = 64;
  constexpr int64_t kPlane = 14 * 14 * 16;
  KernelBuilder k("channels");
  const int x = k.buffer(DType::f32);
  const int y = k.buffer(DType::f32, true);
  k.outer(kBlocks);
  k.kernel().short_vector = true;
  k.vector(k.outer(16));
  k.inner(kImages);
  k.inner(14 * 14);
  const Affine place = k.at({kPlane, 1, kBlocks * kPlane, 16});
  k.loop();
  const int sum = k.accumulate(OpKind::reduce_sum, DType::f32, {k.load(x, place)});
  if (!subtracts) {
    k.straight();
    k.store(y, k.at({16, 1, 0, 0}), sum);
    return k.kernel();
  }
  k.loop();
  k.store(y, place, k.compute(OpKind::sub, DType::f32, {k.load(x, place), sum}));
  return k.kernel();
}

TEST(Prefetching, TheNextChannelsAreAskedForByTheLoopBehindTheReader) {
  EXPECT_EQ(num_loops_that_prefetch(sums_of_channels(false)), 0);
  EXPECT_GT(num_loops_that_prefetch(sums_of_channels(true)), 0);
}

/// Of what is read.
int64_t num_prefetches(const Kernel& kernel, const std::string& instruction = "prefetcht1") {
  const std::string assembly = llvm_compiler().assembly(kernel);
  int64_t count = 0;
  for (size_t at = 0; (at = assembly.find(instruction, at)) != std::string::npos; ++at)
    ++count;
  return count;
}

/// A matrix beside another one, which begins at column `border`.
Kernel side_by_side(int64_t columns, int64_t border) {
  KernelBuilder k("side_by_side");
  const int left = k.buffer(DType::f32);
  const int right = k.buffer(DType::f32);
  const int y = k.buffer(DType::f32, true);
  k.outer(int64_t{1} << 30);
  k.vector(k.outer(columns));
  k.straight();
  const int is_left =
      k.compute(OpKind::lt, DType::bool_, {k.index(k.at({0, 1})), k.index(k.at({0, 0}, border))});
  const int is_right = k.compute(OpKind::logical_not, DType::bool_, {is_left});
  const int a = k.load(left, k.at({border, 1}), is_left);
  const int b = k.load(right, k.at({columns - border, 1}, -border), is_right);
  k.store(y, k.at({columns, 1}), k.compute(OpKind::where, DType::f32, {is_left, a, b}));
  return k.kernel();
}

TEST(Prefetching, OfLoadsThatExcludeEachOtherTheWantedOneIsAskedFor) {
  constexpr int64_t kPlaces = 4 + 1;  // of the main loop and of the rest
  KernelBuilder one = elementwise(OpKind::neg, {DType::f32}, DType::f32, 1 << 30);

  const int64_t asked = num_prefetches(side_by_side(4096, 1021));
  if (is_on_zen5()) {
    EXPECT_EQ(asked, kPlaces);
  } else {
    EXPECT_EQ(asked, num_prefetches(one.kernel()));
  }
}

/// The sums of rows, each `reads` times.
Kernel sums_of_rows(int reads) {
  constexpr int64_t kRow = 1009;
  KernelBuilder k("sums");
  const int x = k.buffer(DType::f32);
  k.outer(1 << 16);
  k.vector(k.inner(kRow));
  for (int read = 0; read < reads; ++read) {
    k.loop();
    const int sum = k.accumulate(OpKind::reduce_sum, DType::f32, {k.load(x, k.at({kRow, 1}))});
    k.straight();
    k.store(k.buffer(DType::f32, true), k.at({1, 0}), sum);
  }
  return k.kernel();
}

TEST(Prefetching, RowsThatBeginWithinLinesAndAreReadOnceAskTheFirstLevel) {
  EXPECT_EQ(num_prefetches(sums_of_rows(1), "prefetcht0") > 0, is_on_zen5() && has_avx512());
  EXPECT_EQ(num_prefetches(sums_of_rows(2), "prefetcht0"), 0);
}

/// y = x where that is positive, else 0, or the sums of such rows.
Kernel positive_part(bool reduces) {
  constexpr int64_t kRow = 1000;
  KernelBuilder k("positive");
  const int x = k.buffer(DType::f32);
  const int y = k.buffer(DType::f32, true);
  k.outer(int64_t{1} << 30);
  k.vector(reduces ? k.inner(kRow) : k.outer(kRow));
  const auto part = [&] {
    const int in = k.load(x, k.at({kRow, 1}));
    const int zero = k.constant(Literal::scalar(DType::f32, 0));
    const int is_positive = k.compute(OpKind::lt, DType::bool_, {zero, in});
    return k.compute(OpKind::where, DType::f32, {is_positive, in, zero});
  };
  if (reduces) {
    k.loop();
    const int sum = k.accumulate(OpKind::reduce_sum, DType::f32, {part()});
    k.straight();
    k.store(y, k.at({1, 0}), sum);
  } else {
    k.straight();
    k.store(y, k.at({kRow, 1}), part());
  }
  return k.kernel();
}

/// Zen follows one stream by itself, but the fifth does not where masks hide it.
TEST(Prefetching, OfWhatMasksMayHide) {
  for (const bool reduces : {false, true})
    EXPECT_EQ(num_prefetches(positive_part(reduces)) > 0,
              is_on_zen5() || !(reduces || is_on_zen()));
}

/// What the bytes that a kernel touches are compared with: sizes of caches.
std::set<int64_t> bounds_of(const Kernel& kernel) {
  constexpr int64_t kSmallestCache = int64_t{1} << 17U;
  std::set<int64_t> bounds;
  std::istringstream lines(llvm_compiler().llvm_ir(kernel));
  for (std::string line; std::getline(lines, line);) {
    const size_t number = line.rfind(' ');
    if (line.find("icmp sgt i64") == std::string::npos || line[number + 1] == '%') continue;
    if (const int64_t bound = std::stoll(line.substr(number + 1)); bound >= kSmallestCache)
      bounds.insert(bound);
  }
  return bounds;
}

/// Not only beyond all caches but beyond the core's own one, whose size nothing else asks for.
TEST(Prefetching, OfWhatMasksMayHideNearby) {
  KernelBuilder copy = elementwise(OpKind::neg, {DType::f32}, DType::f32, 1);
  const size_t others = bounds_of(copy.kernel()).size();
  EXPECT_EQ(bounds_of(positive_part(false)).size() > others, is_on_zen5());
}

/// Sums of columns, and then sums of exponentials of the same matrix less those, or of another.
Kernel columns_of_two_loops(bool reads_again) {
  constexpr int64_t kColumns = int64_t{1} << 30;
  KernelBuilder k("columns");
  const int x = k.buffer(DType::f32);
  const int y = k.buffer(DType::f32);
  const int sums = k.buffer(DType::f32, true);
  k.vector(k.outer(kColumns));
  k.inner(40);
  const Affine place = k.at({1, kColumns});
  k.loop();
  const int sum = k.accumulate(OpKind::reduce_sum, DType::f32, {k.load(x, place)});
  k.loop();
  const int again = k.load(reads_again ? x : y, place);
  const int less = k.compute(OpKind::sub, DType::f32, {again, sum});
  const int power = k.compute(OpKind::exp, DType::f32, {less});
  const int powers = k.accumulate(OpKind::reduce_sum, DType::f32, {power});
  k.straight();
  k.store(sums, k.at({1, 0}), powers);
  return k.kernel();
}

TEST(Prefetching, TheNextColumnsAreAskedForByALaterLoopThatReadsThem) {
  EXPECT_GT(num_prefetches(columns_of_two_loops(true)),
            num_prefetches(columns_of_two_loops(false)));
}

/// Zen 5 waits for stores past the caches where it has much to compute.
TEST(StreamingStores, GoThroughTheCachesBesideMuchArithmetic) {
  const auto goes_past = [](OpKind op) {
    KernelBuilder k = elementwise(op, {DType::f32}, DType::f32, int64_t{1} << 30);
    return llvm_compiler().assembly(k.kernel()).find("movntps") != std::string::npos;
  };
  EXPECT_TRUE(goes_past(OpKind::neg));
  EXPECT_FALSE(is_on_zen5() && goes_past(OpKind::sigmoid));
}

/// Rows of 100 are stored and summed in one loop: wherever the lines of the result begin, the sum
/// is the same to the last bit.
TEST(StreamingStores, LeaveTheOrderOfSumsAlone) {
  constexpr int64_t kHuge = int64_t{1} << 40;
  constexpr int64_t kRow = 100;
  constexpr int64_t kRows = 3;
  KernelBuilder k("rows");
  const int x = k.buffer(DType::f32);
  const int y = k.buffer(DType::f32, true);
  const int sums = k.buffer(DType::f32, true);
  k.outer(kHuge);
  k.vector(k.inner(kRow));
  k.loop();
  const int value = k.load(x, k.at({kRow, 1}));
  k.store(y, k.at({kRow, 1}), k.compute(OpKind::neg, DType::f32, {value}));
  const int sum = k.accumulate(OpKind::reduce_sum, DType::f32, {value});
  k.straight();
  k.store(sums, k.at({1, 0}), sum);
  const KernelFunction function = compile(k.kernel());
  std::vector<float> in(kRows * kRow);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = std::sin(static_cast<float>(i)) * 1e4F;  // sums cancel: another order shows
  std::vector<std::vector<float>> found;
  for (const int64_t offset : {0, 1, 12}) {
    alignas(64) std::array<float, kRows * kRow + 16> out{};
    std::vector<float> row_sums(kRows);
    void* buffers[] = {in.data(), out.data() + offset, row_sums.data()};

    function(buffers, k.params().data(), 0, kRows, 0, 0);

    for (size_t i = 0; i < in.size(); ++i)
      EXPECT_EQ(out[i + static_cast<size_t>(offset)], -in[i]) << i;
    EXPECT_NEAR(row_sums[0], std::accumulate(in.begin(), in.begin() + kRow, 0.0), 0.1);
    found.push_back(row_sums);
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
  EXPECT_NE(llvm_compiler().assembly(k.kernel()).find("movntps"), std::string::npos);
}

}  // namespace
}  // namespace wick::codegen::test
