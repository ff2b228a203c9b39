// What cost models may ask about the groups of a fusion.

#include <algorithm>

#include "wick/passes/fusion_clusters.h"
#include "wick/passes/fusion_cost_model.h"

namespace wick::passes {

namespace {

using ir::Node;

int64_t bytes_of(const std::vector<const Node*>& nodes) {
  int64_t bytes = 0;
  for (const Node* node : nodes)
    bytes += static_cast<int64_t>(node->type().num_bytes());
  return bytes;
}

}  // namespace

int64_t length_of_code(const Node& op) {
  // Ten rounds of products, of eight vectors at once.
  if (has(op.op(), ir::kRandom)) return kLongestCode;
  return has(op.op(), ir::kCostly) ? 1 : 0;
}

int64_t operand_weight(const Node& value) {
  return value.type().numel() > 1 ? kWeightOfOperand : 1;
}

int64_t evaluation_cost(const Node& op) {
  constexpr int64_t kOfChoice = 3;
  constexpr int64_t kOfQuotient = 8;
  constexpr int64_t kOfFunction = 16;
  constexpr int64_t kOfRandomBits = 64;
  using ir::OpKind;
  if (has(op.op(), ir::kRandom)) return kOfRandomBits;
  if (has(op.op(), ir::kCostly)) return kOfFunction;
  switch (op.op()) {
    case OpKind::div:
    case OpKind::rem:
    case OpKind::sqrt:
      return kOfQuotient;
    // They ask at each position which operand it is from.
    case OpKind::pad:
    case OpKind::concat:
      return kOfChoice * op.num_operands();
    default:
      return has(op.op(), ir::kElementwise) ? 1 : 0;
  }
}

FusionGroup::FusionGroup(const FusionClusters& clusters,
                         int first,
                         int second,
                         const ir::Domain& domain)
    : clusters_(&clusters),
      first_(first),
      second_(second),
      domain_(&domain) {}

int64_t FusionGroup::num_ops() const {
  return clusters_->num_ops(first_) + clusters_->num_ops(second_);
}

bool FusionGroup::has(bool Cluster::* what) const {
  const auto has_one = [&](int number) {
    return number != FusionClusters::kNone && clusters_->cluster(number).*what;
  };
  return has_one(first_) || has_one(second_);
}

bool FusionGroup::has_reduction() const {
  return has(&Cluster::row);
}

bool FusionGroup::has_permute() const {
  return has(&Cluster::permutes);
}

std::vector<const Node*> FusionGroup::ops() const {
  std::vector<const Node*> nodes;
  for (const int number : {first_, second_}) {
    if (number == FusionClusters::kNone) continue;
    const Cluster& cluster = clusters_->cluster(number);
    nodes.insert(nodes.end(), cluster.members.begin(), cluster.members.end());
    nodes.insert(nodes.end(), cluster.copies.begin(), cluster.copies.end());
  }
  std::ranges::sort(nodes, {}, [&](const Node* node) { return clusters_->position(*node); });
  // Both groups may have a copy of one node.
  nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
  return nodes;
}

std::vector<const Node*> FusionGroup::operands() const {
  const std::vector<Node*> nodes = clusters_->operands(first_, second_);
  return {nodes.begin(), nodes.end()};
}

std::vector<const Node*> FusionGroup::results() const {
  std::vector<const Node*> nodes;
  for (const Node* node : ops()) {
    const int home = clusters_->home(*node);
    if (home != first_ && home != second_) continue;
    const std::vector<int> readers = clusters_->outside_readers(*node);
    const auto is_other = [&](int reader) {
      return reader == FusionClusters::kNone || (reader != first_ && reader != second_);
    };
    if (std::ranges::any_of(readers, is_other)) nodes.push_back(node);
  }
  return nodes;
}

int64_t FusionGroup::bytes_moved() const {
  return bytes_of(operands()) + bytes_of(results());
}

int64_t MergeCandidate::bytes_saved() const {
  return first.bytes_moved() + second.bytes_moved() - fused.bytes_moved();
}

RecomputeCandidate::RecomputeCandidate(const FusionClusters& clusters,
                                       const Node& value,
                                       int reader,
                                       std::span<Node* const> nodes)
    : clusters_(&clusters),
      value_(&value),
      home_(clusters.home(value)),
      reader_(reader),
      nodes_(nodes) {}

FusionGroup RecomputeCandidate::reader() const {
  return {*clusters_, reader_, FusionClusters::kNone, clusters_->cluster(reader_).domain};
}

bool RecomputeCandidate::is_costly() const {
  return std::ranges::any_of(nodes_, [](const Node* node) { return has(node->op(), ir::kCostly); });
}

bool RecomputeCandidate::is_random() const {
  const auto is_draw = [](const Node* node) { return has(node->op(), ir::kRandom); };
  return std::ranges::any_of(nodes_, is_draw) && std::ranges::all_of(nodes_, [&](const Node* node) {
           return is_draw(node) || !has(node->op(), ir::kCostly);
         });
}

bool RecomputeCandidate::is_only_reader() const {
  return clusters_->is_only_outside_reader(*value_, reader_);
}

int64_t RecomputeCandidate::num_readers() const {
  return std::ssize(clusters_->outside_readers(*value_));
}

bool RecomputeCandidate::is_stored_anyway() const {
  const std::vector<int> readers = clusters_->outside_readers(*value_);
  return std::ranges::find(readers, FusionClusters::kNone) != readers.end();
}

bool RecomputeCandidate::is_repeated() const {
  const Cluster& cluster = clusters_->cluster(reader_);
  const auto repeats = [&](const Node* node) {
    return reads(*node, *value_) && node->type().numel() > value_->type().numel() &&
           !has(node->op(), ir::kReduction);
  };
  // A copy may itself be repeated.
  return std::ranges::any_of(cluster.members, repeats) ||
         std::ranges::any_of(cluster.copies,
                             [&](const Node* node) { return reads(*node, *value_); });
}

bool RecomputeCandidate::is_needed_at_home(const Node& node) const {
  return clusters_->is_read_inside_by_others(node, home_, nodes_);
}

bool RecomputeCandidate::is_move() const {
  return is_only_reader() && !is_repeated() && !is_needed_at_home(*value_);
}

bool RecomputeCandidate::is_complete_move() const {
  return is_move() && std::ranges::none_of(nodes_, [&](const Node* node) {
           return node != value_ &&
                  (!clusters_->outside_readers(*node).empty() || is_needed_at_home(*node));
         });
}

/// What the ops read and are not, once each.
std::vector<const Node*> RecomputeCandidate::leaves() const {
  std::vector<const Node*> found;
  for (const Node* node : nodes_) {
    for (const ir::Value& operand : node->operands()) {
      const Node* leaf = operand.node;
      if (clusters_->is_free(*leaf) || std::ranges::find(nodes_, leaf) != nodes_.end()) continue;
      if (std::ranges::find(found, leaf) == found.end()) found.push_back(leaf);
    }
  }
  return found;
}

int64_t RecomputeCandidate::bytes_stored() const {
  int64_t bytes = 0;
  for (const Node* leaf : leaves()) {
    const bool is_new =
        clusters_->home(*leaf) == home_ && clusters_->outside_readers(*leaf).empty();
    if (!is_new || leaf->type().numel() <= 1 || clusters_->is_inside(*leaf, reader_)) continue;
    bytes += static_cast<int64_t>(leaf->type().num_bytes());
  }
  return bytes;
}

int64_t RecomputeCandidate::bytes_loaded() const {
  const std::vector<Node*> operands = clusters_->operands(reader_);
  int64_t bytes = bytes_stored();
  for (const Node* leaf : leaves()) {
    if (leaf->type().numel() <= 1 || clusters_->is_inside(*leaf, reader_)) continue;
    if (std::ranges::find(operands, leaf) != operands.end()) continue;
    const int64_t elements = std::min(leaf->type().numel(), value_->type().numel());
    bytes += elements * static_cast<int64_t>(size_of(leaf->type().dtype));
  }
  return bytes;
}

int64_t RecomputeCandidate::bytes_saved() const {
  const auto bytes = static_cast<int64_t>(value_->type().num_bytes());
  return is_only_reader() ? 2 * bytes : bytes;
}

}  // namespace wick::passes
