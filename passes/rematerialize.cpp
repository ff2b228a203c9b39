#include "wick/passes/rematerialize.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "wick/passes/buffer_place.h"
#include "wick/passes/pass_options.h"
#include "wick/passes/recompute_recipe.h"
#include "wick/passes/storage_classes.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::Value;

struct Limits {
  int64_t min_bytes = 1 << 20;  // of a value: kernels for less are not worth their launch
  int64_t max_moved = 3;        // bytes moved for each byte that is not kept
};

/// A value that is idle from one position to the next, and computed again for those from there on.
struct Gap {
  int storage = 0;
  int begin = 0;  // behind a reader
  int end = 0;    // where it is needed, or the last position at which it can be computed
  int64_t moved_bytes = 0;
  const RecomputeRecipe* recipe = nullptr;
};

/// Decides what to compute again. Positions count the nodes of the graph.
class GapFinder {
 public:
  GapFinder(ir::Graph& graph, Limits limits)
      : limits_(limits),
        classes_(graph),
        value_of_(num_storages()),
        readers_(num_storages()),
        last_(num_storages()),
        has_gap_(num_storages()),
        is_source_(num_storages()),
        recipes_(num_storages()) {
    for (Node* node = graph.first(); node != nullptr; node = node->next())
      add(*node);
    count_bytes_in_use();
  }

  /// From the highest peak on until one is met that nothing lowers; without what was not needed to
  /// lower the others to that one.
  std::vector<Gap> find() {
    std::vector<Gap> gaps;
    while (const std::optional<Gap> gap = best_gap(peak_position())) {
      add_bytes(gap->begin, gap->end, -bytes_of(gap->storage));
      has_gap_[index(gap->storage)] = true;
      for (const Value& operand : gap->recipe->operands) {
        const int source = classes_.of(operand);
        is_source_[index(source)] = true;
        last_[index(source)] = std::max(last_[index(source)], gap->end);
      }
      gaps.push_back(*gap);
    }
    drop_needless(gaps);
    return gaps;
  }

  [[nodiscard]] Value value_of(const Gap& gap) const { return value_of_[index(gap.storage)]; }

  [[nodiscard]] int64_t bytes_of(int storage) const {
    return static_cast<int64_t>(this->storage(storage).bytes);
  }

 private:
  static size_t index(int number) { return static_cast<size_t>(number); }

  [[nodiscard]] size_t num_storages() const { return classes_.storages().size(); }

  [[nodiscard]] const Storage& storage(int number) const {
    return classes_.storages()[index(number)];
  }

  void add(const Node& node) {
    const int position = classes_.position(node);
    if (is_alias(node)) return;
    for (const Value& operand : node.operands()) {
      std::vector<int>& readers = readers_[index(classes_.of(operand))];
      if (readers.empty() || readers.back() != position) readers.push_back(position);
    }
    if (node.body() == nullptr) return;
    for (int i = 0; i < node.num_results(); ++i) {
      const Value result{const_cast<Node*>(&node), i};
      value_of_[index(classes_.of(result))] = result;
    }
  }

  void count_bytes_in_use() {
    in_use_.assign(index(classes_.num_positions()) + 2, 0);
    for (size_t i = 0; i < num_storages(); ++i) {
      const Storage& storage = classes_.storages()[i];
      last_[i] = storage.end;
      if (storage.root != Storage::Root::computed) continue;
      in_use_[index(storage.begin)] += static_cast<int64_t>(storage.bytes);
      in_use_[index(storage.end) + 1] -= static_cast<int64_t>(storage.bytes);
    }
    std::partial_sum(in_use_.begin(), in_use_.end(), in_use_.begin());
  }

  void add_bytes(int begin, int end, int64_t bytes) {
    for (int i = begin; i < end; ++i)
      in_use_[index(i)] += bytes;
  }

  [[nodiscard]] int peak_position() const {
    return static_cast<int>(std::ranges::max_element(in_use_) - in_use_.begin());
  }

