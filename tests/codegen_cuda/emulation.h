#pragma once

// Runs the text of CUDA kernels on the host: put in front of a program, which a C++ compiler then
// accepts. Blocks run one after the other. Threads of a block are fibers that take turns where they
// wait for each other, so a barrier that not all threads reach shows as a deadlock.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <setjmp.h>
#include <ucontext.h>

#define WICK_ON_HOST
#define __global__
#define __shared__
#define __launch_bounds__(...)

struct Dim3 {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
};

static Dim3 threadIdx;  // of the thread whose turn it is
static Dim3 blockIdx;
static Dim3 blockDim;
static Dim3 gridDim;

/// Dynamic shared memory: as much as any launch may ask for, and rubbish where a block begins.
alignas(16) long long shared_words[(96 << 10) / 8];

static float float_of_f16(unsigned short bits) {
  _Float16 narrow;
  std::memcpy(&narrow, &bits, sizeof bits);
  return static_cast<float>(narrow);
}

static unsigned short f16_of_float(float x) {
  const auto narrow = static_cast<_Float16>(x);
  unsigned short bits;
  std::memcpy(&bits, &narrow, sizeof bits);
  return bits;
}

static unsigned short bf16_of_float(float x) {
  unsigned bits;
  std::memcpy(&bits, &x, sizeof bits);
  if (x != x) return 0x7FFF;
  return static_cast<unsigned short>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

namespace emulation {

constexpr unsigned kWarp = 32;
constexpr size_t kStackBytes = 64 << 10;

/// A stack of its own, and where it waits for its turn. Turns go on by setjmp, since swapcontext
/// asks the system for the mask of signals each time.
struct Fiber {
  std::unique_ptr<char[]> stack;
  jmp_buf place;
  Dim3 index;
  bool done = false;
};

/// Where a number of threads wait for each other.
struct Barrier {
  unsigned arrived = 0;
  unsigned passed = 0;  // times that all had arrived
};

struct Lanes {
  Barrier barrier;
  int words[kWarp];
};

static jmp_buf scheduler;
static std::vector<Fiber> fibers;
static std::vector<Lanes> warps;
static Barrier block_barrier;
static Fiber* current = nullptr;
static bool moved = false;  // some thread came further in this round

static void give_turn_back() {
  if (_setjmp(current->place) == 0) _longjmp(scheduler, 1);
}

static void wait_at(Barrier& barrier, unsigned threads) {
  moved = true;
  if (++barrier.arrived == threads) {
    barrier.arrived = 0;
    ++barrier.passed;
    return;
  }
  for (const unsigned before = barrier.passed; barrier.passed == before;)
    give_turn_back();
  moved = true;
}

static unsigned number_of_thread() {
  return threadIdx.y * blockDim.x + threadIdx.x;
}

/// What a thread runs, and what it is called with.
static void (*body)(void**) = nullptr;
static void** arguments = nullptr;

/// A thread of each block.
static void run_fiber() {
  for (;;) {
    body(arguments);
    current->done = true;
    moved = true;
    give_turn_back();
  }
}

static void start(Fiber& fiber) {
  fiber.stack.reset(new char[kStackBytes]);
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = fiber.stack.get();
  context.uc_stack.ss_size = kStackBytes;
  context.uc_link = nullptr;
  makecontext(&context, run_fiber, 0);
  setcontext(&context);
}

/// Returns where the thread waits or is done.
static void give_turn(Fiber& fiber) {
  current = &fiber;
  threadIdx = fiber.index;
  if (_setjmp(scheduler) != 0) return;
  if (fiber.stack == nullptr) start(fiber);
  _longjmp(fiber.place, 1);
}

static void run_block() {
  const unsigned threads = blockDim.x * blockDim.y;
  if (fibers.size() < threads) fibers.resize(threads);
  warps.assign((threads + kWarp - 1) / kWarp, Lanes{});
  block_barrier = {};
  for (unsigned i = 0; i < threads; ++i) {
    fibers[i].index = {i % blockDim.x, i / blockDim.x, 0};
    fibers[i].done = false;
  }
  for (unsigned done = 0; done < threads;) {
    moved = false;
    for (unsigned i = 0; i < threads; ++i) {
      if (fibers[i].done) continue;
      give_turn(fibers[i]);
      if (fibers[i].done) ++done;
    }
    if (moved) continue;
    std::fputs("deadlock: the threads of a block wait at different places\n", stderr);
    std::abort();
  }
}

/// Threads that never wait for each other need no stacks of their own.
static void run_threads() {
  for (threadIdx.y = 0; threadIdx.y < blockDim.y; ++threadIdx.y) {
    for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x)
      body(arguments);
  }
}

template <class... Args, size_t... I>
void call(void (*kernel)(Args...), void** arguments, std::index_sequence<I...>) {
  kernel(*static_cast<std::remove_const_t<Args>*>(arguments[I])...);
}

template <auto kernel, class... Args>
void call_kernel(void (*)(Args...), void** arguments) {
  call(kernel, arguments, std::index_sequence_for<Args...>());
}

template <typename... Parameters>
void sizes_of(void (*)(Parameters...), std::vector<size_t>& sizes) {
  sizes = {sizeof(Parameters)...};
}

/// `arguments` as cuLaunchKernel takes them.
template <auto kernel>
void launch(void** with, unsigned grid_x, unsigned block_x, unsigned block_y, bool exchanges) {
  body = [](void** given) { call_kernel<kernel>(kernel, given); };
  arguments = with;
  gridDim.x = grid_x;
  blockDim = {block_x, block_y, 1};
  for (blockIdx.x = 0; blockIdx.x < grid_x; ++blockIdx.x) {
    std::memset(shared_words, 0xA5, sizeof shared_words);
    exchanges ? run_block() : run_threads();
  }
}

}  // namespace emulation

static void __syncthreads() {
  emulation::wait_at(emulation::block_barrier, blockDim.x * blockDim.y);
}

static int __shfl_xor_sync(unsigned, int value, int mask) {
  const unsigned lane = emulation::number_of_thread() % emulation::kWarp;
  emulation::Lanes& warp = emulation::warps[emulation::number_of_thread() / emulation::kWarp];
  warp.words[lane] = value;
  emulation::wait_at(warp.barrier, emulation::kWarp);
  const int other = warp.words[lane ^ static_cast<unsigned>(mask)];
  emulation::wait_at(warp.barrier, emulation::kWarp);
  return other;
}
