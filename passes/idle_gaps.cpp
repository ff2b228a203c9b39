#include "wick/passes/idle_gaps.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "wick/passes/buffer_place.h"
#include "wick/passes/storage_classes.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::Value;

class GapFinder {
 public:
  GapFinder(ir::Graph& graph, const IdleGapLimits& limits)
      : limits_(limits),
        graph_(graph),
        classes_(graph),
        value_of_(num_storages()),
        readers_(num_storages()),
        last_(num_storages()),
        has_gap_(num_storages()),
        is_pinned_(num_storages()),
        recipes_(num_storages()) {
    for (Node* node = graph.first(); node != nullptr; node = node->next())
      add(*node);
    count_bytes_in_use();
  }

  std::vector<IdleGap> find() {
    std::vector<IdleGap> gaps;
    while (const std::optional<IdleGap> gap = best_gap(peak_position())) {
      const int storage = classes_.of(gap->value);
      add_bytes(gap->begin, gap->end, -bytes_of(storage));
      has_gap_[index(storage)] = true;
      for (const Value& operand : gap->recipe->operands)
        if (operand != gap->product) keep_until(gap->end, operand);
      if (gap->product)
        for (const Value& operand : behind_reshapes(gap->product).operands())
          keep_until(gap->end, operand);
      gaps.push_back(*gap);
    }
    drop_needless(gaps);
    return gaps;
  }

 private:
  static size_t index(int number) { return static_cast<size_t>(number); }

  [[nodiscard]] size_t num_storages() const { return classes_.storages().size(); }

  [[nodiscard]] const Storage& storage(int number) const {
    return classes_.storages()[index(number)];
  }

  [[nodiscard]] int64_t bytes_of(int number) const {
    return static_cast<int64_t>(storage(number).bytes);
  }

