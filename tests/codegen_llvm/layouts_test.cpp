// Compiled kernels against the interpreter where the shape of the data decides the form of the
// loops.

#include <algorithm>

#include "check_program.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace wick::test {
namespace {

/// Sums and the places of maxima of columns, with one value a column used before and after the
/// loop.
std::string columns(const std::string& dtype, int64_t rows, int64_t count) {
  return fmt::format(R"(
graph @f(%x: {0}[2,{1},{2}], %g: {0}[{2}]) -> ({0}[{2}], i64[{2}], {0}[2,{1},{2}]) {{
  %0 = mul %x, %g : {0}[2,{1},{2}]
  %1 = reduce_sum %0 {{axes = [0, 1]}} : {0}[{2}]
  %2 = mul %1, %g : {0}[{2}]
  %3 = reshape %0 {{shape = [{3},{2}]}} : {0}[{3},{2}]
  %4 = argmax %3 {{axes = [0]}} : i64[{2}]
  return %2, %4, %0
}})",
                     dtype,
                     rows,
                     count,
                     2 * rows);
}

TEST(Layouts, ColumnsAreReducedRowByRow) {
  for (const char* dtype : {"f32", "f64", "f16", "i32", "i8"}) {
    for (const int64_t count : {17, 64, 1023, 1024, 1061, 2100})
      check_program(columns(dtype, 5, count));
  }
}

/// Rows with reductions of their own and over all of them, of what is known in the first loop and
/// in the last.
std::string rows_with_columns(const std::string& dtype, int64_t rows, int64_t width) {
  return fmt::format(R"(
graph @f(%x: {0}[{1},{2}], %g: {0}[{1},{2}]) -> ({0}[{1},{2}], {0}[{2}], {0}[{2}], {0}[{2}]) {{
  %0 = reduce_max %x {{axes = [1], keepdims = true}} : {0}[{1},1]
  %1 = sub %x, %0 : {0}[{1},{2}]
  %2 = mul %g, %1 : {0}[{1},{2}]
  %3 = {3} %2 {{axes = [0]}} : {0}[{2}]
  %4 = reduce_max %g {{axes = [0]}} : {0}[{2}]
  %5 = reduce_min %1 {{axes = [0]}} : {0}[{2}]
  %6 = add %4, %5 : {0}[{2}]
  return %2, %3, %4, %6
}})",
                     dtype,
                     rows,
                     width,
                     // Sums of rounded products that cancel agree in few digits.
                     dtype == "f16" || dtype == "bf16" ? "reduce_min" : "reduce_sum");
}

TEST(Layouts, RowsTakeColumnsAlong) {
  for (const char* dtype : {"f32", "f64", "f16", "bf16", "i32", "i8"}) {
    for (const int64_t width : {33, 64, 77, 1029}) {
      for (const int64_t rows : {64, 79, 1100})
        check_program(rows_with_columns(dtype, rows, width));
    }
  }
}

/// What loops leave for later ones: extremes, what is computed of them, places, and whether all
/// elements have it; with operands that have a value for each column.
std::string columns_of_many_loops(const std::string& dtype, int64_t rows, int64_t count) {
  return fmt::format(R"(
graph @f(%x: {0}[{1},{2}], %w: {0}[{2}], %b: {0}[{2}]) -> ({0}[{1},{2}], {0}[{2}], {0}[{1},{2}], i64[{2}], bool[1,{2}]) {{
  %0 = reduce_max %x {{axes = [0], keepdims = true}} : {0}[1,{2}]
  %15 = lt %w, %x : bool[{1},{2}]
  %16 = reduce_min %15 {{axes = [0], keepdims = true}} : bool[1,{2}]
  %1 = sub %x, %0 : {0}[{1},{2}]
  %2 = mul %1, %w : {0}[{1},{2}]
  %3 = reduce_min %2 {{axes = [0], keepdims = true}} : {0}[1,{2}]
  %4 = argmax %1 {{axes = [0]}} : i64[{2}]
  %5 = add %3, %b : {0}[1,{2}]
  %6 = le %0, %b : bool[1,{2}]
  %7 = sub %2, %5 : {0}[{1},{2}]
  %8 = where %6, %7, %x : {0}[{1},{2}]
  %9 = reduce_max %8 {{axes = [0], keepdims = true}} : {0}[1,{2}]
  %10 = mul %9, %5 : {0}[1,{2}]
  %11 = add %10, %0 : {0}[1,{2}]
  %12 = reshape %11 {{shape = [{2}]}} : {0}[{2}]
  %13 = add %8, %11 : {0}[{1},{2}]
  %17 = where %16, %w, %b : {0}[1,{2}]
  %14 = add %13, %17 : {0}[{1},{2}]
  return %14, %12, %8, %4, %16
}})",
                     dtype,
                     rows,
                     count);
}

