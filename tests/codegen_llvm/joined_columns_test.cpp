// Compiled kernels against the interpreter where columns of several axes are walked as one though
// an operand has some of the axes alone.

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "check_program.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace wick::test {
namespace {

/// Whether the kernel that walks the rows has one dimension of columns, and gathers.
bool joins_columns(const std::string& text) {
  const auto fused = parse_and_fuse(text);
  const codegen::Kernel& kernel =
      *codegen::lower(*fusions_of(*fused).at(0)).launches.front().kernel;
  const bool gathers = std::ranges::any_of(
      kernel.instrs, [](const codegen::Instr& at) { return at.dynamic_index >= 0; });
  return gathers &&
         std::ranges::count(kernel.dims, false, &codegen::Dim::inner) <= (kernel.blocking ? 2 : 1);
}

/// Squares of what pixels are above the middle of their channel, summed over images.
std::string sums(const char* dtype, int64_t images, int64_t channels, int64_t pixels) {
  return fmt::format(R"(
graph @f(%x: {0}[{1},{2},{3}], %g: {0}[{1},{2},{3}], %m: {0}[{2},1], %p: {0}[{3}])
    -> ({0}[{1},{2},{3}], {0}[{2},{3}], {0}[{2},{3}]) {{
  %0 = sub %x, %m : {0}[{1},{2},{3}]
  %5 = mul %0, %0 : {0}[{1},{2},{3}]
  %1 = reduce_sum %5 {{axes = [0]}} : {0}[{2},{3}]
  %2 = mul %0, %g : {0}[{1},{2},{3}]
  %3 = mul %2, %p : {0}[{1},{2},{3}]
  %4 = reduce_max %3 {{axes = [0]}} : {0}[{2},{3}]
  return %0, %1, %4
}})",
                     dtype,
                     images,
                     channels,
                     pixels);
}

/// Elements of images, each channel with numbers of its own.
std::string scaled(const char* dtype, int64_t images, int64_t channels, int64_t pixels) {
  return fmt::format(R"(
graph @f(%x: {0}[{1},{2},{3}], %m: {0}[{2},1], %s: {0}[{2},1]) -> ({0}[{1},{2},{3}]) {{
  %0 = mul %m, %s : {0}[{2},1]
  %1 = mul %x, %s : {0}[{1},{2},{3}]
  %2 = sub %1, %0 : {0}[{1},{2},{3}]
  return %2
}})",
                     dtype,
                     images,
                     channels,
                     pixels);
}

struct Images {
  int64_t images, channels, pixels;
  bool are_joined;
};

using ProgramOfImages = std::string (*)(const char*, int64_t, int64_t, int64_t);

void expect_joined(ProgramOfImages program, std::initializer_list<Images> cases) {
  for (const auto& [images, channels, pixels, are_joined] : cases) {
    for (const char* dtype : {"f32", "f64", "bf16", "i32", "i8"}) {
      const std::string text = program(dtype, images, channels, pixels);
      check_program(text);
      EXPECT_EQ(joins_columns(text), are_joined)
          << dtype << "[" << images << ", " << channels << ", " << pixels << "]";
    }
  }
}

TEST(JoinedColumns, OfSums) {
  expect_joined(sums,
                {{16, 3, 2, true},
                 {17, 5, 7, true},
                 {40, 37, 9, true},
                 {33, 70, 49, true},
                 {16, 3, 255, true},
                 {2200, 3, 10, true},  // cut in blocks
                 {300, 60, 8, true},   // the same
                 {8, 5, 7, true},
                 {7, 5, 7, false},       // few rows
                 {16, 3, 256, false}});  // long pieces
}

TEST(JoinedColumns, OfElements) {
  expect_joined(scaled,
                {{16, 64, 16, true},
                 {17, 103, 10, true},
                 {20, 331, 31, true},
                 {20, 331, 32, false},   // longer pieces
                 {33, 16, 49, false},    // one row that repeats
                 {15, 103, 10, false},   // few rows
                 {16, 5, 256, false}});  // long pieces
}

/// Of longer pieces, where channels have several numbers.
TEST(JoinedColumns, OfElementsThatMeetManyNumbers) {
  const std::string text = R"(
graph @f(%x: f32[20,331,49], %m: f32[331,1], %s: f32[331,1], %b: f32[331,1]) -> (f32[20,331,49]) {
  %0 = sub %x, %m : f32[20,331,49]
  %1 = mul %0, %s : f32[20,331,49]
  %2 = add %1, %b : f32[20,331,49]
  return %2
})";
  check_program(text);
  EXPECT_TRUE(joins_columns(text));
}

