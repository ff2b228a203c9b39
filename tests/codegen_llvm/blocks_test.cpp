// Compiled kernels against the interpreter where elements lie a few places apart: blocks of short
// axes, small steps, guards that are known in blocks, and reductions of a few elements.

#include <algorithm>

#include "check_program.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace wick::test {
namespace {

using codegen::Instr;
using codegen::InstrKind;
using codegen::Stride;

Stride stride_of_vector(const codegen::Kernel& kernel, const Instr& at) {
  return at.address.terms[static_cast<size_t>(kernel.vector_dim)].stride;
}

bool has_blocks(const codegen::Kernel& kernel) {
  return std::ranges::any_of(kernel.instrs, [&](const Instr& at) {
    return at.kind == InstrKind::load && stride_of_vector(kernel, at) == Stride::block;
  });
}

bool reduces(const codegen::Kernel& kernel) {
  return std::ranges::any_of(kernel.instrs,
                             [](const Instr& at) { return at.kind == InstrKind::accumulate; });
}

TEST(Blocks, TransposedMatricesAreWalkedAsOne) {
  struct Case {
    int64_t count, rows, columns;
    bool is_block;
  };

  const Case cases[] = {{300, 2, 2, true},
                        {301, 3, 3, true},
                        {40, 5, 4, true},
                        {40, 4, 5, true},
                        {33, 8, 8, true},
                        {20, 16, 4, true},
                        {20, 4, 16, false},  // rows of their own that are transposed
                        {15, 8, 8, true},    // whole bodies
                        {15, 5, 4, false},   // few
                        {40, 9, 9, false}};  // long
  for (const char* dtype : {"f32", "f64", "bf16", "i8"}) {
    for (const auto& [count, rows, columns, is_block] : cases) {
      const auto kernel = check_program(fmt::format(R"(
graph @f(%x: {0}[{1},{2},{3}], %y: {0}[{1},{3},{2}], %w: {0}[{3},1]) -> ({0}[{1},{3},{2}], bool[{1},{3},{2}]) {{
  %0 = permute %x {{axes = [0,2,1]}} : {0}[{1},{3},{2}]
  %1 = maximum %0, %w : {0}[{1},{3},{2}]
  %2 = lt %1, %y : bool[{1},{3},{2}]
  return %1, %2
}})",
                                                    dtype,
                                                    count,
                                                    rows,
                                                    columns));
      EXPECT_EQ(has_blocks(*kernel), is_block) << dtype << ", " << rows << " x " << columns;
      EXPECT_EQ(kernel->row_length == rows * columns, is_block)
          << dtype << ", " << rows << " x " << columns << " by " << kernel->row_length;
    }
  }
}

TEST(Blocks, OfElementsFarApartAreWalkedAsOne) {
  struct Case {
    const char* operand;
    const char* axes;
    const char* result;
    bool is_block;
  };

  const Case cases[] = {
      {"[21,7,2,32,4]", "[0,3,2,4,1]", "[21,32,2,4,7]", true},
      {"[2,2,3,53,3]", "[0,3,2,4,1]", "[2,53,3,3,2]", true},
      {"[3,8,7,20,5]", "[4,3,2,1,0]", "[5,20,7,8,3]", true},
      {"[50,9,9]", "[0,2,1]", "[50,9,9]", true},
      {"[50,7,11]", "[0,2,1]", "[50,11,7]", true},
      {"[7,10,10,8,8]", "[1,3,0,4,2]", "[10,8,7,8,10]", true},  // few whole bodies
      {"[7,10,10,8,9]", "[1,3,0,4,2]", "[10,8,7,9,10]", false},
      {"[7,10,10,8,8]", "[1,2,0,3,4]", "[10,10,7,8,8]", false},
      {"[17,15,15]", "[0,2,1]", "[17,15,15]", false},  // too many vectors
      {"[17,9,40]", "[0,2,1]", "[17,40,9]", false}};   // short rows instead
  for (const char* dtype : {"f32", "f64", "bf16", "i8"}) {
    for (const auto& [operand, axes, result, is_block] : cases) {
      const auto kernel = check_program(fmt::format(R"(
graph @f(%x: {0}{1}) -> ({0}{3}) {{
  %0 = permute %x {{axes = {2}}} : {0}{3}
  return %0
}})",
                                                    dtype,
                                                    operand,
                                                    axes,
                                                    result));
      EXPECT_EQ(has_blocks(*kernel), is_block) << dtype << ", " << operand << " to " << result;
    }
  }
}