  /// What costs the least to compute again of all that is idle at the position.
  std::optional<Gap> best_gap(int position) {
    std::optional<Gap> best;
    double least = 0;
    for (size_t i = 0; i < num_storages(); ++i) {
      const auto candidate = static_cast<int>(i);
      if (!may_be_idle(candidate, position)) continue;
      const std::optional<Gap> gap = gap_at(candidate, position);
      if (!gap) continue;
      const double cost =
          static_cast<double>(gap->moved_bytes) / static_cast<double>(bytes_of(candidate));
      const bool is_better =
          !best || cost < least || (cost == least && bytes_of(candidate) > bytes_of(best->storage));
      if (is_better) {
        best = gap;
        least = cost;
      }
    }
    return best;
  }

  [[nodiscard]] bool may_be_idle(int candidate, int position) const {
    const Storage& storage = this->storage(candidate);
    return value_of_[index(candidate)] && storage.result < 0 && storage.begin < position &&
           storage.end > position && bytes_of(candidate) >= limits_.min_bytes &&
           !has_gap_[index(candidate)] && !is_source_[index(candidate)];
  }

  std::optional<Gap> gap_at(int candidate, int position) {
    const std::vector<int>& readers = readers_[index(candidate)];
    const auto next = std::ranges::lower_bound(readers, position);
    if (next == readers.begin() || next == readers.end() || *next == position) return std::nullopt;
    for (const RecomputeRecipe& recipe : recipes_of(candidate)) {
      Gap gap{.storage = candidate,
              .begin = *std::prev(next) + 1,
              .end = *next,
              .moved_bytes = (1 + recipe.costly_ops) * bytes_of(candidate),
              .recipe = &recipe};
      for (const Value& operand : recipe.operands)
        read(gap, classes_.of(operand));
      const bool is_cheap = gap.moved_bytes <= limits_.max_moved * bytes_of(candidate);
      if (gap.end > position && is_cheap) return gap;
    }
    return std::nullopt;
  }

  /// Small operands are kept as long as it takes, others must be there anyway.
  void read(Gap& gap, int source) const {
    const Storage& storage = this->storage(source);
    if (storage.root == Storage::Root::constant) return;
    constexpr int64_t kSmall = 16;
    const bool is_small = bytes_of(source) * kSmall <= bytes_of(gap.storage);
    if (has_gap_[index(source)]) gap.end = -1;
    if (is_small) return;
    gap.moved_bytes += bytes_of(source);
    gap.end = std::min(gap.end, last_[index(source)]);
  }

  /// The recipes of a value, the best one first.
  const std::vector<RecomputeRecipe>& recipes_of(int candidate) {
    std::vector<RecomputeRecipe>& recipes = recipes_[index(candidate)];
    if (recipes.empty()) {
      const Value value = value_of_[index(candidate)];
      if (value.node->num_results() > 1) recipes.push_back(recipe_of(value, true));
      recipes.push_back(recipe_of(value, false));
    }
    return recipes;
  }

  void drop_needless(std::vector<Gap>& gaps) {
    const int64_t peak = in_use_[index(peak_position())];
    std::ranges::stable_sort(gaps, std::greater{}, &Gap::moved_bytes);
    std::erase_if(gaps, [&](const Gap& gap) {
      const int64_t bytes = bytes_of(gap.storage);
      const auto first = in_use_.begin() + gap.begin;
      const auto last = in_use_.begin() + gap.end;
      const bool is_needless = *std::max_element(first, last) + bytes <= peak;
      if (is_needless) add_bytes(gap.begin, gap.end, bytes);
      return is_needless;
    });
  }

  Limits limits_;
  StorageClasses classes_;
  std::vector<Value> value_of_;            // by storage, as all that follows: a fusion's result
  std::vector<std::vector<int>> readers_;  // positions
  std::vector<int> last_;                  // the last position at which it is there
  std::vector<bool> has_gap_;
  std::vector<bool> is_source_;  // of what is computed again
  std::vector<std::vector<RecomputeRecipe>> recipes_;
  std::vector<int64_t> in_use_;  // by position
};

