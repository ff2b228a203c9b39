#include "wick/runtime/plan_builder.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "wick/codegen/lower.h"
#include "wick/ir/check.h"
#include "wick/ir/profile.h"
#include "wick/ir/structural_hash.h"
#include "wick/ir/value_names.h"
#include "wick/passes/arena_placement.h"
#include "wick/runtime/cached_kernels.h"
#include "wick/runtime/division.h"
#include "wick/runtime/launch_groups.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/placement.h"
#include "wick/runtime/plan_tags.h"
#include "wick/runtime/stats.h"
#include "wick/runtime/timed_choice.h"

namespace wick::runtime {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// A buffer of the plan's own that nobody may write.
Ref<Buffer> constant_buffer(const ir::Node& node) {
  const Literal& value = node.attributes().literal("value");
  std::shared_ptr<MemoryManager> manager = memory_manager();
  const size_t bytes = value.bytes().size();
  const AllocationTag tag{
      .purpose = "constant", .op = ir::to_string(node.op()), .where = node.location()};
  void* data = manager->allocate(bytes, tag);
  if (bytes > 0) std::memcpy(data, value.data(), bytes);
  return Buffer::wrap(data, bytes, [manager, data] { manager->free(data); }, /*writable=*/false);
}

/// The start of the smallest gap that the values in use during the item's steps leave for it.
size_t free_offset(const Plan& plan, const ArenaItem& item) {
  std::vector<passes::ByteRange> taken;
  for (const PlanValue& value : plan.values) {
    const bool is_needed = value.defined_at <= item.last_step &&
                           std::max(value.defined_at, value.last_read) >= item.first_step;
    if (value.place.kind != Place::Kind::arena || !is_needed) continue;
    taken.emplace_back(value.place.offset, aligned(value.place.offset + value.type.num_bytes()));
  }
  std::ranges::sort(taken);
  taken.emplace_back(plan.value_bytes, plan.value_bytes);
  return passes::best_gap(taken, aligned(item.bytes));
}

class PlanBuilder {
 public:
  PlanBuilder(const ir::Graph& graph, const PlanOptions& options)
      : graph_(graph),
        options_(options),
        names_(graph),
        placement_(place_values(graph)),
        plan_(std::make_unique<Plan>()) {}

  std::unique_ptr<Plan> run() {
    profile::Slice slice("compile", "build plan");
    plan_->name = graph_.name();
    plan_->value_bytes = aligned(placement_.arena_bytes);
    numbers_.resize(static_cast<size_t>(graph_.id_bound()));
    for (ir::Node* node = graph_.first(); node != nullptr; node = node->next())
      add_node(*node);
    add_results();
    get_kernels();
    finish_live_ranges();
    place_scratch();
    plan_->overwritten.assign(overwritten_.begin(), overwritten_.end());
    tag_allocations(*plan_, result_values_);
    if (options_.side_by_side) plan_->group_ends = find_launch_groups(*plan_);
    summarize();
    slice.arg("steps", plan_->steps.size());
    runtime_counters().plans_built.fetch_add(1, std::memory_order_relaxed);
    return std::move(plan_);
  }

 private:
  void add_node(ir::Node& node) {
    switch (node.op()) {
      case ir::OpKind::parameter:
        plan_->parameters.push_back(node.type());
        return add_values(node, -1);
      case ir::OpKind::constant:
        plan_->constants.push_back(constant_buffer(node));
        return add_values(node, -1);
      case ir::OpKind::reshape:
      case ir::OpKind::barrier:
        return add_values(node, value_of(node.operand(0)).defined_at);
      default:
        break;
    }
    try {
      add_step(node);
    } catch (const Error&) {
      throw;
    } catch (const std::exception& failure) {
      throw Error(node.location(), node.op_name(), failure.what());
    }
  }

