#include "wick/passes/plan_memory.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "wick/passes/arena_placement.h"
#include "wick/passes/buffer_place.h"
#include "wick/passes/result_loans.h"
#include "wick/passes/storage_classes.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using Kind = BufferPlace::Kind;

bool is_donated(const Node& parameter) {
  return parameter.attributes().flag("donate") && !parameter.attributes().flag("scalar");
}

class MemoryPlanner {
 public:
  explicit MemoryPlanner(const ir::Graph& graph)
      : graph_(graph),
        classes_(graph),
        block_of_(classes_.storages().size(), kNone) {
    collect_donated();
    for (Node* node = graph.first(); node != nullptr; node = node->next()) {
      if (node->op() != OpKind::parameter && node->op() != OpKind::constant && !is_alias(*node)) {
        place_results(*node);
      }
    }
    lay_out_arena();
  }

  [[nodiscard]] BufferPlace place_of(const ir::Value& value) const {
    const Storage& storage = classes_.storage(value);
    switch (storage.root) {
      case Storage::Root::parameter:
        return {.kind = Kind::param, .index = storage.parameter};
      case Storage::Root::constant:
        return {.kind = Kind::constant};
      case Storage::Root::computed:
        break;
    }
    return block(block_of_[static_cast<size_t>(classes_.of(value))]).place;
  }

  [[nodiscard]] size_t arena_bytes() const { return arena_bytes_; }

 private:
  static constexpr int kNone = -1;

  /// Storages that follow each other in place.
  struct Block {
    BufferPlace place;
    ArenaBlock life;
  };

  [[nodiscard]] const Block& block(int i) const { return blocks_[static_cast<size_t>(i)]; }

  Block& block(int i) { return blocks_[static_cast<size_t>(i)]; }

  [[nodiscard]] const Storage& storage(int i) const {
    return classes_.storages()[static_cast<size_t>(i)];
  }

  void collect_donated() {
    for (Node* parameter : graph_.parameters()) {
      const Storage& storage = classes_.storage(parameter->result());
      if (is_donated(*parameter) && storage.result < 0 && storage.bytes > 0) {
        donated_[storage.bytes].emplace(storage.end, storage.parameter);
      }
    }
  }

  void place_results(Node& node) {
    for (int i = 0; i < node.num_results(); ++i) {
      const int id = classes_.of(node.result(i));
      int chosen = overwritten_block(node, i, id);
      if (chosen == kNone) {
        chosen = new_block(storage(id));
      }
      Block& home = block(chosen);
      home.life.end = std::max(home.life.end, storage(id).end);
      if (storage(id).result >= 0 && home.place.kind == Kind::arena) {
        home.place = {.kind = Kind::result, .index = storage(id).result};
      }
      block_of_[static_cast<size_t>(id)] = chosen;
    }
  }

  /// The block of the operand that result i may overwrite, or kNone.
  int overwritten_block(const Node& node, int i, int result) {
    const int operand = operand_to_overwrite(node, i);
    if (operand < 0) return kNone;
    const int old = classes_.of(node.operand(operand));
    if (!dies_at(node, operand, old) || storage(old).bytes != storage(result).bytes ||
        storage(old).bytes == 0) {
      return kNone;
    }
    int& home = block_of_[static_cast<size_t>(old)];
    if (storage(old).root == Storage::Root::parameter && home == kNone) {
      if (!take_donated(storage(old))) return kNone;
      home = add_block({.kind = Kind::param, .index = storage(old).parameter}, storage(old));
    }
    // Two results must not take one operand: the first moved the block's end, or owns the block.
    const bool taken = home != kNone && last_taker_[static_cast<size_t>(home)] == node.id();
    if (home == kNone || taken) return kNone;
    last_taker_[static_cast<size_t>(home)] = node.id();
    return home;
  }

  /// Nobody reads the storage after this node, and the node reads it as this operand only: another
  /// operand may be read in another order.
  [[nodiscard]] bool dies_at(const Node& node, int operand, int old) const {
    if (storage(old).end != classes_.position(node)) return false;
    for (int i = 0; i < node.num_operands(); ++i) {
      if (i != operand && classes_.of(node.operand(i)) == old) return false;
    }
    return true;
  }