TEST(Layouts, ColumnsOfManyLoopsAreReducedRowByRow) {
  for (const char* dtype : {"f32", "f64", "f16", "i32", "i64"}) {
    for (const int64_t rows : {40, 67}) {
      for (const int64_t count : {17, 64, 333, 6007})
        check_program(columns_of_many_loops(dtype, rows, count));
    }
  }
  for (const int64_t count : {17, 101, 640})
    check_program_between_guards(columns_of_many_loops("f32", 50, count));
}

/// Softmax over columns, and the same of two tensors at once: exponentials stay in memory of the
/// kernel's own.
std::string softmax_of_columns(int64_t rows, int64_t count) {
  return fmt::format(R"(
graph @softmax(%x: f32[2,{0},{1}]) -> (f32[2,{0},{1}]) {{
  %0 = reduce_max %x {{axes = [1], keepdims = true}} : f32[2,1,{1}]
  %1 = sub %x, %0 : f32[2,{0},{1}]
  %2 = exp %1 : f32[2,{0},{1}]
  %3 = reduce_sum %2 {{axes = [1], keepdims = true}} : f32[2,1,{1}]
  %4 = div %2, %3 : f32[2,{0},{1}]
  return %4
}})",
                     rows,
                     count);
}

std::string product_of_softmaxes(int64_t rows, int64_t count) {
  return fmt::format(R"(
graph @f(%x: f32[{0},{1}], %y: f32[{0},{1}]) -> (f32[{0},{1}]) {{
  %0 = reduce_max %x {{axes = [0], keepdims = true}} : f32[1,{1}]
  %1 = sub %x, %0 : f32[{0},{1}]
  %2 = exp %1 : f32[{0},{1}]
  %3 = reduce_sum %2 {{axes = [0], keepdims = true}} : f32[1,{1}]
  %4 = div %2, %3 : f32[{0},{1}]
  %5 = tanh %y : f32[{0},{1}]
  %6 = reduce_sum %5 {{axes = [0], keepdims = true}} : f32[1,{1}]
  %7 = add %5, %6 : f32[{0},{1}]
  %8 = mul %4, %7 : f32[{0},{1}]
  return %8
}})",
                     rows,
                     count);
}

TEST(Layouts, ColumnsLeaveDearValuesInMemoryOfTheKernelsOwn) {
  for (const int64_t rows : {9, 21, 40, 250}) {
    for (const int64_t count : {17, 130, 333, 2100}) {
      const auto kernel = check_program(softmax_of_columns(rows, count));
      EXPECT_EQ(std::ranges::count_if(kernel->buffers,
                                      [](const auto& at) { return at.own_elements > 0; }),
                1);
      check_program(product_of_softmaxes(rows, count));
    }
  }
  for (const int64_t count : {17, 101, 640})
    check_program_between_guards(softmax_of_columns(21, count));
}

