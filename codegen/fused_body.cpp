#include "wick/codegen/fused_body.h"

#include <algorithm>
#include <optional>
#include <set>

#include "wick/ir/check.h"

namespace wick::codegen {

namespace {

using ir::Domain;
using Level = Domain::Level;

std::vector<bool> needed_nodes(const ir::Graph& graph) {
  std::vector<bool> needed(static_cast<size_t>(graph.id_bound()), false);
  for (const ir::Value& result : graph.results()) {
    needed[static_cast<size_t>(result.node->id())] = true;
  }
  for (const ir::Node* node = graph.last(); node != nullptr; node = node->previous()) {
    if (!needed[static_cast<size_t>(node->id())]) continue;
    for (const ir::Value& operand : node->operands()) {
      needed[static_cast<size_t>(operand.node->id())] = true;
    }
  }
  return needed;
}

/// Follows every value to where it is read from, as emission does, and stops at the first reshape
/// that is not affine in the positions. Emission fails on one that no split helps.
std::optional<ir::DimSplit> find_split(const FusedBody& body) {
  struct Read {
    const ir::Node* node;
    ir::IndexMap map;
  };

  std::optional<ir::DimSplit> wanted;
  std::vector<Read> stack;
  std::set<std::vector<int64_t>> seen;
  // False when the search is over.
  const auto follow = [&](const ir::Node& node, const std::optional<ir::IndexMap>& map) {
    if (!map) return !wanted.has_value();
    std::vector<int64_t> key{node.id()};
    for (const ir::AffineExpr& expr : *map) {
      key.push_back(expr.offset);
      key.insert(key.end(), expr.coefs.begin(), expr.coefs.end());
    }
    if (seen.insert(std::move(key)).second) stack.push_back({&node, *map});
    return true;
  };
  for (const ir::Value& result : body.graph->results()) {
    const Level level = body.level_of(result);
    const auto map = body.domain.aligned_map(result.type().shape, level, &wanted);
    if (!follow(*result.node, map)) return wanted;
  }
  while (!stack.empty()) {
    const Read read = stack.back();
    stack.pop_back();
    const bool reduces = has(read.node->op(), ir::kReduction);
    for (int i = 0; i < read.node->num_operands(); ++i) {
      const ir::Node& operand = *read.node->operand(i).node;
      if (read.node->op() == ir::OpKind::reshape && operand.op() == ir::OpKind::parameter) continue;
      const auto map = reduces ? body.domain.aligned_map(operand.type().shape, Level::full, &wanted)
                               : operand_map(*read.node, i, read.map, body.domain.extents, &wanted);
      if (!follow(operand, map)) return wanted;
    }
  }
  return std::nullopt;
}

}  // namespace

Level FusedBody::level_of(const ir::Value& result) const {
  return result.type().numel() == domain.numel(Level::full) ? Level::full : Level::row;
}

FusedBody analyze_body(const ir::Graph& graph) {
  check(!graph.results().empty(), "a fusion has a result");
  FusedBody body;
  body.graph = &graph;
  body.depth.assign(static_cast<size_t>(graph.id_bound()), 0);
  const std::vector<bool> needed = needed_nodes(graph);
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    int& depth = body.depth[static_cast<size_t>(node->id())];
    for (const ir::Value& operand : node->operands()) {
      depth = std::max(depth, body.depth_of(*operand.node));
    }
    if (!has(node->op(), ir::kReduction)) continue;
    ++depth;
    if (!needed[static_cast<size_t>(node->id())]) continue;
    body.max_depth = std::max(body.max_depth, depth);
    const Domain domain(node->operand(0).type().shape, node->attributes().integers("axes"));
    if (body.reductions.empty()) {
      body.domain = domain;
    } else {
      check(body.domain.refine(domain), "the reductions of a fusion reduce the same positions");
    }
    body.reductions.push_back(node);
  }
  if (body.reductions.empty()) body.domain = Domain(graph.results()[0].type().shape);
  while (const auto split = find_split(body))
    body.domain.split(*split);
  return body;
}

}  // namespace wick::codegen
