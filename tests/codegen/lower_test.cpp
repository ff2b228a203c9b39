#include <algorithm>
#include <utility>

#include "run_lowered.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wick/ir/parser.h"
#include "wick/ir/printer.h"

namespace wick::test {
namespace {

/// Checks the kernels of a program on random values; returns the fused graph.
std::unique_ptr<ir::Graph> check_program(const std::string& text) {
  return expect_kernels_agree(*ir::parse_graph(text), 7);
}

size_t num_fusions(const std::string& text) {
  const auto fused = check_program(text);
  const size_t count = fusions_of(*fused).size();
  if (::testing::Test::HasFailure()) ADD_FAILURE() << ir::to_string(*fused);
  return count;
}

/// How often an op is computed by the kernel of the only fusion.
int64_t count_ops(const std::string& text, ir::OpKind op) {
  const auto fused = check_program(text);
  const auto lowered = codegen::lower(*fusions_of(*fused).at(0));
  return std::ranges::count_if(lowered.launches.at(0).kernel->instrs, [&](const auto& instr) {
    return instr.kind == codegen::InstrKind::compute && instr.op == op;
  });
}

TEST(Lower, ElementwiseChainIsOneKernel) {
  EXPECT_EQ(num_fusions(R"(
graph @f(%a: f32[6,5], %b: f32[6,5], %c: f32[6,5], %h: f32[] {scalar}) -> (f32[6,5]) {
  %0 = mul %a, %b : f32[6,5]
  %1 = add %0, %c : f32[6,5]
  %2 = tanh %1 : f32[6,5]
  %3 = sub %a, %c : f32[6,5]
  %4 = sigmoid %3 : f32[6,5]
  %5 = mul %2, %4 : f32[6,5]
  %6 = mul %h, %b : f32[6,5]
  %7 = add %5, %6 : f32[6,5]
  return %7
})"),
            1U);
}

TEST(Lower, SoftmaxIsOneKernel) {
  EXPECT_EQ(num_fusions(R"(
graph @softmax(%x: f32[9,40]) -> (f32[9,40]) {
  %0 = reduce_max %x {axes = [1], keepdims = true} : f32[9,1]
  %1 = sub %x, %0 : f32[9,40]
  %2 = exp %1 : f32[9,40]
  %3 = reduce_sum %2 {axes = [1], keepdims = true} : f32[9,1]
  %4 = div %2, %3 : f32[9,40]
  return %4
})"),
            1U);
}

TEST(Lower, LayerNormIsOneKernel) {
  EXPECT_EQ(num_fusions(R"(
graph @layer_norm(%x: f32[9,4,10], %g: f32[10], %b: f32[10], %n: f32[] {scalar}) -> (f32[9,4,10]) {
  %0 = reduce_sum %x {axes = [2], keepdims = true} : f32[9,4,1]
  %1 = div %0, %n : f32[9,4,1]
  %2 = sub %x, %1 : f32[9,4,10]
  %3 = mul %2, %2 : f32[9,4,10]
  %4 = reduce_sum %3 {axes = [2], keepdims = true} : f32[9,4,1]
  %5 = div %4, %n : f32[9,4,1]
  %6 = abs %5 : f32[9,4,1]
  %7 = sqrt %6 : f32[9,4,1]
  %8 = div %2, %7 : f32[9,4,10]
  %9 = mul %8, %g : f32[9,4,10]
  %10 = add %9, %b : f32[9,4,10]
  return %10
})"),
            1U);
}

TEST(Lower, ReductionsWithoutKeptAxesReadBackBroadcast) {
  EXPECT_EQ(num_fusions(R"(
graph @f(%x: f32[9,40]) -> (f32[9,40], f32[9]) {
  %0 = reduce_max %x {axes = [1]} : f32[9]
  %1 = reshape %0 {shape = [9,1]} : f32[9,1]
  %2 = sub %x, %1 : f32[9,40]
  return %2, %0
})"),
            1U);
}

TEST(Lower, LeadingAxisReducesInColumns) {
  EXPECT_EQ(num_fusions(R"(
graph @f(%x: f32[30,17], %y: f32[30,17]) -> (f32[30,17], f32[17]) {
  %0 = mul %x, %y : f32[30,17]
  %1 = reduce_sum %0 {axes = [0]} : f32[17]
  return %0, %1
})"),
            1U);
}

TEST(Lower, BatchNormStatisticsAndScalingAreOneKernel) {
  EXPECT_EQ(num_fusions(R"(
graph @bn(%x: f32[3,12,4,5], %g: f32[12], %n: f32[] {scalar}) -> (f32[3,12,4,5]) {
  %0 = reduce_sum %x {axes = [0,2,3], keepdims = true} : f32[1,12,1,1]
  %1 = div %0, %n : f32[1,12,1,1]
  %2 = sub %x, %1 : f32[3,12,4,5]
  %3 = mul %2, %2 : f32[3,12,4,5]
  %4 = reduce_sum %3 {axes = [0,2,3]} : f32[12]
  %5 = mul %4, %g : f32[12]
  %6 = reshape %5 {shape = [1,12,1,1]} : f32[1,12,1,1]
  %7 = mul %2, %6 : f32[3,12,4,5]
  return %7
})"),
            1U);
}

TEST(Lower, FewLongRowsAreCutInBlocks) {
  const auto fused = check_program(R"(
graph @f(%x: f32[2,80000], %y: f32[80000]) -> (f32[2], f32[2,80000]) {
  %0 = mul %x, %y : f32[2,80000]
  %1 = reduce_sum %0 {axes = [1]} : f32[2]
  %2 = reduce_max %0 {axes = [1]} : f32[2]
  %3 = sub %1, %2 : f32[2]
  return %3, %0
})");
  const auto fusions = fusions_of(*fused);
  ASSERT_EQ(fusions.size(), 1U);
  const codegen::LoweredFusion lowered = codegen::lower(*fusions[0]);
  ASSERT_EQ(lowered.launches.size(), 2U);
  EXPECT_TRUE(lowered.launches[0].kernel->blocking.has_value());
  EXPECT_GT(lowered.launches[0].task_extent, 2);
  EXPECT_GT(lowered.workspace_bytes, 0U);
}

TEST(Lower, BlocksOfRowsAreWholeCacheLines) {
  for (const auto& [extent, whole] :
       {std::pair{70001, 64}, std::pair{1000003, 64}, std::pair{3000001, 1024}}) {
    const auto fused = check_program(fmt::format(R"(
graph @f(%x: f32[{0}]) -> (f32[]) {{
  %0 = reduce_sum %x {{axes = [0]}} : f32[]
  return %0
}})",
                                                 extent));
    const auto lowered = codegen::lower(*fusions_of(*fused).at(0));
    const codegen::KernelLaunch& launch = lowered.launches.at(0);
    const int64_t block =
        launch.params.at(static_cast<size_t>(launch.kernel->blocking->size_param));
    EXPECT_EQ(block % whole, 0) << extent;
    EXPECT_EQ(launch.task_extent, (extent + block - 1) / block) << extent;
  }
}

TEST(Lower, FewLongColumnsAreCutInBlocks) {
  const auto fused = check_program(R"(
graph @f(%x: f32[9000,10]) -> (f32[10]) {
  %0 = reduce_sum %x {axes = [0]} : f32[10]
  return %0
})");
  EXPECT_EQ(codegen::lower(*fusions_of(*fused)[0]).launches.size(), 2U);
}

TEST(Lower, SumsOfChannelsAreCutBetweenImages) {
  const auto fused = check_program(R"(
graph @f(%x: f32[4,64,8,8,16], %y: f32[4,64,8,8,16]) -> (f32[1024], f32[1024], f32[4,64,8,8,16]) {
  %0 = mul %x, %y : f32[4,64,8,8,16]
  %1 = reduce_sum %0 {axes = [0, 2, 3]} : f32[64,16]
  %2 = reduce_max %x {axes = [0, 2, 3]} : f32[64,16]
  %3 = reshape %1 {shape = [1024]} : f32[1024]
  %4 = reshape %2 {shape = [1024]} : f32[1024]
  %5 = neg %4 : f32[1024]
  return %3, %5, %0
})");
  const auto fusions = fusions_of(*fused);
  ASSERT_EQ(fusions.size(), 1U);
  const codegen::LoweredFusion lowered = codegen::lower(*fusions[0]);
  ASSERT_EQ(lowered.launches.size(), 2U);
  EXPECT_EQ(lowered.launches[0].task_extent, 4 * 64);
}

/// The gradient of a layer norm without its bias, with an update of the weight.
std::string layer_norm_gradient(const std::string& dtype, const std::string& shape, int64_t width) {
  return fmt::format(R"(
graph @f(%x: {0}[{1},{2}], %g: {0}[{1},{2}], %w: {0}[{2}]) -> ({0}[{1},{2}], {0}[{1},1], {0}[{2}], {0}[{2}], {0}[{2}]) {{
  %0 = reduce_max %x {{axes = [{3}], keepdims = true}} : {0}[{1},1]
  %1 = sub %x, %0 : {0}[{1},{2}]
  %2 = mul %g, %w : {0}[{1},{2}]
  %3 = mul %2, %1 : {0}[{1},{2}]
  %4 = reduce_min %3 {{axes = [{3}], keepdims = true}} : {0}[{1},1]
  %5 = sub %1, %4 : {0}[{1},{2}]
  %6 = mul %g, %5 : {0}[{1},{2}]
  %7 = reduce_sum %6 {{axes = [{4}]}} : {0}[{2}]
  %8 = reduce_max %g {{axes = [{4}]}} : {0}[{2}]
  %9 = reduce_min %5 {{axes = [{4}]}} : {0}[{2}]
  %10 = sub %w, %7 : {0}[{2}]
  return %5, %4, %10, %8, %9
}})",
                     dtype,
                     shape,
                     width,
                     std::ranges::count(shape, ',') + 1,
                     shape.find(',') == std::string::npos ? "0" : "0,1");
}