  void add_step(ir::Node& node) {
    add_values(node, next_step());
    for (int i = 0; i < node.num_results(); ++i) {
      const Place& place = placement_.of({&node, i});
      if (place.kind == Place::Kind::param) overwritten_.insert(place.index);
    }
    if (node.op() == ir::OpKind::fusion) return add_fusion(node);
    if (!ir::has(node.op(), ir::kElementwise)) {
      LibraryOp op = library_op_of(node);
      const int threads = max_threads();
      if (auto call = options_.library(op, threads)) {
        const size_t bytes = call->scratch_bytes();
        add_scratch(node, bytes, /*num_steps=*/1);
        return push(node,
                    node.op_name(),
                    LibraryStep{.op = std::move(op),
                                .call = std::move(call),
                                .threads = threads,
                                .scratch_offset = 0,  // see place_scratch
                                .scratch_bytes = bytes});
      }
    }
    push(node,
         node.op_name(),
         InterpretStep{.op = node.op(), .attributes = node.attributes(), .body = nullptr});
  }

  void add_fusion(ir::Node& node) {
    if (options_.fusions == PlanOptions::Fusions::interpret_bodies) {
      return push(
          node,
          "fusion",
          InterpretStep{
              .op = node.op(), .attributes = node.attributes(), .body = node.body()->clone()});
    }
    const Clock::time_point start = Clock::now();
    const codegen::LoweredFusion& lowered = lower(node);
    plan_->build_times.lowering += milliseconds_since(start);
    add_scratch(node, lowered.workspace_bytes, static_cast<int>(lowered.launches.size()));
    for (const codegen::KernelLaunch& launch : lowered.launches)
      add_launch(node, launch);
  }

  /// Layers of a network are lowered once.
  const codegen::LoweredFusion& lower(const ir::Node& fusion) {
    Hash128 key = ir::structural_hash(*fusion.body());
    for (const int64_t operand : fusion.attributes().integers("in_place"))
      key = combine(key, static_cast<uint64_t>(operand));
    const auto [known, is_new] = lowered_.try_emplace(key);
    if (is_new) {
      const profile::Slice slice("compile", "lower");
      known->second = codegen::lower(fusion);
    }
    return known->second;
  }

  void add_launch(ir::Node& node, const codegen::KernelLaunch& launch) {
    Step step{.name = launch.kernel->name,
              .where = node.location(),
              .ops = ops_of(node),
              .reads = {},
              .writes = {},
              .action = {}};
    KernelStep kernel{.kernel = launch.kernel,
                      .function = nullptr,
                      .origin = {},
                      .args = {},
                      .params = launch.params,
                      .task_extent = launch.task_extent,
                      .vector_extent = launch.vector_extent,
                      .work_per_task = launch.work_per_task,
                      .tasks_in_order = launch.tasks_in_order};
    for (size_t i = 0; i < launch.args.size(); ++i) {
      const codegen::ArgBinding& arg = launch.args[i];
      if (arg.kind == codegen::ArgBinding::Kind::workspace) {
        workspace_args_.emplace_back(next_step(), kernel.args.size());
        kernel.args.push_back({Place::Kind::arena, 0, arg.offset});  // see place_scratch
        continue;
      }
      if (arg.kind == codegen::ArgBinding::Kind::own) {
        kernel.args.emplace_back();  // which the kernel does not look at
        continue;
      }
      const bool is_operand = arg.kind == codegen::ArgBinding::Kind::operand;
      const int value =
          is_operand ? number_of(node.operand(arg.index)) : number_of({&node, arg.index});
      kernel.args.push_back(plan_->values[static_cast<size_t>(value)].place);
      (launch.kernel->buffers[i].written ? step.writes : step.reads).push_back(value);
    }
    step.action = std::move(kernel);
    plan_->steps.push_back(std::move(step));
  }

  static std::vector<StepOp> ops_of(const ir::Node& node) {
    std::vector<StepOp> ops;
    if (node.body() == nullptr) return ops;
    for (const ir::Node* op = node.body()->first(); op != nullptr; op = op->next()) {
      const bool computes = op->op() != ir::OpKind::parameter && op->op() != ir::OpKind::constant;
      if (computes) ops.push_back({op->op(), op->location()});
    }
    return ops;
  }

