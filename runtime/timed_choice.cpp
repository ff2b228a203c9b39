#include "wick/runtime/timed_choice.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/mman.h>

#include "wick/passes/options.h"
#include "wick/runtime/division.h"
#include "wick/runtime/known_choices.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/step_labels.h"

namespace wick::runtime {
namespace {

constexpr int kWaysVersion = 8;       // raised where some have become faster: known choices are old
constexpr double kWorthTiming = 2e4;  // floating-point operations, some microseconds
constexpr double kClearly = 0.97;     // of the time of the first is clearly faster
constexpr double kFarApart = 0.8;     // this ratio needs no further run
constexpr double kFarApartCold = 0.6;  // nor does this one of first runs
constexpr double kMemoryCost = 1.4;    // times as long counts a call with twice its data's scratch
constexpr double kColdMilliseconds = 4;     // runs that generating code may decide are shorter
constexpr double kEnoughMilliseconds = 10;  // of runs of one candidate
constexpr int kMostRuns = 6;

/// Not of the memory manager, which would keep it.
class TimingMemory {
 public:
  /// Huge pages, which are touched sooner. Valid until the next call.
  std::byte* zeroed(size_t bytes) {
    if (bytes > size_) {
      size_ = 0;
      data_.reset();
      constexpr size_t kHugePage = size_t{1} << 21U;
      const size_t size = (bytes + kHugePage - 1) / kHugePage * kHugePage;
      data_.reset(static_cast<std::byte*>(std::aligned_alloc(kHugePage, size)));
      if (data_ == nullptr) throw std::bad_alloc();
      size_ = size;
      madvise(data_.get(), size, MADV_HUGEPAGE);
    }
    std::memset(data_.get(), 0, bytes);
    return data_.get();
  }

  void keep() { ++keepers_; }

  void let_go() {
    if (--keepers_ > 0) return;
    data_.reset();
    size_ = 0;
  }

 private:
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };

  std::unique_ptr<std::byte, Free> data_;
  size_t size_ = 0;
  int keepers_ = 0;
};

thread_local TimingMemory timing_memory;

/// Zeroed memory for operands, result and scratch of a call.
class Workbench {
 public:
  Workbench(const LibraryOp& op, size_t scratch_bytes) {
    size_t total = aligned(scratch_bytes);
    std::vector<size_t> offsets;
    for (const Type& operand : op.operands) {
      offsets.push_back(total);
      total += aligned(operand.num_bytes());
    }
    const size_t result = total;
    total += aligned(op.result.num_bytes());
    scratch_ = timing_memory.zeroed(total);
    for (const size_t offset : offsets)
      operands_.push_back(scratch_ + offset);
    result_ = scratch_ + result;
  }

  /// Milliseconds of one run.
  double time(const HostCall& call) const {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    call.run(operands_.data(), result_, scratch_);
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  }

 private:
  std::byte* scratch_ = nullptr;
  std::vector<const void*> operands_;
  std::byte* result_ = nullptr;
};

/// Calls of oneDNN and of ours are made and run on this thread alone while it lives.
class OneThreadScope {
 public:
  OneThreadScope() : options_(for_one_thread()), threads_(1) {}

 private:
  static Options for_one_thread() {
    Options one = options();
    one.num_threads = 1;
    return one;
  }