/// The fusion's launches, which agree with the interpreter.
codegen::LoweredFusion check_columns_with_rows(const std::string& text) {
  const auto fused = check_program(text);
  const auto fusions = fusions_of(*fused);
  EXPECT_EQ(fusions.size(), 1U) << ir::to_string(*fused);
  return codegen::lower(*fusions.at(0));
}

TEST(Lower, RowsAddToPartialResultsOfTheirColumns) {
  for (const char* dtype : {"f32", "f64", "i32"}) {
    const auto lowered = check_columns_with_rows(layer_norm_gradient(dtype, "81", 40));
    ASSERT_EQ(lowered.launches.size(), 2U);
    EXPECT_EQ(lowered.launches[0].task_extent, 81);
    EXPECT_EQ(lowered.launches[0].tasks_in_order, 16);
    EXPECT_EQ(lowered.launches[1].tasks_in_order, 1);
    EXPECT_EQ(lowered.launches[1].vector_extent, 40);
    EXPECT_GT(lowered.workspace_bytes, 0U);
  }
}

TEST(Lower, RowsOfSeveralAxesHaveColumnsToo) {
  const auto lowered = check_columns_with_rows(layer_norm_gradient("f32", "7,300", 33));
  ASSERT_EQ(lowered.launches.size(), 2U);
  EXPECT_EQ(lowered.launches[0].task_extent, 2100);
  EXPECT_EQ(lowered.launches[0].tasks_in_order, 33);
}

