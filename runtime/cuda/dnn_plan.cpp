#include "wick/runtime/cuda/dnn_plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "wick/runtime/call_pointers.h"
#include "wick/runtime/cuda/not_supported.h"

namespace wick::runtime::cuda {
namespace {

DnnDescriptor make_graph(const Dnn& dnn, const DnnDescriptor& operation) {
  DnnDescriptor graph(dnn, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, dnn.handle())
      .set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
  graph.finalize();
  return graph;
}

/// Engines with their settings, the likely fastest first.
std::vector<DnnDescriptor> engine_configs(const Dnn& dnn,
                                          const DnnDescriptor& graph,
                                          cudnnBackendHeurMode_t mode) {
  DnnDescriptor heuristic(dnn, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristic.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph).set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
  if (!heuristic.try_finalize()) return {};
  return heuristic.parts(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
}

bool is_allowed(const DnnDescriptor& engine_config, const EngineLimits& limits) {
  const DnnDescriptor engine =
      engine_config.part(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  const auto is_allowed_note = [&](cudnnBackendNumericalNote_t note) {
    switch (note) {
      case CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC:
      case CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION:
        return false;
      case CUDNN_NUMERICAL_NOTE_TENSOR_CORE:
      case CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS:
        return limits.tensor_cores;
      case CUDNN_NUMERICAL_NOTE_FFT:
      case CUDNN_NUMERICAL_NOTE_WINOGRAD:
      case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4:
      case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6:
      case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13:
        return limits.winograd;
      default:
        return true;
    }
  };
  return std::ranges::all_of(engine.notes(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE), is_allowed_note);
}

}  // namespace

DnnPlan::DnnPlan(const Dnn& dnn,
                 std::string_view what,
                 DnnDescriptor operation,
                 std::vector<DnnDescriptor> parts,
                 std::vector<int64_t> ids,
                 const EngineLimits& limits,
                 const WayTrial* trial)
    : dnn_(dnn),
      parts_(std::move(parts)),
      ids_(std::move(ids)),
      operation_(std::move(operation)),
      graph_(make_graph(dnn, operation_)) {
  const std::optional<size_t> known = trial == nullptr ? std::nullopt : trial->known();
  std::vector<Engine> engines;
  if (known) engines = find_engines(limits, *known, 1);
  if (engines.empty()) engines = find_engines(limits, 0, trial == nullptr ? 1 : trial->most_ways());
  if (engines.empty()) {
    constexpr auto kWhy = "{}: cuDNN has no engine for it";
    throw NotSupported({}, dnn.device().name(), fmt::format(kWhy, what));
  }
  const size_t place = engines.size() == 1 ? 0 : fastest(engines, *trial);
  engine_ = std::make_unique<Engine>(std::move(engines[place]));
}

std::vector<DnnPlan::Engine> DnnPlan::find_engines(const EngineLimits& limits,
                                                   size_t first,
                                                   size_t most) const {
  std::vector<Engine> found;
  size_t number = 0;
  // The second are engines that can do everything, most of them slowly.
  for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    for (DnnDescriptor& config : engine_configs(dnn_, graph_, mode)) {
      if (found.size() == most) return found;
      if (!is_allowed(config, limits) || number++ < first) continue;
      DnnDescriptor plan(dnn_, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
      plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, dnn_.handle())
          .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
      if (!plan.try_finalize()) continue;  // not on this device
      const int64_t workspace = plan.integer(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
      if (workspace > limits.workspace_bytes) continue;
      found.push_back({.number = number - 1,
                       .config = std::move(config),
                       .plan = std::move(plan),
                       .workspace_bytes = static_cast<size_t>(workspace)});
    }
  }
  return found;
}

size_t DnnPlan::fastest(const std::vector<Engine>& engines, const WayTrial& trial) const {
  std::vector<Way> ways;
  for (const Engine& engine : engines) {
    ways.push_back(
        {engine.workspace_bytes, [&](const Stream& stream, const CallAddresses& addresses) {
           enqueue(engine, stream, addresses);
         }});
  }
  const size_t place = trial.fastest(ways);
  trial.keep(engines[place].number);
  return place;
}

void DnnPlan::enqueue(const Engine& engine,
                      const Stream& stream,
                      const CallAddresses& addresses) const {
  CallPointers<void*> tensors(ids_.size());
  for (size_t i = 0; i + 1 < ids_.size(); ++i)
    tensors[i] = const_cast<void*>(addresses.operands[i]);
  tensors[ids_.size() - 1] = addresses.result;
  DnnDescriptor pack(dnn_, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.set_all<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids_)
      .set_all<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, {tensors.data(), ids_.size()})
      .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, addresses.workspace);
  pack.finalize();
  dnn_.execute(stream, engine.plan.handle(), pack.handle());
}

}  // namespace wick::runtime::cuda
