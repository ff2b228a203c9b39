// Compiled kernels against the interpreter where the few columns of many blocks are walked as one:
// a vector has the columns of several blocks, whose rows are reduced, or walked in order.

#include <initializer_list>

#include "check_program.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace wick::test {
namespace {

/// Softmax over the rows of each block, with a number for each column and one for each row.
std::string softmax_of_rows(const char* dtype, int64_t blocks, int64_t rows, int64_t columns) {
  return fmt::format(R"(
graph @f(%x: {0}[{1},{2},{3}], %c: {0}[{3}], %r: {0}[{2},1], %w: {0}[{2},{3}]) -> ({0}[{1},{2},{3}], {0}[{1},{3}]) {{
  %0 = mul %x, %c : {0}[{1},{2},{3}]
  %1 = reduce_max %0 {{axes = [1], keepdims = true}} : {0}[{1},1,{3}]
  %2 = sub %0, %1 : {0}[{1},{2},{3}]
  %3 = exp %2 : {0}[{1},{2},{3}]
  %4 = reduce_sum %3 {{axes = [1], keepdims = true}} : {0}[{1},1,{3}]
  %5 = div %3, %4 : {0}[{1},{2},{3}]
  %6 = add %5, %r : {0}[{1},{2},{3}]
  %7 = mul %6, %w : {0}[{1},{2},{3}]
  %8 = reshape %1 {{shape = [{1},{3}]}} : {0}[{1},{3}]
  return %7, %8
}})",
                     dtype,
                     blocks,
                     rows,
                     columns);
}

/// Elements of which each column of a block has two numbers, and too many to be straight code.
std::string scaled_columns(const char* dtype, int64_t blocks, int64_t rows, int64_t columns) {
  return fmt::format(R"(
graph @f(%x: {0}[{1},{2},{3}], %m: {0}[{1},1,{3}], %s: {0}[{1},1,{3}], %r: {0}[{1},1,1]) -> ({0}[{1},{2},{3}]) {{
  %0 = sub %x, %m : {0}[{1},{2},{3}]
  %1 = tanh %0 : {0}[{1},{2},{3}]
  %2 = mul %1, %s : {0}[{1},{2},{3}]
  %3 = exp %2 : {0}[{1},{2},{3}]
  %4 = add %3, %r : {0}[{1},{2},{3}]
  return %4
}})",
                     dtype,
                     blocks,
                     rows,
                     columns);
}

struct Case {
  int64_t blocks, rows, columns;
  bool are_flat;
};

using Program = std::string (*)(const char* dtype, int64_t blocks, int64_t rows, int64_t columns);

void expect_flat_columns(Program program, std::initializer_list<Case> cases) {
  for (const auto& [blocks, rows, columns, are_flat] : cases) {
    for (const char* dtype : {"f32", "f64"}) {
      const auto kernel = check_program(program(dtype, blocks, rows, columns));
      EXPECT_EQ(kernel->has_flat_columns(), are_flat)
          << dtype << "[" << blocks << ", " << rows << ", " << columns << "]";
    }
  }
}

TEST(FlatColumns, OfRowsThatAreReduced) {
  expect_flat_columns(softmax_of_rows,
                      {{17, 9, 2, true},
                       {33, 11, 3, true},
                       {101, 5, 4, true},
                       {64, 7, 5, true},
                       {35, 3, 7, true},
                       {33, 6, 8, true},
                       {31, 4, 12, true},
                       {40, 5, 15, true},
                       {12, 5, 20, true},
                       {9, 3, 96, true},
                       {200, 300, 2, true},
                       {15, 9, 2, false},      // few
                       {20, 5, 15, false},     // the same
                       {64, 5, 17, false},     // seventeen vectors
                       {64, 17, 8, false},     // whole vectors
                       {9, 3, 100, false},     // wide
                       {40, 90, 15, false}});  // more than caches hold
}

TEST(FlatColumns, OfElementsThatWouldBeTooMuchCode) {
  expect_flat_columns(scaled_columns,
                      {{40, 11, 3, true},
                       {70, 7, 5, true},
                       {33, 13, 7, true},
                       {17, 15, 10, true},
                       {40, 3, 2, false},  // little code
                       {33, 7, 8, false}});
}

TEST(FlatColumns, OfOtherTypesStayOneBlockAVector) {
  for (const char* dtype : {"bf16", "f16"})
    EXPECT_FALSE(check_program(softmax_of_rows(dtype, 33, 11, 3))->has_flat_columns());
}

/// Inside other dimensions, along two axes, in place and with places of maxima.
TEST(FlatColumns, OfSeveralAxes) {
  const auto kernel = check_program(R"(
graph @f(%x: f32[3,70,4,2,5], %y: f32[3,1,1,2,1], %z: f32[3,70,4,2,5] {donate}) -> (f32[3,70,4,2,5], i64[3,70,5]) {
  %0 = mul %x, %y : f32[3,70,4,2,5]
  %1 = reduce_sum %0 {axes = [2,3], keepdims = true} : f32[3,70,1,1,5]
  %2 = sub %0, %1 : f32[3,70,4,2,5]
  %3 = argmax %2 {axes = [2,3]} : i64[3,70,5]
  %4 = add %2, %z : f32[3,70,4,2,5]
  return %4, %3
})");
  EXPECT_TRUE(kernel->has_flat_columns());
}

TEST(FlatColumns, ReadAndWriteNothingElse) {
  for (const char* dtype : {"f32", "f64"}) {
    for (const auto& [rows, columns] :
         {std::pair(9, 2), std::pair(11, 3), std::pair(7, 5), std::pair(3, 20)}) {
      check_program_between_guards(softmax_of_rows(dtype, 34, rows, columns));
      check_program_between_guards(scaled_columns(dtype, 35, rows, columns));
    }
  }
}

}  // namespace
}  // namespace wick::test