std::string batch_norm(int64_t rows, int64_t block) {
  return fmt::format(R"(
graph @bn(%x: f32[2,3,{0},{1}], %g: f32[1,3,1,{1}], %n: f32[] {{scalar}}) -> (f32[2,3,{0},{1}], f32[3,{1}]) {{
  %0 = reduce_sum %x {{axes = [0,2], keepdims = true}} : f32[1,3,1,{1}]
  %1 = div %0, %n : f32[1,3,1,{1}]
  %2 = sub %x, %1 : f32[2,3,{0},{1}]
  %3 = mul %2, %2 : f32[2,3,{0},{1}]
  %4 = reduce_sum %3 {{axes = [0,2]}} : f32[3,{1}]
  %5 = reshape %4 {{shape = [1,3,1,{1}]}} : f32[1,3,1,{1}]
  %6 = mul %5, %g : f32[1,3,1,{1}]
  %7 = exp %2 : f32[2,3,{0},{1}]
  %8 = mul %7, %6 : f32[2,3,{0},{1}]
  return %8, %4
}})",
                     rows,
                     block);
}

TEST(Layouts, FewColumnsTakeSeveralRowsAtOnce) {
  for (const int64_t block : {2, 3, 8, 16}) {
    for (const int64_t rows : {2, 7, 8, 9, 50}) {
      const auto kernel = check_program(batch_norm(rows, block));
      // Three blocks of 16 are walked as one where their rows are few.
      EXPECT_EQ(kernel->short_vector, block < 16 || rows > 8) << rows << ", " << block;
    }
  }
}

std::string scaled_rows(const std::string& dtype, int64_t rows, int64_t length) {
  return fmt::format(R"(
graph @f(%x: {2}[2,{0},{1}], %g: {2}[2,1,{1}], %r: {2}[{0},1]) -> ({2}[2,{0},{1}], bool[2,{0},{1}]) {{
  %0 = mul %x, %g : {2}[2,{0},{1}]
  %1 = add %0, %r : {2}[2,{0},{1}]
  %2 = lt %x, %r : bool[2,{0},{1}]
  return %1, %2
}})",
                     rows,
                     length,
                     dtype);
}

/// Three tensors side by side, one of them padded, and what depends on the position besides.
std::string joined_columns(const std::string& dtype, int64_t rows, int64_t width, int64_t low) {
  return fmt::format(R"(
graph @f(%x: {0}[{1},{2}], %y: {0}[{1},5], %v: {0}[]) -> ({0}[{1},{3}], i64[{1},{3}]) {{
  %0 = pad %x, %v {{high = [1, 4], low = [0, {4}]}} : {0}[{5},{6}]
  %1 = slice %0 {{sizes = [{1}, {6}], starts = [1, 0]}} : {0}[{1},{6}]
  %2 = concat %y, %1, %x {{axis = 1}} : {0}[{1},{3}]
  %3 = neg %2 : {0}[{1},{3}]
  %4 = iota {{axis = 1, dtype = i64, shape = [{1}, {3}]}} : i64[{1},{3}]
  %5 = cast %2 {{dtype = i64}} : i64[{1},{3}]
  %6 = add %4, %5 : i64[{1},{3}]
  return %3, %6
}})",
                     dtype,
                     rows,
                     width,
                     2 * width + low + 9,
                     low,
                     rows + 1,
                     width + low + 4);
}

TEST(Layouts, RowsAreCutWhereAnotherTensorBegins) {
  for (const char* dtype : {"f32", "f64", "f16", "i8"}) {
    for (const int64_t width : {1, 3, 8, 19, 64, 133}) {
      for (const int64_t rows : {1, 3, 70})
        check_program(joined_columns(dtype, rows, width, 11));
    }
  }
}

TEST(Layouts, ShortRowsOfElementsTakeSeveralAtOnce) {
  for (const int64_t rows : {15, 16, 511, 512, 1300}) {
    const auto kernel = check_program(scaled_rows("f32", rows, 8));
    EXPECT_EQ(kernel->short_vector, rows >= 16) << rows;
    EXPECT_EQ(kernel->blocking.has_value(), rows > 512) << rows;
  }
}

TEST(Layouts, ShortRowsOfElementsAreWalkedAsOne) {
  for (const char* dtype : {"f32", "f64", "f16", "i8"}) {
    for (int64_t length = 2; length < 16; ++length) {
      if (length == 8) continue;
      for (const int64_t rows : {63, 64, 131}) {
        const auto kernel = check_program(scaled_rows(dtype, rows, length));
        EXPECT_EQ(kernel->row_length, rows < 64 ? 0 : length) << rows;
      }
    }
  }
}

