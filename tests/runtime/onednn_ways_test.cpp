// Every way that oneDNN has of a product or convolution, chosen or not, against the interpreter.

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "run_call.h"
#include "run_graph.h"
#include <gtest/gtest.h>

#include "wick/ir/channel_blocks.h"
#include "wick/runtime/onednn/ways.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/validate.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {
namespace {

using ir::Attributes;
using ir::OpKind;
using Ints = std::vector<int64_t>;
using Names = std::vector<std::string>;

Names names_of(const std::vector<Candidate>& ways) {
  Names names;
  for (const Candidate& way : ways)
    names.push_back(way.name);
  return names;
}

Literal run_on(int threads, const Candidate& way, const LibraryOp& op) {
  const ThreadsOption option(threads);
  const ThreadCountScope scope(threads);
  return run(*way.make(op), op, random_operands(op));
}

void expect_right(const LibraryOp& op, const std::vector<Candidate>& ways) {
  const Literal expected = interpret(op, random_operands(op));
  for (const Candidate& way : ways) {
    if (way.make(op) == nullptr) continue;
    for (const int threads : {1, 2}) {
      const Literal got = run_on(threads, way, op);

      const auto differs = difference(expected, got, /*exact_integers=*/true);
      EXPECT_FALSE(differs) << describe(op) << " " << way.name << ": " << *differs;
    }
  }
}

/// As many threads as a machine may have do not change a bit.
void expect_same_bits(const LibraryOp& op, const std::vector<Candidate>& ways) {
  for (const Candidate& way : ways) {
    if (way.make(op) == nullptr) continue;
    const Literal expected = run_on(1, way, op);
    for (const int threads : {2, 3, 8}) {
      EXPECT_TRUE(run_on(threads, way, op) == expected)
          << describe(op) << " " << way.name << " on " << threads << " threads";
    }
  }
}

Type f32(Shape shape) {
  return {DType::f32, std::move(shape)};
}

class MatmulWays : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_onednn()) GTEST_SKIP() << "built without oneDNN";
  }
};

TEST_F(MatmulWays, CopyRowsOfWholeKibibytesUnderFewRowsWithoutAvx512) {
  const Names both = vector_lanes() == 16 ? Names{"sgemm"} : Names{"sgemm", "sgemm-padded"};
  EXPECT_EQ(names_of(onednn::matmul_ways(make_product({64, 30}, {30, 512}, false, false))), both);
  const Names sgemm = {"sgemm"};
  EXPECT_EQ(names_of(onednn::matmul_ways(make_product({64, 30}, {30, 500}, false, false))), sgemm);
  EXPECT_EQ(names_of(onednn::matmul_ways(make_product({4, 30}, {30, 512}, false, false))), sgemm);
  EXPECT_EQ(names_of(onednn::matmul_ways(make_product({30, 128}, {30, 60}, true, false))), sgemm);
  EXPECT_EQ(names_of(onednn::matmul_ways(make_product({30, 100}, {30, 70}, true, false))), sgemm);
  EXPECT_EQ(names_of(onednn::matmul_ways(make_product({8, 9000}, {9000, 512}, false, false))),
            sgemm);
  EXPECT_EQ(names_of(onednn::matmul_ways(make_product({4096, 3}, {3, 512}, false, false))), sgemm);
}

TEST_F(MatmulWays, AreRight) {
  for (const LibraryOp& op : {make_product({37, 515}, {129, 515}, false, true),
                              make_product({64, 300}, {300, 1024}, false, false),
                              make_product({300, 64}, {300, 512}, true, false),
                              make_product({8, 20000}, {20000, 256}, false, false),
                              make_product({3, 16, 70}, {3, 70, 512}, false, false),
                              make_product({70, 128}, {70, 65}, true, false),
                              make_product({3, 70, 256}, {3, 70, 512}, true, false),
                              make_product({70, 384}, {9, 100, 70}, true, true),
                              make_product({20, 16, 7}, {20, 7, 256}, false, false),
                              make_product({2, 3, 16, 7}, {2, 1, 7, 256}, false, false),
                              make_product({70, 16}, {9, 70, 256}, true, false)}) {
    expect_right(op, onednn::matmul_ways(op));
  }
}

TEST_F(MatmulWays, GiveTheSameBitsOnAnyNumberOfThreads) {
  for (const auto& [m, k, n] : std::vector<std::array<int64_t, 3>>{
           {64, 784, 1024}, {64, 1024, 10},    {8, 20000, 8},     {256, 300, 1536},
           {2048, 65, 384}, {700, 16, 1000},   {512, 48, 1024},   {1021, 131, 1033},
           {1, 300, 700},   {256, 1024, 1024}, {384, 2048, 384},  {32, 250, 1000},
           {64, 500, 256},  {8, 401, 1024},    {1024, 784, 1024}, {700, 300, 3},
           {900, 300, 1},   {900, 300, 2},     {20003, 7, 5},     {900, 3, 5}}) {
    for (const auto& [lhs, rhs] : std::vector<std::pair<bool, bool>>{
             {false, false}, {false, true}, {true, false}, {true, true}}) {
      const LibraryOp op = make_product(m, n, k, lhs, rhs);
      expect_same_bits(op, onednn::matmul_ways(op));
    }
  }
}