TEST(Lower, AsManyRowsAsColumns) {
  check_columns_with_rows(layer_norm_gradient("f32", "64", 64));
}

TEST(Lower, ColumnsOfBitsAndProducts) {
  check_columns_with_rows(R"(
graph @f(%x: f32[70,40], %m: bool[70,40], %z: f32[] {scalar}) -> (bool[70], bool[40], bool[40], f32[40]) {
  %0 = lt %x, %z : bool[70,40]
  %1 = bit_and %0, %m : bool[70,40]
  %2 = reduce_max %1 {axes = [1]} : bool[70]
  %3 = reduce_max %1 {axes = [0]} : bool[40]
  %4 = reduce_min %0 {axes = [0]} : bool[40]
  %5 = tanh %x : f32[70,40]
  %6 = reduce_prod %5 {axes = [0]} : f32[40]
  return %2, %3, %4, %6
})");
}

/// Costly values that several loops need are left for later ones, columns included.
TEST(Lower, ColumnsReadWhatLoopsHaveLeft) {
  EXPECT_EQ(count_ops(R"(
graph @f(%x: f32[64,40]) -> (f32[40]) {
  %0 = reduce_max %x {axes = [1], keepdims = true} : f32[64,1]
  %1 = sub %x, %0 : f32[64,40]
  %2 = exp %1 : f32[64,40]
  %3 = reduce_sum %2 {axes = [1], keepdims = true} : f32[64,1]
  %4 = div %2, %3 : f32[64,40]
  %5 = reduce_sum %4 {axes = [0]} : f32[40]
  return %5
})",
                      ir::OpKind::exp),
            1);
}