TEST(Layouts, RowsOfPartOfAVectorAreWalkedWithoutLoops) {
  for (const char* dtype : {"f32", "f64", "bf16", "i8"}) {
    for (int64_t length = 2; length < 18; ++length) {
      const auto kernel = check_program(fmt::format(R"(
graph @f(%x: {0}[5,6,7,{1}], %y: {0}[7,1,{1}]) -> ({0}[5,7,6,{1}]) {{
  %0 = permute %x {{axes = [0,2,1,3]}} : {0}[5,7,6,{1}]
  %1 = add %0, %y : {0}[5,7,6,{1}]
  return %1
}})",
                                                    dtype,
                                                    length));
      EXPECT_EQ(kernel->row_bound, length >= 8 && length <= 16 ? 16 : 0) << dtype << " " << length;
    }
  }
}

TEST(Layouts, ShortRowsOfTransposedElementsAreWalkedAsOne) {
  for (const char* dtype : {"f32", "f64", "bf16", "i8"}) {
    for (int64_t length = 2; length < 16; ++length) {
      for (const int64_t rows : {15, 16, 131}) {
        const auto kernel = check_program(fmt::format(R"(
graph @f(%x: {0}[3,{1},{2}], %y: {0}[{2},{1}]) -> ({0}[3,{2},{1}], bool[3,{2},{1}]) {{
  %0 = permute %x {{axes = [0,2,1]}} : {0}[3,{2},{1}]
  %1 = maximum %0, %y : {0}[3,{2},{1}]
  %2 = lt %0, %y : bool[3,{2},{1}]
  return %1, %2
}})",
                                                      dtype,
                                                      length,
                                                      rows));
        EXPECT_EQ(kernel->row_length, rows < 16 ? 0 : length) << rows;
      }
    }
  }
}

/// What of each row stands where the row says, on either side of the comparison; places outside of
/// the row are nowhere, even where their low 32 bits are a place.
std::string chosen(int64_t rows, int64_t width, int64_t axis) {
  return fmt::format(R"(
graph @f(%x: f32[{0},{1}]) -> (f32[{2}], f32[{2}], f32[{0},{1}]) {{
  %0 = constant {{value = dense<i64[]: 3>}} : i64[]
  %1 = constant {{value = dense<i64[]: 4294967296>}} : i64[]
  %2 = constant {{value = dense<f32[]: 0>}} : f32[]
  %12 = iota {{axis = 0, dtype = i64, shape = [{0},1]}} : i64[{0},1]
  %13 = mul %12, %0 : i64[{0},1]
  %3 = sub %13, %0 : i64[{0},1]
  %4 = add %3, %1 : i64[{0},1]
  %5 = iota {{axis = 1, dtype = i64, shape = [{0},{1}]}} : i64[{0},{1}]
  %6 = eq %3, %5 : bool[{0},{1}]
  %7 = where %6, %x, %2 : f32[{0},{1}]
  %8 = reduce_sum %7 {{axes = [{3}]}} : f32[{2}]
  %9 = eq %5, %4 : bool[{0},{1}]
  %10 = where %9, %x, %2 : f32[{0},{1}]
  %11 = reduce_sum %10 {{axes = [{3}]}} : f32[{2}]
  return %8, %11, %7
}})",
                     rows,
                     width,
                     axis == 1 ? rows : width,
                     axis);
}

TEST(Layouts, PositionsAreComparedWithNumbers) {
  for (const int64_t width : {1, 17, 70, 513}) {
    for (const int64_t axis : {0, 1})
      check_program(chosen(67, width, axis));
  }
}

