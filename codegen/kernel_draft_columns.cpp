// Reductions of few columns: vectors across them would be nearly empty. Each column becomes a
// reduction of its own, and all are read down the rows together, some elements apart.

#include <algorithm>

#include "wick/codegen/kernel_draft.h"
#include "wick/passes/reduction_split.h"

namespace wick::codegen {

namespace {

/// Fixes a dimension, the one behind the rows. Of columns that lie within rows the place is known,
/// so that the loads of all columns share vectors.
void take_column(DraftInstr& draft, int dim, int64_t column) {
  ir::AffineExpr& address = draft.address;
  if (dim >= std::ssize(address.coefs)) return;
  const int64_t place = column * coefficient(address, dim);
  const int64_t step = coefficient(address, dim - 1);
  const bool is_in_row = draft.instr.kind == InstrKind::load && place >= 0 && place < step;
  (is_in_row ? draft.known_offset : address.offset) += place;
  address.coefs.erase(address.coefs.begin() + dim);
}

}  // namespace

bool KernelDraft::has_few_columns() const {
  constexpr int64_t kMostInstructions = 64;
  if (!passes::has_few_columns(domain_)) return false;
  if (std::ssize(instrs_) * domain_.extents.back() > kMostInstructions) return false;
  const int rows = static_cast<int>(domain_.extents.size()) - 2;
  return std::ranges::all_of(instrs_, [&](const DraftInstr& draft) {
    const Instr& instr = draft.instr;
    if (instr.kind == InstrKind::random_bits || instr.predicate >= 0 || instr.dynamic_index >= 0)
      return false;
    const int64_t step = coefficient(draft.address, rows);
    const bool is_load = instr.kind == InstrKind::load;
    return step == 0 || (is_load && step > 0 && step <= kLargestKnownStride);
  });
}

KernelDraft KernelDraft::with_own_columns() const {
  ir::Domain rows = domain_;
  rows.extents.pop_back();
  rows.reduced.pop_back();
  KernelDraft draft(name_, std::move(rows));
  draft.buffers_ = buffers_;
  draft.args_ = args_;
  draft.blocks_ = blocks_;
  const auto columns = static_cast<size_t>(domain_.extents.back());
  const size_t last = domain_.extents.size() - 1;
  // The numbers of each column's instructions.
  std::vector<std::vector<int>> numbers(columns, std::vector<int>(instrs_.size(), -1));
  for (const Phase& phase : phases_) {
    const int copy = draft.add_phase(phase.loop);
    for (size_t column = 0; column < columns; ++column) {
      for (const int number : phase.instrs) {
        DraftInstr next = instrs_[static_cast<size_t>(number)];
        renumber(next.instr, numbers[column]);
        take_column(next, static_cast<int>(last), static_cast<int64_t>(column));
        numbers[column][static_cast<size_t>(number)] = draft.append(copy, std::move(next));
      }
    }
  }
  return draft;
}

}  // namespace wick::codegen
