// Rows of few vectors, which are walked without loops.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "check_program.h"
#include "kernel_builder.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace wick::test {
namespace {

using codegen::Kernel;
using ir::OpKind;

/// Exponentials that two loops need, the place of the largest, and a sum that waits for another.
std::string many_loops(const std::string& dtype, int64_t length) {
  return fmt::format(R"(
graph @f(%x: {0}[13,{1}], %w: {0}[{1}]) -> ({0}[13,{1}], i64[13], {0}[13,1]) {{
  %0 = reduce_max %x {{axes = [1], keepdims = true}} : {0}[13,1]
  %1 = sub %x, %0 : {0}[13,{1}]
  %2 = exp %1 : {0}[13,{1}]
  %3 = reduce_sum %2 {{axes = [1], keepdims = true}} : {0}[13,1]
  %4 = div %2, %3 : {0}[13,{1}]
  %5 = mul %4, %w : {0}[13,{1}]
  %6 = argmax %x {{axes = [1]}} : i64[13]
  %7 = reduce_min %5 {{axes = [1], keepdims = true}} : {0}[13,1]
  return %5, %6, %7
}})",
                     dtype,
                     length);
}

bool is_bound(const Kernel& kernel, int64_t length) {
  return kernel.row_bound >= length && kernel.row_bound < length + codegen::kRowStep;
}

TEST(RowRegisters, TreatsRowsOfAllLengthsAlike) {
  for (const char* dtype : {"f32", "f64", "f16", "bf16"}) {
    for (const int64_t length :
         {8, 9, 15, 16, 17, 31, 33, 48, 63, 65, 95, 96, 97, 112, 113, 208, 250, 256}) {
      const auto kernel = check_program(many_loops(dtype, length));
      EXPECT_TRUE(is_bound(*kernel, length)) << to_string(*kernel);
    }
  }
}

TEST(RowRegisters, TreatsRowsOfIntegersAlike) {
  for (const char* dtype : {"i64", "i32", "u8", "i8"}) {
    for (const int64_t length : {8, 16, 40, 77, 100, 128}) {
      check_program(fmt::format(R"(
graph @f(%x: {0}[9,{1}]) -> ({0}[9,1], {0}[9,{1}], bool[9]) {{
  %0 = reduce_min %x {{axes = [1], keepdims = true}} : {0}[9,1]
  %1 = sub %x, %0 : {0}[9,{1}]
  %2 = reduce_prod %1 {{axes = [1], keepdims = true}} : {0}[9,1]
  %3 = maximum %1, %2 : {0}[9,{1}]
  %4 = eq %3, %x : bool[9,{1}]
  %5 = reduce_max %4 {{axes = [1]}} : bool[9]
  return %0, %3, %5
}})",
                                dtype,
                                length));
    }
  }
}

/// What was accumulated so far is a constant of the code then, as what it begins with is.
TEST(RowRegisters, TreatsRowsOfOneNumber) {
  for (const char* op : {"reduce_sum", "reduce_prod", "reduce_min", "argmax"}) {
    for (const int64_t length : {17, 64, 65, 100, 208}) {
      check_program(fmt::format(R"(
graph @f(%x: i64[5]) -> (i64[5]) {{
  %0 = constant {{value = dense<i64[]: 3>}} : i64[]
  %1 = broadcast %0 {{shape = [5,{1}]}} : i64[5,{1}]
  %2 = {0} %1 {{axes = [1]}} : i64[5]
  %3 = add %2, %x : i64[5]
  return %3
}})",
                                op,
                                length));
    }
  }
}

TEST(RowRegisters, TreatsOnlyTheirOwnMemory) {
  for (const int64_t length : {8, 13, 16, 20, 50, 64, 100, 112, 200})
    check_program_between_guards(many_loops("f32", length));
}

TEST(RowRegisters, TreatsOperandsThatLieAcrossOrBackwards) {
  for (const int64_t length : {20, 64, 90}) {
    check_program(fmt::format(R"(
graph @f(%x: f32[{0},7], %y: f32[7,{1}]) -> (f32[7,{0}]) {{
  %0 = permute %x {{axes = [1,0]}} : f32[7,{0}]
  %1 = slice %y {{sizes = [7,{0}], starts = [0,{2}], steps = [1,-2]}} : f32[7,{0}]
  %2 = mul %0, %1 : f32[7,{0}]
  %3 = reduce_sum %2 {{axes = [1], keepdims = true}} : f32[7,1]
  %4 = sub %1, %3 : f32[7,{0}]
  return %4
}})",
                              length,
                              2 * length,
                              2 * length - 1));
  }
}

