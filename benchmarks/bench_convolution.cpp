// Every way of convolutions with windows of 3x3 or 1x1 and of their gradients, of images with
// channels in blocks, as networks have them. For the minima of a noisy machine:
//
//     WICK_NUM_THREADS=1 bench_convolution --benchmark_repetitions=5
//     --benchmark_enable_random_interleaving

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "wick/runtime/onednn/ways.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/step_labels.h"

namespace {

using wick::DType;
using wick::Type;
using wick::ir::OpKind;
using wick::runtime::Candidate;
using wick::runtime::HostCall;
using wick::runtime::LibraryOp;

struct Layer {
  int64_t window;
  int64_t inputs;
  int64_t outputs;
  int64_t side;
  int64_t stride = 1;
};

constexpr int64_t kImages = 8;
constexpr int64_t kBlock = 16;

Type images(int64_t channels, int64_t side) {
  return {DType::f32, {kImages, channels / kBlock, side, side, kBlock}};
}

LibraryOp op_of(OpKind kind, const Layer& layer) {
  using Ints = std::vector<int64_t>;
  const Type x = images(layer.inputs, layer.side);
  const Type y = images(layer.outputs, layer.side / layer.stride);
  const Type w{DType::f32, {layer.outputs, layer.inputs, layer.window, layer.window}};
  wick::ir::Attributes attributes{{"block", kBlock}};
  if (layer.window == 3) attributes.set("padding", Ints{1, 1});
  if (layer.stride != 1) attributes.set("stride", Ints{layer.stride, layer.stride});
  if (kind == OpKind::conv) return {kind, attributes, {x, w}, y};
  const Ints input_shape = {kImages, layer.inputs, layer.side, layer.side};
  if (kind == OpKind::conv_input_grad) {
    attributes.set("input_shape", input_shape);
    return {kind, attributes, {y, w}, x};
  }
  attributes.set("weight_shape", Ints{layer.outputs, layer.inputs, layer.window, layer.window});
  return {kind, attributes, {x, y}, w};
}

/// Memory that begins with a line of the cache, as buffers do.
class Lines {
 public:
  explicit Lines(size_t bytes) : memory_(bytes / sizeof(float) + kLine, 0.5F) {}

  float* data() {
    const size_t beyond = reinterpret_cast<uintptr_t>(memory_.data()) / sizeof(float) % kLine;
    return memory_.data() + (kLine - beyond) % kLine;
  }

 private:
  static constexpr size_t kLine = 16;

  std::vector<float> memory_;
};

void convolve(benchmark::State& state, const LibraryOp& op, const Candidate& way) {
  const wick::runtime::ThreadCountScope threads(wick::runtime::max_threads());
  const std::unique_ptr<HostCall> call = way.make(op);
  std::vector<Lines> operands;
  for (const Type& type : op.operands)
    operands.emplace_back(type.num_bytes());
  std::vector<const void*> places;
  for (Lines& operand : operands)
    places.push_back(operand.data());
  Lines result(op.result.num_bytes());
  Lines scratch(call->scratch_bytes());
  for (auto _ : state) {
    call->run(places.data(), result.data(), reinterpret_cast<std::byte*>(scratch.data()));
    benchmark::ClobberMemory();
  }
  state.counters["GFLOP"] = benchmark::Counter(wick::runtime::flops(op) * 1e-9,
                                               benchmark::Counter::kIsIterationInvariantRate);
}

void add(OpKind kind, const std::string& name, const Layer& layer) {
  const LibraryOp op = op_of(kind, layer);
  for (const Candidate& way : wick::runtime::onednn::convolution_ways(op)) {
    if (way.make(op) == nullptr) continue;
    const std::string title = fmt::format("{}/{}x{}{}/{}-{}/{}x{}/{}",
                                          name,
                                          layer.window,
                                          layer.window,
                                          layer.stride == 1 ? "" : fmt::format("s{}", layer.stride),
                                          layer.inputs,
                                          layer.outputs,
                                          layer.side,
                                          layer.side,
                                          way.name);
    benchmark::RegisterBenchmark(title.c_str(), [op, way](benchmark::State& state) {
      convolve(state, op, way);
    })->Unit(benchmark::kMillisecond);
  }
}

}  // namespace

int main(int argc, char** argv) {
  constexpr Layer kLayers[] = {{3, 64, 64, 56},
                               {3, 64, 128, 112},
                               {3, 128, 128, 28},
                               {3, 256, 256, 14},
                               {3, 256, 512, 28},
                               {3, 512, 512, 28},
                               {3, 512, 512, 14},
                               {3, 512, 512, 7},
                               {3, 128, 128, 56, 2},
                               {3, 256, 256, 28, 2},
                               {3, 512, 512, 14, 2},
                               {1, 64, 256, 56},
                               {1, 128, 512, 28},
                               {1, 1024, 256, 14},
                               {1, 512, 2048, 7}};
  for (const Layer& layer : kLayers) {
    add(OpKind::conv, "forward", layer);
    add(OpKind::conv_input_grad, "input_grad", layer);
    add(OpKind::conv_weight_grad, "weight_grad", layer);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
