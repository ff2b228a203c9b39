// Reductions of a few elements become straight code: what was reduced for each lane is then read
// lane by lane, and neighbours share vectors.

#include <algorithm>

#include "wick/codegen/kernel_draft.h"

namespace wick::codegen {

namespace {

using ir::AffineExpr;

/// The positions of the reduced dimensions of a domain, in row-major order.
std::vector<std::vector<int64_t>> reduced_positions(const ir::Domain& domain) {
  std::vector<std::vector<int64_t>> positions{std::vector<int64_t>(domain.extents.size(), 0)};
  for (size_t d = 0; d < domain.extents.size(); ++d) {
    if (!domain.reduced[d]) continue;
    std::vector<std::vector<int64_t>> longer;
    for (const std::vector<int64_t>& position : positions) {
      for (int64_t i = 0; i < domain.extents[d]; ++i) {
        longer.push_back(position);
        longer.back()[d] = i;
      }
    }
    positions = std::move(longer);
  }
  return positions;
}

/// At a position of the reduced dimensions, over those that are left: `for_elements`, over all.
AffineExpr fixed_at(const AffineExpr& expr,
                    const ir::Domain& domain,
                    const std::vector<int64_t>& position,
                    bool for_elements) {
  AffineExpr fixed{.offset = expr.offset, .coefs = {}, .free_offset = expr.free_offset};
  for (size_t d = 0; d < domain.extents.size(); ++d) {
    const int64_t coef = coefficient(expr, static_cast<int>(d));
    if (domain.reduced[d]) {
      fixed.offset += coef * position[d];
      if (for_elements) fixed.coefs.push_back(0);
    } else {
      fixed.coefs.push_back(coef);
    }
  }
  return fixed;
}

/// Least and greatest value over a domain.
struct Bounds {
  int64_t least = 0;
  int64_t greatest = 0;
};

Bounds bounds_of(const AffineExpr& expr, const ir::Domain& domain) {
  Bounds bounds{expr.offset, expr.offset};
  for (size_t d = 0; d < domain.extents.size() && d < expr.coefs.size(); ++d) {
    const int64_t end = expr.coefs[d] * std::max<int64_t>(domain.extents[d] - 1, 0);
    (end < 0 ? bounds.least : bounds.greatest) += end;
  }
  return bounds;
}

}  // namespace

/// Of an index or an integer.
std::optional<AffineExpr> KernelDraft::affine_of(int number) const {
  const DraftInstr& draft = instr(number);
  if (draft.instr.kind == InstrKind::index) return draft.address;
  if (draft.instr.kind != InstrKind::constant || draft.instr.dtype != DType::i64) return {};
  return AffineExpr{.offset = draft.instr.value.as_integer(0), .coefs = {}};
}

/// Whether a comparison of positions has one result everywhere, and which.
std::optional<bool> KernelDraft::known_comparison(const Instr& at) const {
  if (at.op != ir::OpKind::lt && at.op != ir::OpKind::le) return {};
  std::optional<AffineExpr> difference = affine_of(at.operands[0]);
  const std::optional<AffineExpr> subtracted = affine_of(at.operands[1]);
  if (!difference || !subtracted) return {};
  difference->offset -= subtracted->offset;
  difference->coefs.resize(domain_.extents.size());
  for (size_t d = 0; d < subtracted->coefs.size() && d < difference->coefs.size(); ++d)
    difference->coefs[d] -= subtracted->coefs[d];
  const Bounds bounds = bounds_of(*difference, domain_);
  const int64_t limit = at.op == ir::OpKind::le ? 1 : 0;
  if (bounds.greatest < limit) return true;
  if (bounds.least >= limit) return false;
  return {};
}

std::optional<bool> KernelDraft::known_bool(int number) const {
  const Instr& at = instr(number).instr;
  if (at.kind != InstrKind::constant || at.dtype != DType::bool_) return {};
  return at.value.as_integer(0) != 0;
}

/// Appends what the instruction comes to where guards are known.
int KernelDraft::append_folded(DraftInstr draft) {
  Instr& at = draft.instr;
  const auto constant = [&](const Literal& value) {
    DraftInstr next;
    next.instr.kind = InstrKind::constant;
    next.instr.dtype = value.type().dtype;
    next.instr.value = value;
    return append(kStraight, std::move(next));
  };
  if (at.kind == InstrKind::compute) {
    if (const std::optional<bool> known = known_comparison(at))
      return constant(Literal::scalar_integer(DType::bool_, *known ? 1 : 0));
    const std::optional<bool> first = known_bool(at.operands[0]);
    if (at.op == ir::OpKind::where && first) return at.operands[*first ? 1 : 2];
    if (at.op == ir::OpKind::bit_and && at.dtype == DType::bool_) {
      if (first) return at.operands[*first ? 1 : 0];
      if (const std::optional<bool> second = known_bool(at.operands[1]))
        return at.operands[*second ? 0 : 1];
    }
  }
  if (at.kind == InstrKind::load && at.predicate >= 0) {
    const std::optional<bool> wanted = known_bool(at.predicate);
    if (wanted && !*wanted) return constant(Literal::scalar(at.dtype, 0));
    if (wanted) at.predicate = -1;
  }
  return append(kStraight, std::move(draft));
}

int64_t KernelDraft::elements_to_reduce() const {
  const int64_t results = domain_.numel(ir::Domain::Level::row);
  return results == 0 ? 0 : domain_.numel(ir::Domain::Level::full) / results;
}

/// So few that it pays whatever is read, or what lies behind each other.
bool KernelDraft::has_very_few_to_reduce() const {
  constexpr int64_t kMostElements = 4;
  constexpr int64_t kLongColumns = 64;
  const bool has_columns = !domain_.reduced.back() && domain_.extents.back() >= kLongColumns;
  return has_columns || elements_to_reduce() <= kMostElements;
}

bool KernelDraft::has_few_to_reduce() const {
  constexpr int64_t kMostElements = 8;
  constexpr int64_t kFewestResults = 64;
  constexpr int64_t kMostInstructions = 256;
  if (blocks_ > 0 || !domain_.has_reduced()) return false;
  if (domain_.numel(ir::Domain::Level::row) < kFewestResults) return false;
  const int64_t elements = elements_to_reduce();
  if (elements < 1 || elements > kMostElements) return false;
  if (std::ssize(instrs_) * elements > kMostInstructions) return false;
  const auto is_unrolled = [](const DraftInstr& draft) {
    const Instr& instr = draft.instr;
    if (instr.kind == InstrKind::random_bits) return false;
    return instr.kind != InstrKind::accumulate || instr.op != ir::OpKind::argmax;
  };
  return std::ranges::all_of(instrs_, is_unrolled) &&
         std::ranges::none_of(buffers_, [](const BufferArg& at) { return at.own_elements > 0; });
}

bool KernelDraft::stores_in(bool loop) const {
  for (size_t number = 0; number < instrs_.size(); ++number) {
    const bool is_there = phases_[static_cast<size_t>(phase_of_[number])].loop == loop;
    if (is_there && instrs_[number].instr.kind == InstrKind::store) return true;
  }
  return false;
}

/// Whether each element of a row may compute by itself what is reduced: cheaply, and from what no
/// other one writes. Rows that add to columns read again what the row before has stored.
bool KernelDraft::may_reduce_for_elements() const {
  if (!domain_.reduced.back() || stores_in(/*loop=*/false)) return false;
  for (const Phase& phase : phases_) {
    const bool reduces = std::ranges::any_of(phase.instrs, [&](int number) {
      return instr(number).instr.kind == InstrKind::accumulate;
    });
    for (const int number : phase.instrs) {
      const Instr& at = instr(number).instr;
      if (reduces && is_costly(at)) return false;
      if (at.kind == InstrKind::load && buffers_[static_cast<size_t>(at.buffer)].written)
        return false;
    }
  }
  return std::ranges::all_of(buffers_, &BufferArg::no_alias);
}

/// Straight code in place of loops over a few elements, where that pays.
std::optional<KernelDraft> KernelDraft::straight() const {
  constexpr int64_t kMostForElements = 27;  // instructions
  const bool for_elements = stores_in(/*loop=*/true);
  if (!has_few_to_reduce() || (for_elements && !may_reduce_for_elements())) return {};
  KernelDraft draft = unrolled(for_elements);
  if (!for_elements && has_very_few_to_reduce()) return draft;
  const bool is_little = !for_elements || std::ssize(draft.instrs_) <= kMostForElements;
  if (is_little && draft.is_walked_in_blocks()) return draft;
  return {};
}

KernelDraft KernelDraft::unrolled(bool for_elements) const {
  ir::Domain left;
  for (size_t d = 0; d < domain_.extents.size(); ++d) {
    if (domain_.reduced[d] && !for_elements) continue;
    left.extents.push_back(domain_.extents[d]);
    left.reduced.push_back(false);
  }
  KernelDraft draft = started_anew(std::move(left));
  std::vector<int> numbers(instrs_.size(), -1);  // in the draft
  const auto is_store = [&](int number) { return instr(number).instr.kind == InstrKind::store; };
  const auto copy_reduced = [&](int number, const std::vector<int64_t>& position) {
    DraftInstr next = instrs_[static_cast<size_t>(number)];
    renumber(next.instr, numbers);
    int& known = numbers[static_cast<size_t>(number)];
    if (next.instr.kind == InstrKind::accumulate) {
      const int element = next.instr.operands[0];
      next.instr.kind = InstrKind::compute;
      next.instr.op = combining_op(next.instr.op, next.instr.dtype);
      next.instr.operands = {known, element};
      known = known < 0 ? element : draft.append_folded(std::move(next));
      return;
    }
    if (has_address(next.instr))
      next.address = fixed_at(next.address, domain_, position, for_elements);
    known = draft.append_folded(std::move(next));
  };
  const auto copy_for_elements = [&](int number) {
    DraftInstr next = instrs_[static_cast<size_t>(number)];
    if (next.instr.kind == InstrKind::accumulate) return;
    renumber(next.instr, numbers);
    numbers[static_cast<size_t>(number)] = draft.append_folded(std::move(next));
  };
  const std::vector<std::vector<int64_t>> positions = reduced_positions(domain_);
  for (const Phase& phase : phases_) {
    const bool stores = phase.loop && std::ranges::any_of(phase.instrs, is_store);
    for (const std::vector<int64_t>& position : positions) {
      for (const int number : phase.instrs)
        if (!stores || !is_store(number)) copy_reduced(number, position);
      if (!phase.loop) break;
    }
    if (stores) std::ranges::for_each(phase.instrs, copy_for_elements);
  }
  return draft.without_dead_code();
}

/// Of one phase.
KernelDraft KernelDraft::without_dead_code() const {
  std::vector<bool> lives(instrs_.size(), false);
  for (size_t number = instrs_.size(); number-- > 0;) {
    const Instr& at = instrs_[number].instr;
    if (at.kind == InstrKind::store) lives[number] = true;
    if (!lives[number]) continue;
    for (const int used : at.operands)
      lives[static_cast<size_t>(used)] = true;
    for (const int used : {at.predicate, at.dynamic_index})
      if (used >= 0) lives[static_cast<size_t>(used)] = true;
  }
  KernelDraft draft = started_anew(domain_);
  std::vector<int> numbers(instrs_.size(), -1);
  for (size_t number = 0; number < instrs_.size(); ++number) {
    if (!lives[number]) continue;
    DraftInstr next = instrs_[number];
    renumber(next.instr, numbers);
    numbers[number] = draft.append(kStraight, std::move(next));
  }
  return draft;
}

}  // namespace wick::codegen
