#include "wick/tensor/materialize.h"

#include <iostream>
#include <mutex>

#include <fmt/format.h>

#include "wick/ir/check.h"
#include "wick/passes/options.h"
#include "wick/runtime/backend.h"
#include "wick/tensor/import.h"
#include "wick/tensor/plan_cache.h"

namespace wick::detail {

namespace {

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

runtime::Executable& compiled(const Capture& capture,
                              std::string_view reason,
                              std::source_location where) {
  PlanCache& cache = PlanCache::instance();
  const Options& options = wick::options();
  runtime::Executable* executable = cache.find(capture);
  if (options.log.sync) log_sync(capture, executable != nullptr, reason, where);
  if (executable != nullptr) return *executable;
  if (options.log.recompile) {
    log_line("wick: recompile: " + cache.explain_miss(capture));
  }
  runtime::Backend& backend = runtime::find_backend(options.backend);
  return *cache.insert(capture, backend.compile(import_graph(capture)));
}

void bind(const Capture& capture, std::vector<runtime::Argument>& arguments) {
  for (const Capture::Entry& entry : capture.entries()) {
    if (!entry.is_leaf) continue;
    arguments.push_back({entry.node->data(), Ref<runtime::Buffer>(entry.node->value())});
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
  bind(capture, arguments);
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
  for (const uint32_t index : capture.escaping()) {
    capture.entries()[index].node->set_was_computed();
  }
  for (size_t i = 0; i < values.size(); ++i) {
    Node* const node = capture.entries()[capture.outputs()[i]].node;
    node->set_value(std::move(values[i]));
  }
  // Nodes die only with `gone`, so that the entries stay valid here.
  for (const uint32_t index : capture.outputs()) {
    Node* const node = capture.entries()[index].node;
    if (!node->keeps_history()) node->move_operands_to(gone);
  }
}

}  // namespace

std::mutex& materialization_lock() {
  static auto* const lock = new std::mutex;  // NOLINT: never destroyed, as the plan cache.
  return *lock;
}

void materialize_nodes(std::span<const Ref<Node>> nodes,
                       const MaterializeRequest& request,
                       std::source_location where) {
  std::vector<Ref<Node>> gone;  // outlives the lock
  const std::lock_guard guard(materialization_lock());
  Workspace& space = workspace();
  space.capture.walk(nodes, request.with_escaping);
  if (space.capture.outputs().empty()) return;
  if (const Node* const lost = space.capture.lost_input()) {
    throw Error(lost->where(),
                ir::op_name(lost->op(), lost->attributes()),
                "the value was lost when a run failed");
  }
  runtime::Executable& executable = compiled(space.capture, request.reason, where);
  run(space.capture, executable, space.arguments, gone);
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
