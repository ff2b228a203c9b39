#include "wick/passes/fusion_clusters.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <tuple>

#include "wick/ir/check.h"
#include "wick/ir/structural_hash.h"
#include "wick/passes/reduction_split.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;

bool has_one_value(const Literal& literal) {
  const size_t size = size_of(literal.type().dtype);
  const std::span<const std::byte> bytes = literal.bytes();
  if (bytes.empty()) return false;
  // Every byte equals the one an element before it.
  return std::memcmp(bytes.data(), bytes.data() + size, bytes.size() - size) == 0;
}

int64_t cost_of(std::span<Node* const> ops) {
  int64_t cost = 0;
  for (const Node* op : ops)
    cost += evaluation_cost(*op);
  return cost;
}

}  // namespace

FusionClusters::FusionClusters(ir::Graph& graph,
                               FusionLimits limits,
                               const FusionCostModel& model,
                               const Parts& parts,
                               CycleSearch cycle_search)
    : graph_(graph),
      limits_(limits),
      model_(model),
      cycle_search_(cycle_search) {
  sort_nodes();
  make_singletons(parts);
}

/// By depth, then by the form of the expression, so that equivalent programs are walked alike.
void FusionClusters::sort_nodes() {
  const std::vector<Hash128> hashes = ir::expression_hashes(graph_);
  std::vector<int> depth(static_cast<size_t>(graph_.id_bound()), 0);
  order_ = graph_.nodes();
  for (const Node* node : order_) {
    for (const ir::Value& operand : node->operands()) {
      depth[index(*node)] = std::max(depth[index(*node)], depth[index(*operand.node)] + 1);
    }
  }
  std::ranges::sort(order_, {}, [&](const Node* node) {
    return std::tuple(depth[index(*node)], hashes[index(*node)], node->id());
  });
  position_.assign(depth.size(), -1);
  users_.resize(depth.size());
  for (size_t i = 0; i < order_.size(); ++i)
    position_[index(*order_[i])] = static_cast<int>(i);
  for (const Node* node : order_) {
    for (const ir::Value& operand : node->operands()) {
      std::vector<int>& users = users_[index(*operand.node)];
      if (users.empty() || users.back() != position(*node)) users.push_back(position(*node));
    }
  }
}

bool FusionClusters::is_fusible(const Node& node) const {
  if (has(node.op(), ir::kOpaque)) return false;
  if (node.op() == OpKind::concat && node.num_operands() > limits_.max_concat) return false;
  // Clusters know values by their nodes: what reads a fusion that is there already stays outside.
  const auto is_single = [](const ir::Value& operand) { return operand.node->num_results() == 1; };
  if (!std::ranges::all_of(node.operands(), is_single)) return false;
  return has(node.op(), ir::kElementwise) || has(node.op(), ir::kReduction) ||
         has(node.op(), ir::kMovement) || node.op() == OpKind::iota ||
         node.op() == OpKind::random_bits;
}

void FusionClusters::make_singletons(const Parts& parts) {
  const size_t bound = position_.size();
  home_.assign(bound, kNone);
  level_.assign(bound, Level::full);
  free_.assign(bound, false);
  is_result_.assign(bound, false);
  dead_.assign(bound, false);
  copied_into_.resize(bound);
  node_seen_.assign(bound, 0);
  for (const ir::Value& result : graph_.results())
    is_result_[index(*result.node)] = true;
  for (Node* node : order_) {
    if (node->op() == OpKind::constant) {
      free_[index(*node)] = has_one_value(node->attributes().literal("value"));
    }
    if (!is_fusible(*node)) continue;
    Cluster cluster;
    cluster.members = {node};
    cluster.first = cluster.last = position(*node);
    if (!parts.empty()) cluster.part = parts[index(*node)];
    cluster.row = has(node->op(), ir::kReduction);
    cluster.permutes = node->op() == OpKind::permute;
    cluster.domain =
        cluster.row ? ir::Domain(node->operand(0).type().shape, node->attributes().integers("axes"))
                    : ir::Domain(node->type().shape);
    if (cluster.row) level_[index(*node)] = Level::row;
    home_[index(*node)] = static_cast<int>(clusters_.size());
    clusters_.push_back(std::move(cluster));
  }
  cluster_seen_.assign(clusters_.size(), 0);
}