TEST(Blocks, PatchesOfImagesAreWalkedAsOne) {
  const auto kernel = check_program(R"(
graph @f(%x: f32[2,3,24,20]) -> (f32[2,6,5,3,4,4]) {
  %0 = reshape %x {shape = [2,3,6,4,5,4]} : f32[2,3,6,4,5,4]
  %1 = permute %0 {axes = [0,2,4,1,3,5]} : f32[2,6,5,3,4,4]
  %2 = neg %1 : f32[2,6,5,3,4,4]
  return %2
})");
  EXPECT_FALSE(kernel->has_short_rows());
}

TEST(Blocks, WholeVectorsStayAsTheyAre) {
  const auto kernel = check_program(R"(
graph @f(%x: f32[50,3,16]) -> (f32[3,50,16]) {
  %0 = permute %x {axes = [1,0,2]} : f32[3,50,16]
  %1 = neg %0 : f32[3,50,16]
  return %1
})");
  EXPECT_EQ(kernel->row_length, 0);
}

TEST(Blocks, AxesReadBackwards) {
  check_program(R"(
graph @f(%x: f32[100,4,3]) -> (f32[100,3,4]) {
  %0 = slice %x {sizes = [100,4,3], starts = [0,3,0], steps = [1,-1,1]} : f32[100,4,3]
  %1 = permute %0 {axes = [0,2,1]} : f32[100,3,4]
  %2 = neg %1 : f32[100,3,4]
  return %2
})");
}

TEST(Blocks, PositionsInBlocks) {
  const auto kernel = check_program(R"(
graph @f(%x: f32[70,3,5]) -> (f32[70,5,3], i64[70,5,3], i64[70,5,3]) {
  %0 = permute %x {axes = [0,2,1]} : f32[70,5,3]
  %1 = neg %0 : f32[70,5,3]
  %2 = iota {axis = 1, dtype = i64, shape = [70,5,3]} : i64[70,5,3]
  %3 = iota {axis = 0, dtype = i64, shape = [70,5,3]} : i64[70,5,3]
  %4 = cast %1 {dtype = i64} : i64[70,5,3]
  %5 = add %2, %4 : i64[70,5,3]
  %6 = add %3, %4 : i64[70,5,3]
  return %1, %5, %6
})");
  EXPECT_EQ(kernel->row_length, 15);
}

TEST(Blocks, StacksChooseTheirLanes) {
  for (const char* dtype : {"f32", "f64", "f16", "i64"}) {
    for (const int64_t rows : {15, 16, 131}) {
      const auto kernel = check_program(fmt::format(R"(
graph @f(%x: {0}[{1},1], %y: {0}[{1},1], %z: {0}[{1},2], %p: {0}[{1},4]) -> ({0}[{1},4]) {{
  %0 = neg %y : {0}[{1},1]
  %1 = concat %x, %0, %z {{axis = 1}} : {0}[{1},4]
  %2 = maximum %1, %p : {0}[{1},4]
  return %2
}})",
                                                    dtype,
                                                    rows));
      EXPECT_EQ(kernel->row_length, rows < 16 ? 0 : 4) << dtype << ", " << rows;
    }
  }
}

TEST(Blocks, ShortRowsArePaddedAndRolled) {
  const auto padded = check_program(R"(
graph @f(%x: f32[200,5], %v: f32[]) -> (f32[200,8]) {
  %0 = pad %x, %v {high = [0,2], low = [0,1]} : f32[200,8]
  %1 = neg %0 : f32[200,8]
  return %1
})");
  EXPECT_EQ(padded->row_length, 8);
  const auto rolled = check_program(R"(
graph @f(%x: f32[200,7]) -> (f32[200,7]) {
  %0 = slice %x {sizes = [200,2], starts = [0,5]} : f32[200,2]
  %1 = slice %x {sizes = [200,5], starts = [0,0]} : f32[200,5]
  %2 = concat %0, %1 {axis = 1} : f32[200,7]
  return %2
})");
  EXPECT_EQ(rolled->row_length, 7);
}

