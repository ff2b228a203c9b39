#include "wick/runtime/executor.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <mutex>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "wick/ir/format.h"
#include "wick/ir/profile.h"
#include "wick/runtime/call_pointers.h"
#include "wick/runtime/interpret_step.h"
#include "wick/runtime/launch_cut.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/run_memory.h"
#include "wick/runtime/stats.h"
#include "wick/runtime/step_labels.h"
#include "wick/runtime/step_observer.h"

namespace wick::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// What a step needs of the run it is part of.
struct StepRun {
  const RunMemory& memory;
  int threads;
  profile::Slice& slice;
};

const std::shared_ptr<const profile::Label> kNoLabel;

void report(std::string_view name, int64_t bytes) {
  profile::add(
      {.kind = profile::Event::Kind::counter,
       .label = std::make_shared<profile::Label>(profile::Label{.name = std::string(name)}),
       .args = {{"bytes", bytes}},
       .start = profile::now()});
}

/// Counters of the profile.
void report_memory(size_t arena_bytes) {
  const MemoryStats stats = memory_manager()->stats();
  report("memory in use", stats.bytes_in_use);
  report("memory cached", std::max<int64_t>(0, stats.bytes_reserved - stats.bytes_in_use));
  report("arena", static_cast<int64_t>(arena_bytes));
}

class PlanExecutable final : public Executable {
 public:
  explicit PlanExecutable(std::unique_ptr<Plan> plan) : plan_(std::move(plan)) {}

  std::vector<Ref<Buffer>> run(std::span<const Argument> arguments) override {
    check(arguments.size() == plan_->parameters.size(), "one argument a parameter");
    runtime_counters().plan_runs.fetch_add(1, std::memory_order_relaxed);
    if (profile::is_on()) [[unlikely]]
      return run_profiled(arguments);
    return run_steps(arguments, {});
  }

  ProgramSummary summary() const override { return plan_->summary; }

  std::string to_text() const override { return to_string(*plan_); }

 private:
  using Labels = std::span<const std::shared_ptr<const profile::Label>>;  // empty: no profile

  std::vector<Ref<Buffer>> run_profiled(std::span<const Argument> arguments) {
    std::call_once(labels_made_, [this] { labels_ = step_labels(*plan_); });
    profile::Slice slice("run", plan_->name);
    std::vector<Ref<Buffer>> results = run_steps(arguments, labels_);
    report_memory(0);
    return results;
  }

