#include "wick/codegen/reduction_loops.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "wick/codegen/fused_body.h"

namespace wick::codegen {

namespace {

using Level = ir::Domain::Level;

/// What a value is computed from in a loop.
struct Reads {
  std::set<const ir::Node*> parameters;
  bool is_cheap = true;  // nothing that an earlier loop leaves in memory
};

/// A reduction that more loops than one can accumulate.
struct Movable {
  const ir::Node* reduction = nullptr;
  int last_loop = 0;
  Reads reads;
};

class LoopChoice {
 public:
  explicit LoopChoice(FusedBody& body)
      : body_(body),
        last_depth_(static_cast<size_t>(body.graph->id_bound()), body.max_depth),
        read_(static_cast<size_t>(body.max_depth) + 1) {}

  bool run() {
    find_last_depths();
    for (const ir::Value& result : body_.graph->results()) {
      if (is_full(*result.node)) read(reads_of(*result.node), body_.depth_of(*result.node));
    }
    std::vector<Movable> movable = read_what_stays();
    bool any_moved = false;
    while (!movable.empty()) {
      auto next = std::ranges::find_if(
          movable, [&](const Movable& each) { return loop_that_reads(each).has_value(); });
      if (next == movable.end()) next = movable.begin();
      int& loop = body_.loop[static_cast<size_t>(next->reduction->id())];
      const int chosen = loop_that_reads(*next).value_or(loop);
      any_moved |= chosen != loop;
      loop = chosen;
      read(next->reads, chosen);
      movable.erase(next);
    }
    return any_moved;
  }

 private:
  /// Gives the others.
  std::vector<Movable> read_what_stays() {
    std::vector<Movable> movable;
    for (const auto* reductions : {&body_.reductions, &body_.column_reductions}) {
      for (const ir::Node* node : *reductions) {
        Reads reads = reads_of(*node->operand(0).node);
        const int last = last_loop(*node);
        if (last > body_.loop_of(*node) && reads.is_cheap) {
          movable.push_back({node, last, std::move(reads)});
        } else {
          read(reads, body_.loop_of(*node));
        }
      }
    }
    return movable;
  }

  [[nodiscard]] bool is_full(const ir::Node& node) const {
    return node.type().numel() == body_.domain.numel(Level::full);
  }

  [[nodiscard]] bool is_result(const ir::Node& node) const {
    return std::ranges::any_of(body_.graph->results(),
                               [&](const ir::Value& result) { return result.node == &node; });
  }

  void read(const Reads& reads, int loop) {
    read_[static_cast<size_t>(loop)].insert(reads.parameters.begin(), reads.parameters.end());
  }

  /// The depth that each value may have without one that is at every position, or another
  /// reduction, being known later.
  void find_last_depths() {
    for (const ir::Node* node = body_.graph->last(); node != nullptr; node = node->previous()) {
      const int last = has(node->op(), ir::kReduction) ? body_.loop_of(*node)
                       : is_full(*node)                ? body_.depth_of(*node)
                                                       : last_depth(*node);
      for (const ir::Value& operand : node->operands()) {
        int& of_operand = last_depth_[static_cast<size_t>(operand.node->id())];
        of_operand = std::min(of_operand, last);
      }
    }
  }

  [[nodiscard]] int last_depth(const ir::Node& node) const {
    return last_depth_[static_cast<size_t>(node.id())];
  }

  /// Columns are not wanted before all rows have been walked.
  [[nodiscard]] int last_loop(const ir::Node& reduction) const {
    const bool is_of_columns = body_.is_of_columns[static_cast<size_t>(reduction.id())];
    return is_of_columns ? body_.max_depth : last_depth(reduction) - 1;
  }

  /// From loops before, what they reduced comes in registers. Scalars count: one may have been
  /// overwritten by then, where no later loop was known to read it.
  [[nodiscard]] Reads reads_of(const ir::Node& value) const {
    Reads reads;
    std::set<const ir::Node*> seen;
    std::vector<const ir::Node*> stack{&value};
    while (!stack.empty()) {
      const ir::Node* node = stack.back();
      stack.pop_back();
      if (!seen.insert(node).second || has(node->op(), ir::kReduction)) continue;
      if (node->op() == ir::OpKind::parameter) reads.parameters.insert(node);
      if (is_full(*node) && (has(node->op(), ir::kCostly) || is_result(*node)))
        reads.is_cheap = false;
      for (const ir::Value& operand : node->operands())
        stack.push_back(operand.node);
    }
    return reads;
  }

  /// The first that reads all of it already.
  [[nodiscard]] std::optional<int> loop_that_reads(const Movable& each) const {
    for (int loop = body_.loop_of(*each.reduction); loop <= each.last_loop; ++loop) {
      if (std::ranges::includes(read_[static_cast<size_t>(loop)], each.reads.parameters))
        return loop;
    }
    return std::nullopt;
  }

  FusedBody& body_;
  std::vector<int> last_depth_;                  // by Node::id
  std::vector<std::set<const ir::Node*>> read_;  // parameters, by loop
};

}  // namespace

bool choose_loops(FusedBody& body) {
  return body.reductions.size() + body.column_reductions.size() > 1 && LoopChoice(body).run();
}

}  // namespace wick::codegen
