#include "wick/codegen/llvm/kernel_emitter.h"

#include <algorithm>

#include "wick/codegen/llvm/compute.h"
#include "wick/codegen/llvm/philox.h"
#include "wick/ir/check.h"

namespace wick::codegen::llvm_jit {

namespace {

/// Machine instructions for one vector, roughly: decides how far to unroll.
int cost_of(const Instr& instr) {
  using ir::OpKind;
  if (instr.kind == InstrKind::random_bits) return 16;
  if (instr.kind == InstrKind::cast) return 2;
  if (instr.kind != InstrKind::compute) return 1;
  if (instr.op == OpKind::pow) return 48;
  if (instr.op == OpKind::div || instr.op == OpKind::rem) return 3;
  return ir::has(instr.op, ir::kCostly) ? 14 : 1;
}

}  // namespace

KernelEmitter::KernelEmitter(const Kernel& kernel, llvm::Module& module, const HostTarget& host)
    : staged_(stage(kernel)),
      kernel_(staged_.kernel),
      e_(module, host) {
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
  forms_ = find_function_forms(kernel, e_.host.divides_beside);
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
  slots_.resize(kernel_.instrs.size());
  positions_.resize(kernel_.dims.size());
  llvm::FastMathFlags flags;
  flags.setAllowContract(true);
  e_.b.setFastMathFlags(flags);
}

const Instr& KernelEmitter::instr(int number) const {
  return kernel_.instrs[static_cast<size_t>(number)];
}

Reduction KernelEmitter::reduction_of(int accumulate) const {
  const Instr& at = instr(accumulate);
  return {.op = at.op,
          .dtype = instr(at.operands[0]).dtype,
          .passes_over_nan = form_of(accumulate).form == FunctionForm::numbers_alone};
}

uint64_t KernelEmitter::bit(int dim) {
  return uint64_t{1} << static_cast<unsigned>(dim);
}

uint64_t KernelEmitter::inner_dims_mask() const {
  uint64_t dims = 0;
  for (const int d : inner_dims_)
    dims |= bit(d);
  return dims;
}

void KernelEmitter::find_dependencies() {
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

bool KernelEmitter::varies(int number) const {
  return (deps_[static_cast<size_t>(number)] & bit(kernel_.vector_dim)) != 0;
}

bool KernelEmitter::has_copies(int number) const {
  return (deps_[static_cast<size_t>(number)] & bit(copy_dim_)) != 0;
}

void KernelEmitter::find_splats() {
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
bool KernelEmitter::is_pinned(const Instr& at) const {
  if (at.kind == InstrKind::store || at.kind == InstrKind::accumulate) return true;
  if (at.kind != InstrKind::load) return false;
  const BufferArg& buffer = kernel_.buffers[static_cast<size_t>(at.buffer)];
  return buffer.written || !buffer.no_alias;
}

int KernelEmitter::level_of(uint64_t dims) const {
  if (columns_in_memory_ && (dims & bit(kernel_.vector_dim)) != 0) return innermost_level();
  for (int j = static_cast<int>(inner_dims_.size()); j-- > 0;) {
    if ((dims & bit(inner_dims_[static_cast<size_t>(j)])) != 0) return kInnerLevel + j;
  }
  if (!kernel_.vector_is_inner() && (dims & bit(kernel_.vector_dim)) != 0) return kVectorLevel;
  return dims == 0 ? 0 : kTaskLevel;
}

int KernelEmitter::innermost_level() const {
  return kInnerLevel + static_cast<int>(inner_dims_.size()) - (columns_in_memory_ ? 0 : 1);
}

Plan KernelEmitter::make_plan(const Phase& phase) {
  const int straight_level = kernel_.vector_is_inner() ? kTaskLevel : kVectorLevel;
  const int innermost = phase.loop ? innermost_level() : straight_level;
  Plan plan{.phase = &phase, .levels = {}, .accumulates = {}, .prefetches = {}};
  for (const int number : phase.instrs) {
    const Instr& at = instr(number);
    int level = is_pinned(at) ? innermost : level_of(deps_[static_cast<size_t>(number)]);
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

/// Vectors that one copy of the body keeps at once, at most.
int KernelEmitter::max_live_vectors(const Plan& plan) const {
  const std::vector<int>& order = plan.phase->instrs;
  llvm::DenseMap<int, size_t> last_use;
  for (size_t i = 0; i < order.size(); ++i) {
    for (const int used : instr(order[i]).operands)
      last_use[used] = i;
  }
  int live = static_cast<int>(plan.accumulates.size());
  int most = live;
  std::vector<int> ended(order.size(), 0);
  for (size_t i = 0; i < order.size(); ++i) {
    live -= ended[i];
    const auto use = last_use.find(order[i]);
    if (use == last_use.end() || !varies(order[i])) continue;
    most = std::max(most, ++live);
    ++ended[use->second];
  }
  return most;
}

/// Of strips of columns as much of a row is read at once as there are accumulators: every step to
/// the next row is another page to memory. Rows that are staged have been fetched by then.
int KernelEmitter::most_copies() const {
  if (inner_dims_.empty() || kernel_.vector_is_inner() || columns_in_memory_) return 4;
  if (!staged_.accesses.empty() && !stages_strips()) return waits_for_sums() ? 8 : 4;
  return kernel_.short_vector ? 8 : 16;
}

/// Whether loops over rows that many tasks read do little more than to add to one sum, which has to
/// be there before the next addition: of those of AVX2 eight at once keep the machine busy, and
/// squared distances take 0.8 of the time.
bool KernelEmitter::waits_for_sums() const {
  constexpr int kLittleWork = 4;
  if (e_.host.avx512 || !stages_for_many_tasks()) return false;
  return std::ranges::all_of(plans_, [&](const Plan& plan) {
    return !plan.phase->loop ||
           (plan.accumulates.size() == 1 && work_of(*plan.phase) <= kLittleWork);
  });
}

/// Instructions for one vector of the phase, roughly.
int KernelEmitter::work_of(const Phase& phase) const {
  int work = 0;
  for (const int number : phase.instrs) {
    const Instr& at = instr(number);
    if (varies(number) || at.kind == InstrKind::accumulate) work += cost_of(at);
  }
  return work;
}

/// Whether what is accumulated, so many registers of each, leaves some for what is added. Loops
/// over positions of channels that store as well gain more by reading longer pieces of each of
/// their streams.
bool KernelEmitter::keeps_sums(const Plan& plan, int registers) const {
  const int most = e_.host.avx512 ? 24 : 12;
  const auto count = static_cast<int>(plan.accumulates.size());
  if (kernel_.vector_is_inner()) return registers * rows_together_ * count <= most;
  if (!kernel_.short_vector) return true;
  const bool stores = std::ranges::any_of(
      plan.phase->instrs, [&](int number) { return instr(number).kind == InstrKind::store; });
  return stores || registers * count <= most;
}

/// As many as keep the machine busy (chains of dependent instructions leave it idle: mandelbrot
/// takes 1.8 times as long with one copy as with four), unless there is too much code or more than
/// half of what is live would be spilled. Loops over positions of channels are many and wait for
/// memory: without AVX-512 more code makes them no faster, and LLVM takes 1.5 times as long.
int KernelEmitter::choose_copies(const Plan& plan) const {
  const int max_instructions = kernel_.short_vector && !e_.host.avx512 ? 50 : 600;
  const int max_vectors = 2 * (e_.host.avx512 ? 32 : 16);
  const int work = rows_together_ * work_of(*plan.phase);
  size_t bytes = 4;
  for (const int number : plan.phase->instrs) {
    const Instr& at = instr(number);
    if (varies(number) || at.kind == InstrKind::accumulate)
      bytes = std::max(bytes, size_of(at.dtype));
  }
  const auto registers = static_cast<int>(bytes / 4);
  const int vectors = rows_together_ * max_live_vectors(plan);
  int copies = most_copies();
  while (copies > 1 &&
         (copies * registers * work > max_instructions ||
          copies * registers * vectors > max_vectors || !keeps_sums(plan, copies * registers))) {
    copies /= 2;
  }
  return draws_random_bits(*plan.phase) && copy_dim_ == kernel_.vector_dim
             ? std::max(copies, copies_that_share_words())
             : copies;
}

llvm::Function* KernelEmitter::emit(const std::string& symbol) {
  auto& b = e_.b;
  llvm::Type* i64 = b.getInt64Ty();
  llvm::Type* pointer = b.getPtrTy();
  auto* type =
      llvm::FunctionType::get(b.getVoidTy(), {pointer, pointer, i64, i64, i64, i64}, false);
  function_ = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, symbol, &e_.module);
  function_->setDSOLocal(true);
  entry_ = llvm::BasicBlock::Create(b.getContext(), "entry", function_);
  auto* start = llvm::BasicBlock::Create(b.getContext(), "start", function_);
  b.SetInsertPoint(entry_);
  b.CreateBr(start);
  b.SetInsertPoint(start);

  find_splats();
  for (const Phase& phase : kernel_.phases)
    plans_.push_back(make_plan(phase));
  find_prefetches();
  row_in_registers_ = can_keep_rows_in_registers();
  if (!row_in_registers_) choose_rows_together();
  find_lenders();
  if (!kernel_.short_vector) {
    unroll_ = std::max(most_copies(), copies_that_share_words());
    for (const Plan& plan : plans_)
      unroll_ = std::min(unroll_, choose_copies(plan));
    if (has_few_columns()) unroll_ = std::min(unroll_, kernel_.column_vectors);
  }
  if (row_in_registers_) unroll_ = std::min(unroll_, vectors_of_row());
  if (kernel_.row_length > 0) unroll_ = copies_of_flat_rows(unroll_);
  if (columns_in_memory_) {
    own_width_ = most_columns_at_once();
  } else if (!kernel_.vector_is_inner() && !inner_dims_.empty()) {
    own_width_ = int64_t{e_.lanes} * (copy_dim_ == kernel_.vector_dim ? unroll_ : 1);
  }
  make_alias_scopes();
  collect_accesses();
  collect_staged_accesses();
  // The one parameter that kernels have no table for.
  params_[kernel_.num_params] = b.getInt64(static_cast<uint64_t>(kTilePitch));
  start_accesses();
  for (const Plan& plan : plans_)
    emit_level(plan, 0, 0);
  const Range tasks{function_->getArg(2), function_->getArg(3)};
  const Range vectors{function_->getArg(4), function_->getArg(5)};
  if (inner_dims_.empty() && !staged_.accesses.empty()) {
    emit_staged_tiles(tasks, vectors);
  } else if (stages_for_many_tasks()) {
    emit_rows_of_many_tasks(tasks, vectors);
  } else if (reads_across()) {
    emit_tiles(tasks, vectors, [&](Range tile_tasks, Range tile_vectors) {
      emit_tasks(tile_tasks, tile_vectors, positions_of(tile_tasks.begin, task_dims_));
    });
  } else {
    emit_tasks(tasks, vectors, positions_of(tasks.begin, task_dims_));
  }
  end_streams();
  b.CreateRetVoid();
  return function_;
}

void KernelEmitter::collect_accesses() {
  access_of_.assign(kernel_.instrs.size(), -1);
  for (size_t i = 0; i < kernel_.instrs.size(); ++i) {
    const Instr& at = kernel_.instrs[i];
    if (at.kind != InstrKind::load && at.kind != InstrKind::store && at.kind != InstrKind::index) {
      continue;
    }
    const int buffer = at.kind == InstrKind::index ? -1 : at.buffer;
    const auto same = [&](const Access& access) {
      return access.buffer == buffer && access.address == at.address;
    };
    const auto found = std::ranges::find_if(accesses_, same);
    access_of_[i] = static_cast<int>(found - accesses_.begin());
    if (found == accesses_.end()) accesses_.push_back({buffer, at.address, nullptr});
  }
}

void KernelEmitter::emit_phases() {
  emit_prefetches_of_row_ends();
  for (const Plan& plan : plans_) {
    if (plan.phase->loop) {
      emit_loop_phase(plan);
    } else {
      for_each_row([&] { emit_level(plan, kTaskLevel, kVectorLevel); });
    }
  }
}

void KernelEmitter::emit_loop_phase(const Plan& plan) {
  // An outer vector loop spans all phases; an inner one is this phase's own.
  const int outer_unroll = unroll_;
  if ((kernel_.vector_is_inner() && !row_in_registers_) || kernel_.short_vector)
    unroll_ = choose_copies(plan);
  chains_ = chains_of(plan);
  start_accumulators(plan);
  for_each_row([&] { emit_level(plan, kTaskLevel, kVectorLevel); });
  walks_back_ = walks_back(plan);
  emit_inner(plan, 0);
  walks_back_ = false;
  join_chains(plan);
  for_each_row([&] { finish_accumulators(plan); });
  accumulators_.clear();
  if (kernel_.short_vector) unroll_ = outer_unroll;
}

void KernelEmitter::emit_inner(const Plan& plan, size_t depth) {
  if (depth == inner_dims_.size()) return;
  if (columns_in_memory_ && depth + 1 == inner_dims_.size()) {
    emit_rows_of_columns(plan);
    return;
  }
  if (row_in_registers_) {
    emit_row_in_registers(plan);
    return;
  }
  const int dim = inner_dims_[depth];
  if (!rows_.empty()) restore_scope(rows_[0]);
  const auto [begin, end] = inner_range(dim);
  const int level = kInnerLevel + static_cast<int>(depth);
  const auto body = [&] {
    llvm::Value* position = positions_[static_cast<size_t>(dim)];
    std::vector<Scope> rows = rows_;
    for_each_row([&] {
      positions_[static_cast<size_t>(dim)] = position_in_row(dim, position);
      enter_dims({dim}, &plan);
      if (dim == copy_dim_) emit_prefetches(plan);
      emit_level(plan, level, level);
    });
    emit_prefetches_of_rows_behind(plan, position);
    emit_inner(plan, depth + 1);
    rows_ = std::move(rows);
  };
  if (dim == kernel_.vector_dim) {
    emit_vector_loops(begin, end, streams_of(plan), body);
    return;
  }
  const auto at_position = [&](llvm::Value* position) {
    positions_[static_cast<size_t>(dim)] = position;
    body();
  };
  if (dim == copy_dim_ && stages_strips()) {
    emit_staged_strips(dim, {begin, end}, [&](Range strip) {
      emit_copied_loop(strip.begin, strip.end, at_position);
    });
  } else if (dim == copy_dim_) {
    emit_copied_loop(begin, end, at_position);
  } else if (chains_ > 1 && depth + 1 == inner_dims_.size()) {
    emit_chains({begin, end}, at_position);
  } else {
    loop(begin, end, 1, at_position);
  }
}

/// As many positions at once as there are copies, and then what is left one by one.
void KernelEmitter::emit_copied_loop(llvm::Value* begin,
                                     llvm::Value* end,
                                     const std::function<void(llvm::Value*)>& body) {
  llvm::Value* main_end = end_of_whole_steps({begin, end}, unroll_);
  copies_ = unroll_;
  if (avoids_masked_loads()) {
    llvm::Value* past_end = end_of_loads_past_rows(begin, end);
    loads_past_rows_ = true;
    loop(begin, past_end, unroll_, body);
    loads_past_rows_ = false;
    begin = past_end;
  }
  loop(begin, main_end, unroll_, body);
  copies_ = 1;
  loop(main_end, end, 1, body);
}

void KernelEmitter::emit_level(const Plan& plan, int first_level, int last_level) {
  for (size_t i = 0; i < plan.levels.size(); ++i) {
    if (plan.levels[i] < first_level || plan.levels[i] > last_level) continue;
    const int number = plan.phase->instrs[i];
    const bool is_known = !slots_[static_cast<size_t>(number)].copies.empty();
    if (is_known && !is_pinned(instr(number))) continue;
    emit_instr(number);
  }
}

void KernelEmitter::emit_instr(int number) {
  if (is_chosen_[static_cast<size_t>(number)]) return;
  const Instr& at = instr(number);
  if (at.kind == InstrKind::accumulate) {
    emit_accumulate(at, number);
    return;
  }
  if (is_in_registers(at.buffer)) {
    emit_kept_value(at, number);
    return;
  }
  const int copies = has_copies(number) ? copies_ : 1;
  if (at.kind == InstrKind::store) {
    for (int copy = 0; copy < copies; ++copy)
      emit_store(at, number, copy);
    return;
  }
  Slot slot;
  if (is_choice_[static_cast<size_t>(number)]) {
    slot.copies = emit_choice(number);
  } else if (copies > 1 && varies(number) && is_interleaved(number)) {
    slot.copies = emit_interleaved(number);
  } else if (may_share_random_words(at)) {
    slot.copies = emit_random_copies(at);
  } else {
    for (int copy = 0; copy < copies; ++copy)
      slot.copies.push_back(emit_copy(at, number, copy));
  }
  add_other_forms(number, slot);
  slots_[static_cast<size_t>(number)] = std::move(slot);
}

void KernelEmitter::add_other_forms(int number, Slot& slot) {
  if (needs_splat_[static_cast<size_t>(number)] && !varies(number)) {
    for (llvm::Value* value : slot.copies)
      slot.splats.push_back(e_.splat(value));
  }
  if (divides_many_[static_cast<size_t>(number)]) {
    const bool is_usual = form_of(number).form == FunctionForm::at_least_one;
    for (llvm::Value* value : slot.copies)
      slot.divisors.push_back(make_divisor(e_, value, is_usual));
  }
}

/// LLVM 19 takes quotients and remainders of zeros for zeros, and leaves out the selection that
/// puts zeros where a condition has kept a load from reading: it must not know what is there.
llvm::Value* KernelEmitter::with_hidden_zeros(const Instr& load, llvm::Value* value) {
  if (!divides_floats_ || load.predicate < 0 || !is_float(load.dtype)) return value;
  return e_.b.CreateArithmeticFence(value, value->getType());
}

/// Many floats by one that is known before their loop, or, of short rows, by one in each lane.
bool KernelEmitter::has_known_divisor(const Instr& at) const {
  if (at.kind != InstrKind::compute || at.op != ir::OpKind::div || !e_.host.fma) return false;
  if (!is_float(at.dtype)) return false;
  if (row_in_registers_ && divides_row_faster()) return false;
  const int dividend = at.operands[0];
  const int divisor = at.operands[1];
  // The scale of others takes AVX2 as long as what few quotients save.
  const bool has_cheap_inverse =
      e_.host.avx512 || form_of(divisor).form == FunctionForm::at_least_one;
  if (kernel_.has_short_rows() && varies(divisor) && has_cheap_inverse) {
    const auto is_of_column = [&](int number) {
      return (deps_[static_cast<size_t>(number)] & inner_dims_mask()) != 0;
    };
    return is_of_column(dividend) && !is_of_column(divisor);
  }
  return varies(dividend) && !varies(divisor) && !has_copies(divisor);
}

llvm::Value* KernelEmitter::operand(int number, int copy, bool as_vector) {
  const Slot& slot = slots_[static_cast<size_t>(number)];
  check(!slot.copies.empty(), "a kernel instruction is computed before it is used");
  const size_t at = has_copies(number) ? static_cast<size_t>(copy) : 0;
  // Computed for more copies or fewer elsewhere would be another loop's value.
  check(static_cast<int>(slot.copies.size()) == (has_copies(number) ? copies_ : 1),
        "a value has its copies");
  if (varies(number) || !as_vector) return slot.copies[at];
  return slot.splats.empty() ? e_.splat(slot.copies[at]) : slot.splats[at];
}

llvm::Value* KernelEmitter::emit_copy(const Instr& at, int number, int copy) {
  const bool as_vector = varies(number);
  if (as_vector && compared_position(at) >= 0) return emit_position_comparison(at, copy);
  if (form_of(number).form == FunctionForm::unread) {
    llvm::Type* type = e_.register_type(at.dtype);
    return llvm::PoisonValue::get(as_vector ? e_.vector_of(type) : type);
  }
  if (const int argument = form_of(number).argument; argument >= 0) {
    Values values = {operand(argument, copy, as_vector)};
    if (const int divisor = divisor_of(number); divisor >= 0)
      values.push_back(operand(divisor, copy, as_vector));
    return emit_form(number, values);
  }
  Values values;
  for (const int used : at.operands)
    values.push_back(operand(used, copy, as_vector));
  switch (at.kind) {
    case InstrKind::constant:
      return e_.literal(at.value);
    case InstrKind::load:
      return with_hidden_zeros(at, emit_load(at, number, copy));
    case InstrKind::index:
      return emit_index(at, number, copy);
    case InstrKind::compute:
      if (has_known_divisor(at)) {
        const int divisor = at.operands[1];
        const size_t which = has_copies(divisor) ? static_cast<size_t>(copy) : 0;
        return divide(e_, values[0], slots_[static_cast<size_t>(divisor)].divisors[which]);
      }
      return emit_form(number, values);
    case InstrKind::cast:
      return emit_cast(e_, instr(at.operands[0]).dtype, at.dtype, values[0]);
    case InstrKind::bitcast:
      return emit_bitcast(e_, instr(at.operands[0]).dtype, at.dtype, values[0]);
    case InstrKind::random_bits:
      return emit_random_bits(e_, values[0], values[1], values[2]);
    case InstrKind::accumulate:
    case InstrKind::store:
      break;
  }
  check(false, "an instruction with a value");
  return nullptr;
}

}  // namespace wick::codegen::llvm_jit
