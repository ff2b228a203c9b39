// Where guards of loads change along a vector, and what that asks of loops: cuts, choices of loads
// and masks.

#include <algorithm>

#include "wick/codegen/llvm/kernel_schedule.h"

namespace wick::codegen::llvm_jit {

bool splits_lanes(ir::OpKind op) {
  return op == ir::OpKind::lt || op == ir::OpKind::le;
}

/// The operand that is a position of the vector dimension, plus what is the same along it, of a
/// comparison with a number that is; -1: none. What cuts the loop is known before it, so that the
/// number is a constant or a position, unless they are asked to be equal.
int KernelSchedule::compared_position(const Instr& at) const {
  const bool is_equality = at.op == ir::OpKind::eq;
  if (at.kind != InstrKind::compute || !(splits_lanes(at.op) || is_equality)) return -1;
  const auto is_position = [&](const Instr& operand) {
    return operand.kind == InstrKind::index &&
           operand.address.terms[static_cast<size_t>(kernel_.vector_dim)].stride == Stride::one;
  };
  const auto is_bound = [&](int number) {
    const InstrKind kind = instr(number).kind;
    const bool is_known = kind == InstrKind::constant || kind == InstrKind::index;
    return (is_known || is_equality) && !varies(number);
  };
  for (const int side : {0, 1}) {
    const int position = at.operands[static_cast<size_t>(side)];
    if (is_position(instr(position)) && is_bound(at.operands[static_cast<size_t>(1 - side)])) {
      return position;
    }
  }
  return -1;
}

/// Finds the comparisons that the vector loop of an elementwise kernel is cut by, and makes them
/// and their positions uniform.
void KernelSchedule::find_cuts() {
  constexpr size_t kMostCuts = 24;
  const size_t count = kernel_.instrs.size();
  is_cut_.assign(count, false);
  if (!inner_dims_.empty() || kernel_.has_flat_rows() || !staged_.accesses.empty()) return;
  if (kernel_.lane_guarded && (host_.avx512 || walks_bound_rows_)) return;
  std::vector<int> cuts;
  std::vector<bool> is_position(count, false);
  for (size_t i = 0; i < count; ++i) {
    const int position = compared_position(kernel_.instrs[i]);
    if (position < 0 || !splits_lanes(kernel_.instrs[i].op)) continue;
    cuts.push_back(static_cast<int>(i));
    is_position[static_cast<size_t>(position)] = true;
  }
  // A position that is more than compared is a vector.
  for (size_t i = 0; i < count; ++i) {
    const Instr& at = kernel_.instrs[i];
    if (at.dynamic_index >= 0) is_position[static_cast<size_t>(at.dynamic_index)] = false;
    if (std::ranges::find(cuts, static_cast<int>(i)) != cuts.end()) continue;
    for (const int used : at.operands)
      is_position[static_cast<size_t>(used)] = false;
  }
  std::erase_if(cuts, [&](int cut) {
    return !is_position[static_cast<size_t>(compared_position(instr(cut)))];
  });
  const auto guards_load = [&](const Instr& at) {
    return at.kind == InstrKind::load && at.predicate >= 0 && varies(at.predicate);
  };
  if (cuts.size() > kMostCuts || std::ranges::none_of(kernel_.instrs, guards_load)) return;
  for (const int cut : cuts) {
    is_cut_[static_cast<size_t>(cut)] = true;
    is_cut_[static_cast<size_t>(compared_position(instr(cut)))] = true;
    cuts_.push_back(cut);
  }
  find_dependencies();
}

/// Finds trees of where whose conditions are uniform and whose leaves are loads of rows: what the
/// conditions choose is one load.
void KernelSchedule::find_choices() {
  const size_t count = kernel_.instrs.size();
  is_choice_.assign(count, false);
  is_chosen_.assign(count, false);
  if (kernel_.short_vector || kernel_.has_flat_rows()) return;
  std::vector<int> uses(count, 0);
  for (const Instr& at : kernel_.instrs) {
    for (const int used : at.operands)
      ++uses[static_cast<size_t>(used)];
    if (at.predicate >= 0) ++uses[static_cast<size_t>(at.predicate)];
    if (at.dynamic_index >= 0) ++uses[static_cast<size_t>(at.dynamic_index)];
  }
  const auto may_be_chosen = [&](int number) {
    const Instr& at = instr(number);
    if (uses[static_cast<size_t>(number)] != 1) return false;
    if (is_choice_[static_cast<size_t>(number)]) return true;
    return at.kind == InstrKind::load && at.predicate >= 0 && !varies(at.predicate) &&
           at.dynamic_index < 0 && !is_pinned(at) && !has_lanes_of_own(at.buffer) &&
           at.address.terms[static_cast<size_t>(kernel_.vector_dim)].stride == Stride::one;
  };
  for (size_t i = 0; i < count; ++i) {
    const Instr& at = kernel_.instrs[i];
    if (at.kind != InstrKind::compute || at.op != ir::OpKind::where) continue;
    if (varies(at.operands[0])) continue;
    if (!may_be_chosen(at.operands[1]) || !may_be_chosen(at.operands[2])) continue;
    is_choice_[i] = true;
    for (const int side : {1, 2})
      is_chosen_[static_cast<size_t>(at.operands[static_cast<size_t>(side)])] = true;
  }
}

/// Whether the machine has no masked load of such elements: AVX2 has those of 4 and 8 bytes.
bool KernelSchedule::lacks_masks(const Instr& at) const {
  constexpr int kLanesOfAvx2 = 8;
  return !host_.avx512 && (lanes_ < kLanesOfAvx2 || size_of(at.dtype) < sizeof(float));
}

/// Whether a guard counts along other dimensions than the vector one, so that what it keeps out may
/// be anywhere; else it is less than a row away.
bool KernelSchedule::depends_on_tasks(int predicate) const {
  const Instr& at = instr(predicate);
  if (at.kind == InstrKind::index) {
    for (size_t d = 0; d < at.address.terms.size(); ++d)
      if (static_cast<int>(d) != kernel_.vector_dim && at.address.terms[d].stride != Stride::zero)
        return true;
  }
  return std::ranges::any_of(at.operands, [&](int used) { return depends_on_tasks(used); });
}

/// Whether no lane is ever left out, so that loops with masks, half of a kernel's code, are not
/// needed. With AVX-512 those are the only ones.
bool KernelSchedule::has_whole_vectors() const {
  return !host_.avx512 && kernel_.short_extent > 0 && kernel_.short_extent % lanes_ == 0;
}

/// Those of AVX2: what fills a vector is worth a loop of its own without them.
bool KernelSchedule::avoids_masks() const {
  return (!host_.avx512 || host_.zen5) && !kernel_.has_flat_rows() && !kernel_.short_vector;
}

/// Whether elements of the vector loop may be computed and stored again.
bool KernelSchedule::may_compute_twice() const {
  return inner_dims_.empty() && staged_.accesses.empty() && stores_are_apart();
}

/// Whether nothing that is stored is read, but in memory of the kernel's own.
bool KernelSchedule::stores_are_apart() const {
  const auto is_read = [&](const Instr& at) {
    return at.kind == InstrKind::store && !is_own(at.buffer) && is_stored_and_read(at.buffer);
  };
  if (std::ranges::any_of(kernel_.instrs, is_read)) return false;
  return std::ranges::all_of(
      kernel_.buffers, [](const BufferArg& buffer) { return buffer.no_alias || !buffer.written; });
}

bool KernelSchedule::is_choice(int number) const {
  return is_choice_[static_cast<size_t>(number)];
}

bool KernelSchedule::is_chosen(int number) const {
  return is_chosen_[static_cast<size_t>(number)];
}

}  // namespace wick::codegen::llvm_jit