bool FusionClusters::is_inside(const Node& node, int cluster) const {
  const std::vector<int>& copied = copied_into_[index(node)];
  return home(node) == cluster || std::ranges::find(copied, cluster) != copied.end();
}

bool FusionClusters::holds(const Trial& trial, const Node& node) const {
  return is_inside(node, trial.a) || (trial.b != kNone && is_inside(node, trial.b));
}

FusionClusters::Level FusionClusters::level_in(const Trial& trial, const Node& node) const {
  if (home(node) == trial.a && !cluster(trial.a).row) return trial.level_a;
  if (home(node) == trial.b && !cluster(trial.b).row) return trial.level_b;
  if (home(node) == trial.columns && level(node) == Level::row) return Level::column;
  return level(node);
}

/// Finds the positions and levels at which both clusters can be walked together, for the sake of
/// these two members.
Objection FusionClusters::align(Trial& trial, const Node& first, const Node& second) const {
  const Cluster& a = cluster(trial.a);
  const Cluster& b = cluster(trial.b);
  trial.dependent = a.dependent || b.dependent;
  if (a.row == b.row) {
    trial.domain = a.domain;
    if (trial.domain.refine(b.domain)) return {};
    if (a.row) return align_columns(trial);
    constexpr auto kWhy = "the shapes of their {} and {} elements do not divide alike";
    return {fusion_code::kShape, kWhy, a.domain.numel(Level::full), b.domain.numel(Level::full)};
  }
  const Cluster& rows = a.row ? a : b;
  const Shape other((a.row ? b : a).domain.extents);
  trial.domain = rows.domain;
  const bool is_full = other.numel() == rows.domain.numel(Level::full);
  const bool is_column = level(first) == Level::column || level(second) == Level::column;
  const Level level = is_full ? Level::full : is_column ? Level::column : Level::row;
  (a.row ? trial.level_b : trial.level_a) = level;
  if (trial.domain.refine(other, level)) return {};
  constexpr auto kWhy = "one reduces {} elements, the other has {}";
  return {fusion_code::kShape, kWhy, rows.domain.numel(Level::full), other.numel()};
}

/// One walks rows, and the other reduces over them and has no more to do with what they are.
Objection FusionClusters::align_columns(Trial& trial) const {
  const auto splits = [](const Node* node) {
    return !has(node->op(), ir::kReduction) || splits_in_blocks(node->op());
  };
  const auto [rows, columns] = cluster(trial.a).domain.has_rows() ? std::pair(trial.a, trial.b)
                                                                  : std::pair(trial.b, trial.a);
  trial.domain = cluster(rows).domain;
  trial.columns = columns;
  const Cluster& over_rows = cluster(columns);
  const bool fits = limits_.columns_with_rows &&
                    trial.domain.refine(over_rows.domain.transposed()) &&
                    can_take_columns(trial.domain) && !over_rows.dependent &&
                    std::ranges::all_of(over_rows.members, splits);
  if (fits) return {};
  constexpr auto kWhy = "they reduce different axes, to {} and {} elements";
  return {fusion_code::kShape,
          kWhy,
          cluster(trial.a).domain.numel(Level::row),
          cluster(trial.b).domain.numel(Level::row)};
}

std::vector<int> FusionClusters::operand_positions(const Trial& trial) const {
  std::vector<int> found;
  for (const int number : {trial.a, trial.b}) {
    if (number == kNone) continue;
    for (const auto* nodes : {&cluster(number).members, &cluster(number).copies}) {
      for (const Node* node : *nodes) {
        for (const ir::Value& operand : node->operands()) {
          if (is_free(*operand.node) || holds(trial, *operand.node)) continue;
          found.push_back(position(*operand.node));
        }
      }
    }
  }
  return each_once(std::move(found));
}

int64_t FusionClusters::num_ops(int number) const {
  if (number == kNone) return 0;
  return std::ssize(cluster(number).members) + std::ssize(cluster(number).copies);
}

int64_t FusionClusters::num_costly(int number) const {
  if (number == kNone) return 0;
  int64_t count = 0;
  for (const auto* nodes : {&cluster(number).members, &cluster(number).copies}) {
    for (const Node* node : *nodes)
      count += length_of_code(*node);
  }
  return count;
}