/// Which of them is taken, a part of the product tells, cut along its longest axis.
TEST_F(MatmulWays, AreChosenForLargeProducts) {
  for (const auto& [m, n, k] : std::vector<std::array<int64_t, 3>>{
           {1200, 1030, 1024}, {1024, 1210, 1030}, {1030, 1024, 1290}}) {
    for (const auto& [lhs, rhs] : std::vector<std::pair<bool, bool>>{
             {false, false}, {false, true}, {true, false}, {true, true}}) {
      const LibraryOp op = make_product(m, n, k, lhs, rhs);
      const Literal expected = run_on(1, onednn::matmul_ways(op).front(), op);
      const Literal got = run(*make_host_call(op, 1), op, random_operands(op));
      const auto differs = difference(expected, got, /*exact_integers=*/true);
      EXPECT_FALSE(differs) << describe(op) << ": " << *differs;
    }
  }
}

struct Layer {
  Shape x;
  Shape w;
  Ints stride = {};
  Ints padding = {};
  Ints dilation = {};
  int64_t groups = 1;
  int64_t y_block = 1;  // channels in a block
};

/// The convolution and both gradients.
std::vector<LibraryOp> ops_of(const Layer& layer) {
  Attributes attributes = {{"groups", layer.groups}};
  if (!layer.stride.empty()) attributes.set("stride", layer.stride);
  if (!layer.padding.empty()) attributes.set("padding", layer.padding);
  if (!layer.dilation.empty()) attributes.set("dilation", layer.dilation);
  Attributes output = attributes;
  output.set("block", layer.y_block);
  LibraryOp forward = make_op(OpKind::conv, {f32(layer.x), f32(layer.w)}, output);
  Attributes input = attributes;
  const Shape plain = ir::plain_images(layer.x, layer.w);
  input.set("input_shape", Ints(plain.begin(), plain.end()));
  input.set("block", ir::channel_block(layer.x, layer.w));
  Attributes weight = attributes;
  weight.set("weight_shape", Ints(layer.w.begin(), layer.w.end()));
  return {forward,
          make_op(OpKind::conv_input_grad, {forward.result, f32(layer.w)}, input),
          make_op(OpKind::conv_weight_grad, {f32(layer.x), forward.result}, weight)};
}

class ConvolutionWays : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_onednn()) GTEST_SKIP() << "built without oneDNN";
  }
};

