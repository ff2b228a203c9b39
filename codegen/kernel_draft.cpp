#include "wick/codegen/kernel_draft.h"

#include <algorithm>
#include <cstring>

#include "wick/codegen/kernel_finisher.h"

namespace wick::codegen {

namespace {

/// All that tells two instructions of one phase apart.
std::vector<int64_t> key_of(int phase, const DraftInstr& draft) {
  const Instr& instr = draft.instr;
  std::vector<int64_t> key{phase,
                           static_cast<int64_t>(instr.kind),
                           static_cast<int64_t>(instr.op),
                           static_cast<int64_t>(instr.dtype),
                           instr.buffer,
                           instr.dynamic_index,
                           draft.dynamic_stride,
                           instr.predicate,
                           std::ssize(instr.operands)};
  key.insert(key.end(), instr.operands.begin(), instr.operands.end());
  if (has_address(instr)) {
    key.push_back(draft.address.offset);
    key.push_back(draft.known_offset);
    key.push_back(draft.address.free_offset ? 1 : 0);
    key.insert(key.end(), draft.address.coefs.begin(), draft.address.coefs.end());
  }
  if (instr.kind == InstrKind::constant) {
    int64_t bits = 0;
    std::memcpy(&bits, instr.value.data(), std::min(instr.value.bytes().size(), sizeof bits));
    key.push_back(bits);
  }
  return key;
}

}  // namespace

int64_t coefficient(const ir::AffineExpr& expr, int dim) {
  const auto d = static_cast<size_t>(dim);
  return dim < 0 || d >= expr.coefs.size() ? 0 : expr.coefs[d];
}

void renumber(Instr& instr, const std::vector<int>& numbers) {
  const auto change = [&](int& number) {
    if (number >= 0) number = numbers[static_cast<size_t>(number)];
  };
  std::ranges::for_each(instr.operands, change);
  change(instr.predicate);
  change(instr.dynamic_index);
}

KernelDraft KernelDraft::over(ir::Domain domain) const {
  KernelDraft draft(name_, std::move(domain));
  draft.buffers_ = buffers_;
  draft.args_ = args_;
  draft.blocks_ = blocks_;
  return draft;
}

KernelDraft KernelDraft::started_anew(ir::Domain domain) const {
  KernelDraft draft = over(std::move(domain));
  draft.add_phase(false);
  return draft;
}

int KernelDraft::add_phase(bool loop) {
  phases_.push_back({.loop = loop, .instrs = {}});
  return static_cast<int>(phases_.size()) - 1;
}

int KernelDraft::add_buffer(const ArgBinding& binding, const BufferArg& buffer) {
  for (size_t b = 0; b < args_.size(); ++b) {
    if (args_[b].kind == binding.kind && args_[b].index == binding.index &&
        args_[b].offset == binding.offset) {
      buffers_[b].written = buffers_[b].written || buffer.written;
      return static_cast<int>(b);
    }
  }
  args_.push_back(binding);
  buffers_.push_back(buffer);
  return static_cast<int>(args_.size()) - 1;
}

int KernelDraft::append(int phase, DraftInstr instr) {
  const auto number = static_cast<int>(instrs_.size());
  const auto [known, is_new] = known_.try_emplace(key_of(phase, instr), number);
  if (!is_new) return known->second;
  instrs_.push_back(std::move(instr));
  phase_of_.push_back(phase);
  phases_[static_cast<size_t>(phase)].instrs.push_back(number);
  return number;
}

bool KernelDraft::is_walked_in_blocks() const {
  Finisher finisher(instrs_, domain_, buffers_);
  finisher.make_dims(/*has_loop=*/false);
  return !finisher.flatten_rows() && finisher.flatten_blocks();
}

KernelDraft::Finished KernelDraft::finish() const {
  const bool has_loop = std::ranges::any_of(
      phases_, [](const Phase& phase) { return phase.loop && !phase.instrs.empty(); });
  if (const int rows = has_loop ? -1 : guarded_rows(); rows >= 0)
    return with_guards_of_elements(rows).finish();
  if (has_few_columns()) return with_own_columns().finish();
  if (has_columns_to_join()) return with_joined_columns().finish();
  if (!has_loop) {
    if (const std::optional<KernelDraft> rows = with_rows_in_order()) return rows->finish();
  }
  Finisher finisher(instrs_, domain_, buffers_);
  finisher.make_dims(has_loop);
  if (!finisher.has_rows_of_many_tasks()) {
    if (const std::optional<KernelDraft> draft = straight()) return draft->finish();
  }
  std::vector<Phase> phases = phases_;
  const auto flattens = [&] {
    return finisher.flatten_repeats() || finisher.flatten_repeated_rows() ||
           finisher.flatten_rows() || finisher.flatten_blocks();
  };
  const auto flattens_scattered = [&] {
    return finisher.flatten_repeated_rows(/*may_be_few=*/true) ||
           finisher.flatten_rows(/*may_be_scattered=*/true) ||
           finisher.flatten_blocks(/*may_be_scattered=*/true) ||
           finisher.flatten_blocks(/*may_be_scattered=*/true, /*may_be_few=*/true);
  };
  const auto walks_rows = [&] {
    if (flattens()) return false;
    if (finisher.flatten_columns()) return true;
    if (flattens_scattered()) return false;
    finisher.move_crossed_dim();
    return !finisher.flatten_rows() && finisher.walk_rows();
  };
  if (has_loop) {
    if (blocks_ == 0) finisher.flatten_columns();
  } else if (walks_rows()) {
    for (Phase& phase : phases)
      phase.loop = true;
  }
  Finished finished;
  if (blocks_ > 0) finished.num_blocks = finisher.make_blocks(blocks_);
  Kernel start;
  start.name = name_;
  start.buffers = buffers_;
  finished.launch = finisher.finish(std::move(start), std::move(phases));
  finished.launch.args = args_;
  return finished;
}

}  // namespace wick::codegen
