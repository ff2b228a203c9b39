#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "wick/ir/graph.h"

namespace wick::passes {

/// The attribute with one number an axis, written out where it was left to its default.
inline std::vector<int64_t> per_axis(const ir::Node& node,
                                     std::string_view name,
                                     int64_t fallback) {
  const std::vector<int64_t>& given = node.attributes().integers(name);
  if (!given.empty()) return given;
  return std::vector<int64_t>(static_cast<size_t>(node.operand(0).type().shape.ndim()), fallback);
}

}  // namespace wick::passes
