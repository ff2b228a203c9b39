#include "wick/codegen/row_scratch.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "wick/codegen/kernel_ir.h"
#include "wick/passes/options.h"

namespace wick::codegen {

namespace {

using Level = ir::Domain::Level;

/// Loops are numbered by the reductions in front of them; a set of them is a word.
constexpr int kMaxLoops = 64;

/// Memory of its own that a value takes: for a row, and for all rows that the kernel may walk side
/// by side. One of few sizes, so that kernels stay generic.
struct OwnRoom {
  int64_t row = 0;
  int64_t all = 0;
};

int64_t row_elements(const ir::Domain& domain) {
  int64_t row = 1;
  for (size_t d = 0; d < domain.extents.size(); ++d) {
    if (domain.reduced[d]) row *= domain.extents[d];
  }
  return row;
}

/// Registers and shared memory of a GPU hold rows up to this. Behind them is the memory that
/// operands are in, from which computing a value again takes less time than reading back what was
/// kept.
bool is_too_long_for_gpu(const ir::Domain& domain) {
  constexpr int64_t kMostElements = 16384;
  return row_elements(domain) > kMostElements;
}

/// None when rows are too long.
OwnRoom own_room(const ir::Domain& domain) {
  constexpr int64_t kMostRowsAtOnce = 256;
  if (domain.extents.empty()) return {};
  const int64_t row = row_elements(domain);
  for (const int64_t size : {int64_t{32}, kShortRow, int64_t{256}}) {
    if (row <= size) return {.row = size, .all = size * kMostRowsAtOnce};
  }
  if (!domain.reduced.back()) return {};  // columns, side by side
  for (const int64_t size : {int64_t{4096}, kMostOwnElements}) {
    if (row <= size) return {.row = size, .all = size};
  }
  return {};
}

class ScratchPlanner {
 public:
  ScratchPlanner(const FusedBody& body, const std::vector<int64_t>& in_place)
      : body_(body),
        own_(own_room(body.domain)),
        loops_(static_cast<size_t>(body.graph->id_bound()), 0),
        taken_(body.graph->results().size(), false) {
    for (size_t i = 0; i < in_place.size(); ++i)
      taken_[i] = in_place[i] >= 0;
  }

  std::vector<RowScratch> run() {
    if (body_.max_depth == 0 || body_.max_depth >= kMaxLoops) return {};
    if (targets_gpu() && is_too_long_for_gpu(body_.domain)) return {};
    for (const auto* reductions : {&body_.reductions, &body_.column_reductions}) {
      for (const ir::Node* reduction : *reductions)
        need(*reduction->operand(0).node, uint64_t{1} << body_.loop_of(*reduction));
    }
    for (const ir::Value& result : body_.graph->results()) {
      if (!is_full(*result.node)) continue;
      need(*result.node, uint64_t{1} << body_.depth_of(*result.node));
    }
    for (const ir::Node* node = body_.graph->last(); node != nullptr; node = node->previous()) {
      visit(*node);
    }
    std::ranges::sort(found_, {}, [](const RowScratch& scratch) {
      return std::pair(scratch.depth, scratch.value->id());
    });
    return found_;
  }

 private:
  [[nodiscard]] bool is_full(const ir::Node& node) const {
    return node.type().numel() == body_.domain.numel(Level::full);
  }

  void need(const ir::Node& node, uint64_t loops) {
    loops_[static_cast<size_t>(node.id())] |= loops;
  }

  void visit(const ir::Node& node) {
    uint64_t loops = loops_[static_cast<size_t>(node.id())];
    const uint64_t first = loops & (~loops + 1);
    if (loops != first && is_full(node) && (is_result(node) || find_buffer(node, loops))) {
      loops = first;
    }
    if (has(node.op(), ir::kReduction)) return;
    for (const ir::Value& operand : node.operands())
      need(*operand.node, loops);
  }

  [[nodiscard]] bool is_result(const ir::Node& node) const {
    const auto is_node = [&](const ir::Value& result) { return result.node == &node; };
    return std::ranges::any_of(body_.graph->results(), is_node);
  }

  bool find_buffer(const ir::Node& node, uint64_t loops) {
    if (!has(node.op(), ir::kCostly)) return false;
    const int first = std::countr_zero(loops);
    const bool is_narrow = size_of(node.type().dtype) <= size_of(DType::f32);
    if (own_.row > 0 && is_narrow && (num_own_ + 1) * own_.all <= kMostOwnElements) {
      found_.push_back(
          {.value = &node, .depth = first, .own_elements = own_.row, .place = num_own_++});
      return true;
    }
    // Half types are computed in f32 and would lose digits on the way.
    const DType dtype = node.type().dtype;
    if (size_of(dtype) < size_of(DType::f32)) return false;
    const int last = kMaxLoops - 1 - std::countl_zero(loops);
    for (size_t i = 0; i < taken_.size(); ++i) {
      const ir::Node& result = *body_.graph->results()[i].node;
      if (taken_[i] || result.type().dtype != dtype || !is_full(result)) continue;
      if (body_.depth_of(result) < last) continue;
      taken_[i] = true;
      found_.push_back({.value = &node, .depth = first, .place = static_cast<int>(i)});
      return true;
    }
    return false;
  }

  const FusedBody& body_;
  OwnRoom own_;
  int num_own_ = 0;
  std::vector<uint64_t> loops_;  // by Node::id: those that need the value
  std::vector<bool> taken_;
  std::vector<RowScratch> found_;
};

}  // namespace

std::vector<RowScratch> plan_row_scratch(const FusedBody& body,
                                         const std::vector<int64_t>& in_place) {
  return ScratchPlanner(body, in_place).run();
}

}  // namespace wick::codegen
