#include "wick/tensor/materialize.h"

#include <algorithm>
#include <iostream>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "wick/ir/check.h"
#include "wick/ir/profile.h"
#include "wick/passes/options.h"
#include "wick/runtime/backend.h"
#include "wick/runtime/profiler.h"
#include "wick/tensor/compile_capture.h"
#include "wick/tensor/device_scope.h"
#include "wick/tensor/plan_cache.h"

namespace wick::detail {

namespace {

/// Shows a materialization in the profile, and what came before it as the time of recording.
class ProfiledMaterialization {
 public:
  ProfiledMaterialization(std::string_view reason, std::source_location where)
      : slice_("materialize", "materialize") {
    if (!slice_.is_on()) return;
    slice_.arg("reason", reason);
    slice_.arg("where", to_string(Location(where)));
    start_ = profile::now();
  }

  ProfiledMaterialization(const ProfiledMaterialization&) = delete;
  ProfiledMaterialization& operator=(const ProfiledMaterialization&) = delete;

  ~ProfiledMaterialization() {
    if (slice_.is_on()) last_end = profile::now();
  }

  /// There was nothing to do: the program goes on recording.
  void drop() { slice_.drop(); }

  void report_recording(const Capture& capture) {
    if (!slice_.is_on()) return;
    slice_.arg("ops", capture.num_ops());
    slice_.arg("results", capture.outputs().size());
    profile::add({.kind = profile::Event::Kind::recording,
                  .category = "record",
                  .label = std::make_shared<profile::Label>(profile::Label{.name = "record"}),
                  .args = {{"ops", capture.num_ops()}},
                  .start = last_end,
                  .duration = start_ - last_end});
  }

 private:
  // Of this thread's last one. Taken there, so that recording itself need not look at a clock.
  static thread_local int64_t last_end;