  void push(ir::Node& node, std::string_view name, decltype(Step::action) action) {
    Step step{.name = std::string(name),
              .where = node.location(),
              .ops = ops_of(node),
              .reads = {},
              .writes = {},
              .action = std::move(action)};
    for (const ir::Value operand : node.operands())
      step.reads.push_back(number_of(operand));
    for (int i = 0; i < node.num_results(); ++i)
      step.writes.push_back(number_of({&node, i}));
    plan_->steps.push_back(std::move(step));
  }

  /// The op that makes result i: of a fusion, the one in its body.
  static const ir::Node& maker_of(const ir::Node& node, int i) {
    if (node.body() == nullptr) return node;
    return *node.body()->results()[static_cast<size_t>(i)].node;
  }

  void add_values(ir::Node& node, int defined_at) {
    for (int i = 0; i < node.num_results(); ++i) {
      const ir::Node& maker = maker_of(node, i);
      numbers_[static_cast<size_t>(node.id())].push_back(static_cast<int>(plan_->values.size()));
      plan_->values.push_back({.name = std::string(names_.of({&node, i})),
                               .type = node.type(i),
                               .place = placement_.of({&node, i}),
                               .defined_at = defined_at,
                               .last_read = -1,
                               .op = maker.op(),
                               .where = maker.location()});
    }
  }

  /// Scratch of the node's steps, which come next.
  void add_scratch(const ir::Node& node, size_t bytes, int num_steps) {
    if (bytes == 0) return;
    const ir::Node& maker = maker_of(node, 0);
    plan_->tags.arena_items.push_back({.op = ir::to_string(maker.op()),
                                       .where = maker.location(),
                                       .offset = 0,
                                       .bytes = bytes,
                                       .first_step = next_step(),
                                       .last_step = next_step() + num_steps - 1,
                                       .is_scratch = true});
  }

  void add_results() {
    for (size_t k = 0; k < graph_.results().size(); ++k) {
      const int value = number_of(graph_.results()[k]);
      const PlanValue& source = plan_->values[static_cast<size_t>(value)];
      plan_->results.push_back(source.type);
      result_values_.push_back(value);
      plan_->sources.push_back(source_of(k, value));
    }
  }

  ResultSource source_of(size_t k, int value) {
    using Kind = ResultSource::Kind;
    const Place place = plan_->values[static_cast<size_t>(value)].place;
    switch (place.kind) {
      case Place::Kind::param:
        return {Kind::param, place.index};
      case Place::Kind::constant:
        return {Kind::constant, place.index};
      case Place::Kind::result:
        if (place.index == static_cast<int>(k)) return {Kind::fresh, 0};
        return {Kind::result, place.index};
      case Place::Kind::arena:
        break;
    }
    copy_out(k, value);
    return {Kind::fresh, 0};
  }

  void copy_out(size_t k, int value) {
    PlanValue copy = plan_->values[static_cast<size_t>(value)];
    copy.place = {Place::Kind::result, static_cast<int>(k), 0};
    copy.defined_at = next_step();
    const int number = static_cast<int>(plan_->values.size());
    plan_->values.push_back(std::move(copy));
    plan_->steps.push_back({.name = "copy",
                            .where = graph_.results()[k].node->location(),
                            .ops = {},
                            .reads = {value},
                            .writes = {number},
                            .action = CopyStep{}});
    result_values_.back() = number;
  }

  /// Machine code for all launches.
  void get_kernels() {
    if (options_.fusions != PlanOptions::Fusions::compile) return;
    const Clock::time_point start = Clock::now();
    std::vector<const codegen::Kernel*> kernels;
    std::map<const codegen::Kernel*, size_t> numbers;
    std::map<Hash128, size_t> known;
    std::vector<std::pair<KernelStep*, size_t>> uses;
    for (Step& step : plan_->steps) {
      auto* launch = std::get_if<KernelStep>(&step.action);
      if (launch == nullptr) continue;
      const codegen::Kernel* const kernel = launch->kernel.get();
      const auto [number, is_unseen] = numbers.try_emplace(kernel);
      if (is_unseen) {
        const auto [entry, is_new] = known.try_emplace(identity(*kernel), kernels.size());
        if (is_new) kernels.push_back(kernel);
        number->second = entry->second;
      }
      uses.emplace_back(launch, number->second);
    }
    if (kernels.empty()) return;
    codegen::KernelProvider& provider =
        options_.kernels != nullptr ? *options_.kernels : cached_kernels();
    const std::vector<codegen::ProvidedKernel> provided = provider.provide(kernels);
    check(provided.size() == kernels.size(), "a provider answers for each kernel");
    for (const auto& [launch, index] : uses) {
      launch->function = provided[index].function;
      launch->origin = provided[index].origin;
    }
    plan_->build_times.kernels = milliseconds_since(start);
  }

