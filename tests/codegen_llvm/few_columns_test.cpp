// Reductions down rows of few columns, whose vectors hold some elements of each row.

#include <cstdint>

#include "check_program.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace wick::test {
namespace {

std::string sums_of(std::string_view dtype, int64_t rows, int64_t columns) {
  return fmt::format(
      "graph @f(%x: {0}[3,{1},{2}], %m: {0}[3,{1},1], %w: {0}[{2}]) -> ({0}[3,{2}], {0}[3,{2}]) "
      "{{\n"
      "  %0 = mul %x, %m : {0}[3,{1},{2}]\n"
      "  %1 = add %0, %w : {0}[3,{1},{2}]\n"
      "  %2 = reduce_sum %1 {{axes = [1]}} : {0}[3,{2}]\n"
      "  %3 = reduce_max %x {{axes = [1]}} : {0}[3,{2}]\n"
      "  return %2, %3\n"
      "}}\n",
      dtype,
      rows,
      columns);
}

TEST(FewColumns, EndAnywhereInAVector) {
  for (const int64_t columns : {2, 3, 4}) {
    for (const int64_t rows : {64, 65, 71, 79, 80, 127, 200})
      check_program_between_guards(sums_of("f32", rows, columns));
  }
}

TEST(FewColumns, OfEveryWidth) {
  for (const std::string_view dtype : {"f16", "bf16", "f64", "i32", "i64", "u8"}) {
    for (const int64_t columns : {2, 3, 4})
      check_program_between_guards(sums_of(dtype, 83, columns));
  }
}

/// The last column is not one that is read: nothing behind the one before it is.
TEST(FewColumns, OfWiderRows) {
  for (const int64_t rows : {64, 77, 512, 1024}) {
    check_program_between_guards(
        fmt::format("graph @f(%x: f32[{0},4]) -> (f32[2]) {{\n"
                    "  %0 = slice %x {{starts = [0, 1], sizes = [{0}, 2], steps = [1, 1]}} : "
                    "f32[{0},2]\n"
                    "  %1 = reduce_sum %0 {{axes = [0]}} : f32[2]\n"
                    "  return %1\n"
                    "}}\n",
                    rows));
  }
}

/// Rows side by side, of which the last vectors hold fewer.
TEST(FewColumns, ShortRowsEndAnywhereInAVector) {
  for (const int64_t rows : {17, 33, 49, 51, 63}) {
    for (const int64_t columns : {2, 3}) {
      check_program_between_guards(
          fmt::format("graph @f(%x: f32[{0},{1}]) -> (f32[{0}]) {{\n"
                      "  %0 = exp %x : f32[{0},{1}]\n"
                      "  %1 = reduce_sum %0 {{axes = [1]}} : f32[{0}]\n"
                      "  return %1\n"
                      "}}\n",
                      rows,
                      columns));
    }
  }
}

/// Of rows with operands of their own, over axes that hold the columns as well.
std::string sums_with_columns(std::string_view dtype, int64_t rows, int64_t columns, bool keeps) {
  return fmt::format(
      "graph @f(%x: {0}[3,{1},{2}], %m: {0}[3,{1},1], %w: {0}[{2}]) -> ({0}[{3}], {0}[{3}]) {{\n"
      "  %0 = add %x, %m : {0}[3,{1},{2}]\n"
      "  %1 = mul %0, %w : {0}[3,{1},{2}]\n"
      "  %2 = reduce_sum %1 {{axes = [{4}, 2]}} : {0}[{3}]\n"
      "  %3 = reduce_min %0 {{axes = [{4}, 2]}} : {0}[{3}]\n"
      "  return %2, %3\n"
      "}}\n",
      dtype,
      rows,
      columns,
      keeps ? rows : 3,
      keeps ? 0 : 1);
}

TEST(FewColumns, ReducedAsWell) {
  for (const bool keeps : {false, true}) {
    for (const int64_t columns : {2, 3, 4}) {
      for (const int64_t rows : {64, 77, 80, 512})
        check_program_between_guards(sums_with_columns("f32", rows, columns, keeps));
      for (const std::string_view dtype : {"f16", "f64", "i32"})
        check_program_between_guards(sums_with_columns(dtype, 83, columns, keeps));
    }
  }
}

/// The second loop reads what the first has reduced.
TEST(FewColumns, WalkedTwice) {
  const auto check = [](std::string_view axes, std::string_view kept, std::string_view results) {
    check_program_between_guards(
        fmt::format("graph @f(%x: f32[9,70,3]) -> (f32[{2}]) {{\n"
                    "  %0 = reduce_max %x {{axes = [{0}], keepdims = true}} : f32[{1}]\n"
                    "  %1 = sub %x, %0 : f32[9,70,3]\n"
                    "  %2 = mul %1, %1 : f32[9,70,3]\n"
                    "  %3 = reduce_sum %2 {{axes = [{0}]}} : f32[{2}]\n"
                    "  return %3\n"
                    "}}\n",
                    axes,
                    kept,
                    results));
  };
  check("1", "9,1,3", "9,3");
  check("0, 2", "1,70,1", "70");
}

/// Rows that many tasks share, with points of their own: some are walked side by side.
TEST(FewColumns, EachWithEach) {
  for (const int64_t rows : {64, 70, 100}) {
    for (const std::string_view reduced :
         {"axes = [2]} : f32[20,70,3]", "axes = [2, 3]} : f32[20,70]"}) {
      const std::string_view type = reduced.substr(reduced.find("f32"));
      check_program_between_guards(
          fmt::format("graph @f(%x: f32[20,1,{0},3], %m: f32[1,70,{0},1]) -> ({1}) {{\n"
                      "  %0 = mul %x, %m : f32[20,70,{0},3]\n"
                      "  %1 = reduce_sum %0 {{{2}\n"
                      "  return %1\n"
                      "}}\n",
                      rows,
                      type,
                      reduced));
    }
  }
}

TEST(FewColumns, CutInBlocks) {
  check_program(sums_of("f32", 40'001, 3));
  check_program(sums_of("f16", 70'000, 2));
  check_program(sums_with_columns("f32", 40'001, 3, /*keeps=*/false));
}

}  // namespace
}  // namespace wick::test
