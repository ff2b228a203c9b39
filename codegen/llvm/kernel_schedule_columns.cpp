// How columns are reduced, and what of them stays in memory.

#include <algorithm>

#include "wick/codegen/llvm/kernel_schedule.h"
#include "wick/codegen/row_scratch.h"

namespace wick::codegen::llvm_jit {

namespace {

/// So many values of columns in all fit a core's nearest caches and the stacks of small threads.
/// Several loops would rather walk whole rows with what they keep in the second cache.
constexpr int64_t kColumnValues = 8192;
constexpr int64_t kColumnValuesOfLoops = 32768;
constexpr int64_t kMostReductions = 8;

}  // namespace

/// All of a row's vectors are under masks, which machines have to be good at, or overlap. Zen 5
/// reads wide rows that come from memory faster without.
bool KernelSchedule::has_few_columns() const {
  constexpr int kFewVectors = 3;
  if (host_.zen5 && kernel_.column_vectors > kFewVectors) return false;
  return kernel_.column_vectors > 0 && host_.avx512 && !kernel_.has_short_rows() &&
         staged_.accesses.empty();
}

/// Of long rows in memory that many columns share. What rows leave in memory of the kernel's own
/// has to have room for pieces of rows that are worth it.
bool KernelSchedule::can_keep_columns_in_memory() const {
  if (inner_dims_.empty() || kernel_.vector_is_inner() || kernel_.short_vector) return false;
  if (kernel_.has_short_rows() || kernel_.has_flat_columns() || !staged_.accesses.empty())
    return false;
  if (has_few_columns()) return false;
  const int64_t count = std::ranges::count(kernel_.instrs, InstrKind::accumulate, &Instr::kind);
  return count <= kMostReductions && own_elements_of_column() * kLeastPiece <= kMostOwnElements;
}

int64_t KernelSchedule::own_elements_of_column() const {
  int64_t elements = 0;
  for (const BufferArg& buffer : kernel_.buffers)
    elements += buffer.own_elements;
  return elements;
}

/// A value of each column, as opposed to one of all or one of each row.
bool KernelSchedule::is_of_column(int number) const {
  return varies(number) && !depends_on_inner(number);
}

/// Instructions whose values this one reads.
llvm::SmallVector<int, 4> KernelSchedule::uses_of(int number) const {
  const Instr& at = instr(number);
  llvm::SmallVector<int, 4> uses(at.operands.begin(), at.operands.end());
  for (const int used : {at.predicate, at.dynamic_index})
    if (used >= 0) uses.push_back(used);
  llvm::append_range(uses, form_of(number).arguments);
  return uses;
}

/// Finds what phases need of the columns that was computed before the loop in front of them: it
/// stays in memory, but for what is loaded as easily from where it came.
void KernelSchedule::find_kept_columns() {
  loop_of_.assign(kernel_.instrs.size(), -1);
  int loops = 0;
  for (const Phase& phase : kernel_.phases) {
    if (phase.loop) ++loops;
    for (const int number : phase.instrs) {
      int& loop = loop_of_[static_cast<size_t>(number)];
      if (loop < 0) loop = loops;
    }
  }
  const auto need = [&](const auto& self, int number, int loop) -> void {
    if (loop_of_[static_cast<size_t>(number)] == loop || !is_of_column(number)) return;
    const Instr& at = instr(number);
    if (at.kind != InstrKind::load || at.dynamic_index >= 0 || is_pinned(at)) {
      kept_columns_.insert(number);
      return;
    }
    for (const int used : uses_of(number))
      self(self, used, loop);
  };
  loops = 0;
  for (const Phase& phase : kernel_.phases) {
    if (phase.loop) ++loops;
    for (const int number : phase.instrs) {
      for (const int used : uses_of(number))
        if (!is_in(phase, used)) need(need, used, loops);
    }
  }
}

/// Columns that there is memory for: the fewer vectors of each are kept, the more of a row.
int64_t KernelSchedule::most_columns_at_once() const {
  size_t accumulators = 1;
  for (const Plan& plan : plans_)
    accumulators = std::max(accumulators, plan.accumulates.size());
  const auto vectors = static_cast<int64_t>(kept_columns_.size() + accumulators);
  int64_t most = (has_several_loops() ? kColumnValuesOfLoops : kColumnValues) / vectors;
  if (const int64_t own = own_elements_of_column(); own > 0)
    most = std::min(most, kMostOwnElements / own);
  return std::max(most / kWholeColumns, int64_t{1}) * kWholeColumns;
}

int KernelSchedule::loop_of(int number) const {
  return loop_of_[static_cast<size_t>(number)];
}

}  // namespace wick::codegen::llvm_jit
