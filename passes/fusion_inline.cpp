#include "wick/passes/fusion_inline.h"

#include <algorithm>
#include <set>

namespace wick::passes {

namespace {

using ir::Node;

/// Clusters that read one value and may still be merged as siblings.
constexpr size_t kOpenSiblings = 4;

constexpr auto kOnce = "a reduction is computed once, not again for each element that reads it";

/// `value` and what it is computed from, in order, as far as `goes_on_to` says.
template <typename Predicate>
std::vector<Node*> nodes_behind(const FusionClusters& clusters,
                                Node& value,
                                const Predicate& goes_on_to) {
  std::vector<Node*> nodes{&value};
  std::set<int> seen{value.id()};
  for (size_t next = 0; next < nodes.size(); ++next) {
    for (const ir::Value& operand : nodes[next]->operands()) {
      Node& node = *operand.node;
      if (clusters.is_free(node) || !goes_on_to(node)) continue;
      if (seen.insert(node.id()).second) nodes.push_back(&node);
    }
  }
  std::ranges::sort(nodes, {}, [&](const Node* node) { return clusters.position(*node); });
  return nodes;
}

/// The nodes that compute `value` inside its home; empty when they hold a reduction.
std::vector<Node*> closure_of(const FusionClusters& clusters, Node& value) {
  const int home = clusters.home(value);
  bool has_reduction = has(value.op(), ir::kReduction);
  std::vector<Node*> nodes = nodes_behind(clusters, value, [&](const Node& node) {
    if (has_reduction || !clusters.is_inside(node, home)) return false;
    has_reduction = has(node.op(), ir::kReduction);
    return !has_reduction;
  });
  return has_reduction ? std::vector<Node*>() : nodes;
}

/// The cheap end of what computes `value` inside its home: from values that are stored anyway, or
/// that are better stored than computed again. Empty when the value is one of those.
std::vector<Node*> cheap_closure_of(const FusionClusters& clusters, Node& value) {
  const int home = clusters.home(value);
  const auto is_cheap = [&](const Node& node) {
    const bool is_of_row =
        clusters.cluster(home).row && clusters.level(node) == FusionClusters::Level::row;
    return clusters.is_inside(node, home) && !is_of_row && !has(node.op(), ir::kReduction) &&
           !has(node.op(), ir::kCostly);
  };
  const auto is_copied = [&](const Node& node) {
    // A reshape of what is stored is free outside of kernels.
    const Node* source = &node;
    while (source->op() == ir::OpKind::reshape)
      source = source->operand(0).node;
    return is_cheap(node) && is_cheap(*source) && clusters.outside_readers(node).empty() &&
           clusters.outside_readers(*source).empty();
  };
  const bool is_reshape = value.op() == ir::OpKind::reshape;
  if (!is_cheap(value) || (is_reshape && !is_copied(*value.operand(0).node))) return {};
  bool needs_copy = false;  // of what is here as a copy itself, and so is not stored here
  std::vector<Node*> nodes = nodes_behind(clusters, value, [&](const Node& node) {
    if (is_copied(node)) return true;
    needs_copy |= clusters.is_inside(node, home) && clusters.home(node) != home;
    return false;
  });
  return needs_copy ? std::vector<Node*>() : nodes;
}

/// Copies `value` into the reader, with all that computes it inside its home or with the end of
/// that.
Objection copy_into(FusionClusters& clusters, int reader, Node& value) {
  const std::vector<Node*> nodes = closure_of(clusters, value);
  const Objection no = nodes.empty() ? Objection(fusion_code::kReduction, kOnce)
                                     : clusters.copy_into(reader, value, nodes);
  if (no.empty()) return no;
  const std::vector<Node*> end = cheap_closure_of(clusters, value);
  if (end.empty() || end == nodes || !clusters.copy_into(reader, value, end).empty()) return no;
  return {};
}

/// One round over what a cluster reads; true when something was copied in.
bool inline_into(FusionClusters& clusters, int reader, FusionLog& log, std::set<int>& tried) {
  bool changed = false;
  std::vector<Node*> operands = clusters.operands(reader);
  std::ranges::reverse(operands);
  for (Node* operand : operands) {
    const int home = clusters.home(*operand);
    if (home == FusionClusters::kNone || !tried.insert(operand->id()).second) continue;
    const Objection no = copy_into(clusters, reader, *operand);
    changed = changed || no.empty();
    log.recomputed(*operand, *clusters.cluster(reader).members.front(), no);
  }
  return changed;
}

}  // namespace

void inline_producers(FusionClusters& clusters, FusionLog& log) {
  // Consumers first, so that what was copied into a reader takes its own producers along.
  std::vector<int> numbers;
  for (int number = 0; number < clusters.num_clusters(); ++number) {
    if (!clusters.cluster(number).members.empty()) numbers.push_back(number);
  }
  std::ranges::sort(
      numbers, std::greater{}, [&](int number) { return clusters.cluster(number).last; });
  for (const int number : numbers) {
    std::set<int> tried;
    while (inline_into(clusters, number, log, tried)) {
    }
  }
}

bool merge_siblings(FusionClusters& clusters, FusionLog& log) {
  bool changed = false;
  for (Node* shared : clusters.order()) {
    if (shared->num_results() != 1 || shared->type().numel() <= 1) continue;
    std::vector<Node*> open;
    for (Node* user : clusters.readers(*shared)) {
      if (clusters.home(*user) == clusters.home(*shared)) continue;
      bool merged = false;
      for (Node* other : open) {
        if (clusters.home(*other) == clusters.home(*user)) {
          merged = true;
          break;
        }
        const Objection no = clusters.merge_siblings(*other, *user);
        merged = no.empty();
        changed |= merged;
        // That others read it by a copy is no reason to expect anything.
        if (merged || (reads(*other, *shared) && reads(*user, *shared))) {
          log.joined(*other, *user, *shared, no);
        }
        if (merged) break;
      }
      if (merged) continue;
      open.insert(open.begin(), user);
      if (open.size() > kOpenSiblings) open.pop_back();
    }
  }
  return changed;
}

}  // namespace wick::passes
