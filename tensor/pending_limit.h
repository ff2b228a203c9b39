#pragma once

// Keeps the pending graph bounded when a program records without ever reading a value.

#include <cstdint>
#include <source_location>
#include <span>

#include "wick/tensor/node.h"

namespace wick::detail {

/// Called before an op is recorded whose chain of pending nodes would be `depth` long. Beyond
/// options().max_pending, or when there are very many pending nodes in all, it materializes
/// the operands and gives true.
///
/// Periodic programs settle on few traces: after the first cut, later ones wait for the same op at
/// the same place in the program, up to four times the cap.
bool limit_pending(uint32_t depth,
                   ir::OpKind op,
                   std::span<const Ref<Node>> operands,
                   std::source_location where);

}  // namespace wick::detail