  std::vector<Ref<Buffer>> run_steps(std::span<const Argument> arguments, Labels labels) const {
    const int threads = max_threads();
    const ThreadCountScope scope(threads);
    RunMemory memory(*plan_, plan_->constants, arguments, host_space());
    if (!labels.empty()) report_memory(plan_->arena_bytes);
    const StepObserver* observer = step_observer();
    const bool runs_groups =
        threads > 1 && observer == nullptr && labels.empty() && !plan_->group_ends.empty();
    for (size_t s = 0, end = 0; s < plan_->steps.size(); s = end) {
      end = runs_groups ? static_cast<size_t>(plan_->group_ends[s]) : s + 1;
      if (end > s + 1) {
        run_group(s, end, memory, threads);
        continue;
      }
      profile::Slice slice("step", labels.empty() ? kNoLabel : labels[s]);
      const auto start = observer == nullptr ? Clock::time_point() : Clock::now();
      run_step(plan_->steps[s], {memory, threads, slice});
      if (observer != nullptr)
        (*observer)(*plan_, s, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return memory.take_results();
  }

  void run_step(const Step& step, const StepRun& run) const {
    name_in_errors(step, [&] {
      std::visit([&](const auto& action) { run_action(step, action, run); }, step.action);
    });
  }

  template <class Body>
  static void name_in_errors(const Step& step, Body body) {
    try {
      body();
    } catch (const Error& error) {
      if (error.where().is_known()) throw;
      throw Error(step.where, error.op(), error.text());
    } catch (const std::bad_alloc&) {
      throw Error(step.where, step.name, "out of memory");
    } catch (const std::exception& failure) {
      throw Error(step.where, step.name, failure.what());
    }
  }

  /// The pieces of a group of launches side by side: threads are woken and waited for once.
  void run_group(size_t first, size_t end, const RunMemory& memory, int threads) const {
    std::vector<LaunchCut> cuts;
    cuts.reserve(end - first);
    std::vector<void*> args;
    std::vector<size_t> first_args;
    first_args.reserve(end - first);
    for (size_t s = first; s < end; ++s) {
      const auto& kernel = std::get<KernelStep>(plan_->steps[s].action);
      cuts.push_back(cut_launch(kernel, threads));
      first_args.push_back(args.size());
      for (const Place& arg : kernel.args)
        args.push_back(memory.at(arg));
    }
    runtime_counters().kernel_launches.fetch_add(end - first, std::memory_order_relaxed);
    const std::vector<LaunchPiece> pieces = share_pieces(cuts, threads);
    parallel_for(static_cast<int64_t>(pieces.size()), [&](int64_t i) {
      const auto [launch, piece] = pieces[static_cast<size_t>(i)];
      const Step& step = plan_->steps[first + launch];
      name_in_errors(step, [&] {
        run_piece(std::get<KernelStep>(step.action),
                  args.data() + first_args[launch],
                  cuts[launch],
                  piece);
      });
    });
  }

  static void run_action(const Step& /*step*/, const KernelStep& launch, const StepRun& run) {
    runtime_counters().kernel_launches.fetch_add(1, std::memory_order_relaxed);
    CallPointers<void*> args(launch.args.size());
    for (size_t i = 0; i < launch.args.size(); ++i)
      args[i] = run.memory.at(launch.args[i]);
    const LaunchCut cut = cut_launch(launch, run.threads);
    const int64_t pieces = cut.pieces();
    run.slice.arg("pieces", pieces);
    if (pieces == 1) return run_piece(launch, args.data(), cut, 0);
    parallel_for(pieces, [&](int64_t piece) {
      const profile::Slice slice("piece", run.slice.label());
      run_piece(launch, args.data(), cut, piece);
    });
  }

  static void run_piece(const KernelStep& launch,
                        void* const* args,
                        const LaunchCut& cut,
                        int64_t piece) {
    const int64_t task = piece / cut.vector_pieces * cut.task_grain;
    const int64_t vector = piece % cut.vector_pieces * cut.vector_grain;
    const int64_t task_end = std::min(task + cut.task_grain, launch.task_extent);
    const int64_t vector_end = std::min(vector + cut.vector_grain, launch.vector_extent);
    const int64_t* params = launch.params.data();
    if (launch.function != nullptr) {
      launch.function(args, params, task, task_end, vector, vector_end);
    } else {
      codegen::interpret(*launch.kernel, args, params, task, task_end, vector, vector_end);
    }
  }

  void run_action(const Step& step, const LibraryStep& library, const StepRun& run) const {
    runtime_counters().library_calls.fetch_add(1, std::memory_order_relaxed);
    CallPointers<const void*> operands(step.reads.size());
    for (size_t i = 0; i < step.reads.size(); ++i)
      operands[i] = run.memory.at(step.reads[i]);
    void* result = run.memory.at(step.writes[0]);
    if (run.threads == library.threads) {
      const auto& call = static_cast<const HostCall&>(*library.call);
      call.run(operands.data(), result, run.memory.arena() + library.scratch_offset);
      return;
    }
    // Options::num_threads changed since the plan was built: oneDNN fixes the split of the work
    // when a primitive is made, and keeps primitives of both counts in its cache.
    const std::unique_ptr<HostCall> other = make_host_call(library.op, run.threads);
    const RunBlock scratch(
        memory_manager(),
        other->scratch_bytes(),
        {.purpose = "scratch", .op = ir::to_string(library.op.op), .where = step.where});
    other->run(operands.data(), result, scratch.data());
  }

  void run_action(const Step& step, const InterpretStep& interpreted, const StepRun& run) const {
    runtime_counters().interpreted_steps.fetch_add(1, std::memory_order_relaxed);
    std::vector<const void*> operands;
    for (const int value : step.reads)
      operands.push_back(run.memory.at(value));
    std::vector<void*> results;
    for (const int value : step.writes)
      results.push_back(run.memory.at(value));
    interpret_step(*plan_, step, interpreted, operands, results);
  }

  void run_action(const Step& step, const CopyStep& /*copy*/, const StepRun& run) const {
    const size_t bytes = plan_->values[static_cast<size_t>(step.writes[0])].type.num_bytes();
    if (bytes > 0) std::memcpy(run.memory.at(step.writes[0]), run.memory.at(step.reads[0]), bytes);
  }

  std::unique_ptr<Plan> plan_;
  std::once_flag labels_made_;
  std::vector<std::shared_ptr<const profile::Label>> labels_;  // shared with profiles; by step
};

}  // namespace

std::unique_ptr<Executable> make_executable(std::unique_ptr<Plan> plan) {
  return std::make_unique<PlanExecutable>(std::move(plan));
}

}  // namespace wick::runtime
