#include "wick/runtime/cuda/dnn_plan.h"

#include <algorithm>

#include <fmt/format.h>

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
std::vector<DnnDescriptor> engines(const Dnn& dnn,
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
                 const EngineLimits& limits)
    : dnn_(dnn),
      parts_(std::move(parts)),
      operation_(std::move(operation)),
      graph_(make_graph(dnn, operation_)) {
  // The second are engines that can do everything, slowly.
  for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    for (DnnDescriptor& engine : engines(dnn, graph_, mode)) {
      if (!is_allowed(engine, limits)) continue;
      DnnDescriptor plan(dnn, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
      plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, dnn.handle())
          .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, engine);
      if (!plan.try_finalize()) continue;  // not on this device
      const int64_t workspace = plan.integer(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
      if (workspace > limits.workspace_bytes) continue;
      workspace_bytes_ = static_cast<size_t>(workspace);
      engine_ = std::make_unique<DnnDescriptor>(std::move(engine));
      plan_ = std::make_unique<DnnDescriptor>(std::move(plan));
      return;
    }
  }
  throw NotSupported({}, dnn.device().name(), fmt::format("{}: cuDNN has no engine for it", what));
}

void DnnPlan::execute(const Stream& stream,
                      std::span<const int64_t> ids,
                      std::span<void* const> addresses,
                      void* workspace) const {
  DnnDescriptor pack(dnn_, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.set_all(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids)
      .set_all<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, addresses)
      .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, workspace);
  pack.finalize();
  dnn_.execute(stream, plan_->handle(), pack.handle());
}

}  // namespace wick::runtime::cuda