int64_t FusionClusters::weight_of_operands(const Trial& trial) const {
  int64_t weight = 0;
  for (const int at : operand_positions(trial))
    weight += operand_weight(*order_[static_cast<size_t>(at)]);
  return weight;
}

std::vector<Node*> FusionClusters::operands(int cluster, int other) const {
  std::vector<Node*> nodes;
  for (const int at : operand_positions({.a = cluster, .b = other, .domain = {}})) {
    nodes.push_back(order_[static_cast<size_t>(at)]);
  }
  return nodes;
}

Objection FusionClusters::check_limits(const Trial& trial, const FusionLimits& limits) const {
  const int64_t together = num_ops(trial.a) + num_ops(trial.b);
  if (together > limits.max_ops) {
    constexpr auto kWhy = "together they have {} ops, more than max-ops = {}";
    return {fusion_code::kLimit, kWhy, together, limits.max_ops};
  }
  if (together > limits.max_costly / kLongestCode) {
    const int64_t costly = num_costly(trial.a) + num_costly(trial.b);
    constexpr auto kWhy = "together they have {} ops of long code, more than max-costly = {}";
    if (costly > limits.max_costly) return {fusion_code::kLimit, kWhy, costly, limits.max_costly};
  }
  // Few ops cannot have too many operands.
  if (together * 3 <= limits.max_operands) return {};
  const int64_t weight = weight_of_operands(trial);
  if (weight <= limits.max_operands * kWeightOfOperand) return {};
  constexpr auto kWhy =
      "together they read {} values, four of one element counted as one, more than max-operands = "
      "{}";
  const int64_t num_operands = (weight + kWeightOfOperand - 1) / kWeightOfOperand;
  return {fusion_code::kLimit, kWhy, num_operands, limits.max_operands};
}

bool FusionClusters::is_within(int number, const FusionLimits& limits) const {
  return check_limits({.a = number, .domain = {}}, limits).empty();
}

Objection FusionClusters::check_parts(const Trial& trial) const {
  const int a = cluster(trial.a).part;
  const int b = cluster(trial.b).part;
  if (a == b || a == 0 || b == 0) return {};
  return {fusion_code::kLimit, "a kernel of both and what is between them would be too large"};
}

int64_t FusionClusters::count_outputs(int number) const {
  return std::ranges::count_if(cluster(number).members,
                               [&](const Node* node) { return !outside_readers(*node).empty(); });
}

Objection FusionClusters::merge_siblings(const Node& one, const Node& other) {
  const int a = home(one);
  const int b = home(other);
  const int64_t most = std::ssize(cluster(a).members) + std::ssize(cluster(b).members);
  if (most > limits_.max_operands) {
    const int64_t num_outputs = count_outputs(a) + count_outputs(b);
    constexpr auto kWhy = "together they store {} values, more than max-operands = {}";
    if (num_outputs > limits_.max_operands) {
      return {fusion_code::kLimit, kWhy, num_outputs, limits_.max_operands};
    }
  }
  return merge(one, other, MergeCandidate::Kind::siblings);
}

Objection FusionClusters::merge(const Node& producer, const Node& consumer) {
  return merge(producer, consumer, MergeCandidate::Kind::producer);
}

Objection FusionClusters::merge(const Node& first, const Node& second, MergeCandidate::Kind kind) {
  const int a = home(first);
  const int b = home(second);
  check(a != b, "a cluster is not merged with itself");
  Trial trial{.a = a, .b = b, .domain = {}};
  ++work_;
  if (Objection no = check_parts(trial); !no.empty()) return no;
  if (Objection no = check_limits(trial, limits_); !no.empty()) {
    met_limits_ |= kind == MergeCandidate::Kind::producer;
    return no;
  }
  if (Objection no = align(trial, first, second); !no.empty()) return no;
  work_ += std::min(std::ssize(cluster(a).members), std::ssize(cluster(b).members));
  if (Objection no = check_levels(trial); !no.empty()) return no;
  if (Objection no = check_reductions(trial); !no.empty()) return no;
  if (closes_cycle(a, b) || closes_cycle(b, a)) {
    return {fusion_code::kCycle, "a path from one to the other leads through ops outside of both"};
  }
  Objection no = model_.merge({.kind = kind,
                               .first_op = first,
                               .second_op = second,
                               .first = {*this, a, kNone, cluster(a).domain},
                               .second = {*this, b, kNone, cluster(b).domain},
                               .fused = {*this, a, b, trial.domain},
                               .recomputed_ops = trial.recomputed_ops,
                               .columns_with_rows = trial.columns != kNone});
  if (no.empty()) join(trial);
  return no;
}