int64_t row_length_of(const std::string& text) {
  return codegen::lower(*fusions_of(*check_program(text)).at(0)).launches.at(0).kernel->row_length;
}

TEST(Lower, ShortRowsThatLieBehindEachOtherAreWalkedAsOne) {
  EXPECT_EQ(row_length_of(R"(
graph @f(%x: f32[100,7], %c: f32[7], %r: f32[100,1]) -> (f32[100,7]) {
  %0 = mul %x, %c : f32[100,7]
  %1 = add %0, %r : f32[100,7]
  return %1
})"),
            7);
}

/// Three vectors hold what meets one of the result, or as many as it has elements.
TEST(Lower, ShortRowsWithGapsAreWalkedAsOne) {
  constexpr auto kText = R"(
graph @f(%x: f32[100,{0}], %c: f32[7]) -> (f32[100,7]) {{
  %0 = slice %x {{sizes = [100,7], starts = [0,0], steps = [1,{1}]}} : f32[100,7]
  %1 = mul %0, %c : f32[100,7]
  return %1
}})";
  EXPECT_EQ(row_length_of(fmt::format(kText, 14, 2)), 7);
  EXPECT_EQ(row_length_of(fmt::format(kText, 42, 6)), 7);
}

/// Which share words between more vectors than end where rows do.
TEST(Lower, ShortRowsOfRandomBitsAreWalkedSideBySide) {
  EXPECT_EQ(row_length_of(R"(
graph @f(%k: i64[] {scalar}, %o: i64[] {scalar}, %c: i32[7]) -> (i32[100,7]) {
  %0 = random_bits %k, %o {shape = [100,7]} : i32[100,7]
  %1 = add %0, %c : i32[100,7]
  return %1
})"),
            0);
}

TEST(Lower, RankZeroAndEmptyTensors) {
  EXPECT_EQ(num_fusions(R"(
graph @f(%a: f32[], %b: f32[]) -> (f32[]) {
  %0 = add %a, %b : f32[]
  %1 = exp %0 : f32[]
  return %1
})"),
            1U);
  check_program(R"(
graph @f(%a: f32[0,4]) -> (f32[0,4], f32[4], f32[0], f32[]) {
  %0 = exp %a : f32[0,4]
  %1 = reduce_sum %0 {axes = [0]} : f32[4]
  %2 = reduce_sum %0 {axes = [1]} : f32[0]
  %3 = reduce_prod %0 {axes = [0,1]} : f32[]
  return %0, %1, %2, %3
})");
  check_program(R"(
graph @f(%a: f32[1,1,3]) -> (f32[1,3], f32[1,1,1]) {
  %0 = reduce_sum %a {axes = [0]} : f32[1,3]
  %1 = reduce_max %a {axes = [2], keepdims = true} : f32[1,1,1]
  return %0, %1
})");
}

TEST(Lower, MovementOpsBecomeAddresses) {
  check_program(R"(
graph @f(%a: f32[4,6], %b: f32[6,4], %v: f32[] {scalar}) -> (f32[6,4], f32[2,3], f32[10,6], f32[9,7], f32[24]) {
  %0 = permute %a {axes = [1,0]} : f32[6,4]
  %1 = add %0, %b : f32[6,4]
  %2 = slice %a {sizes = [2,3], starts = [3,4], steps = [-2,-2]} : f32[2,3]
  %3 = neg %2 : f32[2,3]
  %4 = permute %b {axes = [1,0]} : f32[4,6]
  %5 = slice %a {sizes = [2,6], starts = [1,0]} : f32[2,6]
  %6 = concat %4, %5, %a {axis = 0} : f32[10,6]
  %7 = exp %6 : f32[10,6]
  %8 = pad %a, %v {high = [0,1], interior = [1,0], low = [2,0]} : f32[9,7]
  %9 = neg %8 : f32[9,7]
  %10 = reshape %1 {shape = [24]} : f32[24]
  %11 = neg %10 : f32[24]
  return %1, %3, %7, %9, %11
})");
}