const std::vector<Layer>& layers() {
  static const std::vector<Layer> all = {
      Layer{.x = {3, 3, 37, 31}, .w = {17, 3, 5, 3}, .stride = {2, 2}},
      Layer{.x = {1, 5, 20, 23}, .w = {7, 5, 3, 2}, .padding = {1, 2}, .dilation = {2, 1}},
      Layer{.x = {5, 1, 14, 14}, .w = {32, 1, 5, 5}, .padding = {2, 2}, .y_block = 8},
      Layer{.x = {4, 24, 9, 9}, .w = {21, 24, 1, 1}},
      Layer{.x = {2, 6, 12, 11}, .w = {10, 3, 3, 3}, .padding = {1, 1}, .groups = 2},
      Layer{.x = {2, 16, 9, 9}, .w = {16, 16, 3, 3}, .padding = {1, 1}},
      Layer{.x = {3, 5, 10, 7}, .w = {21, 5, 3, 3}, .padding = {2, 0}},
      Layer{.x = {5, 2, 23, 31, 8}, .w = {24, 16, 3, 3}, .padding = {1, 1}, .y_block = 8},
      Layer{.x = {1, 2, 3, 30, 16}, .w = {16, 32, 3, 3}, .padding = {0, 4}, .y_block = 16},
      Layer{.x = {3, 11, 14, 14}, .w = {8, 11, 3, 3}, .padding = {1, 1}, .y_block = 8},
      Layer{.x = {3, 2, 13, 10, 8}, .w = {24, 16, 5, 5}, .padding = {2, 2}, .y_block = 8},
      Layer{.x = {2, 5, 9, 16}, .w = {11, 5, 5, 5}, .padding = {3, 0}},
      Layer{.x = {1, 1, 70, 67, 8}, .w = {8, 8, 3, 3}, .padding = {1, 1}, .y_block = 8},
      Layer{.x = {260, 1, 4, 7, 8}, .w = {8, 8, 3, 3}, .padding = {1, 1}, .y_block = 8},
      Layer{.x = {2, 203, 6, 5}, .w = {331, 203, 3, 3}, .padding = {1, 1}},
      Layer{.x = {1, 40, 5, 5, 8}, .w = {272, 320, 3, 3}, .padding = {1, 1}, .y_block = 8},
      Layer{.x = {2, 3, 9, 10, 16}, .w = {32, 48, 3, 3}, .padding = {1, 1}, .y_block = 16},
      Layer{.x = {1, 2, 11, 7, 16}, .w = {16, 32, 5, 5}, .padding = {2, 2}, .y_block = 16},
      Layer{.x = {3, 5, 17, 12}, .w = {21, 5, 3, 3}, .stride = {2, 2}},
      Layer{.x = {3, 5, 10, 7}, .w = {21, 5, 3, 3}, .stride = {2, 2}, .padding = {2, 3}},
      Layer{.x = {2, 3, 20, 33, 8},
            .w = {16, 24, 3, 3},
            .stride = {2, 2},
            .padding = {1, 1},
            .y_block = 8},
      Layer{.x = {2, 3, 9, 10, 16},
            .w = {32, 48, 3, 3},
            .stride = {2, 2},
            .padding = {1, 0},
            .y_block = 16},
      // Few windows, whose gradients are sums of three chunks.
      Layer{.x = {19, 1, 25, 23, 16}, .w = {16, 16, 3, 3}, .padding = {1, 1}, .y_block = 16},
      // Windows in two parts, values of the images kept from one to the other or not.
      Layer{.x = {1, 2, 48, 40, 16},
            .w = {1040, 32, 3, 3},
            .stride = {2, 2},
            .padding = {1, 1},
            .y_block = 16},
      Layer{.x = {1, 65, 48, 40, 16},
            .w = {32, 1040, 3, 3},
            .stride = {2, 2},
            .padding = {1, 1},
            .y_block = 16},
      Layer{.x = {70, 1, 8, 13, 8},
            .w = {8, 8, 3, 3},
            .stride = {2, 2},
            .padding = {0, 1},
            .y_block = 8},
      Layer{.x = {2, 8, 7, 9, 16}, .w = {256, 128, 1, 1}, .stride = {2, 1}, .y_block = 16},
      Layer{.x = {3, 12, 5, 5, 8}, .w = {104, 96, 1, 1}, .stride = {1, 3}, .y_block = 8},
      Layer{.x = {2, 8, 9, 7, 16},
            .w = {128, 128, 3, 2},
            .stride = {2, 1},
            .padding = {1, 2},
            .dilation = {1, 3},
            .y_block = 16},
      Layer{.x = {3, 10, 6, 5, 8}, .w = {96, 80, 4, 4}, .stride = {2, 3}, .y_block = 8},
      Layer{.x = {1, 2, 19, 23}, .w = {3, 2, 2, 2}, .stride = {4, 3}},  // wider than the window
      Layer{.x = {2, 3, 15, 40}, .w = {4, 3, 3, 3}, .stride = {2, 1}},
      Layer{.x = {2, 1, 12, 150}, .w = {1, 1, 3, 5}, .padding = {1, 7}},
      Layer{.x = {1, 4, 75, 131}, .w = {13, 4, 3, 4}, .stride = {1, 2}, .padding = {2, 1}},
      Layer{.x = {2, 2, 40, 99}, .w = {2, 2, 3, 3}, .stride = {2, 3}, .dilation = {3, 2}},
      Layer{.x = {3, 5, 50}, .w = {9, 5, 4}, .stride = {3}, .dilation = {2}},
      Layer{.x = {3, 16, 50}, .w = {16, 1, 5}, .padding = {2}, .groups = 16},
      Layer{.x = {3, 7, 20, 23}, .w = {7, 1, 5, 5}, .padding = {2, 1}, .groups = 7},
      Layer{.x = {3, 2, 9, 11, 16},
            .w = {32, 1, 5, 3},
            .stride = {2, 1},
            .groups = 32,
            .y_block = 16},
      Layer{.x = {2, 8, 41}, .w = {12, 2, 9}, .stride = {2}, .dilation = {2}, .groups = 4},
      Layer{.x = {2, 4, 41, 8}, .w = {32, 1, 31}, .padding = {15}, .groups = 32, .y_block = 8},
      Layer{.x = {2, 3, 6, 7, 8}, .w = {5, 3, 3, 2, 3}, .padding = {1, 0, 1}}};
  return all;
}

TEST_F(ConvolutionWays, AreRight) {
  for (const Layer& layer : layers()) {
    for (const LibraryOp& op : ops_of(layer))
      expect_right(op, onednn::convolution_ways(op));
  }
}