  void add(Node& node) {
    const int position = classes_.position(node);
    if (is_alias(node)) {
      // A barrier says when its value is computed.
      for (const Value& operand : node.operands())
        if (node.op() != ir::OpKind::reshape) is_pinned_[index(classes_.of(operand))] = true;
      return;
    }
    for (const Value& operand : node.operands()) {
      std::vector<int>& readers = readers_[index(classes_.of(operand))];
      if (readers.empty() || readers.back() != position) readers.push_back(position);
    }
    if (node.body() == nullptr) return;
    for (int i = 0; i < node.num_results(); ++i) {
      value_of_[index(classes_.of(node.result(i)))] = node.result(i);
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

  void keep_until(int position, const Value& operand) {
    const int source = classes_.of(operand);
    is_pinned_[index(source)] = true;
    last_[index(source)] = std::max(last_[index(source)], position);
  }

  static const Node& behind_reshapes(const Value& value) {
    const Node* producer = value.node;
    while (producer->op() == ir::OpKind::reshape)
      producer = producer->operand(0).node;
    return *producer;
  }

  void add_bytes(int begin, int end, int64_t bytes) {
    for (int i = begin; i < end; ++i)
      in_use_[index(i)] += bytes;
  }

  [[nodiscard]] int peak_position() const {
    return static_cast<int>(std::ranges::max_element(in_use_) - in_use_.begin());
  }

  /// What costs the least to compute again of all that is idle at the position.
  std::optional<IdleGap> best_gap(int position) {
    std::optional<IdleGap> best;
    double least = 0;
    for (size_t i = 0; i < num_storages(); ++i) {
      const auto candidate = static_cast<int>(i);
      if (!may_be_idle(candidate, position)) continue;
      const std::optional<IdleGap> gap = gap_at(candidate, position);
      if (!gap) continue;
      const double cost =
          static_cast<double>(gap->moved_bytes) / static_cast<double>(bytes_of(candidate));
      const bool is_better =
          !best || cost < least ||
          (cost == least && bytes_of(candidate) > bytes_of(classes_.of(best->value)));
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
           !has_gap_[index(candidate)] && !is_pinned_[index(candidate)];
  }

  std::optional<IdleGap> gap_at(int candidate, int position) {
    const std::vector<int>& readers = readers_[index(candidate)];
    const auto next = std::ranges::lower_bound(readers, position);
    if (next == readers.begin() || next == readers.end() || *next == position) return std::nullopt;
    for (const bool with_product : {false, true}) {
      for (const auto& recipe : recipes_of(candidate)) {
        IdleGap gap{.value = value_of_[index(candidate)],
                    .begin = *std::prev(next) + 1,
                    .end = *next,
                    .recipe = recipe};
        if (with_product) gap.product = overwritten_product(gap);
        if (with_product && !gap.product) continue;
        count_cost(gap);
        const int64_t limit = with_product ? limits_.max_with_product : limits_.max_moved;
        if (gap.end > position && gap.moved_bytes <= limit * bytes_of(candidate)) return gap;
      }
    }
    return std::nullopt;
  }

  /// The operand that the value was written over, if it is the result of a matmul.
  static Value overwritten_product(const IdleGap& gap) {
    const int number = operand_to_overwrite(*gap.value.node, gap.value.index);
    if (number < 0) return {};
    const Value operand = gap.value.node->operand(number);
    const bool is_read = std::ranges::count(gap.recipe->operands, operand) > 0;
    return is_read && behind_reshapes(operand).op() == ir::OpKind::matmul ? operand : Value{};
  }

  void count_cost(IdleGap& gap) const {
    gap.moved_bytes = (1 + gap.recipe->costly_ops) * bytes_of(classes_.of(gap.value));
    for (const Value& operand : gap.recipe->operands) {
      if (operand == gap.product) {
        multiply(gap);
      } else {
        read(gap, classes_.of(operand));
      }
    }
  }

  /// The product is written and read, after the operands that it is made of.
  void multiply(IdleGap& gap) const {
    constexpr int64_t kFlopsPerByte = 8;  // in the time that it takes to move one
    const Node& product = behind_reshapes(gap.product);
    gap.moved_bytes += 2 * bytes_of(classes_.of(gap.product)) + flops_of(product) / kFlopsPerByte;
    for (const Value& operand : product.operands())
      read(gap, classes_.of(operand));
  }

  static int64_t flops_of(const Node& matmul) {
    const Shape& lhs = matmul.operand(0).type().shape;
    const int depth = matmul.attributes().flag("transpose_lhs") ? 2 : 1;
    return 2 * matmul.type().numel() * lhs[lhs.ndim() - depth];
  }

  /// Small operands are kept as long as it takes, others must be there anyway.
  void read(IdleGap& gap, int source) const {
    constexpr int64_t kSmall = 16;
    if (has_gap_[index(source)]) gap.end = -1;
    if (bytes_of(source) * kSmall <= bytes_of(classes_.of(gap.value))) return;
    gap.moved_bytes += bytes_of(source);
    if (!is_always_there(source)) gap.end = std::min(gap.end, last_[index(source)]);
  }

  [[nodiscard]] bool is_always_there(int number) const {
    const Storage& storage = this->storage(number);
    if (storage.root != Storage::Root::parameter) return storage.root == Storage::Root::constant;
    const Node& parameter = *graph_.parameters()[index(storage.parameter)];
    return !parameter.attributes().flag("donate");
  }

  /// The recipes of a value, the best one first.
  const std::vector<std::shared_ptr<const RecomputeRecipe>>& recipes_of(int candidate) {
    std::vector<std::shared_ptr<const RecomputeRecipe>>& recipes = recipes_[index(candidate)];
    if (recipes.empty()) {
      const Value value = value_of_[index(candidate)];
      const auto add = [&](bool from_other_results) {
        recipes.push_back(std::make_shared<RecomputeRecipe>(recipe_of(value, from_other_results)));
      };
      if (value.node->num_results() > 1) add(true);
      add(false);
    }
    return recipes;
  }

  void drop_needless(std::vector<IdleGap>& gaps) {
    const int64_t peak = in_use_[index(peak_position())];
    std::ranges::stable_sort(gaps, std::greater{}, &IdleGap::moved_bytes);
    std::erase_if(gaps, [&](const IdleGap& gap) {
      const int64_t bytes = bytes_of(classes_.of(gap.value));
      const auto first = in_use_.begin() + gap.begin;
      const auto last = in_use_.begin() + gap.end;
      const bool is_needless = *std::max_element(first, last) + bytes <= peak;
      if (is_needless) add_bytes(gap.begin, gap.end, bytes);
      return is_needless;
    });
  }

  IdleGapLimits limits_;
  const ir::Graph& graph_;
  StorageClasses classes_;
  std::vector<Value> value_of_;            // by storage, as all that follows: a fusion's result
  std::vector<std::vector<int>> readers_;  // positions
  std::vector<int> last_;                  // the last position at which it is there
  std::vector<bool> has_gap_;
  std::vector<bool> is_pinned_;  // not to be computed again
  std::vector<std::vector<std::shared_ptr<const RecomputeRecipe>>> recipes_;
  std::vector<int64_t> in_use_;  // by position
};

}  // namespace

std::vector<IdleGap> find_idle_gaps(ir::Graph& graph, const IdleGapLimits& limits) {
  return GapFinder(graph, limits).find();
}

}  // namespace wick::passes
