#include "wick/passes/fusion_inline.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace wick::passes {

namespace {

using ir::Node;

/// Computing more than this again costs more than a load.
constexpr size_t kCheapOps = 16;
/// Clusters that read one value and may still be merged as siblings.
constexpr size_t kOpenSiblings = 4;

/// What it takes to compute a value inside another cluster.
struct Closure {
  std::vector<Node*> nodes;
  std::vector<const Node*> leaves;  // read from memory, one element excepted
  bool costly = false;
};

/// The nodes that compute `value` inside its home; empty when they hold a reduction.
std::optional<Closure> closure_of(const FusionClusters& clusters, Node& value) {
  const int home = clusters.home(value);
  Closure closure;
  std::set<int> seen{value.id()};
  std::vector<Node*> stack{&value};
  while (!stack.empty()) {
    Node* node = stack.back();
    stack.pop_back();
    if (has(node->op(), ir::kReduction)) return std::nullopt;
    closure.costly = closure.costly || has(node->op(), ir::kCostly);
    closure.nodes.push_back(node);
    for (const ir::Value& operand : node->operands()) {
      if (!seen.insert(operand.node->id()).second || clusters.is_free(*operand.node)) continue;
      if (clusters.is_inside(*operand.node, home)) {
        stack.push_back(operand.node);
      } else if (operand.type().numel() > 1) {
        closure.leaves.push_back(operand.node);
      }
    }
  }
  std::ranges::sort(closure.nodes, {}, [&](const Node* node) { return clusters.position(*node); });
  return closure;
}

/// Some op of the cluster reads one element of the value several times.
bool is_repeated(const FusionClusters& clusters, const Node& value, int reader) {
  const Cluster& cluster = clusters.cluster(reader);
  const auto repeats = [&](const Node* node) {
    const auto reads = [&](const ir::Value& operand) { return operand.node == &value; };
    return std::ranges::any_of(node->operands(), reads) &&
           node->type().numel() > value.type().numel() && !has(node->op(), ir::kReduction);
  };
  // A copy may itself be repeated.
  return std::ranges::any_of(cluster.members, repeats) ||
         std::ranges::any_of(cluster.copies, [&](const Node* node) {
           const auto reads = [&](const ir::Value& operand) { return operand.node == &value; };
           return std::ranges::any_of(node->operands(), reads);
         });
}

/// What reading the leaves costs the reader in bytes, beyond what it reads already.
int64_t leaf_bytes(const FusionClusters& clusters,
                   const Node& value,
                   const Closure& closure,
                   int reader) {
  const std::vector<Node*> operands = clusters.operands(reader);
  int64_t bytes = 0;
  for (const Node* leaf : closure.leaves) {
    if (clusters.is_inside(*leaf, reader)) continue;
    if (std::ranges::find(operands, leaf) != operands.end()) continue;
    const int64_t elements = std::min(leaf->type().numel(), value.type().numel());
    bytes += elements * static_cast<int64_t>(size_of(leaf->type().dtype));
  }
  return bytes;
}

bool is_profitable(const FusionClusters& clusters,
                   const Node& value,
                   const Closure& closure,
                   int reader) {
  if (value.type().numel() <= 1) return true;
  const int home = clusters.home(value);
  const std::vector<int> readers = clusters.outside_readers(value);
  const bool only_reader = readers.size() == 1 && readers[0] == reader;
  const bool repeated = is_repeated(clusters, value, reader);
  const bool moves =
      only_reader && !repeated && !clusters.is_read_inside_by_others(value, home, closure.nodes);
  if (closure.costly) {
    // Right when none of the work stays behind or is done more than once.
    return moves && std::ranges::none_of(closure.nodes, [&](const Node* node) {
             return node != &value &&
                    (!clusters.outside_readers(*node).empty() ||
                     clusters.is_read_inside_by_others(*node, home, closure.nodes));
           });
  }
  if (moves) return true;
  if (closure.nodes.size() > kCheapOps) return false;
  // A mask is better stored than computed again from what takes four times the room.
  const auto value_bytes = static_cast<int64_t>(value.type().num_bytes());
  const int64_t saved = only_reader ? 2 * value_bytes : value_bytes;
  return leaf_bytes(clusters, value, closure, reader) <= saved;
}

/// One round over what a cluster reads; true when something was copied in.
bool inline_into(FusionClusters& clusters, int reader, PassContext& context, std::set<int>& tried) {
  bool changed = false;
  std::vector<Node*> operands = clusters.operands(reader);
  std::ranges::reverse(operands);
  for (Node* operand : operands) {
    const int home = clusters.home(*operand);
    if (home == FusionClusters::kNone || !tried.insert(operand->id()).second) continue;
    const std::optional<Closure> closure = closure_of(clusters, *operand);
    Objection no = "missed-reduction";
    if (closure) {
      no = "missed-cost";
      if (is_profitable(clusters, *operand, *closure, reader)) {
        no = clusters.copy_into(reader, closure->nodes);
      }
    }
    changed = changed || no.empty();
    explain_fusion(context, *operand, *clusters.cluster(reader).members.front(), no);
  }
  return changed;
}

}  // namespace

void explain_fusion(PassContext& context,
                    const Node& producer,
                    const Node& consumer,
                    Objection no) {
  if (!context.wants_remarks()) return;
  context.remark({.pass = "fuse",
                  .code = std::string(no.empty() ? "fused" : no),
                  .missed = !no.empty(),
                  .where = consumer.location(),
                  .other = producer.location(),
                  .text = fmt::format("{} {} {} of {}",
                                      ir::to_string(producer.op()),
                                      no.empty() ? "joins" : "stays out of",
                                      "the kernel",
                                      ir::to_string(consumer.op()))});
}

void inline_producers(FusionClusters& clusters, PassContext& context) {
  // Consumers first, so that what was copied into a reader takes its own producers along.
  std::vector<int> numbers;
  for (int number = 0; number < clusters.num_clusters(); ++number) {
    if (!clusters.cluster(number).members.empty()) numbers.push_back(number);
  }
  std::ranges::sort(
      numbers, std::greater{}, [&](int number) { return clusters.cluster(number).last; });
  for (const int number : numbers) {
    std::set<int> tried;
    while (inline_into(clusters, number, context, tried)) {
    }
  }
}

void merge_siblings(FusionClusters& clusters, PassContext& context) {
  for (Node* shared : clusters.order()) {
    if (shared->num_results() != 1 || shared->type().numel() <= 1) continue;
    std::vector<Node*> open;
    for (Node* user : clusters.live_users(*shared)) {
      if (clusters.home(*user) == clusters.home(*shared)) continue;
      bool merged = false;
      for (Node* other : open) {
        const int a = clusters.home(*other);
        const int b = clusters.home(*user);
        if (a == b) {
          merged = true;
          break;
        }
        const Objection no = clusters.merge_siblings(a, b);
        explain_fusion(context, *other, *user, no);
        merged = no.empty();
        if (merged) break;
      }
      if (merged) continue;
      open.insert(open.begin(), user);
      if (open.size() > kOpenSiblings) open.pop_back();
    }
  }
}

}  // namespace wick::passes
