#pragma once

// Computing pending nodes: capture, plan cache, run. Internal; users call materialize(t...).

#include <mutex>
#include <source_location>
#include <span>
#include <string_view>

#include "wick/tensor/tensor.h"

namespace wick::detail {

/// Held while nodes are captured, run and given their values.
std::mutex& materialization_lock();

/// Why something is materialized, for WICK_LOG=sync.
struct MaterializeRequest {
  std::string_view reason;
  /// Keep the value of every captured node that something outside the captured program refers to.
  bool with_escaping = false;
};

/// Computes these nodes in one program under the process-wide lock. Nodes that have a value are
/// skipped. Throws Error naming op and line when the program fails.
void materialize_nodes(std::span<const Ref<Node>> nodes,
                       const MaterializeRequest& request,
                       std::source_location where = std::source_location::current());

/// Computes the tensors together with every node of their pending program that is referred to from
/// elsewhere, so that nothing is computed twice later. The natural boundary of a training step:
/// optimizers call it from step() with `reason` "step".
void materialize_with_escaping(std::span<const Tensor> tensors,
                               std::string_view reason,
                               std::source_location where = std::source_location::current());

}  // namespace wick::detail
