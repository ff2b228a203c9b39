// Columns of several axes, of which an operand has some alone, as a number for each channel of
// small images that are reduced over the images: they are walked as one, and vectors as long as all
// of them. What such an operand has for the columns of a vector is gathered once, in front of the
// rows.

#include <algorithm>
#include <limits>

#include "wick/codegen/kernel_draft.h"
#include "wick/passes/options.h"

namespace wick::codegen {

using ir::AffineExpr;
using ir::OpKind;

/// The first of the dimensions behind all that are reduced.
int KernelDraft::first_column_axis() const {
  const auto last = std::find(domain_.reduced.rbegin(), domain_.reduced.rend(), true);
  return static_cast<int>(domain_.reduced.rend() - last);
}

/// Whether an instruction, which is not part of the draft yet, has other values for other rows.
bool KernelDraft::depends_on_rows(const DraftInstr& draft) const {
  const auto is_of_rows = [&](int number) {
    return number >= 0 && phases_[static_cast<size_t>(phase_of(number))].loop;
  };
  const Instr& instr = draft.instr;
  if (instr.kind == InstrKind::store || is_of_rows(instr.predicate) ||
      is_of_rows(instr.dynamic_index) || std::ranges::any_of(instr.operands, is_of_rows))
    return true;
  for (size_t d = 0; d < domain_.extents.size(); ++d)
    if (domain_.reduced[d] && coefficient(draft.address, static_cast<int>(d)) != 0) return true;
  return false;
}

/// Whether an instruction reads the same for all rows that are reduced, and nothing that is written
/// meanwhile.
bool KernelDraft::is_read_for_columns(const DraftInstr& draft) const {
  const Instr& instr = draft.instr;
  if (instr.kind != InstrKind::load || instr.predicate >= 0 || instr.dynamic_index >= 0)
    return false;
  const BufferArg& buffer = buffers_[static_cast<size_t>(instr.buffer)];
  return !buffer.written && buffer.no_alias && !depends_on_rows(draft);
}

/// Whether columns are several axes that can be walked as one, the rows are worth what stands in
/// front of them, and pieces that can be walked as they are would be short.
bool KernelDraft::has_columns_to_join() const {
  constexpr int64_t kFewestRows = 8;
  constexpr int64_t kLongPiece = 256;
  const int first = first_column_axis();
  const int last = static_cast<int>(domain_.extents.size()) - 1;
  if (targets_gpu() || first == 0 || first >= last) return false;
  if (domain_.numel(ir::Domain::Level::full) > std::numeric_limits<int32_t>::max()) return false;
  const auto all_move_as_one_from = [&](int axis) {
    return std::ranges::all_of(instrs_, [&](const DraftInstr& draft) {
      return !has_address(draft.instr) || moves_as_one_from(draft.address, axis);
    });
  };
  int begin = last;  // of the axes that can be walked as one as they are
  int64_t piece = domain_.extents.back();
  while (begin > first && all_move_as_one_from(begin - 1))
    piece *= domain_.extents[static_cast<size_t>(--begin)];
  if (begin == first || piece >= kLongPiece) return false;
  if (elements_to_reduce() < kFewestRows) return false;
  return std::ranges::all_of(instrs_, [&](const DraftInstr& draft) {
    return !has_address(draft.instr) || moves_as_one_from(draft.address, first) ||
           is_read_for_columns(draft);
  });
}

/// The place, from the first of the columns on, of what an instruction of a draft over joined
/// columns reads for one.
int KernelDraft::append_place_of_column(int phase,
                                        const AffineExpr& address,
                                        KernelDraft& joined) const {
  const int first = first_column_axis();
  const auto compute = [&](OpKind op, int a, int b) {
    DraftInstr draft;
    draft.instr.kind = InstrKind::compute;
    draft.instr.op = op;
    draft.instr.dtype = DType::i32;
    draft.instr.operands = {a, b};
    return joined.append(phase, std::move(draft));
  };
  const auto cast = [&](int value, DType dtype) {
    DraftInstr draft;
    draft.instr.kind = InstrKind::cast;
    draft.instr.dtype = dtype;
    draft.instr.operands = {value};
    return joined.append(phase, std::move(draft));
  };
  const auto index = [&](int64_t offset, int64_t step) {
    DraftInstr draft;
    draft.instr.kind = InstrKind::index;
    draft.instr.dtype = DType::i64;
    draft.address = {.offset = offset, .coefs = {}, .free_offset = step == 0};
    draft.address.coefs.resize(joined.domain_.extents.size());
    draft.address.coefs[static_cast<size_t>(first)] = step;
    return joined.append(phase, std::move(draft));
  };
  // Vectors divide 32 bits.
  const auto number = [&](int64_t value) { return cast(index(value, 0), DType::i32); };
  const int column = cast(index(0, 1), DType::i32);
  int sum = -1;
  int64_t below = 1;
  // Axes that move as one are one.
  for (int d = static_cast<int>(domain_.extents.size()) - 1; d >= first;) {
    const int64_t step = coefficient(address, d);
    int64_t extent = domain_.extents[static_cast<size_t>(d--)];
    for (; d >= first && coefficient(address, d) == step * extent; --d)
      extent *= domain_.extents[static_cast<size_t>(d)];
    if (step != 0) {
      int place = below == 1 ? column : compute(OpKind::div, column, number(below));
      if (d >= first) place = compute(OpKind::rem, place, number(extent));
      if (step != 1) place = compute(OpKind::mul, place, number(step));
      sum = sum < 0 ? place : compute(OpKind::add, sum, place);
    }
    below *= extent;
  }
  return cast(sum, DType::i64);
}

/// Without reductions: the positions in front of the first axes from which on columns can be joined
/// are rows, walked in order. None where there is no such thing, or a few columns are better laid
/// out as one row that repeats.
std::optional<KernelDraft> KernelDraft::with_rows_in_order() const {
  constexpr int64_t kShortPiece = 32;  // in longer ones a few numbers are spread as fast
  constexpr int64_t kManyToSpread = 3;
  constexpr int64_t kFewestRows = 16;
  for (int first = 1; first + 1 < std::ssize(domain_.extents); ++first) {
    ir::Domain domain = domain_;
    std::fill_n(domain.reduced.begin(), first, true);
    const int64_t columns = domain.numel(ir::Domain::Level::row);
    if (columns < kLongestRepeat) return {};
    if (domain.numel(ir::Domain::Level::full) < kFewestRows * columns) continue;
    const auto spread = std::ranges::count_if(instrs_, [&](const DraftInstr& instr) {
      return has_address(instr.instr) && !moves_as_one_from(instr.address, first);
    });
    if (domain_.extents.back() >= kShortPiece && spread < kManyToSpread) continue;
    KernelDraft draft = over(std::move(domain));
    draft.add_phase(false);
    draft.add_phase(true);
    for (const DraftInstr& instr : instrs_)
      draft.append(draft.depends_on_rows(instr) ? 1 : 0, instr);
    if (draft.has_columns_to_join()) return draft;
  }
  return {};
}

KernelDraft KernelDraft::with_joined_columns() const {
  const auto first = static_cast<size_t>(first_column_axis());
  ir::Domain domain = domain_;
  domain.extents.resize(first + 1);
  domain.reduced.resize(first + 1);
  for (size_t d = first + 1; d < domain_.extents.size(); ++d)
    domain.extents[first] *= domain_.extents[d];
  KernelDraft draft = over(std::move(domain));
  std::vector<int> numbers(instrs_.size(), -1);
  for (const Phase& phase : phases_) {
    const int copy = draft.add_phase(phase.loop);
    for (const int instr : phase.instrs) {
      const auto number = static_cast<size_t>(instr);
      DraftInstr next = instrs_[number];
      renumber(next.instr, numbers);
      std::vector<int64_t>& coefs = next.address.coefs;
      if (has_address(next.instr) && !moves_as_one_from(next.address, static_cast<int>(first))) {
        next.instr.dynamic_index = append_place_of_column(copy, next.address, draft);
        next.dynamic_stride = 1;
        std::fill(coefs.begin() + static_cast<std::ptrdiff_t>(first),
                  coefs.begin() + std::ssize(domain_.extents),
                  0);
      }
      // The step of the last axis is that of all.
      if (coefs.size() > first)
        coefs.erase(coefs.begin() + static_cast<std::ptrdiff_t>(first),
                    coefs.begin() + std::ssize(domain_.extents) - 1);
      numbers[number] = draft.append(copy, std::move(next));
    }
  }
  return draft;
}

}  // namespace wick::codegen