TEST_F(ConvolutionWays, GiveTheSameBitsOnAnyNumberOfThreads) {
  for (const Layer& layer : layers()) {
    for (const LibraryOp& op : ops_of(layer))
      expect_same_bits(op, onednn::convolution_ways(op));
  }
}

/// In parts of the batch that are each computed as the whole one is.
TEST_F(ConvolutionWays, CutTheBatchWhereScratchIsLarge) {
  constexpr size_t kMiB = size_t{1} << 20U;
  const Layer layer{
      .x = {8, 16, 48, 48, 16}, .w = {256, 256, 3, 3}, .padding = {1, 1}, .y_block = 16};
  const std::vector<LibraryOp> ops = ops_of(layer);
  for (const LibraryOp& op : {ops[0], ops[1]}) {
    const std::vector<Candidate> ways = onednn::convolution_ways(op);
    const auto winograd = std::ranges::find(ways, "winograd", &Candidate::name);
    if (winograd == ways.end()) GTEST_SKIP() << "oneDNN's Winograd needs AVX-512";
    const std::unique_ptr<HostCall> call = winograd->make(op);
    EXPECT_NE(call->implementation().find(", 4 images at once"), std::string_view::npos);
    EXPECT_LT(call->scratch_bytes(), 80 * kMiB);

    const Literal got = run_on(2, *winograd, op);
    const auto differs = difference(run_on(2, ways.front(), op), got, /*exact_integers=*/true);
    EXPECT_FALSE(differs) << describe(op) << ": " << *differs;
  }
}

TEST_F(ConvolutionWays, MultiplyPixelsWhereTheyAreFew) {
  const auto multiplies_pixels = [](const Layer& layer) {
    const Names names = names_of(onednn::convolution_ways(ops_of(layer).back()));
    return std::ranges::find(names, "product") != names.end();
  };

  const Layer pointwise{.x = {8, 32, 7, 7, 16}, .w = {2048, 512, 1, 1}, .y_block = 16};
  EXPECT_EQ(multiplies_pixels(pointwise), vector_lanes() < 16) << "or read where they lie";
  EXPECT_FALSE(multiplies_pixels({.x = {8, 4, 56, 56, 16}, .w = {256, 64, 1, 1}, .y_block = 16}));
  EXPECT_FALSE(multiplies_pixels({.x = {1, 512, 7, 7}, .w = {2048, 512, 1, 1}}));
  EXPECT_TRUE(multiplies_pixels(
      {.x = {8, 32, 14, 14, 16}, .w = {512, 512, 3, 3}, .stride = {2, 1}, .y_block = 16}));
  EXPECT_FALSE(multiplies_pixels({.x = {1, 32, 7, 7, 16}, .w = {512, 512, 3, 3}, .y_block = 16}))
      << "Winograd's algorithm multiplies less";
}

TEST_F(ConvolutionWays, HaveWinogradForSomeWindowsAndStrides) {
  if (!have_vectors()) GTEST_SKIP() << "no AVX2";
  const auto have_winograd = [](int64_t window, int64_t rows, int64_t columns) {
    const Layer layer{.x = {1, 2, 12, 12, 16},
                      .w = {32, 32, window, window},
                      .stride = {rows, columns},
                      .y_block = 16};
    const Names names = names_of(onednn::convolution_ways(ops_of(layer).front()));
    return std::ranges::find(names, "winograd-by-parts") != names.end();
  };

  EXPECT_TRUE(have_winograd(3, 1, 1));
  EXPECT_TRUE(have_winograd(5, 1, 1));
  EXPECT_TRUE(have_winograd(3, 2, 2));
  EXPECT_FALSE(have_winograd(5, 2, 2));
  EXPECT_FALSE(have_winograd(3, 2, 1));
  EXPECT_FALSE(have_winograd(3, 3, 3));
  EXPECT_FALSE(have_winograd(7, 1, 1));
}

TEST_F(ConvolutionWays, KeepChannelsLastWhereBlocksWouldBeFilledUp) {
  const auto has_channels_last = [](const Layer& layer) {
    const LibraryOp op = ops_of(layer).front();
    for (const Candidate& way : onednn::convolution_ways(op)) {
      if (way.name == "direct-channels-last") return way.make(op) != nullptr;
    }
    return false;
  };

  EXPECT_TRUE(has_channels_last({.x = {2, 3, 12, 12}, .w = {17, 3, 3, 3}}));
  EXPECT_TRUE(has_channels_last({.x = {2, 16, 12, 12}, .w = {17, 16, 3, 3}}));
  EXPECT_FALSE(has_channels_last({.x = {2, 16, 12, 12}, .w = {32, 16, 3, 3}}));
}

}  // namespace
}  // namespace wick::runtime