TEST(FewApart, SmallStepsShareVectors) {
  for (const char* dtype : {"f32", "f64", "bf16", "i8"}) {
    for (const int64_t step : {2, 3, 4, 5}) {
      for (const int64_t count : {63, 64, 65, 300}) {
        check_program(fmt::format(R"(
graph @f(%x: {0}[3,{1}], %y: {0}[3,{2}]) -> ({0}[3,{2}], {0}[3]) {{
  %0 = slice %x {{sizes = [3,{2}], starts = [0,1], steps = [1,{3}]}} : {0}[3,{2}]
  %1 = maximum %0, %y : {0}[3,{2}]
  %2 = reduce_max %1 {{axes = [1]}} : {0}[3]
  return %1, %2
}})",
                                  dtype,
                                  step * (count - 1) + 2,
                                  count,
                                  step));
      }
    }
  }
}

TEST(FewApart, HalvesOfPaddedRowsAreReadUnderGuards) {
  for (const int64_t count : {40, 300, 2000}) {
    check_program_between_guards(fmt::format(R"(
graph @f(%x: f32[3,{1}], %v: f32[]) -> (f32[3,{1}]) {{
  %0 = slice %x {{sizes = [3,{0}], starts = [0,0], steps = [1,2]}} : f32[3,{0}]
  %1 = slice %x {{sizes = [3,{0}], starts = [0,1], steps = [1,2]}} : f32[3,{0}]
  %2 = add %0, %1 : f32[3,{0}]
  %3 = sub %0, %1 : f32[3,{0}]
  %4 = pad %2, %v {{high = [0,{0}], low = [0,0]}} : f32[3,{1}]
  %5 = pad %3, %v {{high = [0,0], low = [0,{0}]}} : f32[3,{1}]
  %6 = mul %4, %5 : f32[3,{1}]
  return %6
}})",
                                             count,
                                             2 * count));
  }
}

TEST(FewApart, ColumnsOfFewElementsBecomeRows) {
  for (const int64_t columns : {2, 3, 4, 5}) {
    check_program(fmt::format(R"(
graph @f(%x: f32[403,{0}], %y: f32[{0},403]) -> (f32[{0},403]) {{
  %0 = permute %x {{axes = [1,0]}} : f32[{0},403]
  %1 = add %0, %y : f32[{0},403]
  return %1
}})",
                              columns));
  }
}

TEST(FewElements, AreReducedInStraightCode) {
  for (const char* dtype : {"f32", "f64", "f16", "i64", "i8"}) {
    for (const int64_t count : {2, 3, 4, 5}) {
      const auto kernel = check_program(fmt::format(R"(
graph @f(%x: {0}[131,{1}], %w: {0}[{1}]) -> ({0}[131], {0}[131], {0}[131]) {{
  %0 = reduce_max %x {{axes = [1]}} : {0}[131]
  %1 = reduce_min %x {{axes = [1]}} : {0}[131]
  %2 = maximum %x, %w : {0}[131,{1}]
  %3 = reduce_prod %2 {{axes = [1]}} : {0}[131]
  %4 = add %0, %1 : {0}[131]
  return %0, %4, %3
}})",
                                                    dtype,
                                                    count));
      EXPECT_EQ(reduces(*kernel), count > 4) << dtype << ", " << count;
    }
  }
}

TEST(FewElements, OfColumnsAndOfSeveralAxes) {
  for (const int64_t count : {2, 8, 9}) {
    const auto kernel = check_program(fmt::format(R"(
graph @f(%x: f32[3,{0},70]) -> (f32[3,70]) {{
  %0 = reduce_sum %x {{axes = [1]}} : f32[3,70]
  %1 = exp %0 : f32[3,70]
  return %1
}})",
                                                  count));
    EXPECT_EQ(reduces(*kernel), count > 8) << count;
  }
  const auto windows = check_program(R"(
graph @f(%x: f32[3,20,2,18,2]) -> (f32[3,20,18]) {
  %0 = reduce_sum %x {axes = [2,4]} : f32[3,20,18]
  return %0
})");
  EXPECT_FALSE(reduces(*windows));
}

TEST(FewElements, OfPointsTimesMatrices) {
  struct Case {
    int64_t points, k, n;
    bool is_straight;
  };

  const Case cases[] = {
      {70, 3, 3, true}, {71, 7, 5, true}, {70, 8, 8, true}, {70, 9, 3, false}, {15, 7, 5, false}};
  for (const auto& [points, k, n, is_straight] : cases) {
    const auto kernel = check_program(fmt::format(R"(
graph @f(%x: f32[{0},1,{1}], %w: f32[{2},{1}]) -> (f32[{0},{2}]) {{
  %0 = mul %x, %w : f32[{0},{2},{1}]
  %1 = reduce_sum %0 {{axes = [2]}} : f32[{0},{2}]
  return %1
}})",
                                                  points,
                                                  k,
                                                  n));
    EXPECT_EQ(reduces(*kernel), !is_straight) << points << ", " << k << ", " << n;
  }
}