  void finish_live_ranges() {
    for (size_t s = 0; s < plan_->steps.size(); ++s) {
      for (const int value : plan_->steps[s].reads) {
        plan_->values[static_cast<size_t>(value)].last_read = static_cast<int>(s);
      }
    }
    for (const int value : result_values_) {
      plan_->values[static_cast<size_t>(value)].last_read = next_step();
    }
  }

  /// Between the values where they leave room at that time, else behind all of them.
  void place_scratch() {
    plan_->arena_bytes = plan_->value_bytes;
    std::map<int, size_t> offset_at;  // by step
    for (ArenaItem& item : plan_->tags.arena_items) {
      item.offset = free_offset(*plan_, item);
      plan_->arena_bytes = std::max(plan_->arena_bytes, item.offset + aligned(item.bytes));
      for (int step = item.first_step; step <= item.last_step; ++step)
        offset_at[step] = item.offset;
    }
    for (const auto& [step, offset] : offset_at) {
      auto* library = std::get_if<LibraryStep>(&plan_->steps[static_cast<size_t>(step)].action);
      if (library != nullptr) library->scratch_offset = offset;
    }
    for (const auto& [step, arg] : workspace_args_) {
      auto& kernel = std::get<KernelStep>(plan_->steps[static_cast<size_t>(step)].action);
      kernel.args[arg].offset += offset_at.at(step);
    }
  }

  void summarize() {
    ProgramSummary& summary = plan_->summary;
    for (const Step& step : plan_->steps) {
      summary.num_kernels += std::holds_alternative<KernelStep>(step.action) ? 1 : 0;
      summary.num_library_calls += std::holds_alternative<LibraryStep>(step.action) ? 1 : 0;
      summary.num_interpreted += std::holds_alternative<InterpretStep>(step.action) ? 1 : 0;
    }
    summary.arena_bytes = static_cast<int64_t>(plan_->arena_bytes);
    summary.planned_peak_bytes = summary.arena_bytes;
    for (size_t k = 0; k < plan_->results.size(); ++k) {
      if (plan_->sources[k].kind != ResultSource::Kind::fresh) continue;
      summary.planned_peak_bytes += static_cast<int64_t>(plan_->results[k].num_bytes());
    }
  }

  [[nodiscard]] int number_of(ir::Value value) const {
    return numbers_[static_cast<size_t>(value.node->id())][static_cast<size_t>(value.index)];
  }

  [[nodiscard]] const PlanValue& value_of(ir::Value value) const {
    return plan_->values[static_cast<size_t>(number_of(value))];
  }

  [[nodiscard]] int next_step() const { return static_cast<int>(plan_->steps.size()); }

  const ir::Graph& graph_;
  const PlanOptions& options_;
  ir::ValueNames names_;
  Placement placement_;
  std::unique_ptr<Plan> plan_;
  std::vector<std::vector<int>> numbers_;  // of values, by Node::id and result
  std::vector<int> result_values_;         // number of the value that each result is
  std::set<int> overwritten_;
  std::vector<std::pair<int, size_t>> workspace_args_;  // step, argument of its kernel
  std::map<Hash128, codegen::LoweredFusion> lowered_;   // by what decides the kernels of a fusion
};

}  // namespace

std::unique_ptr<LibraryCall> host_library(const LibraryOp& op, int threads) {
  return make_host_call(op, threads);
}

std::unique_ptr<Plan> build_plan(const ir::Graph& graph, const PlanOptions& options) {
  const Clock::time_point start = Clock::now();
  const TimingMemoryScope memory;
  auto plan = PlanBuilder(graph, options).run();
  plan->build_times.total = milliseconds_since(start);
  return plan;
}

}  // namespace wick::runtime
