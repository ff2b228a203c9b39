// Compiled kernels against the interpreter where an operand has some of the short axes alone, as
// the scale of channels of few pixels: it is the same in all blocks of these axes.

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

#include "check_program.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wick/passes/host_lanes.h"

namespace wick::test {
namespace {

/// A number for each channel, one for each pixel, and one for each image.
std::string scaled_channels(const char* dtype, int64_t images, int64_t channels, int64_t pixels) {
  return fmt::format(R"(
graph @f(%x: {0}[{1},{2},{3}], %s: {0}[{2},1], %t: {0}[{3}], %u: {0}[{1},1,1]) -> ({0}[{1},{2},{3}]) {{
  %0 = broadcast %s {{shape = [{1},{2},{3}]}} : {0}[{1},{2},{3}]
  %1 = mul %x, %0 : {0}[{1},{2},{3}]
  %2 = broadcast %t {{shape = [{1},{2},{3}]}} : {0}[{1},{2},{3}]
  %3 = add %1, %2 : {0}[{1},{2},{3}]
  %4 = broadcast %u {{shape = [{1},{2},{3}]}} : {0}[{1},{2},{3}]
  %5 = maximum %3, %4 : {0}[{1},{2},{3}]
  return %5
}})",
                     dtype,
                     images,
                     channels,
                     pixels);
}

bool repeats_blocks(const codegen::Kernel& kernel) {
  return kernel.row_length_param >= 0 && std::ranges::any_of(kernel.instrs, [&](const auto& at) {
           return at.kind == codegen::InstrKind::load &&
                  at.address.terms[static_cast<size_t>(kernel.vector_dim)].stride ==
                      codegen::Stride::block;
         });
}

struct Case {
  int64_t outer, middle, inner;
  bool repeats;
};

using Program = std::string (*)(const char* dtype, int64_t outer, int64_t middle, int64_t inner);

void expect_repeats(Program program, std::initializer_list<Case> cases) {
  for (const auto& [outer, middle, inner, repeats] : cases) {
    for (const char* dtype : {"f32", "f64", "bf16", "i8"}) {
      const auto kernel = check_program(program(dtype, outer, middle, inner));
      EXPECT_EQ(repeats_blocks(*kernel), repeats)
          << dtype << "[" << outer << ", " << middle << ", " << inner << "]";
    }
  }
}

TEST(RepeatedBlocks, AreLaidOutOnce) {
  expect_repeats(scaled_channels,
                 {{32, 11, 3, true},
                  {37, 5, 25, true},
                  {33, 2, 9, true},
                  {40, 16, 2, true},
                  {41, 9, 113, true},
                  {33, 341, 3, true},
                  {31, 11, 3, false},   // few
                  {64, 5, 3, false},    // short
                  {33, 32, 32, false},  // long
                  {33, 3, 129, false}});
}

TEST(RepeatedBlocks, OfThreeAxesInsideOthers) {
  const auto kernel = check_program(R"(
graph @f(%x: f32[3,40,5,3,4], %s: f32[3,1,5,1,4], %t: bool[3,1]) -> (f32[3,40,5,3,4], bool[3,40,5,3,4]) {
  %0 = broadcast %s {shape = [3,40,5,3,4]} : f32[3,40,5,3,4]
  %1 = sub %x, %0 : f32[3,40,5,3,4]
  %2 = lt %1, %x : bool[3,40,5,3,4]
  %3 = broadcast %t {shape = [3,40,5,3,4]} : bool[3,40,5,3,4]
  %4 = eq %2, %3 : bool[3,40,5,3,4]
  return %1, %4
})");
  EXPECT_TRUE(repeats_blocks(*kernel));
}

/// Points of many clouds, of which each has a middle.
std::string points_from_middles(const char* dtype, int64_t clouds, int64_t points, int64_t axes) {
  return fmt::format(R"(
graph @f(%x: {0}[{1},{2},{3}], %m: {0}[{1},1,{3}], %s: {0}[{1},1,1]) -> ({0}[{1},{2},{3}]) {{
  %0 = broadcast %m {{shape = [{1},{2},{3}]}} : {0}[{1},{2},{3}]
  %1 = sub %x, %0 : {0}[{1},{2},{3}]
  %2 = broadcast %s {{shape = [{1},{2},{3}]}} : {0}[{1},{2},{3}]
  %3 = mul %1, %2 : {0}[{1},{2},{3}]
  return %3
}})",
                     dtype,
                     clouds,
                     points,
                     axes);
}

TEST(RepeatedRows, OfManyTasksAreLongOnes) {
  expect_repeats(points_from_middles,
                 {{5, 37, 7, true},
                  {4, 63, 15, true},
                  {300, 30, 9, true},
                  {9, 22, 3, true},
                  {9, 21, 3, false},    // few
                  {9, 17, 9, false},    // the same
                  {2, 2000, 3, false},  // many
                  {3, 60, 16, false}});
}

TEST(RepeatedRows, OfManyPointsStayInARegister) {
  for (const std::string dtype : {"f32", "f64", "bf16", "f16", "i32", "i8"}) {
    const bool is_held =
        passes::host_lanes() == codegen::kShortVector && dtype != "f64" && dtype != "i8";
    for (const auto& [clouds, points, axes] :
         {std::array{37, 100, 3}, {3, 301, 2}, {5, 64, 4}, {4, 77, 13}, {3, 65, 15}}) {
      const auto kernel = check_program(points_from_middles(dtype.c_str(), clouds, points, axes));
      EXPECT_EQ(repeats_blocks(*kernel), !is_held) << dtype << ", " << points << " of " << axes;
    }
    // Two rows fill a vector without being one.
    EXPECT_TRUE(repeats_blocks(*check_program(points_from_middles(dtype.c_str(), 5, 100, 8))));
  }
}

/// A number for each point has no place in rows of several.
TEST(RepeatedRows, NotBesideANumberForEachRow) {
  for (const int64_t points : {30, 100, 1024}) {
    const auto kernel = check_program(fmt::format(R"(
graph @f(%x: f32[7,{0},1], %m: f32[7,1,2]) -> (f32[7,{0},2]) {{
  %0 = broadcast %x {{shape = [7,{0},2]}} : f32[7,{0},2]
  %1 = broadcast %m {{shape = [7,{0},2]}} : f32[7,{0},2]
  %2 = add %0, %1 : f32[7,{0},2]
  return %2
}})",
                                                  points));
    EXPECT_FALSE(repeats_blocks(*kernel)) << points;
  }
}

TEST(RepeatedBlocks, ReadNothingElse) {
  for (const char* dtype : {"f32", "f64", "i8"}) {
    check_program_between_guards(scaled_channels(dtype, 32, 11, 3));
    check_program_between_guards(scaled_channels(dtype, 35, 7, 30));
    check_program_between_guards(points_from_middles(dtype, 3, 100, 3));
    check_program_between_guards(points_from_middles(dtype, 3, 40, 7));
  }
}

}  // namespace
}  // namespace wick::test