class Rematerialize final : public Pass {
 public:
  explicit Rematerialize(Limits limits) : limits_(limits) {}

  [[nodiscard]] std::string_view name() const override { return "rematerialize"; }

  bool run(ir::Graph& graph, PassContext& context) override {
    GapFinder finder(graph, limits_);
    const std::vector<Gap> gaps = finder.find();
    if (gaps.empty()) return false;
    positions_.clear();
    const std::vector<Node*> nodes = graph.nodes();
    for (size_t i = 0; i < nodes.size(); ++i)
      positions_[nodes[i]] = static_cast<int>(i);
    for (const Gap& gap : gaps) {
      const Value value = finder.value_of(gap);
      Node* before = nodes[static_cast<size_t>(gap.end)];
      fill(graph, value, gap, before);
      context.count("values");
      context.count("bytes", finder.bytes_of(gap.storage));
      if (context.wants_remarks()) explain(context, value, *before, gap);
    }
    erase_unused_views(graph);
    return true;
  }

 private:
  void fill(ir::Graph& graph, Value value, const Gap& gap, Node* before) {
    ir::Attributes attributes;
    attributes.set("kind", std::string(holds_reduction(*gap.recipe->body) ? "row" : "loop"));
    Node* again = graph.add_fusion(gap.recipe->operands,
                                   gap.recipe->body->clone(),
                                   attributes,
                                   value.node->location(),
                                   before);
    positions_[again] = gap.end;
    redirect(graph, value, again->result(), gap.end, before);
  }

  /// What reads `old`, or a view of it, from a position on reads `fresh`.
  void redirect(ir::Graph& graph, Value old, Value fresh, int from, Node* before) {
    for (const ir::Use& use : old.node->uses_of(old.index)) {
      if (use.user == fresh.node) continue;
      if (is_alias(*use.user)) {
        Node* view = graph.add(
            use.user->op(), {fresh}, use.user->attributes(), use.user->location(), before);
        redirect(graph, use.user->result(), view->result(), from, before);
      } else if (positions_.at(use.user) >= from) {
        graph.set_operand(use.user, use.operand, fresh);
      }
    }
  }

  /// They would count as readers.
  static void erase_unused_views(ir::Graph& graph) {
    for (Node* node = graph.last(); node != nullptr;) {
      Node* previous = node->previous();
      if (is_alias(*node) && !node->has_uses()) graph.erase(node);
      node = previous;
    }
  }

  static bool holds_reduction(const ir::Graph& body) {
    for (const Node* node = body.first(); node != nullptr; node = node->next()) {
      if (ir::has(node->op(), ir::kReduction)) return true;
    }
    return false;
  }

  void explain(PassContext& context, Value value, const Node& reader, const Gap& gap) const {
    context.remark({.pass = std::string(name()),
                    .code = "rematerialized",
                    .where = value.node->location(),
                    .other = reader.location(),
                    .text = fmt::format("{} is computed again for later readers, which moves {} "
                                        "bytes, rather than kept while memory is short",
                                        value.type(),
                                        gap.moved_bytes)});
  }

  Limits limits_;
  std::map<const Node*, int> positions_;
};

}  // namespace

PassInfo rematerialize_pass_info() {
  const Limits limits;
  return {.name = "rematerialize",
          .summary = "compute values again that would be idle where the most memory is in use",
          .options = {{"min-bytes", std::to_string(limits.min_bytes)},
                      {"max-moved", std::to_string(limits.max_moved)}},
          .create = [](const PassOptions& options) {
            Limits limits;
            limits.min_bytes = integer_option(options, "min-bytes", limits.min_bytes, 1);
            limits.max_moved = integer_option(options, "max-moved", limits.max_moved, 1);
            return std::make_unique<Rematerialize>(limits);
          }};
}

}  // namespace wick::passes