void FusionClusters::join(const Trial& trial) {
  // The longer list stays where it is, so that a long chain is not moved again and again.
  const bool a_stays = cluster(trial.a).members.size() >= cluster(trial.b).members.size();
  const int stays = a_stays ? trial.a : trial.b;
  const int goes = a_stays ? trial.b : trial.a;
  Cluster& to = clusters_[static_cast<size_t>(stays)];
  Cluster& from = clusters_[static_cast<size_t>(goes)];
  for (const int number : {trial.a, trial.b}) {
    const Cluster& old = cluster(number);
    const Level level = number == trial.a ? trial.level_a : trial.level_b;
    if (number != trial.columns && (old.row || level == Level::full)) continue;
    for (const Node* node : old.members)
      level_[index(*node)] = level_in(trial, *node);
  }
  for (Node* node : from.members) {
    home_[index(*node)] = stays;
    to.members.push_back(node);
  }
  for (Node* node : from.copies) {
    std::erase(copied_into_[index(*node)], goes);
    if (is_inside(*node, stays)) continue;
    copied_into_[index(*node)].push_back(stays);
    to.copies.push_back(node);
  }
  std::erase_if(to.copies, [&](const Node* node) {
    if (home(*node) != stays) return false;
    std::erase(copied_into_[index(*node)], stays);
    return true;
  });
  to.domain = trial.domain;
  to.row = to.row || from.row;
  to.permutes = to.permutes || from.permutes;
  to.columns = to.columns || from.columns || trial.columns != kNone;
  to.dependent = trial.dependent;
  to.part = std::max(to.part, from.part);
  to.recomputed_ops = trial.recomputed_ops;
  to.first = std::min(to.first, from.first);
  to.last = std::max(to.last, from.last);
  from = Cluster{};
}

Objection FusionClusters::copy_into(int number,
                                    const Node& value,
                                    const std::vector<Node*>& nodes) {
  const RecomputeCandidate candidate(*this, value, number, nodes);
  if (Objection no = model_.recompute(candidate); !no.empty()) return no;
  Cluster& cluster = clusters_[static_cast<size_t>(number)];
  const auto old_size = static_cast<std::ptrdiff_t>(cluster.copies.size());
  for (Node* node : nodes) {
    if (is_inside(*node, number)) continue;
    cluster.copies.push_back(node);
    copied_into_[index(*node)].push_back(number);
  }
  Trial trial{.a = number, .domain = cluster.domain};
  for (const Node* node : nodes) {
    const Shape& shape = node->type().shape;
    if (shape.numel() == trial.domain.numel(Level::full)) trial.domain.refine(shape, Level::full);
  }
  Objection no = check_limits(trial, limits_);
  if (no.empty()) no = check_evaluation(trial);
  if (no.empty()) {
    const int64_t more_ops = trial.recomputed_ops - cluster.recomputed_ops - cost_of(nodes);
    no = model_.evaluate(candidate, more_ops);
  }
  if (no.empty()) {
    const auto is_permute = [](const Node* node) { return node->op() == OpKind::permute; };
    cluster.permutes = cluster.permutes || std::ranges::any_of(nodes, is_permute);
    cluster.domain = trial.domain;
    cluster.recomputed_ops = trial.recomputed_ops;
    return no;
  }
  for (auto added = cluster.copies.begin() + old_size; added != cluster.copies.end(); ++added) {
    std::erase(copied_into_[index(**added)], number);
  }
  cluster.copies.erase(cluster.copies.begin() + old_size, cluster.copies.end());
  return no;
}

void FusionClusters::evict(Node& node) {
  const int number = home(node);
  std::erase(clusters_[static_cast<size_t>(number)].members, &node);
  home_[index(node)] = kNone;
}

