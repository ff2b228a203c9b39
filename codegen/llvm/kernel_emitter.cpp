#include "wick/codegen/llvm/kernel_emitter.h"

#include <algorithm>

#include "wick/codegen/llvm/compute.h"
#include "wick/codegen/llvm/philox.h"
#include "wick/ir/check.h"

namespace wick::codegen::llvm_jit {

KernelEmitter::KernelEmitter(const Kernel& kernel, llvm::Module& module, const HostTarget& host)
    : s_(kernel, host),
      kernel_(s_.kernel()),
      e_(module, host),
      slots_(kernel_.instrs.size()),
      positions_(kernel_.dims.size()),
      unroll_(s_.unroll()) {
  llvm::FastMathFlags flags;
  flags.setAllowContract(true);
  e_.b.setFastMathFlags(flags);
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

  make_alias_scopes();
  collect_accesses();
  collect_staged_accesses();
  // The one parameter that kernels have no table for.
  params_[kernel_.num_params] = b.getInt64(static_cast<uint64_t>(kTilePitch));
  start_accesses();
  for (const Plan& plan : s_.plans())
    emit_level(plan, 0, 0);
  const Range tasks{function_->getArg(2), function_->getArg(3)};
  const Range vectors{function_->getArg(4), function_->getArg(5)};
  if (s_.inner_dims().empty() && !s_.staged().empty()) {
    emit_staged_tiles(tasks, vectors);
  } else if (s_.stages_for_many_tasks()) {
    emit_rows_of_many_tasks(tasks, vectors);
  } else if (s_.reads_across()) {
    emit_tiles(tasks, vectors, [&](Range tile_tasks, Range tile_vectors) {
      emit_tasks(tile_tasks, tile_vectors, positions_of(tile_tasks.begin, s_.task_dims()));
    });
  } else if (s_.bytes_that_tasks_share() > 0) {
    emit_near_tasks(tasks, vectors);
  } else {
    emit_tasks(tasks, vectors, positions_of(tasks.begin, s_.task_dims()));
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
  for (const Plan& plan : s_.plans()) {
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
  if ((kernel_.vector_is_inner() && !s_.row_in_registers()) || kernel_.short_vector)
    unroll_ = s_.choose_copies(plan);
  chains_ = s_.chains_of(plan, copies_);
  start_accumulators(plan);
  for_each_row([&] { emit_level(plan, kTaskLevel, kVectorLevel); });
  walks_back_ = s_.walks_back(plan);
  emit_inner(plan, 0);
  walks_back_ = false;
  join_chains(plan);
  for_each_row([&] { finish_accumulators(plan); });
  accumulators_.clear();
  if (kernel_.short_vector) unroll_ = outer_unroll;
}

void KernelEmitter::emit_inner(const Plan& plan, size_t depth) {
  if (depth == s_.inner_dims().size()) return;
  if (s_.columns_in_memory() && depth + 1 == s_.inner_dims().size()) {
    emit_rows_of_columns(plan);
    return;
  }
  if (s_.row_in_registers()) {
    emit_row_in_registers(plan);
    return;
  }
  const int dim = s_.inner_dims()[depth];
  if (!rows_.empty()) restore_scope(rows_[0]);
  const auto [begin, end] = inner_range(dim);
  const int level = kInnerLevel + static_cast<int>(depth);
  const auto body = [&] {
    llvm::Value* position = positions_[static_cast<size_t>(dim)];
    std::vector<Scope> rows = rows_;
    for_each_row([&] {
      positions_[static_cast<size_t>(dim)] = position_in_row(dim, position);
      enter_dims({dim}, &plan);
      if (dim == s_.copy_dim()) emit_prefetches(plan);
      if (dim == kernel_.vector_dim) emit_prefetches_of_split_lines(plan);
      emit_level(plan, level, level);
    });
    emit_prefetches_of_rows_behind(plan, position);
    emit_inner(plan, depth + 1);
    rows_ = std::move(rows);
  };
  if (dim == kernel_.vector_dim) {
    emit_vector_loops(begin, end, s_.streams_of(plan), body);
    return;
  }
  const auto at_position = [&](llvm::Value* position) {
    positions_[static_cast<size_t>(dim)] = position;
    body();
  };
  if (dim == s_.copy_dim() && s_.stages_strips()) {
    emit_staged_strips(dim, {begin, end}, [&](Range strip) {
      emit_copied_loop(strip.begin, strip.end, at_position);
    });
  } else if (dim == s_.copy_dim()) {
    emit_copied_loop(begin, end, at_position);
  } else if (chains_ > 1 && depth + 1 == s_.inner_dims().size()) {
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
    if (is_known && !s_.is_pinned(s_.instr(number))) continue;
    emit_instr(number);
  }
}

void KernelEmitter::emit_instr(int number) {
  if (s_.is_chosen(number)) return;
  const Instr& at = s_.instr(number);
  if (at.kind == InstrKind::accumulate) {
    emit_accumulate(at, number);
    return;
  }
  if (s_.is_in_registers(at.buffer)) {
    emit_kept_value(at, number);
    return;
  }
  const int copies = s_.has_copies(number) ? copies_ : 1;
  if (at.kind == InstrKind::store) {
    for (int copy = 0; copy < copies; ++copy)
      emit_store(at, number, copy);
    return;
  }
  Slot slot;
  if (s_.is_choice(number)) {
    slot.copies = emit_choice(number);
  } else if (copies > 1 && s_.varies(number) && s_.is_interleaved(number)) {
    slot.copies = emit_interleaved(number);
  } else if (is_spread_from_long_rows(at)) {
    slot.copies = spread_long_rows(number);
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
  if (s_.needs_splat(number) && !s_.varies(number)) {
    for (llvm::Value* value : slot.copies)
      slot.splats.push_back(e_.splat(value));
  }
  if (s_.divides_many(number)) {
    const bool is_usual = s_.form_of(number).form == FunctionForm::at_least_one;
    for (llvm::Value* value : slot.copies)
      slot.divisors.push_back(make_divisor(e_, value, is_usual));
  }
}

/// LLVM 19 takes quotients and remainders of zeros for zeros, and leaves out the selection that
/// puts zeros where a condition has kept a load from reading: it must not know what is there.
llvm::Value* KernelEmitter::with_hidden_zeros(const Instr& load, llvm::Value* value) {
  if (!s_.divides_floats() || load.predicate < 0 || !is_float(load.dtype)) return value;
  return e_.b.CreateArithmeticFence(value, value->getType());
}

llvm::Value* KernelEmitter::operand(int number, int copy, bool as_vector) {
  const Slot& slot = slots_[static_cast<size_t>(number)];
  check(!slot.copies.empty(), "a kernel instruction is computed before it is used");
  const size_t at = s_.has_copies(number) ? static_cast<size_t>(copy) : 0;
  // Computed for more copies or fewer elsewhere would be another loop's value.
  check(static_cast<int>(slot.copies.size()) == (s_.has_copies(number) ? copies_ : 1),
        "a value has its copies");
  if (s_.varies(number) || !as_vector) return slot.copies[at];
  return slot.splats.empty() ? e_.splat(slot.copies[at]) : slot.splats[at];
}

llvm::Value* KernelEmitter::emit_copy(const Instr& at, int number, int copy) {
  const bool as_vector = s_.varies(number);
  if (as_vector && s_.compared_position(at) >= 0) return emit_position_comparison(at, copy);
  if (s_.form_of(number).form == FunctionForm::unread) {
    llvm::Type* type = e_.register_type(at.dtype);
    return llvm::PoisonValue::get(as_vector ? e_.vector_of(type) : type);
  }
  Values values;
  for (const int used : s_.arguments_of(number))
    values.push_back(operand(used, copy, as_vector));
  if (!s_.form_of(number).arguments.empty()) return emit_form(number, values);
  switch (at.kind) {
    case InstrKind::constant:
      return e_.literal(at.value);
    case InstrKind::load:
      return with_hidden_zeros(at, emit_load(at, number, copy));
    case InstrKind::index:
      return emit_index(at, number, copy);
    case InstrKind::compute:
      if (s_.has_known_divisor(at)) {
        const int divisor = at.operands[1];
        const size_t which = s_.has_copies(divisor) ? static_cast<size_t>(copy) : 0;
        return divide(e_, values[0], slots_[static_cast<size_t>(divisor)].divisors[which]);
      }
      return emit_form(number, values);
    case InstrKind::cast:
      return emit_cast(e_, s_.instr(at.operands[0]).dtype, at.dtype, values[0]);
    case InstrKind::bitcast:
      return emit_bitcast(e_, s_.instr(at.operands[0]).dtype, at.dtype, values[0]);
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