TEST(Lower, PaddingLeavesOutAndCrops) {
  check_program(R"(
graph @f(%a: f32[4,6], %v: f32[] {scalar}) -> (f32[5,4], f32[4]) {
  %0 = exp %a : f32[4,6]
  %1 = pad %0, %v {high = [0,-1], low = [1,-1]} : f32[5,4]
  %2 = neg %1 : f32[5,4]
  %3 = reduce_sum %2 {axes = [0]} : f32[4]
  return %2, %3
})");
}

TEST(Lower, GatherClampsItsIndices) {
  check_program(R"(
graph @f(%x: f32[3,5,2], %i: i32[4,2]) -> (f32[3,4,2,2], f32[3]) {
  %0 = gather %x, %i {axis = 1} : f32[3,4,2,2]
  %1 = neg %0 : f32[3,4,2,2]
  %2 = reduce_sum %1 {axes = [1,2,3]} : f32[3]
  return %1, %2
})");
}

TEST(Lower, IndicesAndRandomBits) {
  check_program(R"(
graph @f(%k: i64[] {scalar}, %o: i64[] {scalar}, %x: f32[5,40]) -> (f32[5,40], i64[5], i64[40], i32[5,40]) {
  %0 = iota {axis = 1, dtype = f32, shape = [5,40]} : f32[5,40]
  %1 = add %0, %x : f32[5,40]
  %2 = argmax %x {axes = [1]} : i64[5]
  %3 = argmax %x {axes = [0]} : i64[40]
  %4 = random_bits %k, %o {shape = [5,40]} : i32[5,40]
  return %1, %2, %3, %4
})");
}

TEST(Lower, HalfTypesAndBool) {
  check_program(R"(
graph @f(%x: f16[5,40], %y: bf16[5,40], %m: bool[5,40]) -> (f16[5,40], f16[5], bf16[5,40], bool[5], i32[5,40]) {
  %0 = mul %x, %x : f16[5,40]
  %1 = reduce_sum %0 {axes = [1]} : f16[5]
  %2 = cast %y {dtype = f16} : f16[5,40]
  %3 = where %m, %2, %0 : f16[5,40]
  %4 = cast %3 {dtype = bf16} : bf16[5,40]
  %5 = reduce_max %m {axes = [1]} : bool[5]
  %6 = cast %m {dtype = i32} : i32[5,40]
  return %0, %1, %4, %5, %6
})");
}

TEST(Lower, ConstantsAreClonedIntoBodies) {
  check_program(R"(
graph @f(%x: f32[5,4]) -> (f32[5,4], f32[4]) {
  %c = constant {value = dense<f32[]: 0.5>} : f32[]
  %d = constant {value = dense<f32[4]: 1, 2, 3, 4>} : f32[4]
  %0 = mul %x, %c : f32[5,4]
  %1 = add %0, %d : f32[5,4]
  %2 = reduce_sum %1 {axes = [0]} : f32[4]
  return %1, %2
})");
}

TEST(Lower, ExponentialsOfSoftmaxAreComputedOnce) {
  EXPECT_EQ(count_ops(R"(
graph @softmax(%x: f32[9,40]) -> (f32[9,40]) {
  %0 = reduce_max %x {axes = [1], keepdims = true} : f32[9,1]
  %1 = sub %x, %0 : f32[9,40]
  %2 = exp %1 : f32[9,40]
  %3 = reduce_sum %2 {axes = [1], keepdims = true} : f32[9,1]
  %4 = div %2, %3 : f32[9,40]
  return %4
})",
                      ir::OpKind::exp),
            1);
}

TEST(Lower, StoredValuesAreReadBackByLaterLoops) {
  EXPECT_EQ(count_ops(R"(
graph @f(%x: f32[9,40]) -> (f32[9,40], bool[9,40], f32[9,40], f32[9,40]) {
  %0 = tanh %x : f32[9,40]
  %1 = reduce_sum %0 {axes = [1], keepdims = true} : f32[9,1]
  %2 = lt %0, %1 : bool[9,40]
  %3 = sub %0, %1 : f32[9,40]
  %4 = exp %3 : f32[9,40]
  %5 = reduce_sum %4 {axes = [1], keepdims = true} : f32[9,1]
  %6 = div %4, %5 : f32[9,40]
  return %6, %2, %0, %3
})",
                      ir::OpKind::tanh),
            1);
}