  /// True once, for a donated parameter that has not been written over yet.
  bool take_donated(const Storage& parameter) {
    const auto same_size = donated_.find(parameter.bytes);
    return same_size != donated_.end() &&
           same_size->second.erase({parameter.end, parameter.parameter}) == 1;
  }

  int new_block(const Storage& storage) {
    if (storage.result < 0) return add_block({.kind = Kind::arena}, storage);
    if (const std::optional<int> parameter = dead_parameter(storage)) {
      return add_block({.kind = Kind::param, .index = *parameter}, storage);
    }
    return add_block({.kind = Kind::result, .index = storage.result}, storage);
  }

  /// A donated parameter of the same size whose last reader has run: its memory is warm, a fresh
  /// buffer may have to be faulted in.
  std::optional<int> dead_parameter(const Storage& storage) {
    const auto same_size = donated_.find(storage.bytes);
    if (same_size == donated_.end() || same_size->second.empty() ||
        same_size->second.begin()->first >= storage.begin) {
      return std::nullopt;
    }
    const int parameter = same_size->second.begin()->second;
    same_size->second.erase(same_size->second.begin());
    return parameter;
  }

  int add_block(BufferPlace place, const Storage& storage) {
    blocks_.push_back(
        {.place = place,
         .life = {.bytes = storage.bytes, .begin = storage.begin, .end = storage.end}});
    last_taker_.push_back(kNone);
    return static_cast<int>(blocks_.size()) - 1;
  }

  void lay_out_arena() {
    lend_results_to_temporaries();
    const std::vector<Block*> homes = blocks_in(Kind::arena);
    const ArenaLayout layout = place_in_arena(lives_of(homes));
    for (size_t i = 0; i < homes.size(); ++i) {
      homes[i]->place.offset = layout.offsets[i];
    }
    arena_bytes_ = layout.bytes;
  }

  void lend_results_to_temporaries() {
    const std::vector<Block*> results = blocks_in(Kind::result);
    std::vector<ResultLoan> loans;
    for (const Block* result : results)
      loans.push_back({.bytes = result->life.bytes, .free_before = result->life.begin});
    const std::vector<Block*> temporaries = blocks_in(Kind::arena);
    const std::vector<int> lent = lend_results(lives_of(temporaries), loans);
    for (size_t i = 0; i < temporaries.size(); ++i) {
      if (lent[i] >= 0) temporaries[i]->place = results[static_cast<size_t>(lent[i])]->place;
    }
  }

  [[nodiscard]] std::vector<Block*> blocks_in(Kind kind) {
    std::vector<Block*> found;
    for (Block& block : blocks_)
      if (block.place.kind == kind) found.push_back(&block);
    return found;
  }

  static std::vector<ArenaBlock> lives_of(const std::vector<Block*>& blocks) {
    std::vector<ArenaBlock> lives;
    for (const Block* block : blocks)
      lives.push_back(block->life);
    return lives;
  }

  const ir::Graph& graph_;
  StorageClasses classes_;
  std::vector<int> block_of_;  // by storage
  std::vector<Block> blocks_;
  std::vector<int> last_taker_;  // by block: id of the node that wrote over it last
  /// Donated parameters not yet written over, by size: end of life and number.
  std::map<size_t, std::set<std::pair<int, int>>> donated_;
  size_t arena_bytes_ = 0;
};

class PlanMemory final : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "plan-memory"; }

  bool run(ir::Graph& graph, PassContext& context) override {
    const MemoryPlanner planner(graph);
    bool changed = false;
    for (Node* node = graph.first(); node != nullptr; node = node->next()) {
      if (node->op() == OpKind::parameter) continue;
      std::vector<std::string> buffers;
      for (int i = 0; i < node->num_results(); ++i) {
        buffers.push_back(to_string(planner.place_of(node->result(i))));
      }
      if (node->attributes().texts("buffers") != buffers) {
        node->attributes().set("buffers", std::move(buffers));
        changed = true;
      }
    }
    context.count("arena-bytes", static_cast<int64_t>(planner.arena_bytes()));
    return changed;
  }
};

}  // namespace

PassInfo plan_memory_pass_info() {
  return {.name = "plan-memory",
          .summary = "place every value: arena offsets, in-place reuse, donated parameters",
          .options = {},
          .create = [](const PassOptions&) { return std::make_unique<PlanMemory>(); }};
}

}  // namespace wick::passes