/// Axes in front of the rows, of which a number for a column has some; two axes of rows; a column
/// of three axes, where numbers are of the middle one, or of the outer ones in the other order.
TEST(JoinedColumns, OfManyAxes) {
  const std::string text = R"(
graph @f(%x: f32[3,5,4,6,2,7], %m: f32[3,1,1,6,1,7], %t: f32[2,6], %q: f32[2,1])
    -> (f32[3,5,4,6,2,7], f32[3,6,2,7], i64[3,6,2,7]) {
  %0 = sub %x, %m : f32[3,5,4,6,2,7]
  %1 = permute %t {axes = [1,0]} : f32[6,2]
  %2 = reshape %1 {shape = [6,2,1]} : f32[6,2,1]
  %3 = mul %0, %2 : f32[3,5,4,6,2,7]
  %4 = add %3, %q : f32[3,5,4,6,2,7]
  %5 = reduce_sum %4 {axes = [1,2]} : f32[3,6,2,7]
  %6 = argmax %4 {axes = [1,2]} : i64[3,6,2,7]
  return %4, %5, %6
})";
  check_program(text);
  const auto fused = parse_and_fuse(text);
  const auto lowered = codegen::lower(*fusions_of(*fused).at(0));
  EXPECT_EQ(std::ranges::count(lowered.launches[0].kernel->dims, false, &codegen::Dim::inner), 2);
}

/// What is written in place is not read before, nor are channels that are.
TEST(JoinedColumns, OverTheirOperands) {
  check_program(R"(
graph @f(%x: f32[20,103,10] {donate}, %m: f32[103,1], %z: f32[103,10] {donate}) -> (f32[20,103,10], f32[103,10]) {
  %0 = sub %x, %m : f32[20,103,10]
  %1 = add %0, %z : f32[20,103,10]
  %2 = reduce_sum %1 {axes = [0]} : f32[103,10]
  %3 = mul %2, %z : f32[103,10]
  return %1, %3
})");
}

/// Values of columns alone, and loops behind each other that read them.
TEST(JoinedColumns, OfSeveralLoops) {
  const std::string text = R"(
graph @f(%x: f32[40,9,11], %m: f32[9,1], %s: f32[9,1]) -> (f32[40,9,11]) {
  %0 = sub %x, %m : f32[40,9,11]
  %1 = reduce_max %0 {axes = [0], keepdims = true} : f32[1,9,11]
  %2 = sub %0, %1 : f32[40,9,11]
  %3 = mul %2, %s : f32[40,9,11]
  %4 = exp %3 : f32[40,9,11]
  %5 = reduce_sum %4 {axes = [0], keepdims = true} : f32[1,9,11]
  %6 = div %4, %5 : f32[40,9,11]
  %7 = mul %s, %m : f32[9,1]
  %8 = add %6, %7 : f32[40,9,11]
  return %8
})";
  check_program(text);
  EXPECT_TRUE(joins_columns(text));
}

/// Random numbers and picked rows have places as well.
TEST(JoinedColumns, OfWhatCountsElements) {
  const std::string text = R"(
graph @f(%x: f32[50,9,11], %i: i64[40], %m: f32[9,1], %k: i64[], %c: i64[]) -> (f32[40,9,11], f32[9,11]) {
  %0 = gather %x, %i {axis = 0} : f32[40,9,11]
  %1 = random_bits %k, %c {shape = [40, 9, 11]} : i32[40,9,11]
  %2 = cast %1 {dtype = f32} : f32[40,9,11]
  %3 = mul %0, %m : f32[40,9,11]
  %4 = add %3, %2 : f32[40,9,11]
  %5 = reduce_max %4 {axes = [0]} : f32[9,11]
  return %4, %5
})";
  check_program(text);
}

TEST(JoinedColumns, ReadAndWriteNothingElse) {
  for (const char* dtype : {"f32", "f64", "bf16"}) {
    for (const auto& [channels, pixels] : {std::pair(3, 5), std::pair(37, 9), std::pair(103, 10)}) {
      check_program_between_guards(sums(dtype, 17, channels, pixels));
      check_program_between_guards(scaled(dtype, 17, channels, pixels));
    }
  }
}

}  // namespace
}  // namespace wick::test