/// Groups of rows end where an outer dimension goes on.
TEST(RowRegisters, TreatsRowsOfTwoDimensionsAlike) {
  for (const int64_t length : {16, 40, 64, 100}) {
    for (const int64_t rows : {3, 8, 21}) {
      check_program(fmt::format(R"(
graph @f(%x: f32[5,{1},{0}]) -> (f32[5,{2},{0}]) {{
  %0 = slice %x {{sizes = [5,{2},{0}], starts = [0,1,0], steps = [1,1,1]}} : f32[5,{2},{0}]
  %1 = reduce_sum %0 {{axes = [2], keepdims = true}} : f32[5,{2},1]
  %2 = sub %0, %1 : f32[5,{2},{0}]
  %3 = mul %2, %2 : f32[5,{2},{0}]
  %4 = reduce_sum %3 {{axes = [2], keepdims = true}} : f32[5,{2},1]
  %5 = div %2, %4 : f32[5,{2},{0}]
  return %5
}})",
                                length,
                                rows + 2,
                                rows));
    }
  }
}

TEST(RowRegisters, TreatsRowsThatAddUpColumnsInOrder) {
  for (const int64_t width : {33, 64, 100}) {
    const auto fused = check_program(fmt::format(R"(
graph @f(%x: f32[300,{0}], %g: f32[300,{0}]) -> (f32[300,{0}], f32[{0}]) {{
  %0 = reduce_max %x {{axes = [1], keepdims = true}} : f32[300,1]
  %1 = sub %x, %0 : f32[300,{0}]
  %2 = mul %g, %1 : f32[300,{0}]
  %3 = reduce_sum %2 {{axes = [0]}} : f32[{0}]
  return %2, %3
}})",
                                                 width));
    EXPECT_EQ(fused->row_bound, 0);  // of what brings the blocks' columns together
  }
}

/// Whose ends take so long that they would be faster side by side.
TEST(RowRegisters, TreatsRowsThatAddUpColumnsInOrderWhateverTheyWaitFor) {
  for (const int64_t width : {33, 40, 64}) {
    const auto kernel = check_program(fmt::format(R"(
graph @f(%x: f32[300,{0}], %g: f32[300,{0}]) -> (f32[300,{0}], f32[{0}]) {{
  %0 = argmax %x {{axes = [1], keepdims = true}} : i64[300,1]
  %1 = cast %0 {{dtype = f32}} : f32[300,1]
  %2 = mul %g, %1 : f32[300,{0}]
  %3 = reduce_sum %2 {{axes = [0]}} : f32[{0}]
  return %2, %3
}})",
                                                  width));
    EXPECT_EQ(kernel->row_bound, 0);
  }
}

}  // namespace
}  // namespace wick::test