TEST(Lower, NewExtentsGiveTheSameKernel) {
  const auto identity_of =
      [](const std::string& n, const std::string& m, const std::string& start) {
        std::string text = R"(
graph @f(%x: f32[N,M], %b: f32[M], %y: f32[N,100]) -> (f32[N,M]) {
  %0 = add %x, %b : f32[N,M]
  %1 = reduce_max %0 {axes = [1], keepdims = true} : f32[N,1]
  %2 = sub %0, %1 : f32[N,M]
  %3 = slice %y {sizes = [N,1], starts = [0,S]} : f32[N,1]
  %4 = mul %2, %3 : f32[N,M]
  return %4
})";
        const auto replace = [&](const std::string& what, const std::string& by) {
          for (size_t at; (at = text.find(what)) != std::string::npos;)
            text.replace(at, 1, by);
        };
        replace("N", n);
        replace("M", m);
        replace("S", start);
        const auto graph = parse_and_fuse(text);
        const auto fusions = fusions_of(*graph);
        EXPECT_EQ(fusions.size(), 1U) << ir::to_string(*graph);
        const auto lowered = codegen::lower(*fusions[0]);
        EXPECT_EQ(lowered.launches.size(), 1U);
        return codegen::to_string(*lowered.launches[0].kernel, false);
      };

  const std::string first = identity_of("64", "300", "0");

  EXPECT_EQ(first, identity_of("65", "300", "0"));
  EXPECT_EQ(first, identity_of("64", "777", "0"));
  EXPECT_EQ(first, identity_of("32", "300", "5"));
  // Short rows are compiled for their length rounded up.
  EXPECT_EQ(identity_of("64", "65", "0"), identity_of("99", "80", "0"));
  EXPECT_NE(identity_of("64", "80", "0"), identity_of("64", "81", "0"));
}

/// Whether rows of `[1000,N]` that an expression of its row reduces are walked side by side.
bool is_side_by_side(const std::string& program, int64_t length) {
  std::string text = program;
  for (size_t at; (at = text.find('N')) != std::string::npos;)
    text.replace(at, 1, std::to_string(length));
  const auto graph = parse_and_fuse(text);
  const auto fusions = fusions_of(*graph);
  EXPECT_EQ(fusions.size(), 1U) << ir::to_string(*graph);
  return codegen::lower(*fusions.at(0)).launches.at(0).kernel->has_short_rows();
}

TEST(Lower, RowsThatEndInLittleAreWalkedInOrder) {
  const std::string centered = R"(
graph @f(%x: f32[1000,N]) -> (f32[1000,N]) {
  %0 = reduce_sum %x {axes = [1], keepdims = true} : f32[1000,1]
  %1 = sub %x, %0 : f32[1000,N]
  return %1
})";
  EXPECT_FALSE(is_side_by_side(centered, 16));
  EXPECT_FALSE(is_side_by_side(centered, 40));
}

TEST(Lower, RowsThatWaitForFunctionsOfTheirSumsAreWalkedSideBySide) {
  const std::string entropies = R"(
graph @f(%x: f32[1000,N]) -> (f32[1000]) {
  %0 = reduce_max %x {axes = [1], keepdims = true} : f32[1000,1]
  %1 = sub %x, %0 : f32[1000,N]
  %2 = exp %1 : f32[1000,N]
  %3 = reduce_sum %2 {axes = [1], keepdims = true} : f32[1000,1]
  %4 = log %3 : f32[1000,1]
  %5 = sub %1, %4 : f32[1000,N]
  %6 = mul %2, %5 : f32[1000,N]
  %7 = reduce_sum %6 {axes = [1]} : f32[1000]
  return %7
})";
  EXPECT_TRUE(is_side_by_side(entropies, 16));
  EXPECT_TRUE(is_side_by_side(entropies, 50));
  EXPECT_FALSE(is_side_by_side(entropies, 65));
}

TEST(Lower, RowsThatLieAcrossAreWalkedSideBySide) {
  const std::string across = R"(
graph @f(%x: f32[N,1000], %y: f32[1000,N]) -> (f32[1000,N]) {
  %0 = permute %x {axes = [1,0]} : f32[1000,N]
  %1 = add %0, %y : f32[1000,N]
  %2 = reduce_sum %1 {axes = [1], keepdims = true} : f32[1000,1]
  %3 = sub %1, %2 : f32[1000,N]
  return %3
})";
  EXPECT_TRUE(is_side_by_side(across, 16));
  EXPECT_TRUE(is_side_by_side(across, 32));
}

}  // namespace
}  // namespace wick::test