TEST(FewElements, OfTwoLoops) {
  const auto kernel = check_program(R"(
graph @f(%x: f32[300,3], %n: f32[] {scalar}) -> (f32[300], f32[300]) {
  %0 = reduce_sum %x {axes = [1], keepdims = true} : f32[300,1]
  %1 = div %0, %n : f32[300,1]
  %2 = sub %x, %1 : f32[300,3]
  %3 = mul %2, %2 : f32[300,3]
  %4 = reduce_sum %3 {axes = [1]} : f32[300]
  %5 = reshape %1 {shape = [300]} : f32[300]
  return %4, %5
})");
  EXPECT_FALSE(reduces(*kernel));
}

TEST(FewElements, OfRowsThatAreStoredAreReducedForEach) {
  struct Case {
    int64_t length;
    const char* function;
    bool is_straight;
  };

  const Case cases[] = {
      {2, "neg", true}, {3, "neg", true}, {4, "neg", true}, {8, "neg", false}, {3, "exp", false}};
  for (const char* dtype : {"f32", "f64", "bf16"}) {
    for (const auto& [length, function, is_straight] : cases) {
      const std::string text = fmt::format(R"(
graph @f(%x: {0}[301,{1}], %y: {0}[301,{1}]) -> ({0}[301,{1}]) {{
  %0 = {2} %x : {0}[301,{1}]
  %1 = reduce_sum %0 {{axes = [1], keepdims = true}} : {0}[301,1]
  %2 = sub %x, %1 : {0}[301,{1}]
  %3 = mul %2, %y : {0}[301,{1}]
  return %3
}})",
                                           dtype,
                                           length,
                                           function);
      EXPECT_EQ(reduces(*check_program(text)), !is_straight)
          << dtype << " " << length << " " << function;
      check_program_between_guards(text);
    }
  }
}

/// What a row comes to is stored by one of its elements alone.
TEST(FewElements, OfRowsWhoseSumIsStoredAsWell) {
  const auto kernel = check_program(R"(
graph @f(%x: f32[301,3]) -> (f32[301,3], f32[301,1]) {
  %0 = reduce_sum %x {axes = [1], keepdims = true} : f32[301,1]
  %1 = sub %x, %0 : f32[301,3]
  return %1, %0
})");
  EXPECT_TRUE(reduces(*kernel));
}

TEST(FewElements, OfRowsThatAreStoredInPlace) {
  const auto kernel = check_program(R"(
graph @f(%x: f32[301,3], %y: f32[301,3] {donate}) -> (f32[301,3]) {
  %0 = reduce_sum %x {axes = [1], keepdims = true} : f32[301,1]
  %1 = sub %x, %0 : f32[301,3]
  %2 = add %1, %y : f32[301,3]
  return %2
})");
  EXPECT_TRUE(reduces(*kernel));
}

TEST(FewElements, PlacesOfMaximaStayLoops) {
  const auto places = check_program(R"(
graph @f(%x: f32[300,3]) -> (i64[300]) {
  %0 = argmax %x {axes = [1]} : i64[300]
  return %0
})");
  EXPECT_TRUE(reduces(*places));
}

TEST(FewElements, OfStackedTensorsAreReadWithoutGuards) {
  for (const char* axis : {"0", "1"}) {
    const bool is_first = *axis == '0';
    const auto kernel = check_program(fmt::format(R"(
graph @f(%x: f32[{0}], %y: f32[{0}], %z: f32[{0}]) -> (f32[200]) {{
  %0 = neg %y : f32[{0}]
  %1 = concat %x, %0, %z {{axis = {2}}} : f32[{1}]
  %2 = reduce_max %1 {{axes = [{2}]}} : f32[200]
  return %2
}})",
                                                  is_first ? "1,200" : "200,1",
                                                  is_first ? "3,200" : "200,3",
                                                  axis));
    EXPECT_TRUE(std::ranges::none_of(kernel->instrs, [](const Instr& at) {
      return at.kind == InstrKind::load && at.predicate >= 0;
    })) << axis;
  }
}