TEST(Layouts, RowsOfFewVectorsAreWalkedAsOne) {
  for (const char* dtype : {"f32", "f64", "f16", "i8"}) {
    for (const int64_t length : {16, 17, 31, 32, 50, 64, 65, 80, 255, 256, 257}) {
      for (const int64_t rows : {7, 8, 65}) {
        const auto kernel = check_program(scaled_rows(dtype, rows, length));
        const bool is_worth = length > 16 && length < 256 && length != 80;
        EXPECT_EQ(kernel->row_length_param >= 0, rows >= 8 && is_worth) << rows << ", " << length;
      }
    }
  }
}

/// Positions of rows and of columns, as what picks a few elements of each row counts them.
TEST(Layouts, ShortRowsCountTheirPositions) {
  for (const int64_t length : {2, 3, 5, 15}) {
    const auto kernel = check_program(fmt::format(R"(
graph @f(%x: f32[700], %i: i64[100,{0}]) -> (f32[100,{0}], i64[100,{0}]) {{
  %0 = iota {{axis = 0, dtype = i64, shape = [100, 1]}} : i64[100,1]
  %1 = iota {{axis = 1, dtype = i64, shape = [1, {0}]}} : i64[1,{0}]
  %2 = constant {{value = dense<i64[]: 7>}} : i64[]
  %3 = mul %0, %2 : i64[100,1]
  %4 = sub %2, %1 : i64[1,{0}]
  %5 = rem %i, %2 : i64[100,{0}]
  %6 = add %3, %5 : i64[100,{0}]
  %7 = reshape %6 {{shape = [{1}]}} : i64[{1}]
  %8 = gather %x, %7 {{axis = 0}} : f32[{1}]
  %9 = reshape %8 {{shape = [100, {0}]}} : f32[100,{0}]
  %10 = mul %3, %4 : i64[100,{0}]
  %11 = add %10, %5 : i64[100,{0}]
  return %9, %11
}})",
                                                  length,
                                                  100 * length));
    EXPECT_EQ(kernel->row_length, length);
  }
}

TEST(Layouts, FunctionsOfShortRowsTakeAllCopies) {
  for (const int64_t length : {2, 3, 5, 6, 7, 9}) {
    const auto kernel = check_program(fmt::format(R"(
graph @f(%x: f32[1000,{0}], %g: f32[{0}], %i: i64[1000,1], %o: f32[1000,{0}]) -> (f32[1000,{0}]) {{
  %0 = mul %x, %g : f32[1000,{0}]
  %1 = exp %0 : f32[1000,{0}]
  %2 = cast %i {{dtype = f32}} : f32[1000,1]
  %3 = add %1, %2 : f32[1000,{0}]
  %4 = div %3, %g : f32[1000,{0}]
  %5 = sub %4, %o : f32[1000,{0}]
  return %5
}})",
                                                  length));
    EXPECT_EQ(kernel->row_length, length);
  }
}

TEST(Layouts, ManyShortRowsAreReducedOneALane) {
  for (const int64_t length : {1, 2, 3, 4, 10, 31, 33, 48, 65}) {
    const auto kernel = check_program(fmt::format(R"(
graph @softmax(%x: f32[300,{0}], %i: i64[300]) -> (f32[300,{0}], bool[300]) {{
  %0 = reduce_max %x {{axes = [1], keepdims = true}} : f32[300,1]
  %1 = sub %x, %0 : f32[300,{0}]
  %2 = exp %1 : f32[300,{0}]
  %3 = reduce_sum %2 {{axes = [1], keepdims = true}} : f32[300,1]
  %4 = div %2, %3 : f32[300,{0}]
  %5 = argmax %x {{axes = [1]}} : i64[300]
  %6 = eq %5, %i : bool[300]
  return %4, %6
}})",
                                                  length));
    EXPECT_EQ(kernel->vector_is_inner(), length > codegen::kShortRow) << length;
    EXPECT_EQ(kernel->has_short_rows(), length > 1 && length <= codegen::kShortRow) << length;
  }
}