namespace wick::codegen::test {
namespace {

/// The elements of rows less the row's largest.
KernelBuilder less_largest(int64_t rows, int64_t length, int64_t stride) {
  KernelBuilder k("less_largest");
  const int x = k.buffer(DType::f32);
  const int y = k.buffer(DType::f32, true);
  k.outer(rows);
  k.vector(k.inner(length));
  k.kernel().row_bound = bound_of(length);
  k.loop();
  const int largest =
      k.accumulate(ir::OpKind::reduce_max, DType::f32, {k.load(x, k.at({stride, 1}))});
  k.loop();
  const int again = k.load(x, k.at({stride, 1}));
  k.store(y, k.at({stride, 1}), k.compute(ir::OpKind::sub, DType::f32, {again, largest}));
  return k;
}

void expect_less_largest(
    const float* in, const float* out, int64_t rows, int64_t n, int64_t stride) {
  for (int64_t r = 0; r < rows; ++r) {
    const float* row = in + r * stride;
    const float largest = *std::max_element(row, row + n);
    for (int64_t c = 0; c < n; ++c)
      ASSERT_EQ(out[r * stride + c], row[c] - largest) << n << ": " << r << ", " << c;
  }
}

std::vector<float> some(int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    values[static_cast<size_t>(i)] = static_cast<float>(i * 37 % 101 - 50);
  return values;
}

TEST(RowRegisters, TreatsInPlaceRowsAlike) {
  constexpr int64_t kRows = 11;
  for (const int64_t length : {9, 16, 37, 64, 101}) {
    KernelBuilder k = less_largest(kRows, length, length);
    for (BufferArg& buffer : k.kernel().buffers)
      buffer.no_alias = false;
    const std::vector<float> in = some(kRows * length);
    std::vector<float> both = in;
    void* buffers[] = {both.data(), both.data()};
    compile(k.kernel())(buffers, k.params().data(), 0, kRows, 0, 0);
    expect_less_largest(in.data(), both.data(), kRows, length, length);
  }
}

/// Each row finds what the one before has stored behind its own end.
TEST(RowRegisters, TreatsRowsThatReadWhatOthersStoreInOrder) {
  constexpr int64_t kRows = 19;
  for (const int64_t length : {16, 37, 64, 101}) {
    KernelBuilder k("handed_on");
    const int x = k.buffer(DType::f32);
    const int state = k.buffer(DType::f32, true);
    k.outer(kRows);
    k.vector(k.inner(length));
    k.kernel().row_bound = bound_of(length);
    const auto value = [&] { return k.load(x, k.at({length, 1})); };
    const auto less = [&](int of, int what) {
      return k.compute(ir::OpKind::sub, DType::f32, {of, what});
    };
    k.loop();
    const int before = k.load(state, k.at({0, 1}));
    const int largest = k.accumulate(ir::OpKind::reduce_max, DType::f32, {less(before, value())});
    k.loop();
    k.store(state, k.at({0, 1}), less(largest, value()));
    const std::vector<float> in = some(kRows * length);
    std::vector<float> expected(static_cast<size_t>(length), 3.0F);
    std::vector<float> found = expected;
    for (auto row = in.begin(); row != in.end(); row += length) {
      std::ranges::transform(
          expected, std::span(row, row + length), expected.begin(), std::minus());
      const float now = *std::ranges::max_element(expected);
      std::transform(row, row + length, expected.begin(), [&](float v) { return now - v; });
    }
    void* buffers[] = {const_cast<float*>(in.data()), found.data()};
    compile(k.kernel())(buffers, k.params().data(), 0, kRows, 0, 0);
    EXPECT_EQ(found, expected) << length;
  }
}

/// A piece of a launch that no cache holds: rows that fill lines go past the caches where they
/// begin with one, and nothing between rows is written.
TEST(RowRegisters, TreatsRowsPastTheCachesAlike) {
  constexpr int64_t kHuge = int64_t{1} << 40;
  constexpr int64_t kRows = 12;
  alignas(64) static float out[kRows * 256];
  const auto check = [&](int64_t length, int64_t stride, int64_t begin) {
    KernelBuilder k = less_largest(kHuge, length, stride);
    const std::vector<float> in = some(kRows * stride);
    std::fill_n(out, kRows * 256, 1000.0F);
    void* buffers[] = {const_cast<float*>(in.data()), out};
    compile(k.kernel())(buffers, k.params().data(), begin, kRows, 0, 0);
    const int64_t first = begin * stride;
    expect_less_largest(in.data() + first, out + first, kRows - begin, length, stride);
    for (int64_t i = 0; i < kRows * stride; ++i) {
      const bool is_written = i >= first && i % stride < length;
      if (is_written) continue;
      ASSERT_EQ(out[i], 1000.0F) << i;
    }
  };
  for (const int64_t length : {16, 48, 50, 64, 112, 240}) {
    for (const int64_t stride : {length, length + 5, length + 16}) {
      check(length, stride, 0);
      check(length, stride, 1);
    }
  }
  const std::string assembly = llvm_compiler().assembly(less_largest(kHuge, 64, 64).kernel());
  EXPECT_NE(assembly.find("movntps"), std::string::npos);
}

TEST(RowRegisters, TreatsSumsOfNegativeZerosAsZero) {
  for (const int64_t length : {16, 21, 64, 100}) {
    KernelBuilder k("sums");
    const int x = k.buffer(DType::f32);
    const int y = k.buffer(DType::f32, true);
    k.outer(2);
    k.vector(k.inner(length));
    k.kernel().row_bound = bound_of(length);
    k.loop();
    const int in = k.load(x, k.at({length, 1}));
    const int sum = k.accumulate(ir::OpKind::reduce_sum, DType::f32, {in});
    k.straight();
    k.store(y, k.at({1, 0}), sum);
    std::vector<float> zeros(static_cast<size_t>(2 * length), -0.0F);
    float sums[] = {1, 1};
    void* buffers[] = {zeros.data(), sums};
    compile(k.kernel())(buffers, k.params().data(), 0, 2, 0, 0);
    for (const float s : sums)
      EXPECT_TRUE(s == 0 && !std::signbit(s)) << length;
  }
}

/// Wherever it is, and not where a row has gone on into the next.
TEST(RowRegisters, TreatsNanAsLargestInItsRowAlone) {
  for (const int64_t length : {11, 16, 30, 64, 75}) {
    KernelBuilder k = less_largest(3, length, length);
    const KernelFunction function = compile(k.kernel());
    for (int64_t at = 0; at < length; ++at) {
      std::vector<float> in = some(3 * length);
      in[static_cast<size_t>(length + at)] = std::numeric_limits<float>::quiet_NaN();
      std::vector<float> out(in.size());
      void* buffers[] = {in.data(), out.data()};
      function(buffers, k.params().data(), 0, 3, 0, 0);
      expect_less_largest(in.data(), out.data(), 1, length, length);
      const auto middle = out.begin() + length;
      EXPECT_TRUE(std::all_of(middle, middle + length, [](float x) { return std::isnan(x); }))
          << at << " of " << length;
      const int64_t last = 2 * length;
      expect_less_largest(in.data() + last, out.data() + last, 1, length, length);
    }
  }
}

}  // namespace
}  // namespace wick::codegen::test
