// Reductions of rows with few columns: vectors across them would be nearly empty. Each column has
// instructions of its own, and all are read down the rows together, some elements apart. Columns
// that are reduced as well are combined before their row's result is.

#include <algorithm>

#include "wick/codegen/kernel_draft.h"
#include "wick/passes/options.h"
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

/// Whether the last dimension, a short one, is reduced together with others, and no part of a
/// longer one: rows are kept, or have operands of their own.
bool KernelDraft::has_few_reduced_columns() const {
  const size_t dims = domain_.extents.size();
  if (targets_gpu() || dims < 2 || !domain_.reduced[dims - 1]) return false;
  const int64_t columns = domain_.extents[dims - 1];
  if (columns < 2 || columns > passes::kFewColumns || elements_to_reduce() == columns) return false;
  if (domain_.extents[dims - 2] < passes::kFewestRows) return false;
  const int rows = static_cast<int>(dims) - 2;
  return !domain_.reduced[dims - 2] || std::ranges::any_of(instrs_, [&](const DraftInstr& draft) {
    return has_address(draft.instr) && !moves_as_one_from(draft.address, rows);
  });
}

bool KernelDraft::has_few_columns() const {
  constexpr int64_t kMostInstructions = 64;
  if (!passes::has_few_columns(domain_) && !has_few_reduced_columns()) return false;
  if (std::ssize(instrs_) * domain_.extents.back() > kMostInstructions) return false;
  const int rows = static_cast<int>(domain_.extents.size()) - 2;
  return std::ranges::all_of(instrs_, [&](const DraftInstr& draft) {
    const Instr& instr = draft.instr;
    if (instr.kind == InstrKind::random_bits || instr.predicate >= 0 || instr.dynamic_index >= 0)
      return false;
    if (domain_.reduced.back() && instr.op == ir::OpKind::argmax) return false;
    const int64_t step = coefficient(draft.address, rows);
    const bool may_move =
        instr.kind == InstrKind::load ||
        (instr.kind == InstrKind::store && !domain_.reduced[static_cast<size_t>(rows)]);
    return step == 0 || (may_move && step > 0 && step <= kLargestKnownStride);
  });
}

KernelDraft KernelDraft::with_own_columns() const {
  ir::Domain rows = domain_;
  const bool are_reduced = rows.reduced.back();
  rows.extents.pop_back();
  rows.reduced.pop_back();
  KernelDraft draft = over(std::move(rows));
  const auto columns = static_cast<size_t>(domain_.extents.back());
  const int last = static_cast<int>(domain_.extents.size()) - 1;
  // The numbers of each column's instructions; of a value that all columns are reduced to, before
  // it is known, the number of what the columns so far are combined to.
  std::vector<std::vector<int>> numbers(columns, std::vector<int>(instrs_.size(), -1));
  const auto reduce = [&](int phase, DraftInstr accumulate, size_t number, size_t column) {
    int value = accumulate.instr.operands[0];
    if (column > 0) {
      DraftInstr both = accumulate;
      both.instr.kind = InstrKind::compute;
      both.instr.op = combining_op(both.instr.op, both.instr.dtype);
      both.instr.operands = {numbers[column - 1][number], value};
      value = draft.append(phase, std::move(both));
    }
    numbers[column][number] = value;
    if (column + 1 < columns) return;
    accumulate.instr.operands = {value};
    const int reduced = draft.append(phase, std::move(accumulate));
    for (std::vector<int>& of_column : numbers)
      of_column[number] = reduced;
  };
  for (const Phase& phase : phases_) {
    const int copy = draft.add_phase(phase.loop);
    for (size_t column = 0; column < columns; ++column) {
      for (const int instr : phase.instrs) {
        const auto number = static_cast<size_t>(instr);
        DraftInstr next = instrs_[number];
        renumber(next.instr, numbers[column]);
        take_column(next, last, static_cast<int64_t>(column));
        if (are_reduced && next.instr.kind == InstrKind::accumulate) {
          reduce(copy, std::move(next), number, column);
        } else {
          numbers[column][number] = draft.append(copy, std::move(next));
        }
      }
    }
  }
  return draft;
}

}  // namespace wick::codegen
