// The rules of FusionClusters: where values are read, what may depend on what.

#include <algorithm>
#include <set>

#include "wick/ir/check.h"
#include "wick/passes/fusion_clusters.h"
#include "wick/passes/reduction_split.h"

namespace wick::passes {

namespace {

using ir::IndexMap;
using ir::Node;
using ir::OpKind;
using Level = ir::Domain::Level;

/// How a member reads an operand, both seen from the domain's positions.
std::optional<IndexMap> read_map(const Node& node,
                                 int operand,
                                 Level level,
                                 const ir::Domain& domain) {
  if (has(node.op(), ir::kReduction)) {
    return domain.aligned_map(node.operand(0).type().shape, Level::full);
  }
  const auto map = domain.aligned_map(node.type().shape, level);
  return map ? operand_map(node, operand, *map, domain.extents) : std::nullopt;
}

/// Whether a member reads another one plainly at the positions where both are computed.
bool reads_own_positions(const Node& consumer, int operand, Level consumer_level, Level level) {
  return has(consumer.op(), ir::kElementwise) && consumer_level == level &&
         consumer.operand(operand).type().shape == consumer.type().shape;
}

/// Beyond this many steps a search gives up and reports a cycle: near-linear time matters more.
constexpr int kSearchBudget = 2048;

constexpr auto kNotAffine = "it is read at positions that are no affine function of the reader's";

}  // namespace

/// Every value that one of the clusters reads from the other is read at its own positions, or can
/// be computed again where it is read.
Objection FusionClusters::check_levels(Trial& trial) {
  bool recomputes = !cluster(trial.a).copies.empty() || !cluster(trial.b).copies.empty();
  const bool a_is_small = cluster(trial.a).members.size() <= cluster(trial.b).members.size();
  const int small = a_is_small ? trial.a : trial.b;
  const int large = a_is_small ? trial.b : trial.a;
  const auto check_edge = [&](const Node& consumer, int operand) -> Objection {
    const Node& producer = *consumer.operand(operand).node;
    const Level consumer_level = level_in(trial, consumer);
    const Level producer_level = level_in(trial, producer);
    if (reads_own_positions(consumer, operand, consumer_level, producer_level)) return {};
    const auto read = read_map(consumer, operand, consumer_level, trial.domain);
    if (!read) return {fusion_code::kIndexed, kNotAffine};
    if (producer_level == Level::column && consumer_level != Level::column) {
      return {fusion_code::kReduction, "what is reduced over all rows is known behind the last"};
    }
    const auto own = trial.domain.aligned_map(producer.type().shape, producer_level);
    check(own.has_value(), "members of a cluster have the shape of its positions");
    recomputes = recomputes || *read != *own;
    const bool crosses = consumer_level == Level::full && producer_level == Level::row;
    trial.dependent = trial.dependent || crosses;
    return "";
  };
  for (const Node* node : cluster(small).members) {
    for (int i = 0; i < node->num_operands(); ++i) {
      if (home(*node->operand(i).node) != large) continue;
      if (Objection no = check_edge(*node, i); !no.empty()) return no;
    }
    for (const int at : users_[index(*node)]) {
      const Node& user = *order_[static_cast<size_t>(at)];
      ++work_;
      if (home(user) != large) continue;
      for (int i = 0; i < user.num_operands(); ++i) {
        if (user.operand(i).node != node) continue;
        if (Objection no = check_edge(user, i); !no.empty()) return no;
      }
    }
  }
  return recomputes ? check_evaluation(trial) : "";
}

Objection FusionClusters::check_reductions(Trial& trial) const {
  if (num_reduction_blocks(trial.domain) <= 1) return "";
  // A value that depends on the whole row would keep the few rows there are from being cut.
  if (trial.dependent && !has_enough_rows(trial.domain)) {
    const int64_t num_rows = trial.domain.numel(Level::row);
    const int64_t elements = trial.domain.numel(Level::full) / num_rows;
    constexpr auto kRows = "rows of {} elements are cut in blocks where there are only {} of them";
    constexpr auto kColumns =
        "columns of {} elements are cut in blocks where only {} lie side by side";
    return {
        fusion_code::kReduction, trial.domain.has_rows() ? kRows : kColumns, elements, num_rows};
  }
  if (!cluster(trial.a).row || !cluster(trial.b).row) return "";
  const auto splits = [&](int number) {
    return std::ranges::all_of(cluster(number).members, [](const Node* node) {
      return !has(node->op(), ir::kReduction) || splits_in_blocks(node->op());
    });
  };
  if (splits(trial.a) == splits(trial.b)) return {};
  return {fusion_code::kReduction, "one of them can be cut in blocks, the other cannot"};
}

Objection FusionClusters::check_evaluation(Trial& trial) {
  struct Read {
    const Node* node;
    IndexMap map;
  };

  const ir::Domain& domain = trial.domain;
  std::vector<Read> stack;
  std::set<std::vector<int64_t>> seen;
  int64_t count = 0;
  const auto is_member = [&](const Node& node) {
    return home(node) != kNone && (home(node) == trial.a || home(node) == trial.b);
  };
  // What speaks against reading the operand as asked.
  const auto read = [&](const Node& operand, const std::optional<IndexMap>& map) -> Objection {
    if (!holds(trial, operand)) return {};
    if (!map) return {fusion_code::kIndexed, kNotAffine};
    if (is_member(operand)) {
      const auto own = domain.aligned_map(operand.type().shape, level_in(trial, operand));
      if (own == map) return {};
      if (has(operand.op(), ir::kReduction)) {
        return {fusion_code::kReduction, "a reduction is read at other rows than its own"};
      }
      const bool costs = has(operand.op(), ir::kCostly) && operand.type().numel() > 1;
      if (costs && !limits_.recompute_costly) {
        return {fusion_code::kCost, "a costly op would be computed again at other positions"};
      }
    }
    std::vector<int64_t> key{operand.id()};
    for (const ir::AffineExpr& expr : *map) {
      key.push_back(expr.offset);
      key.insert(key.end(), expr.coefs.begin(), expr.coefs.end());
    }
    if (seen.insert(std::move(key)).second) stack.push_back({&operand, *map});
    return {};
  };
  for (const int number : {trial.a, trial.b}) {
    if (number == kNone) continue;
    for (const Node* node : cluster(number).members) {
      ++count;
      for (int i = 0; i < node->num_operands(); ++i) {
        const Node& operand = *node->operand(i).node;
        if (!holds(trial, operand)) continue;
        const Level level = level_in(trial, *node);
        if (is_member(operand) && reads_own_positions(*node, i, level, level_in(trial, operand))) {
          continue;
        }
        const auto map = read_map(*node, i, level, domain);
        if (Objection no = read(operand, map); !no.empty()) return no;
      }
    }
  }
  while (!stack.empty()) {
    const Read next = stack.back();
    stack.pop_back();
    ++work_;
    trial.recomputed_ops += evaluation_cost(*next.node);
    if (++count > limits_.max_ops) {
      constexpr auto kWhy =
          "where they are read, ops are computed over {} times, with max-ops = {}";
      return {fusion_code::kLimit, kWhy, limits_.max_ops, limits_.max_ops};
    }
    for (int i = 0; i < next.node->num_operands(); ++i) {
      const auto map = operand_map(*next.node, i, next.map, domain.extents);
      if (Objection no = read(*next.node->operand(i).node, map); !no.empty()) return no;
    }
  }
  return "";
}

/// Whether a path leads from one cluster to the other through a node that is in neither. Positions
/// rise along uses, so a nearby search leaves out all that lies behind the goal.
bool FusionClusters::closes_cycle(int from, int to) {
  const int bound =
      cycle_search_ == CycleSearch::nearby ? cluster(to).last : static_cast<int>(order_.size());
  if (cluster(from).first > bound) return false;
  ++search_;
  int steps = 0;
  std::vector<const Node*> lone;
  std::vector<int> whole{from};
  cluster_seen_[static_cast<size_t>(from)] = search_;
  // True when the goal is reached other than directly.
  const auto visit_users = [&](const Node& node, bool direct) {
    for (const int at : users_[index(node)]) {
      if (at > bound) break;
      ++steps;
      const Node& user = *order_[static_cast<size_t>(at)];
      const int number = home(user);
      if (number == to) {
        if (!direct) return true;
      } else if (number == kNone) {
        if (std::exchange(node_seen_[index(user)], search_) != search_) lone.push_back(&user);
      } else if (std::exchange(cluster_seen_[static_cast<size_t>(number)], search_) != search_) {
        whole.push_back(number);
      }
    }
    return steps > kSearchBudget;
  };
  bool found = false;
  while (!found && (!lone.empty() || !whole.empty())) {
    if (!lone.empty()) {
      const Node* node = lone.back();
      lone.pop_back();
      found = visit_users(*node, false);
      continue;
    }
    const int number = whole.back();
    whole.pop_back();
    for (const Node* node : cluster(number).members) {
      found = found || visit_users(*node, number == from);
    }
    steps += static_cast<int>(cluster(number).members.size());
    found = found || steps > kSearchBudget;
  }
  work_ += steps;
  return found;
}

}  // namespace wick::passes
