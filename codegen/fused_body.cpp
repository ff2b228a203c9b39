#include "wick/codegen/fused_body.h"

#include <algorithm>
#include <optional>
#include <set>

#include "wick/codegen/reduction_loops.h"
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

/// Adds the needed reductions to those of rows or of columns, and decides what rows are.
void sort_reductions(FusedBody& body) {
  const std::vector<bool> needed = needed_nodes(*body.graph);
  std::vector<std::pair<const ir::Node*, Domain>> found;
  for (const ir::Node* node = body.graph->first(); node != nullptr; node = node->next()) {
    if (!has(node->op(), ir::kReduction) || !needed[static_cast<size_t>(node->id())]) continue;
    found.emplace_back(node,
                       Domain(node->operand(0).type().shape, node->attributes().integers("axes")));
  }
  if (found.empty()) return;
  const auto rows = std::ranges::find_if(
      found, [](const auto& reduction) { return reduction.second.has_rows(); });
  body.domain = rows == found.end() ? found.front().second : rows->second;
  for (const auto& [node, domain] : found) {
    if (body.domain.refine(domain)) {
      body.reductions.push_back(node);
    } else {
      check(body.domain.refine(domain.transposed()),
            "the reductions of a fusion reduce the same positions, or all rows of them");
      body.column_reductions.push_back(node);
    }
  }
}

/// Reductions are accumulated in the loops that are known of them, or in the first that can.
void measure_depths(FusedBody& body) {
  const auto bound = static_cast<size_t>(body.graph->id_bound());
  body.depth.assign(bound, 0);
  body.is_of_columns.assign(bound, false);
  body.loop.resize(bound, 0);
  for (const ir::Node* node = body.graph->first(); node != nullptr; node = node->next()) {
    const auto id = static_cast<size_t>(node->id());
    const auto& columns = body.column_reductions;
    bool is_of_columns = std::ranges::find(columns, node) != columns.end();
    int depth = 0;
    for (const ir::Value& operand : node->operands()) {
      depth = std::max(depth, body.depth_of(*operand.node));
      is_of_columns |= body.is_of_columns[static_cast<size_t>(operand.node->id())];
    }
    if (has(node->op(), ir::kReduction)) {
      body.loop[id] = std::max(body.loop[id], depth);
      depth = body.loop[id] + 1;
    }
    body.is_of_columns[id] = is_of_columns;
    body.depth[id] = is_of_columns ? 1 : depth;
  }
  for (const auto* reductions : {&body.reductions, &body.column_reductions}) {
    for (const ir::Node* node : *reductions)
      body.max_depth = std::max(body.max_depth, body.depth_of(*node));
  }
}

}  // namespace

Level FusedBody::level_of(const ir::Value& result) const {
  if (is_of_columns[static_cast<size_t>(result.node->id())]) return Level::column;
  const int64_t count = result.type().numel();
  if (count == domain.numel(Level::full)) return Level::full;
  const bool has_columns = !column_reductions.empty();
  return has_columns && count != domain.numel(Level::row) ? Level::column : Level::row;
}

FusedBody analyze_body(const ir::Graph& graph) {
  check(!graph.results().empty(), "a fusion has a result");
  FusedBody body;
  body.graph = &graph;
  sort_reductions(body);
  measure_depths(body);
  if (choose_loops(body)) measure_depths(body);
  for (const ir::Node* node : body.reductions) {
    check(!body.is_of_columns[static_cast<size_t>(node->id())],
          "rows do not depend on what all of them are reduced to");
  }
  const bool has_reductions = !body.reductions.empty() || !body.column_reductions.empty();
  if (!has_reductions) body.domain = Domain(graph.results()[0].type().shape);
  while (const auto split = find_split(body))
    body.domain.split(*split);
  return body;
}

}  // namespace wick::codegen
