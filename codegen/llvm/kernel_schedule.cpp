#include "wick/codegen/llvm/kernel_schedule.h"

#include <algorithm>
#include <iterator>

#include "wick/ir/check.h"

namespace wick::codegen::llvm_jit {

KernelSchedule::KernelSchedule(const Kernel& given, const HostTarget& host)
    : staged_(stage(given)),
      kernel_(staged_.kernel),
      host_(host),
      lanes_(host.lanes) {
  check(kernel_.dims.size() <= 64, "a kernel has at most 64 dimensions");
  for (int d = 0; d < static_cast<int>(kernel_.dims.size()); ++d) {
    if (kernel_.dims[static_cast<size_t>(d)].inner) {
      inner_dims_.push_back(d);
    } else if (d != kernel_.vector_dim) {
      task_dims_.push_back(d);
    }
  }
  copy_dim_ = kernel_.short_vector ? inner_dims_.back() : kernel_.vector_dim;
  // Of the kernel as it was given: what is staged is written by copies, which its instructions
  // hide.
  forms_ = find_function_forms(given, host_.divides_beside);
  divides_floats_ = std::ranges::any_of(kernel_.instrs, [](const Instr& at) {
    return at.kind == InstrKind::compute && is_float(at.dtype) &&
           (at.op == ir::OpKind::div || at.op == ir::OpKind::rem);
  });
  find_dependencies();
  walks_bound_rows_ = can_walk_bound_rows();
  find_cuts();
  find_choices();
  columns_in_memory_ = can_keep_columns_in_memory();
  if (columns_in_memory_) find_kept_columns();
  find_splats();
  for (const Phase& phase : kernel_.phases)
    plans_.push_back(make_plan(phase));
  find_prefetches();
  row_in_registers_ = can_keep_rows_in_registers();
  choose_rows_together();
  find_lenders();
  unroll_ = choose_unroll();
  own_width_ = choose_own_width();
}

bool is_in(const Phase& phase, int number) {
  return std::ranges::find(phase.instrs, number) != phase.instrs.end();
}

const Instr& KernelSchedule::instr(int number) const {
  return kernel_.instrs[static_cast<size_t>(number)];
}

Reduction KernelSchedule::reduction_of(int accumulate) const {
  const Instr& at = instr(accumulate);
  return {.op = at.op,
          .dtype = instr(at.operands[0]).dtype,
          .passes_over_nan = form_of(accumulate).form == FunctionForm::numbers_alone};
}

uint64_t KernelSchedule::bit(int dim) {
  return uint64_t{1} << static_cast<unsigned>(dim);
}

uint64_t KernelSchedule::inner_dims_mask() const {
  uint64_t dims = 0;
  for (const int d : inner_dims_)
    dims |= bit(d);
  return dims;
}

void KernelSchedule::find_dependencies() {
  deps_.assign(kernel_.instrs.size(), 0);
  const uint64_t inner = inner_dims_mask();
  for (size_t i = 0; i < kernel_.instrs.size(); ++i) {
    const Instr& at = kernel_.instrs[i];
    uint64_t dims = 0;
    for (const int operand : at.operands)
      dims |= deps_[static_cast<size_t>(operand)];
    if (at.predicate >= 0) dims |= deps_[static_cast<size_t>(at.predicate)];
    if (at.dynamic_index >= 0) dims |= deps_[static_cast<size_t>(at.dynamic_index)];
    for (size_t d = 0; d < at.address.terms.size(); ++d) {
      if (at.address.terms[d].stride != Stride::zero) dims |= bit(static_cast<int>(d));
    }
    if (has_lanes_of_own(at.buffer)) dims |= bit(kernel_.vector_dim);
    if (at.kind == InstrKind::accumulate) {
      // Blocks make the range, and so the result, depend on the block number.
      if (kernel_.blocking) dims |= bit(kernel_.blocking->outer);
      dims &= ~inner;
      if (!kernel_.vector_is_inner()) dims |= bit(kernel_.vector_dim);
    }
    if (!is_cut_.empty() && is_cut_[i]) dims &= ~bit(kernel_.vector_dim);
    deps_[i] = dims;
  }
}

bool KernelSchedule::varies(int number) const {
  return depends_on(number, kernel_.vector_dim);
}

bool KernelSchedule::has_copies(int number) const {
  return depends_on(number, copy_dim_);
}

uint64_t KernelSchedule::deps_of(int number) const {
  return deps_[static_cast<size_t>(number)];
}

bool KernelSchedule::depends_on(int number, int dim) const {
  return (deps_of(number) & bit(dim)) != 0;
}

bool KernelSchedule::depends_on_inner(int number) const {
  return (deps_of(number) & inner_dims_mask()) != 0;
}

bool KernelSchedule::depends_on_vector_alone(int number) const {
  return deps_of(number) == bit(kernel_.vector_dim);
}

void KernelSchedule::find_splats() {
  needs_splat_.assign(kernel_.instrs.size(), false);
  divides_many_.assign(kernel_.instrs.size(), false);
  for (size_t i = 0; i < kernel_.instrs.size(); ++i) {
    const Instr& at = kernel_.instrs[i];
    const bool wants_vectors = varies(static_cast<int>(i)) || at.kind == InstrKind::accumulate;
    if (!wants_vectors) continue;
    for (const int operand : at.operands)
      needs_splat_[static_cast<size_t>(operand)] = true;
    if (has_known_divisor(at)) divides_many_[static_cast<size_t>(at.operands[1])] = true;
    if (at.predicate >= 0) needs_splat_[static_cast<size_t>(at.predicate)] = true;
  }
}

/// Loads from memory that the kernel writes stay where they are, as stores do.
bool KernelSchedule::is_pinned(const Instr& at) const {
  if (at.kind == InstrKind::store || at.kind == InstrKind::accumulate) return true;
  if (at.kind != InstrKind::load) return false;
  const BufferArg& buffer = kernel_.buffers[static_cast<size_t>(at.buffer)];
  return buffer.written || !buffer.no_alias;
}

int KernelSchedule::level_of(uint64_t dims) const {
  if (columns_in_memory_ && (dims & bit(kernel_.vector_dim)) != 0) return innermost_level();
  for (int j = static_cast<int>(inner_dims_.size()); j-- > 0;) {
    if ((dims & bit(inner_dims_[static_cast<size_t>(j)])) != 0) return kInnerLevel + j;
  }
  if (!kernel_.vector_is_inner() && (dims & bit(kernel_.vector_dim)) != 0) return kVectorLevel;
  return dims == 0 ? 0 : kTaskLevel;
}

int KernelSchedule::innermost_level() const {
  return kInnerLevel + static_cast<int>(inner_dims_.size()) - (columns_in_memory_ ? 0 : 1);
}

Plan KernelSchedule::make_plan(const Phase& phase) {
  const int straight_level = kernel_.vector_is_inner() ? kTaskLevel : kVectorLevel;
  const int innermost = phase.loop ? innermost_level() : straight_level;
  Plan plan{.phase = &phase, .levels = {}, .accumulates = {}, .prefetches = {}};
  for (const int number : phase.instrs) {
    const Instr& at = instr(number);
    int level = is_pinned(at) ? innermost : level_of(deps_of(number));
    if (is_cut_[static_cast<size_t>(number)]) level = std::max(level, kVectorLevel);
    const auto after = [&](int used) { level = std::max(level, known_levels_.lookup(used)); };
    for (const int operand : at.operands)
      after(operand);
    if (at.predicate >= 0) after(at.predicate);
    if (at.dynamic_index >= 0) after(at.dynamic_index);
    if (at.kind == InstrKind::accumulate) plan.accumulates.push_back(number);
    known_levels_[number] = level;
    plan.levels.push_back(level);
  }
  for (const int number : plan.accumulates)
    known_levels_[number] = straight_level;
  return plan;
}

/// Many floats by one that is known before their loop, or, of short rows, by one in each lane.
bool KernelSchedule::has_known_divisor(const Instr& at) const {
  if (at.kind != InstrKind::compute || at.op != ir::OpKind::div || !host_.fma) return false;
  if (!is_float(at.dtype)) return false;
  if (row_in_registers_ && divides_row_faster()) return false;
  const int dividend = at.operands[0];
  const int divisor = at.operands[1];
  // The scale of others takes AVX2 as long as what few quotients save.
  const bool has_cheap_inverse =
      host_.avx512 || form_of(divisor).form == FunctionForm::at_least_one;
  if (kernel_.has_short_rows() && varies(divisor) && has_cheap_inverse) {
    return depends_on_inner(dividend) && !depends_on_inner(divisor);
  }
  return varies(dividend) && !varies(divisor) && !has_copies(divisor);
}

bool KernelSchedule::divides_many(int number) const {
  return divides_many_[static_cast<size_t>(number)];
}

bool KernelSchedule::needs_splat(int number) const {
  return needs_splat_[static_cast<size_t>(number)];
}

const InstrForm& KernelSchedule::form_of(int number) const {
  return forms_[static_cast<size_t>(number)];
}

llvm::ArrayRef<int> KernelSchedule::arguments_of(int number) const {
  const std::vector<int>& of_form = form_of(number).arguments;
  return of_form.empty() ? instr(number).operands : of_form;
}

/// Long chains of dependent instructions: those of one copy wait for each other, and the machine
/// does not look far enough ahead to find those of the next.
bool KernelSchedule::is_interleaved(int number) const {
  using ir::OpKind;
  const Instr& at = instr(number);
  const FunctionForm form = form_of(number).form;
  if (form == FunctionForm::scaled_log || form == FunctionForm::gated_tanh) return true;
  constexpr OpKind kChains[] = {
      OpKind::exp, OpKind::log, OpKind::tanh, OpKind::sigmoid, OpKind::erf, OpKind::atan};
  return at.kind == InstrKind::compute && at.dtype == DType::f32 &&
         std::ranges::find(kChains, at.op) != std::end(kChains);
}

const Affine::Term& KernelSchedule::vector_term(const Instr& at) const {
  return at.address.terms[static_cast<size_t>(kernel_.vector_dim)];
}

/// Memory of the kernel's own.
bool KernelSchedule::is_own(int buffer) const {
  return buffer >= 0 && kernel_.buffers[static_cast<size_t>(buffer)].own_elements > 0;
}

/// Memory of the kernel's own in which each lane, and each copy, is another row.
bool KernelSchedule::has_lanes_of_own(int buffer) const {
  return is_own(buffer) && !kernel_.vector_is_inner() && !inner_dims_.empty();
}

const Plan& KernelSchedule::loop_plan() const {
  return *std::ranges::find_if(plans_, [](const Plan& plan) { return plan.phase->loop; });
}

bool KernelSchedule::has_several_loops() const {
  return std::ranges::count(kernel_.phases, true, &Phase::loop) > 1;
}

/// Every second loop over a row does, as what the one before it read last is nearest to the core;
/// not the last one, whose stores memory takes in order.
bool KernelSchedule::walks_back(const Plan& plan) const {
  if (!kernel_.vector_is_inner() || inner_dims_.size() != 1) return false;
  const auto loops = [&](bool behind) {
    return std::ranges::count_if(plans_, [&](const Plan& other) {
      return other.phase->loop && (behind ? &other > &plan : &other < &plan);
    });
  };
  return loops(/*behind=*/false) % 2 == 1 && loops(/*behind=*/true) > 0;
}

/// Positions of lanes and copies, or of columns in memory.
int64_t KernelSchedule::choose_own_width() const {
  if (columns_in_memory_) return most_columns_at_once();
  if (kernel_.vector_is_inner() || inner_dims_.empty()) return 1;
  return int64_t{lanes_} * (copy_dim_ == kernel_.vector_dim ? unroll_ : 1);
}

/// The phases between this loop, or the begin, and the next one.
llvm::ArrayRef<Plan> KernelSchedule::straight_code_behind(const Plan* loop) const {
  const llvm::ArrayRef<Plan> behind =
      llvm::ArrayRef(plans_).drop_front(loop == nullptr ? 0 : loop - plans_.data() + 1);
  return behind.take_while([](const Plan& plan) { return !plan.phase->loop; });
}

}  // namespace wick::codegen::llvm_jit