TEST(FewElements, OfMirroredTensors) {
  check_program(R"(
graph @f(%x: f32[2,100], %y: f32[1,100]) -> (f32[100]) {
  %0 = slice %x {sizes = [2,100], starts = [1,99], steps = [-1,-1]} : f32[2,100]
  %1 = concat %y, %0 {axis = 0} : f32[3,100]
  %2 = slice %1 {sizes = [3,100], starts = [2,0], steps = [-1,1]} : f32[3,100]
  %3 = reduce_sum %2 {axes = [0]} : f32[100]
  return %3
})");
}

TEST(GuardsOfRows, CountElementsWhereRowsAreShort) {
  for (const char* dtype : {"f32", "f64", "i8"}) {
    for (const int64_t columns : {2, 3, 17, 255, 256}) {
      const std::string text = fmt::format(R"(
graph @f(%x: {0}[37,{1}], %y: {0}[64,{1}], %v: {0}[]) -> ({0}[104,{1}]) {{
  %0 = pad %x, %v {{high = [2,0], low = [1,0]}} : {0}[40,{1}]
  %1 = neg %y : {0}[64,{1}]
  %2 = concat %0, %1 {{axis = 0}} : {0}[104,{1}]
  return %2
}})",
                                           dtype,
                                           columns);
      check_program_between_guards(text);
      EXPECT_EQ(check_program(text)->dims.size() == 1, columns < 256) << dtype << ", " << columns;
    }
  }
}

/// Lanes are asked for their rows where these are much shorter than a vector.
TEST(GuardsOfRows, WhereSomethingElseTellsRowsApart) {
  for (const int64_t columns : {3, 7, 9}) {
    const auto scaled = check_program(fmt::format(R"(
graph @f(%x: f32[37,{0}], %y: f32[64,{0}], %c: f32[{0}]) -> (f32[101,{0}]) {{
  %0 = concat %x, %y {{axis = 0}} : f32[101,{0}]
  %1 = mul %0, %c : f32[101,{0}]
  return %1
}})",
                                                  columns));
    EXPECT_EQ(scaled->dims.size() == 1, columns < 8) << columns;
    const auto counted = check_program(fmt::format(R"(
graph @f(%x: i64[37,{0}], %y: i64[64,{0}]) -> (i64[101,{0}]) {{
  %0 = concat %x, %y {{axis = 0}} : i64[101,{0}]
  %1 = iota {{axis = 0, dtype = i64, shape = [101,{0}]}} : i64[101,{0}]
  %2 = add %0, %1 : i64[101,{0}]
  return %2
}})",
                                                   columns));
    EXPECT_EQ(counted->dims.size() == 1, columns < 8) << columns;
  }
}

TEST(GuardsOfRows, OfRowsOfRows) {
  const auto kernel = check_program(R"(
graph @f(%x: f32[5,20,3], %y: f32[6,20,3]) -> (f32[11,20,3]) {
  %0 = concat %x, %y {axis = 0} : f32[11,20,3]
  %1 = neg %0 : f32[11,20,3]
  return %1
})");
  EXPECT_EQ(kernel->dims.size(), 1U);
  for (const int64_t columns : {3, 30}) {  // rows of several vectors ask once for each
    const auto nested = check_program(fmt::format(R"(
graph @f(%x: f32[5,20,{0}], %y: f32[5,7,{0}], %z: f32[4,27,{0}]) -> (f32[9,27,{0}]) {{
  %0 = concat %x, %y {{axis = 1}} : f32[5,27,{0}]
  %1 = concat %0, %z {{axis = 0}} : f32[9,27,{0}]
  %2 = neg %1 : f32[9,27,{0}]
  return %2
}})",
                                                  columns));
    EXPECT_EQ(nested->dims.size(), columns == 3 ? 2U : 3U);
  }
}

/// Rows that are rolled both ways: each lane and each row has guards, of which those of rows leave
/// the tensor.
TEST(GuardsOfRows, AndOfLanesReadNothingElse) {
  for (const int64_t columns : {2, 7, 40}) {
    check_program_between_guards(fmt::format(R"(
graph @f(%x: f32[301,{0}]) -> (f32[301,{0}]) {{
  %0 = slice %x {{sizes = [301,1], starts = [0,{1}]}} : f32[301,1]
  %1 = slice %x {{sizes = [301,{1}], starts = [0,0]}} : f32[301,{1}]
  %2 = concat %0, %1 {{axis = 1}} : f32[301,{0}]
  %3 = slice %2 {{sizes = [1,{0}], starts = [300,0]}} : f32[1,{0}]
  %4 = slice %2 {{sizes = [300,{0}], starts = [0,0]}} : f32[300,{0}]
  %5 = concat %3, %4 {{axis = 0}} : f32[301,{0}]
  return %5
}})",
                                             columns,
                                             columns - 1));
  }
}

