#include "wick/runtime/executor.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "wick/ir/format.h"
#include "wick/ir/interpreter.h"
#include "wick/ir/profile.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/stats.h"
#include "wick/runtime/step_labels.h"
#include "wick/runtime/step_observer.h"

namespace wick::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// A block of the memory manager for the length of a run.
class Arena {
 public:
  Arena(size_t bytes, const AllocationTag& tag) {
    if (bytes == 0) return;
    manager_ = memory_manager();
    data_ = manager_->allocate(bytes, tag);
  }

  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  ~Arena() {
    if (data_ != nullptr) manager_->free(data_);
  }

  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  std::shared_ptr<MemoryManager> manager_;  // shared: the block goes back to the one that made it
  void* data_ = nullptr;
};

const void* argument_data(const Argument& argument) {
  return argument.buffer ? argument.buffer->data() : argument.data;
}

/// Pointers for one call; few ones need no memory from the heap.
template <typename T>
class CallPointers {
 public:
  explicit CallPointers(size_t count) {
    if (count <= few_.size()) return;
    many_.resize(count);
    data_ = many_.data();
  }

  CallPointers(const CallPointers&) = delete;
  CallPointers& operator=(const CallPointers&) = delete;
  ~CallPointers() = default;

  T& operator[](size_t i) { return data_[i]; }

  [[nodiscard]] T* data() { return data_; }

 private:
  std::array<T, 32> few_;
  std::vector<T> many_;
  T* data_ = few_.data();
};

/// The memory of one run: where each place is.
class RunMemory {
 public:
  RunMemory(const Plan& plan, std::span<const Argument> arguments)
      : plan_(plan),
        arguments_(arguments),
        arena_(plan.arena_bytes, plan.tags.arena) {
    params_.reserve(arguments.size());
    for (const Argument& argument : arguments)
      params_.push_back(const_cast<void*>(argument_data(argument)));
    for (size_t i = 0; i < plan.overwritten.size(); ++i)
      own(static_cast<size_t>(plan.overwritten[i]), plan.tags.overwritten[i]);
    results_.reserve(plan.results.size());
    for (size_t k = 0; k < plan.results.size(); ++k)
      results_.push_back(make_result(k));
  }

  [[nodiscard]] std::byte* arena() const { return arena_.data(); }

  [[nodiscard]] void* at(const Place& place) const {
    const auto index = static_cast<size_t>(place.index);
    switch (place.kind) {
      case Place::Kind::arena:
        return arena_.data() + place.offset;
      case Place::Kind::result:
        return results_[index]->data();
      case Place::Kind::param:
        return params_[index];
      case Place::Kind::constant:
        return plan_.constants[index]->data();
    }
    return nullptr;
  }

  [[nodiscard]] void* at(int value) const {
    return at(plan_.values[static_cast<size_t>(value)].place);
  }

  std::vector<Ref<Buffer>> take_results() {
    for (size_t k = 0; k < results_.size(); ++k) {
      const ResultSource& source = plan_.sources[k];
      const auto index = static_cast<size_t>(source.index);
      if (source.kind == ResultSource::Kind::result) results_[k] = results_[index];
      if (source.kind == ResultSource::Kind::param) results_[k] = param_as_result(k, index);
    }
    return std::move(results_);
  }

 private:
  /// Steps write over this parameter: where its buffer must not be written, a copy is.
  void own(size_t index, const AllocationTag& tag) {
    const Ref<Buffer>& buffer = arguments_[index].buffer;
    if (buffer && buffer->is_writable()) return;
    const size_t bytes = plan_.parameters[index].num_bytes();
    Ref<Buffer> copy = Buffer::allocate(bytes, tag);
    if (bytes > 0) std::memcpy(copy->data(), params_[index], bytes);
    params_[index] = copy->data();
    copies_.emplace_back(index, std::move(copy));
  }

  /// The buffer that a parameter has in this run; null for foreign memory and scalars.
  [[nodiscard]] const Ref<Buffer>& buffer_of(size_t index) const {
    for (const auto& [parameter, copy] : copies_) {
      if (parameter == index) return copy;
    }
    return arguments_[index].buffer;
  }

  [[nodiscard]] Ref<Buffer> make_result(size_t k) const {
    const ResultSource& source = plan_.sources[k];
    if (source.kind == ResultSource::Kind::fresh) {
      return Buffer::allocate(plan_.results[k].num_bytes(), plan_.tags.results[k]);
    }
    if (source.kind == ResultSource::Kind::constant) {
      return plan_.constants[static_cast<size_t>(source.index)];
    }
    return nullptr;
  }

