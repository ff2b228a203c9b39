#include "wick/runtime/cuda/device_executable.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <list>
#include <mutex>

#include "wick/ir/check.h"
#include "wick/ir/profile.h"
#include "wick/runtime/call_pointers.h"
#include "wick/runtime/cuda/device_plan.h"
#include "wick/runtime/cuda/graph.h"
#include "wick/runtime/interpret_step.h"
#include "wick/runtime/run_memory.h"
#include "wick/runtime/stats.h"
#include "wick/runtime/step_labels.h"
#include "wick/runtime/step_observer.h"

namespace wick::runtime::cuda {
namespace {

using Clock = std::chrono::steady_clock;

/// Parameters that come by content lie in one block, each at a multiple of this: a kernel may read
/// them as vectors.
constexpr size_t kScalarBytes = 16;

/// Sets of addresses that a program alternates between: two where a step's results replace the
/// operands of the one before, and some for what else goes on in between.
constexpr size_t kGraphs = 4;

class DeviceSpace final : public MemorySpace {
 public:
  explicit DeviceSpace(Gpu& gpu) : gpu_(gpu) {}

  [[nodiscard]] std::shared_ptr<MemoryManager> manager() const override { return gpu_.memory(); }

  [[nodiscard]] Ref<Buffer> allocate(size_t bytes, const AllocationTag& tag) const override {
    return Buffer::allocate(gpu_, bytes, tag);
  }

  void copy(void* to, const void* from, size_t bytes) const override { gpu_.copy(to, from, bytes); }

 private:
  Gpu& gpu_;
};

class DeviceExecutable final : public Executable {
 public:
  DeviceExecutable(std::unique_ptr<Plan> plan, Gpu& gpu)
      : plan_(std::move(plan)),
        gpu_(gpu),
        space_(gpu),
        ready_(prepare(*plan_, gpu)) {
    const auto num_scalars = std::ranges::count_if(plan_->parameters, is_scalar);
    if (num_scalars == 0) return;
    const size_t bytes = static_cast<size_t>(num_scalars) * kScalarBytes;
    scalars_ = space_.allocate(bytes, {.purpose = "upload"});
  }

  std::vector<Ref<Buffer>> run(std::span<const Argument> arguments) override {
    check(arguments.size() == plan_->parameters.size(), "one argument a parameter");
    runtime_counters().plan_runs.fetch_add(1, std::memory_order_relaxed);
    profile::Slice slice("run", plan_->name);
    // One run at a time is enqueued: they share `scalars_`.
    const std::lock_guard lock(mutex_);
    const std::vector<Argument> here = arguments_on_device(arguments);
    RunMemory memory(*plan_, ready_.constants, here, space_);
    const RunBlock workspace(gpu_.memory(), ready_.workspace_bytes, {.purpose = "scratch"});
    if (profile::is_on() || step_observer() != nullptr) {
      run_watched(memory, workspace.data());
    } else if (ready_.waits_for_host) {
      enqueue(gpu_.stream(), memory, workspace.data());
    } else {
      enqueue_or_replay(memory, workspace.data());
    }
    return memory.take_results();
  }

  [[nodiscard]] ProgramSummary summary() const override { return plan_->summary; }

  [[nodiscard]] std::string to_text() const override { return to_string(*plan_); }

 private:
  /// A sequence of launches at these addresses. The first run at them makes none.
  struct Replay {
    std::vector<const void*> addresses;
    std::unique_ptr<LaunchGraph> graph;
  };

  static bool is_scalar(const Type& type) { return type.shape.ndim() == 0; }

  /// Every argument in a buffer on this device. Scalars that come by content are uploaded together.
  std::vector<Argument> arguments_on_device(std::span<const Argument> arguments) {
    std::vector<Argument> here;
    std::vector<std::byte> contents;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Argument& argument = arguments[i];
      const Type& type = plan_->parameters[i];
      if (argument.buffer && argument.buffer->device() == gpu_.where()) {
        here.push_back(argument);
      } else if (!argument.buffer && is_scalar(type)) {
        const auto* block = static_cast<const std::byte*>(scalars_->data());
        here.push_back({.data = block + contents.size(), .buffer = nullptr});
        const auto* bytes = static_cast<const std::byte*>(argument.data);
        contents.insert(contents.end(), bytes, bytes + type.num_bytes());
        contents.resize((contents.size() + kScalarBytes - 1) / kScalarBytes * kScalarBytes);
      } else {
        const void* elements = argument.buffer ? argument.buffer->host_data() : argument.data;
        Ref<Buffer> copy = space_.allocate(type.num_bytes(), {.purpose = "upload"});
        gpu_.upload(copy->data(), elements, type.num_bytes());
        here.push_back({.data = nullptr, .buffer = std::move(copy)});
      }
    }
    if (!contents.empty()) gpu_.upload(scalars_->data(), contents.data(), contents.size());
    return here;
  }