/// Vectors are loaded where some lanes are wanted, never beyond them.
TEST(Blocks, ReadNothingElse) {
  for (const char* dtype : {"f32", "f64", "i8"}) {
    for (const int64_t count : {16, 37, 64}) {
      for (const int64_t columns : {2, 3, 5}) {
        check_program_between_guards(fmt::format(R"(
graph @f(%x: {0}[{1},3,{2}], %y: {0}[{1},1,{2}]) -> ({0}[{1},{2},3]) {{
  %0 = permute %x {{axes = [0,2,1]}} : {0}[{1},{2},3]
  %1 = permute %y {{axes = [0,2,1]}} : {0}[{1},{2},1]
  %2 = maximum %0, %1 : {0}[{1},{2},3]
  return %2
}})",
                                                 dtype,
                                                 count,
                                                 columns));
        check_program_between_guards(fmt::format(R"(
graph @f(%x: {0}[{1},{2}], %y: {0}[{1},1], %z: {0}[{1},2]) -> ({0}[{1},{3}]) {{
  %0 = concat %y, %x, %z {{axis = 1}} : {0}[{1},{3}]
  %1 = neg %0 : {0}[{1},{3}]
  return %1
}})",
                                                 dtype,
                                                 count,
                                                 columns,
                                                 columns + 3));
      }
    }
  }
}

/// What is chosen for all lanes at once are bits.
TEST(ChosenBits, TreatsThemAsOtherValues) {
  for (const char* op : {"eq", "ne", "bit_and", "bit_xor"}) {
    check_program(fmt::format(R"(
graph @f(%x: bool[40], %y: bool[]) -> (bool[43]) {{
  %z = constant {{value = dense<bool[]: true>}} : bool[]
  %0 = pad %x, %z {{low = [1], high = [2]}} : bool[43]
  %1 = {0} %0, %y : bool[43]
  return %1
}})",
                              op));
  }
}

/// Rows behind each other may be read past their ends, but not where lanes lie a row apart.
TEST(ShortVectors, TreatsLanesThatLieApartAlike) {
  for (const char* dtype : {"f32", "f64", "i64"}) {
    for (const int64_t lanes : {3, 5, 7}) {
      check_program_between_guards(fmt::format(R"(
graph @f(%x: {0}[{1},132,1], %y: {0}[1,2]) -> ({0}[132,2,{1}]) {{
  %0 = mul %x, %y : {0}[{1},132,2]
  %1 = permute %0 {{axes = [1,2,0]}} : {0}[132,2,{1}]
  %2 = neg %1 : {0}[132,2,{1}]
  return %2
}})",
                                               dtype,
                                               lanes));
    }
  }
}

TEST(FewApart, ReadsNothingElse) {
  for (const char* dtype : {"f32", "f64", "i8"}) {
    for (const int64_t step : {2, 3, 4}) {
      for (const int64_t count : {64, 65, 128}) {
        check_program_between_guards(fmt::format(R"(
graph @f(%x: {0}[{1},{2}], %y: {0}[{1}]) -> ({0}[{1}], {0}[{1}]) {{
  %0 = slice %x {{sizes = [{1},1], starts = [0,{3}]}} : {0}[{1},1]
  %1 = reshape %0 {{shape = [{1}]}} : {0}[{1}]
  %2 = maximum %1, %y : {0}[{1}]
  %3 = reduce_max %x {{axes = [1]}} : {0}[{1}]
  return %2, %3
}})",
                                                 dtype,
                                                 count,
                                                 step,
                                                 step - 1));
      }
    }
  }
}

TEST(FewElements, GuardsThatPositionsDecideAreKept) {
  check_program(R"(
graph @f(%x: f32[2,100], %y: f32[2,131]) -> (f32[231], f32[231]) {
  %0 = concat %x, %y {axis = 1} : f32[2,231]
  %1 = slice %0 {sizes = [2,231], starts = [0,230], steps = [1,-1]} : f32[2,231]
  %2 = reduce_sum %0 {axes = [0]} : f32[231]
  %3 = reduce_max %1 {axes = [0]} : f32[231]
  return %2, %3
})");
}

}  // namespace
}  // namespace wick::test