TEST(Layouts, FewShortRowsOfManyBlocksAreReducedOneALane) {
  for (const int64_t rows : {15, 16, 100, 256}) {
    for (const int64_t length : {5, 24, 25}) {
      const auto kernel = check_program(fmt::format(R"(
graph @f(%x: f32[9,{0},{1}], %w: f32[{0},{1}]) -> (f32[9,{0}]) {{
  %0 = mul %x, %w : f32[9,{0},{1}]
  %1 = exp %0 : f32[9,{0},{1}]
  %2 = reduce_sum %1 {{axes = [2]}} : f32[9,{0}]
  %3 = log %2 : f32[9,{0}]
  return %3
}})",
                                                    rows,
                                                    length));
      const bool suffices = rows >= (length <= 24 ? 16 : 256);
      EXPECT_EQ(kernel->has_short_rows(), suffices) << rows << " of " << length;
    }
  }
}

TEST(Layouts, RowsOfHalfAVectorAreWalkedAsOneWhereThereIsMuchToCompute) {
  for (const bool is_much : {false, true}) {
    const auto kernel = check_program(fmt::format(R"(
graph @f(%x: f32[900,8], %w: f32[8]) -> (f32[900,8]) {{
  %0 = mul %x, %w : f32[900,8]
  %1 = {} %0 : f32[900,8]
  return %1
}})",
                                                  is_much ? "tanh" : "abs"));
    EXPECT_EQ(kernel->row_length, is_much ? 8 : 0);
  }
}

TEST(Layouts, RowsThatManyTasksReadAreReducedOneALane) {
  for (const char* dtype : {"f32", "f64"}) {
    for (const int64_t length : {3, 32, 33, 200, 512, 513}) {
      const auto kernel = check_program(fmt::format(R"(
graph @f(%x: {0}[2,17,1,{1}], %y: {0}[2,1,90,{1}]) -> ({0}[2,17,90], {0}[2,17,90]) {{
  %0 = sub %x, %y : {0}[2,17,90,{1}]
  %1 = mul %0, %0 : {0}[2,17,90,{1}]
  %2 = reduce_sum %1 {{axes = [3]}} : {0}[2,17,90]
  %3 = reduce_max %0 {{axes = [3]}} : {0}[2,17,90]
  return %2, %3
}})",
                                                    dtype,
                                                    length));
      EXPECT_EQ(kernel->has_short_rows(), length <= codegen::kSharedRow) << length;
    }
  }
}

TEST(Layouts, RowsOfTheirOwnAreReducedOneByOne) {
  const auto kernel = check_program(R"(
graph @f(%x: f32[17,1,60], %y: f32[17,90,60]) -> (f32[17,90]) {
  %0 = mul %x, %y : f32[17,90,60]
  %1 = reduce_sum %0 {axes = [2]} : f32[17,90]
  return %1
})");
  EXPECT_FALSE(kernel->has_short_rows());
}

TEST(Layouts, ManyShortRowsAreReducedInOneLoop) {
  for (const char* dtype : {"f32", "f64", "i64"}) {
    for (const int64_t length : {5, 7, 10, 12}) {
      const auto kernel = check_program(fmt::format(R"(
graph @f(%x: {0}[2,301,{1}], %w: {0}[{1}]) -> ({0}[2,301], {0}[2,301]) {{
  %0 = mul %x, %w : {0}[2,301,{1}]
  %1 = reduce_sum %0 {{axes = [2]}} : {0}[2,301]
  %2 = reduce_max %x {{axes = [2]}} : {0}[2,301]
  return %1, %2
}})",
                                                    dtype,
                                                    length));
      EXPECT_TRUE(kernel->has_short_rows()) << length;
    }
  }
}

/// Two dear values that two loops need.
std::string two_exponentials(const std::string& dtype, const Shape& shape, const Shape& row) {
  std::string axes;
  for (int d = 0; d < shape.ndim(); ++d) {
    if (row[d] == 1 && shape[d] != 1) axes += fmt::format("{}{}", axes.empty() ? "" : ", ", d);
  }
  return fmt::format(R"(
graph @f(%x: {0}{1}, %y: {0}{1}) -> ({0}{1}, {0}{2}) {{
  %0 = exp %x : {0}{1}
  %1 = tanh %y : {0}{1}
  %2 = mul %0, %1 : {0}{1}
  %3 = reduce_min %2 {{axes = [{3}], keepdims = true}} : {0}{2}
  %4 = mul %3, %0 : {0}{1}
  %5 = sub %4, %1 : {0}{1}
  %6 = reduce_max %5 {{axes = [{3}], keepdims = true}} : {0}{2}
  %7 = mul %5, %0 : {0}{1}
  %8 = add %7, %6 : {0}{1}
  return %8, %6
}})",
                     dtype,
                     to_string(shape),
                     to_string(row),
                     axes);
}