  profile::Slice slice_;
  int64_t start_ = 0;
};

thread_local int64_t ProfiledMaterialization::last_end = 0;

void walk(Capture& capture, std::span<const Ref<Node>> nodes, bool with_escaping) {
  const profile::Slice slice("materialize", "capture");
  capture.walk(nodes, with_escaping);
}

/// Working memory that is reused from one materialization to the next, under the lock.
struct Workspace {
  Capture capture;
  std::vector<runtime::Argument> arguments;
};

Workspace& workspace() {
  static auto* const space = new Workspace;  // NOLINT: never destroyed, as the plan cache.
  return *space;
}

void log_line(const std::string& line) {
  std::cerr << line + "\n";
}

void log_sync(const Capture& capture,
              bool is_cached,
              std::string_view reason,
              std::source_location where) {
  log_line(fmt::format("wick: sync: {}: {}: {} ops, {} results, {}",
                       to_string(Location(where)),
                       reason,
                       capture.num_ops(),
                       capture.outputs().size(),
                       is_cached ? "plan cached" : "new plan"));
}

runtime::Executable* find_plan(const Capture& capture) {
  profile::Slice slice("materialize", "plan cache");
  PlanCache& cache = PlanCache::instance();
  runtime::Executable* const executable = cache.find(capture);
  slice.arg("hit", executable != nullptr);
  if (slice.is_on() && executable == nullptr) slice.arg("because", cache.explain_miss(capture));
  return executable;
}

runtime::Executable& compiled(const Capture& capture,
                              std::string_view reason,
                              std::source_location where) {
  PlanCache& cache = PlanCache::instance();
  const Options& options = wick::options();
  runtime::Executable* executable = find_plan(capture);
  if (options.log.sync) log_sync(capture, executable != nullptr, reason, where);
  if (executable != nullptr) return *executable;
  if (options.log.recompile) {
    log_line("wick: recompile: " + cache.explain_miss(capture));
  }
  const profile::Slice slice("compile", "compile");
  return *cache.insert(capture, compile_capture(capture, reason, where));
}

/// Backends of the host take its memory alone; one of a device sees to what comes from elsewhere.
void bind(const Capture& capture, bool is_on_host, std::vector<runtime::Argument>& arguments) {
  for (const uint32_t leaf : capture.leaves()) {
    const Node& node = *capture.entries()[leaf].node;
    runtime::Buffer* const value = node.value();
    const bool is_in_place = value != nullptr && (!is_on_host || value->device().is_cpu());
    if (is_in_place) {
      arguments.push_back({value->data(), Ref<runtime::Buffer>(value)});
    } else {
      arguments.push_back({node.data(), nullptr});
    }
  }
}

/// A failed run may have written over the inputs it was given: nobody may compute from them again.
void mark_lost(const Capture& capture) {
  for (const Capture::Entry& entry : capture.entries()) {
    if (entry.donated) entry.node->set_lost();
  }
}

/// Runs the captured program and gives its nodes their values. What nodes let go of is moved to
/// `gone`: its end may run deleters, which must not find the lock taken.
void run(const Capture& capture,
         runtime::Executable& executable,
         std::vector<runtime::Argument>& arguments,
         std::vector<Ref<Node>>& gone) {
  arguments.clear();
  bind(capture, runtime::device_of_backend(options().backend).is_cpu(), arguments);
  std::vector<Ref<runtime::Buffer>> values;
  try {
    values = executable.run(arguments);
  } catch (...) {
    arguments.clear();
    mark_lost(capture);
    throw;
  }
  arguments.clear();
  check(values.size() == capture.outputs().size(), "a program gives one buffer a result");
  for (const uint32_t index : capture.escaping())
    capture.entries()[index].node->set_carried(true);
  for (size_t i = 0; i < values.size(); ++i) {
    Node* const node = capture.entries()[capture.outputs()[i]].node;
    node->set_value(std::move(values[i]));
    node->set_carried(false);
  }
  for (const uint32_t index : capture.carried())
    capture.entries()[index].node->set_carried(true);
  // Nodes die only with `gone`, so that the entries stay valid here.
  for (const uint32_t index : capture.outputs()) {
    Node* const node = capture.entries()[index].node;
    if (!node->keeps_history()) node->move_operands_to(gone);
  }
}

/// In one program of the backend in force.
void materialize_here(std::span<const Ref<Node>> nodes,
                      const MaterializeRequest& request,
                      std::source_location where) {
  std::vector<Ref<Node>> gone;  // outlives the lock
  ProfiledMaterialization profiled(request.reason, where);
  const std::lock_guard guard(materialization_lock());
  Workspace& space = workspace();
  walk(space.capture, nodes, request.with_escaping);
  if (space.capture.outputs().empty()) return profiled.drop();
  profiled.report_recording(space.capture);
  if (const Node* const lost = space.capture.lost_input()) {
    throw Error(lost->where(),
                ir::op_name(lost->op(), lost->attributes()),
                "the value was lost when a run failed");
  }
  runtime::Executable& executable = compiled(space.capture, request.reason, where);
  run(space.capture, executable, space.arguments, gone);
}

}  // namespace

std::mutex& materialization_lock() {
  static auto* const lock = new std::mutex;  // NOLINT: never destroyed, as the plan cache.
  return *lock;
}

void materialize_nodes(std::span<const Ref<Node>> nodes,
                       const MaterializeRequest& request,
                       std::source_location where) {
  profile::start_as_told();
  const std::optional<Device> device = device_of(nodes);
  const DeviceScope scope(device);
  const auto is_elsewhere = [&](const Ref<Node>& node) {
    return device && node->device() && *node->device() != *device;
  };
  if (std::ranges::none_of(nodes, is_elsewhere)) return materialize_here(nodes, request, where);
  std::vector<Ref<Node>> here;
  std::vector<Ref<Node>> elsewhere;
  for (const Ref<Node>& node : nodes)
    (is_elsewhere(node) ? elsewhere : here).push_back(node);
  materialize_here(here, request, where);
  materialize_nodes(elsewhere, request, where);
}

void materialize_with_escaping(std::span<const Tensor> tensors,
                               std::string_view reason,
                               std::source_location where) {
  std::vector<Ref<Node>> nodes;
  nodes.reserve(tensors.size());
  for (const Tensor& tensor : tensors) {
    if (tensor.defined()) nodes.push_back(tensor.node());
  }
  materialize_nodes(nodes, {reason, true}, where);
}

}  // namespace wick::detail