  void enqueue_or_replay(const RunMemory& memory, std::byte* workspace) {
    std::vector<const void*> addresses = memory.addresses();
    addresses.push_back(workspace);
    const auto known = std::ranges::find(replays_, addresses, &Replay::addresses);
    if (known == replays_.end()) {
      enqueue(gpu_.stream(), memory, workspace);
      if (replays_.size() == kGraphs) drop_oldest_replay();
      replays_.push_front({std::move(addresses), nullptr});
      return;
    }
    replays_.splice(replays_.begin(), replays_, known);
    if (known->graph == nullptr) {
      known->graph = std::make_unique<LaunchGraph>(
          gpu_.device(), [&](const Stream& stream) { enqueue(stream, memory, workspace); });
    } else {
      count_steps();
    }
    known->graph->launch(gpu_.stream());
  }

  void drop_oldest_replay() {
    if (replays_.back().graph != nullptr) gpu_.stream().synchronize();  // it may still run
    replays_.pop_back();
  }

  void count_steps() const {
    const ProgramSummary& summary = plan_->summary;
    runtime_counters().kernel_launches.fetch_add(summary.num_kernels, std::memory_order_relaxed);
    runtime_counters().library_calls.fetch_add(summary.num_library_calls,
                                               std::memory_order_relaxed);
  }

  void enqueue(const Stream& stream, const RunMemory& memory, std::byte* workspace) const {
    for (size_t s = 0; s < plan_->steps.size(); ++s)
      enqueue_step(s, stream, memory, workspace);
  }

  /// Waits for every step, so that each has a time of its own.
  void run_watched(const RunMemory& memory, std::byte* workspace) {
    std::call_once(labels_made_, [this] { labels_ = step_labels(*plan_); });
    const StepObserver* observer = step_observer();
    gpu_.stream().synchronize();
    for (size_t s = 0; s < plan_->steps.size(); ++s) {
      const profile::Slice slice("step", labels_[s]);
      const Clock::time_point start = Clock::now();
      enqueue_step(s, gpu_.stream(), memory, workspace);
      gpu_.stream().synchronize();
      if (observer != nullptr)
        (*observer)(*plan_, s, std::chrono::duration<double>(Clock::now() - start).count());
    }
  }

  void enqueue_step(size_t s,
                    const Stream& stream,
                    const RunMemory& memory,
                    std::byte* workspace) const {
    const Step& step = plan_->steps[s];
    try {
      std::visit([&](const auto& ready) { enqueue(step, ready, stream, memory, workspace); },
                 ready_.steps[s]);
    } catch (const Error& error) {
      if (error.where().is_known()) throw;
      throw Error(step.where, step.name, error.text());
    } catch (const std::exception& failure) {
      throw Error(step.where, step.name, failure.what());
    }
  }

  static void enqueue(const Step& /*step*/,
                      const ReadyKernel& ready,
                      const Stream& stream,
                      const RunMemory& memory,
                      std::byte* workspace) {
    runtime_counters().kernel_launches.fetch_add(1, std::memory_order_relaxed);
    if (ready.shape.grid[0] == 0) return;
    const codegen::Kernel& kernel = *ready.step->kernel;
    CallPointers<void*> pointers(ready.step->args.size() + 1);
    CallPointers<void*> arguments(ready.step->args.size() + 2);
    size_t count = 0;
    const auto add = [&](void* pointer) {
      pointers[count] = pointer;
      arguments[count] = &pointers[count];
      ++count;
    };
    for (size_t i = 0; i < ready.step->args.size(); ++i) {
      if (kernel.buffers[i].own_elements == 0) add(memory.at(ready.step->args[i]));
    }
    if (ready.takes_workspace) add(ready.workspace_bytes == 0 ? nullptr : workspace);
    arguments[count++] = const_cast<int64_t*>(ready.step->params.data());
    launch(stream, ready.kernel, ready.shape, {arguments.data(), count});
  }