template <class Visit>
bool FusionClusters::all_outside_readers(const Node& node, Visit visit) const {
  if (is_result(node) && !visit(kNone)) return false;
  for (const int at : users_[index(node)]) {
    const Node& user = *order_[static_cast<size_t>(at)];
    if (!is_dead(user) && (home(user) == kNone || !is_inside(node, home(user)))) {
      if (!visit(home(user))) return false;
    }
    for (const int copy : copied_into_[index(user)]) {
      if (!is_inside(node, copy) && !visit(copy)) return false;
    }
  }
  return true;
}

std::vector<int> FusionClusters::outside_readers(const Node& node) const {
  std::vector<int> readers;
  all_outside_readers(node, [&](int reader) {
    readers.push_back(reader);
    return true;
  });
  return each_once(std::move(readers));
}

bool FusionClusters::is_only_outside_reader(const Node& node, int cluster) const {
  bool reads = false;
  const bool alone = all_outside_readers(node, [&](int reader) {
    reads = true;
    return reader == cluster;
  });
  return reads && alone;
}

bool FusionClusters::is_read_inside(const Node& node, int cluster) const {
  return std::ranges::any_of(users_[index(node)], [&](int at) {
    return is_inside(*order_[static_cast<size_t>(at)], cluster);
  });
}

bool FusionClusters::is_read_inside_by_others(const Node& node,
                                              int cluster,
                                              std::span<Node* const> nodes) const {
  return std::ranges::any_of(users_[index(node)], [&](int at) {
    Node* user = order_[static_cast<size_t>(at)];
    return is_inside(*user, cluster) && std::ranges::find(nodes, user) == nodes.end();
  });
}

std::vector<Node*> FusionClusters::readers(const Node& node) const {
  std::vector<Node*> found;
  for (const int at : users_[index(node)]) {
    Node* user = order_[static_cast<size_t>(at)];
    if (home(*user) != kNone) found.push_back(user);
    for (const int copy : copied_into_[index(*user)]) {
      if (!is_inside(node, copy)) found.push_back(cluster(copy).members.front());
    }
  }
  return found;
}

int64_t FusionClusters::bytes_moved() const {
  int64_t bytes = 0;
  for (int number = 0; number < num_clusters(); ++number) {
    if (cluster(number).members.empty()) continue;
    bytes += FusionGroup(*this, number, kNone, cluster(number).domain).bytes_moved();
  }
  return bytes;
}

void FusionClusters::prune_unused() {
  // What is demanded of members, by id, and of copies: pairs of a position and a cluster.
  std::vector<bool> needed(position_.size());
  std::set<std::pair<int, int>> needed_copies;
  std::vector<std::pair<const Node*, int>> stack;
  const auto demand = [&](const Node& node, int reader) {
    const int number = reader != kNone && is_inside(node, reader) ? reader : home(node);
    if (number != home(node)) {
      if (!needed_copies.emplace(position(node), number).second) return;
    } else {
      if (needed[index(node)]) return;
      needed[index(node)] = true;
    }
    stack.emplace_back(&node, number);
  };
  for (const Node* node : order_) {
    if (is_result(*node) || (home(*node) == kNone && !is_dead(*node))) demand(*node, kNone);
  }
  while (!stack.empty()) {
    const auto [node, number] = stack.back();
    stack.pop_back();
    for (const ir::Value& operand : node->operands())
      demand(*operand.node, number);
  }
  for (size_t c = 0; c < clusters_.size(); ++c) {
    const auto number = static_cast<int>(c);
    std::erase_if(clusters_[c].members, [&](const Node* node) {
      if (needed[index(*node)]) return false;
      home_[index(*node)] = kNone;
      dead_[index(*node)] = true;
      return true;
    });
    std::erase_if(clusters_[c].copies, [&](const Node* node) {
      if (needed_copies.contains({position(*node), number})) return false;
      std::erase(copied_into_[index(*node)], number);
      return true;
    });
  }
}

std::vector<int> each_once(std::vector<int> numbers) {
  std::ranges::sort(numbers);
  const auto repeated = std::ranges::unique(numbers);
  numbers.erase(repeated.begin(), repeated.end());
  return numbers;
}

bool reads(const Node& node, const Node& value) {
  return std::ranges::any_of(node.operands(),
                             [&](const ir::Value& operand) { return operand.node == &value; });
}

}  // namespace wick::passes
