// Pooling and its gradients, of plain images and of channels in blocks. For the minima of a noisy
// machine:
//
//     OMP_NUM_THREADS=1 bench_pooling --benchmark_repetitions=9
//     --benchmark_enable_random_interleaving

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "wick/runtime/library_call.h"

namespace {

using wick::DType;
using wick::Type;
using wick::ir::OpKind;
using wick::runtime::HostCall;
using wick::runtime::LibraryOp;

std::vector<float> random_values(int64_t count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(static_cast<size_t>(count));
  std::ranges::generate(values, [&] { return uniform(random); });
  return values;
}

/// Of elements of windows, of 2x2 or larger ones.
std::vector<uint8_t> random_numbers(int64_t count) {
  std::mt19937 random(1);
  std::vector<uint8_t> numbers(static_cast<size_t>(count));
  std::ranges::generate(numbers, [&] { return static_cast<uint8_t>(random() % 4); });
  return numbers;
}

/// So many images of a side, with so many channels, which are in blocks unless a block has one.
Type images(int64_t count, int64_t channels, int64_t side, int64_t block) {
  if (block == 1) return {DType::f32, {count, channels, side, side}};
  return {DType::f32, {count, channels / block, side, side, block}};
}

/// Windows of range(4) x range(4), range(5) apart with a padding of range(6), over images of
/// state.range(0) x range(1) x range(2) x range(2) with channels in blocks of range(3).
void pool(benchmark::State& state, OpKind op, bool is_argmax) {
  const int64_t side = state.range(2);
  const Type in = images(state.range(0), state.range(1), side, state.range(3));
  const int64_t kernel = state.range(4);
  const int64_t stride = state.range(5);
  const int64_t padding = state.range(6);
  const int64_t out_side = (side + 2 * padding - kernel) / stride + 1;
  const Type out = images(state.range(0), state.range(1), out_side, state.range(3));
  const Type numbers{DType::u8, out.shape};
  LibraryOp library_op{op,
                       {{"kernel", std::vector<int64_t>{kernel, kernel}},
                        {"stride", std::vector<int64_t>{stride, stride}},
                        {"padding", std::vector<int64_t>{padding, padding}}},
                       {in},
                       out};
  if (is_argmax) {
    library_op.attributes.set("argmax", true);
    library_op.result = numbers;
  } else if (op == OpKind::max_pool2d_grad) {
    library_op.operands = {numbers, out};
    library_op.result = in;
  } else if (op == OpKind::avg_pool2d_grad) {
    library_op.operands = {out};
    library_op.result = in;
  }
  const std::unique_ptr<HostCall> call = wick::runtime::make_host_call(library_op, 1);
  const std::vector<float> values = random_values(in.numel());
  const std::vector<uint8_t> chosen = random_numbers(out.numel());
  std::vector<const void*> operands;
  for (const Type& type : library_op.operands) {
    const bool is_number = type.dtype == DType::u8;
    operands.push_back(is_number ? static_cast<const void*>(chosen.data()) : values.data());
  }
  std::vector<float> result(static_cast<size_t>(library_op.result.numel()));
  std::vector<float> scratch(call->scratch_bytes() / sizeof(float) + 16);
  void* aligned = scratch.data();
  size_t room = scratch.size() * sizeof(float);
  std::align(64, call->scratch_bytes(), aligned, room);

  for (auto _ : state) {
    call->run(operands.data(), result.data(), static_cast<std::byte*>(aligned));
    benchmark::ClobberMemory();
  }
  state.SetLabel(std::string(call->implementation()));
}

void shapes(benchmark::internal::Benchmark* bench) {
  bench->Unit(benchmark::kMicrosecond);
  bench->Args({64, 32, 28, 1, 2, 2, 0})->Args({64, 64, 14, 1, 2, 2, 0});
  bench->Args({8, 64, 112, 1, 2, 2, 0})->Args({8, 64, 112, 1, 3, 2, 1});
  bench->Args({8, 64, 56, 1, 3, 1, 1})->Args({8, 64, 57, 1, 4, 3, 1});
  bench->Args({64, 32, 28, 8, 2, 2, 0})->Args({64, 64, 14, 16, 2, 2, 0});
  bench->Args({8, 64, 112, 16, 3, 2, 1})->Args({8, 64, 56, 16, 3, 1, 1});
}

void add(const std::string& name, OpKind op, bool is_argmax) {
  shapes(benchmark::RegisterBenchmark(name.c_str(), pool, op, is_argmax));
}

void add_all() {
  add("max_pool2d", OpKind::max_pool2d, false);
  add("argmax", OpKind::max_pool2d, true);
  for (const OpKind op : {OpKind::max_pool2d_grad, OpKind::avg_pool2d, OpKind::avg_pool2d_grad})
    add(std::string(to_string(op)), op, false);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  add_all();
  benchmark::RunSpecifiedBenchmarks();
}