  ScopedOptions options_;
  ThreadCountScope threads_;
};

/// Whether no call of an op was timed yet that is made in this way. The first one in a process may
/// generate the code of all, as oneDNN's sgemm does for 20 ms.
bool is_first_of_its_way(const LibraryOp& op, const Candidate& candidate) {
  static std::mutex mutex;
  static std::set<std::pair<ir::OpKind, std::string>> timed;
  const std::lock_guard lock(mutex);
  return timed.emplace(op.op, candidate.name).second;
}

/// A candidate that may still win.
struct Contender {
  const Candidate* candidate = nullptr;
  std::unique_ptr<HostCall> call;
  double memory_cost = 1;
  bool is_new = false;                                    // its first run tells little
  double best = std::numeric_limits<double>::infinity();  // milliseconds times the memory's cost
};

size_t bytes_of(const LibraryOp& op) {
  size_t bytes = op.result.num_bytes();
  for (const Type& operand : op.operands)
    bytes += operand.num_bytes();
  return bytes;
}

/// Up to as much scratch as data costs nothing.
double memory_cost(const HostCall& call, const LibraryOp& op) {
  const auto scratch = static_cast<double>(call.scratch_bytes());
  const auto data = static_cast<double>(bytes_of(op));
  return 1 + (kMemoryCost - 1) * std::clamp(scratch / data - 1, 0.0, 1.0);
}

std::vector<Contender> contenders_of(const LibraryOp& op, std::span<const Candidate> candidates) {
  std::vector<Contender> contenders;
  for (const Candidate& candidate : candidates) {
    if (auto call = candidate.make(op)) {
      const double cost = memory_cost(*call, op);
      contenders.push_back({.candidate = &candidate,
                            .call = std::move(call),
                            .memory_cost = cost,
                            .is_new = is_first_of_its_way(op, candidate)});
    }
  }
  return contenders;
}

double least(const std::vector<Contender>& contenders) {
  return std::ranges::min_element(contenders, {}, &Contender::best)->best;
}

/// The fastest; null where none exists. On one thread, so that programs take the same way, and give
/// the same bits, on any number. Runs of the candidates take turns, so that a change of the
/// machine's speed meets all of them. First runs generate code and fill caches: they decide only
/// where they are long.
const Candidate* time_all(const LibraryOp& op, std::span<const Candidate> candidates) {
  const OneThreadScope one_thread;
  const TimingMemoryScope memory;
  std::vector<Contender> contenders = contenders_of(op, candidates);
  if (contenders.empty()) return nullptr;
  if (contenders.size() == 1) return contenders.front().candidate;
  size_t scratch = 0;
  for (const Contender& each : contenders)
    scratch = std::max(scratch, each.call->scratch_bytes());
  const Workbench bench(op, scratch);
  double spent = 0;  // on a contender
  const auto goes_on = [&](int run) {
    return contenders.size() > 1 && (run < 2 || (run < kMostRuns && spent < kEnoughMilliseconds));
  };
  for (int run = 0; goes_on(run); ++run) {
    for (Contender& each : contenders)
      each.best = std::min(each.best, bench.time(*each.call) * each.memory_cost);
    const double fastest = least(contenders);
    if (run == 0 && fastest < kColdMilliseconds) continue;
    spent += fastest;
    const double far_apart = run == 0 ? kFarApartCold : kFarApart;
    std::erase_if(contenders, [&](const Contender& each) {
      return fastest < far_apart * each.best && !(run == 0 && each.is_new);
    });
  }
  const auto fastest = std::ranges::min_element(contenders, {}, &Contender::best);
  const Contender& first = contenders.front();
  return fastest->best < kClearly * first.best ? fastest->candidate : first.candidate;
}

std::string problem_of(const LibraryOp& op,
                       const std::string& machine,
                       std::span<const Candidate> candidates) {
  std::string text =
      fmt::format("choose {} of ways {} on {}:", problem_text(op), kWaysVersion, machine);
  for (const Candidate& candidate : candidates)
    text += fmt::format(" {}", candidate.name);
  return text;
}

std::unique_ptr<HostCall> first_call(const LibraryOp& op, std::span<const Candidate> candidates) {
  for (const Candidate& candidate : candidates) {
    if (auto call = candidate.make(op)) return call;
  }
  return nullptr;
}

}  // namespace

TimingMemoryScope::TimingMemoryScope() {
  timing_memory.keep();
}

TimingMemoryScope::~TimingMemoryScope() {
  timing_memory.let_go();
}

std::unique_ptr<HostCall> fastest_call(const LibraryOp& op,
                                       const LibraryOp& sample,
                                       const std::string& machine,
                                       std::span<const Candidate> candidates) {
  if (candidates.size() == 1 || flops(op) < kWorthTiming) return first_call(op, candidates);
  const std::string problem = problem_of(sample, machine, candidates);
  std::string known = find_choice(problem);
  if (known.empty()) known = find_choice_nearby(problem);
  for (const Candidate& candidate : candidates) {
    if (candidate.name != known) continue;
    if (auto call = candidate.make(op)) return call;
  }
  const Candidate* fastest = time_all(sample, candidates);
  if (fastest == nullptr) return nullptr;
  keep_choice(problem, fastest->name);
  return fastest->make(op);
}

}  // namespace wick::runtime