  /// Values are immutable, so a result may share its argument's buffer; foreign memory that its
  /// owner may change, and scalars, are copied.
  [[nodiscard]] Ref<Buffer> param_as_result(size_t k, size_t index) const {
    const Ref<Buffer>& buffer = buffer_of(index);
    if (buffer && buffer->is_writable()) return buffer;
    const size_t bytes = plan_.results[k].num_bytes();
    Ref<Buffer> copy = Buffer::allocate(bytes, plan_.tags.results[k]);
    if (bytes > 0) std::memcpy(copy->data(), params_[index], bytes);
    return copy;
  }

  const Plan& plan_;
  std::span<const Argument> arguments_;  // lives as long as the run
  Arena arena_;
  std::vector<void*> params_;
  std::vector<std::pair<size_t, Ref<Buffer>>> copies_;  // of parameters that are not ours to write
  std::vector<Ref<Buffer>> results_;
};

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
    RunMemory memory(*plan_, arguments);
    if (!labels.empty()) report_memory(plan_->arena_bytes);
    const StepObserver* observer = step_observer();
    for (size_t s = 0; s < plan_->steps.size(); ++s) {
      profile::Slice slice("step", labels.empty() ? kNoLabel : labels[s]);
      const auto start = observer == nullptr ? Clock::time_point() : Clock::now();
      run_step(plan_->steps[s], {memory, threads, slice});
      if (observer != nullptr)
        (*observer)(*plan_, s, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return memory.take_results();
  }

  void run_step(const Step& step, const StepRun& run) const {
    try {
      std::visit([&](const auto& action) { run_action(step, action, run); }, step.action);
    } catch (const Error& error) {
      if (error.where().is_known()) throw;
      throw Error(step.where, error.op(), error.text());
    } catch (const std::bad_alloc&) {
      throw Error(step.where, step.name, "out of memory");
    } catch (const std::exception& failure) {
      throw Error(step.where, step.name, failure.what());
    }
  }

  static void run_action(const Step& /*step*/, const KernelStep& launch, const StepRun& run) {
    runtime_counters().kernel_launches.fetch_add(1, std::memory_order_relaxed);
    CallPointers<void*> args(launch.args.size());
    for (size_t i = 0; i < launch.args.size(); ++i)
      args[i] = run.memory.at(launch.args[i]);
    const LaunchCut cut = cut_launch(launch, run.threads);
    const int64_t pieces = cut.task_pieces * cut.vector_pieces;
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
      library.call->run(operands.data(), result, run.memory.arena() + library.scratch_offset);
      return;
    }
    // Options::num_threads changed since the plan was built: oneDNN fixes the split of the work
    // when a primitive is made, and keeps primitives of both counts in its cache.
    const std::unique_ptr<LibraryCall> other = make_library_call(library.op, run.threads);
    const Arena scratch(
        other->scratch_bytes(),
        {.purpose = "scratch", .op = ir::to_string(library.op.op), .where = step.where});
    other->run(operands.data(), result, scratch.data());
  }

  void run_action(const Step& step, const InterpretStep& interpreted, const StepRun& run) const {
    runtime_counters().interpreted_steps.fetch_add(1, std::memory_order_relaxed);
    std::vector<Literal> operands;
    for (const int value : step.reads) {
      const Type& type = plan_->values[static_cast<size_t>(value)].type;
      const auto* bytes = static_cast<const std::byte*>(run.memory.at(value));
      operands.emplace_back(type, std::span(bytes, type.num_bytes()));
    }
    std::vector<Literal> results;
    if (interpreted.body != nullptr) {
      results = ir::interpret(*interpreted.body, operands);
    } else {
      std::vector<const Literal*> pointers;
      for (const Literal& operand : operands)
        pointers.push_back(&operand);
      const Type& type = plan_->values[static_cast<size_t>(step.writes[0])].type;
      results.push_back(ir::interpret_op(interpreted.op, interpreted.attributes, pointers, type));
    }
    for (size_t i = 0; i < results.size(); ++i) {
      const std::span<const std::byte> bytes = results[i].bytes();
      if (!bytes.empty()) std::memcpy(run.memory.at(step.writes[i]), bytes.data(), bytes.size());
    }
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
