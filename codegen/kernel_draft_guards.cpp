// Guards by rows become guards by elements where rows are short and nothing else tells them apart:
// then all is one long dimension. Positions are integers: a row is before another if all of its
// elements are.

#include <algorithm>
#include <functional>
#include <numeric>

#include "wick/codegen/kernel_draft.h"

namespace wick::codegen {

using ir::AffineExpr;

/// The dimension whose positions the guard counts, by which all behind it may be counted as well;
/// -1: none. The guard is position < bound or bound <= position.
int KernelDraft::rows_of_guard(const Instr& at) const {
  if (at.kind != InstrKind::compute || (at.op != ir::OpKind::lt && at.op != ir::OpKind::le))
    return -1;
  const size_t side = at.op == ir::OpKind::lt ? 0 : 1;
  const std::optional<AffineExpr> position = affine_of(at.operands[side]);
  const std::optional<AffineExpr> bound = affine_of(at.operands[1 - side]);
  if (!position || !bound || !bound->is_constant()) return -1;
  const int last = static_cast<int>(domain_.extents.size()) - 1;
  int dim = last;
  while (dim >= 0 && coefficient(*position, dim) == 0)
    --dim;
  return dim < last && coefficient(*position, dim) == 1 ? dim : -1;
}

/// Whether an address moves along a dimension and those behind it as along one.
bool KernelDraft::moves_as_one_from(const AffineExpr& address, int rows) const {
  for (int d = rows; d + 1 < std::ssize(domain_.extents); ++d) {
    const int64_t extent = domain_.extents[static_cast<size_t>(d) + 1];
    if (coefficient(address, d) != coefficient(address, d + 1) * extent) return false;
  }
  return true;
}

/// Whether the rows that a guard counts are better counted as elements: shorter ones than a vector
/// are, and those of some vectors where no other dimension has guards, which ask once for each row.
bool KernelDraft::are_short_rows(int rows, const std::set<int>& guarded) const {
  const std::vector<int64_t>& extents = domain_.extents;
  if (extents.back() < kShortVector) return true;
  const int64_t length =
      std::accumulate(extents.begin() + rows + 1, extents.end(), int64_t{1}, std::multiplies());
  return length < kLongestFlatRow && guarded.size() == 1;
}

/// The first dimension of short rows that guards alone tell apart; -1: none.
int KernelDraft::guarded_rows() const {
  if (domain_.has_reduced() || domain_.extents.size() < 2) return -1;
  std::set<int> candidates;
  std::vector<bool> is_value(instrs_.size(), false);
  for (const DraftInstr& draft : instrs_) {
    if (draft.instr.kind == InstrKind::random_bits) return -1;
    const int guarded = rows_of_guard(draft.instr);
    if (guarded >= 0) {
      candidates.insert(guarded);
      continue;
    }
    for (const int used : draft.instr.operands)
      is_value[static_cast<size_t>(used)] = true;
    if (draft.instr.dynamic_index >= 0)
      is_value[static_cast<size_t>(draft.instr.dynamic_index)] = true;
  }
  for (const int rows : candidates) {
    if (!are_short_rows(rows, candidates)) continue;
    bool move_as_one = true;
    for (size_t number = 0; number < instrs_.size(); ++number) {
      const DraftInstr& draft = instrs_[number];
      const bool is_compared = draft.instr.kind == InstrKind::index && !is_value[number];
      if (has_address(draft.instr) && !is_compared)
        move_as_one = move_as_one && moves_as_one_from(draft.address, rows);
    }
    if (move_as_one) return rows;
  }
  return -1;
}

KernelDraft KernelDraft::with_guards_of_elements(int first) const {
  KernelDraft draft = started_anew(domain_);
  std::vector<int> numbers(instrs_.size(), -1);
  // The number of elements before the rows that `operand` counts; of a position, before its own.
  const auto in_elements = [&](int operand, int rows) {
    DraftInstr index;
    index.instr.kind = InstrKind::index;
    index.instr.dtype = DType::i64;
    index.address = *affine_of(operand);
    index.address.free_offset = true;
    index.address.coefs.resize(domain_.extents.size());
    const bool is_position = !index.address.is_constant();
    int64_t below = 1;
    for (size_t d = domain_.extents.size(); d-- > static_cast<size_t>(rows) + 1;) {
      if (is_position) index.address.coefs[d] = below;
      below *= domain_.extents[d];
    }
    index.address.offset *= below;
    for (size_t d = 0; d <= static_cast<size_t>(rows); ++d)
      index.address.coefs[d] *= below;
    return draft.append(kStraight, std::move(index));
  };
  for (size_t number = 0; number < instrs_.size(); ++number) {
    DraftInstr next = instrs_[number];
    const int rows = rows_of_guard(next.instr);
    const std::vector<int> given = next.instr.operands;
    renumber(next.instr, numbers);
    for (size_t i = 0; rows >= first && i < given.size(); ++i)
      next.instr.operands[i] = in_elements(given[i], rows);
    numbers[number] = draft.append(kStraight, std::move(next));
  }
  return draft.without_dead_code();
}

}  // namespace wick::codegen