  static void enqueue(const Step& step,
                      const ReadyCall& ready,
                      const Stream& stream,
                      const RunMemory& memory,
                      std::byte* workspace) {
    runtime_counters().library_calls.fetch_add(1, std::memory_order_relaxed);
    CallPointers<const void*> operands(step.reads.size());
    for (size_t i = 0; i < step.reads.size(); ++i)
      operands[i] = memory.at(step.reads[i]);
    ready.call->enqueue(stream, operands.data(), memory.at(step.writes[0]), workspace);
  }

  void enqueue(const Step& step,
               const ReadyHostStep& ready,
               const Stream& /*stream*/,
               const RunMemory& memory,
               std::byte* /*workspace*/) const {
    std::deque<RunBlock> blocks;  // in place of the device's
    const auto on_host = [&](int value) -> void* {
      constexpr AllocationTag kTag{.purpose = "host copy"};
      return blocks.emplace_back(memory_manager(), bytes_of(value), kTag).data();
    };
    std::vector<const void*> operands;
    for (const int value : step.reads) {
      void* const block = on_host(value);
      gpu_.download(block, memory.at(value), bytes_of(value));
      operands.push_back(block);
    }
    std::vector<void*> results;
    for (const int value : step.writes)
      results.push_back(on_host(value));
    if (ready.call != nullptr) {
      runtime_counters().library_calls.fetch_add(1, std::memory_order_relaxed);
      const RunBlock scratch(memory_manager(), ready.call->scratch_bytes(), {.purpose = "scratch"});
      ready.call->run(operands.data(), results[0], scratch.data());
    } else {
      runtime_counters().interpreted_steps.fetch_add(1, std::memory_order_relaxed);
      interpret_step(*plan_, step, *ready.interpreted, operands, results);
    }
    for (size_t i = 0; i < results.size(); ++i)
      gpu_.upload(memory.at(step.writes[i]), results[i], bytes_of(step.writes[i]));
  }

  void enqueue(const Step& step,
               const ReadyCopy& /*ready*/,
               const Stream& stream,
               const RunMemory& memory,
               std::byte* /*workspace*/) const {
    copy_on_device(
        stream, memory.at(step.writes[0]), memory.at(step.reads[0]), bytes_of(step.writes[0]));
  }

  [[nodiscard]] size_t bytes_of(int value) const {
    return plan_->values[static_cast<size_t>(value)].type.num_bytes();
  }

  std::unique_ptr<Plan> plan_;
  Gpu& gpu_;
  DeviceSpace space_;
  DevicePlan ready_;
  Ref<Buffer> scalars_;  // of the run that was enqueued last
  std::mutex mutex_;
  std::list<Replay> replays_;  // the one used last is first
  std::once_flag labels_made_;
  std::vector<std::shared_ptr<const profile::Label>> labels_;  // shared with profiles; by step
};

class AbsentExecutable final : public Executable {
 public:
  AbsentExecutable(std::unique_ptr<Plan> plan, std::string target)
      : plan_(std::move(plan)),
        target_(std::move(target)) {}

  std::vector<Ref<Buffer>> run(std::span<const Argument> /*arguments*/) override {
    throw Error({},
                target_,
                "this program was compiled for a kind of GPU, to be looked at; backend \"cuda\" "
                "compiles for the GPU of this machine");
  }

  [[nodiscard]] ProgramSummary summary() const override { return plan_->summary; }

  [[nodiscard]] std::string to_text() const override { return to_string(*plan_); }

 private:
  std::unique_ptr<Plan> plan_;
  std::string target_;
};

}  // namespace

std::unique_ptr<Executable> make_device_executable(std::unique_ptr<Plan> plan, Gpu& gpu) {
  return std::make_unique<DeviceExecutable>(std::move(plan), gpu);
}

std::unique_ptr<Executable> make_absent_executable(std::unique_ptr<Plan> plan, std::string target) {
  return std::make_unique<AbsentExecutable>(std::move(plan), std::move(target));
}

}  // namespace wick::runtime::cuda