int64_t num_own(const codegen::Kernel& kernel) {
  return std::ranges::count_if(kernel.buffers, &codegen::BufferArg::own_elements);
}

TEST(Layouts, DearValuesOfRowsStayInMemoryOfTheKernelsOwn) {
  struct Case {
    Shape shape, row;
    int64_t num_own;  // as many of two as there is room for
  };

  const Case cases[] = {{{5, 64}, {5, 1}, 2},
                        {{5, 72}, {5, 1}, 1},
                        {{3, 257}, {3, 1}, 2},
                        {{2, 5000}, {2, 1}, 1},
                        {{300, 10}, {300, 1}, 2},  // one a lane
                        {{9, 130}, {1, 130}, 2},   // columns
                        {{255, 17}, {1, 17}, 1},
                        {{2, 3, 50, 16}, {1, 3, 1, 16}, 1}};  // short vectors
  for (const auto& [shape, row, expected] : cases) {
    for (const char* dtype : {"f32", "f16", "f64"}) {
      const auto kernel = check_program(two_exponentials(dtype, shape, row));
      EXPECT_EQ(num_own(*kernel), std::string(dtype) == "f64" ? 0 : expected) << to_string(shape);
    }
  }
}

TEST(Layouts, LongColumnsHaveNoRoomInMemoryOfTheKernelsOwn) {
  EXPECT_EQ(num_own(*check_program(two_exponentials("f32", {257, 17}, {1, 17}))), 0);
}

TEST(Layouts, TilesAreOfTheDimensionThatATransposedOperandLiesAlong) {
  for (const char* axes : {"[2, 1, 0]", "[1, 2, 0]", "[2, 0, 1]"}) {
    const std::array<int64_t, 3> extents = {70, 5, 150};
    std::vector<int64_t> permuted;
    for (const char digit : std::string_view(axes)) {
      if (digit >= '0' && digit <= '2')
        permuted.push_back(extents[static_cast<size_t>(digit - '0')]);
    }
    const auto kernel = check_program(fmt::format(R"(
graph @f(%x: f32[70,5,150], %y: f32[{0},1,1]) -> (f32[{0},{1},{2}]) {{
  %0 = permute %x {{axes = {3}}} : f32[{0},{1},{2}]
  %1 = add %0, %y : f32[{0},{1},{2}]
  return %1
}})",
                                                  permuted[0],
                                                  permuted[1],
                                                  permuted[2],
                                                  axes));
    const auto is_transposed = [](const codegen::Instr& at) {
      return at.kind == codegen::InstrKind::load &&
             at.address.terms.back().stride == codegen::Stride::dynamic;
    };
    const auto load = std::ranges::find_if(kernel->instrs, is_transposed);
    if (load == kernel->instrs.end()) continue;  // vectors lie along rows of both
    const std::vector<codegen::Affine::Term>& terms = load->address.terms;
    EXPECT_EQ(terms[terms.size() - 2].stride, codegen::Stride::one) << axes;
  }
}

TEST(Layouts, TransposedOperandsAreReadInTiles) {
  for (const char* dtype : {"f32", "f64", "f16", "bf16", "i8", "bool"}) {
    check_program(fmt::format(R"(
graph @f(%x: {0}[2,70,300], %y: {0}[2,300,70]) -> ({0}[2,70,300]) {{
  %0 = permute %y {{axes = [0, 2, 1]}} : {0}[2,70,300]
  %1 = maximum %x, %0 : {0}[2,70,300]
  return %1
}})",
                              dtype));
  }
}

}  // namespace
}  // namespace wick::test
