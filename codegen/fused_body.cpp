#include "wick/codegen/fused_body.h"

#include <algorithm>
#include <optional>

#include "wick/ir/check.h"

namespace wick::codegen {

namespace {

using ir::AffineExpr;
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

AffineExpr own_position(const Domain& domain, Level level) {
  std::vector<bool> counts(domain.extents.size(), true);
  for (size_t d = 0; d < counts.size(); ++d)
    counts[d] = level == Level::full || !domain.reduced[d];
  return ir::row_major_position(domain.extents, counts);
}

/// The operand's elements are read in the order in which the node's own are computed.
bool keeps_positions(const ir::Node& node, int operand, const Domain& domain, Level level) {
  if (node.op() == ir::OpKind::reshape) return true;
  const Type& type = node.operand(operand).type();
  if (type.numel() != domain.numel(level)) return false;
  const auto map = domain.aligned_map(node.type().shape, level);
  if (!map) return false;
  const auto read = operand_map(node, operand, *map, domain.extents);
  return read && linearize(*read, type.shape, domain.extents) == own_position(domain, level);
}

/// Splits the domain for the shapes of all values that are walked as it is. A reshape that does not
/// fit is left alone: emission fails if it matters.
void refine_domain(FusedBody& body, const std::vector<bool>& needed) {
  const ir::Graph& graph = *body.graph;
  std::vector<std::optional<Level>> levels(needed.size());
  for (const ir::Value& result : graph.results()) {
    levels[static_cast<size_t>(result.node->id())] = body.level_of(result);
  }
  for (const ir::Node* node = graph.last(); node != nullptr; node = node->previous()) {
    const auto id = static_cast<size_t>(node->id());
    if (!needed[id]) continue;
    if (levels[id] && node->op() != ir::OpKind::parameter) {
      body.domain.refine(node->type().shape, *levels[id]);
    }
    for (int i = 0; i < node->num_operands(); ++i) {
      auto& level = levels[static_cast<size_t>(node->operand(i).node->id())];
      if (has(node->op(), ir::kReduction)) {
        level = Level::full;
      } else if (levels[id] && !level && keeps_positions(*node, i, body.domain, *levels[id])) {
        level = levels[id];
      }
    }
  }
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
  refine_domain(body, needed);
  return body;
}

}  // namespace wick::codegen
