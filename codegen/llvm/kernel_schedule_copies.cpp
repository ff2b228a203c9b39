// How many vectors, rows and chains the bodies of loops take at once.

#include <algorithm>
#include <numeric>

#include "wick/codegen/llvm/kernel_schedule.h"

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

/// Vectors that one copy of the body keeps at once, at most.
int KernelSchedule::max_live_vectors(const Plan& plan) const {
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
int KernelSchedule::most_copies() const {
  if (inner_dims_.empty() || kernel_.vector_is_inner() || columns_in_memory_) return 4;
  if (kernel_.has_flat_columns()) return 4;
  if (!staged_.accesses.empty() && !stages_strips()) return waits_for_sums() ? 8 : 4;
  return kernel_.short_vector ? 8 : 16;
}

/// Whether loops over rows that many tasks read do little more than to add to one sum, which has to
/// be there before the next addition: of those of AVX2 eight at once keep the machine busy, and
/// squared distances take 0.8 of the time.
bool KernelSchedule::waits_for_sums() const {
  constexpr int kLittleWork = 4;
  if (host_.avx512 || !stages_for_many_tasks()) return false;
  return std::ranges::all_of(plans_, [&](const Plan& plan) {
    return !plan.phase->loop ||
           (plan.accumulates.size() == 1 && work_of(*plan.phase) <= kLittleWork);
  });
}

/// Instructions for one vector of the phase, roughly.
int KernelSchedule::work_of(const Phase& phase) const {
  int work = 0;
  for (const int number : phase.instrs) {
    const Instr& at = instr(number);
    if (varies(number) || at.kind == InstrKind::accumulate) work += cost_of(at);
  }
  return work;
}

/// How many a vector of the phase's widest type takes.
int KernelSchedule::registers_of_vector(const Phase& phase) const {
  size_t bytes = 4;
  for (const int number : phase.instrs) {
    const Instr& at = instr(number);
    if (varies(number) || at.kind == InstrKind::accumulate)
      bytes = std::max(bytes, size_of(at.dtype));
  }
  return static_cast<int>(bytes / 4);
}

/// Whether what is accumulated, so many registers of each, leaves some for what is added. Loops
/// over positions of channels that store as well gain more by reading longer pieces of each of
/// their streams.
bool KernelSchedule::keeps_sums(const Plan& plan, int registers) const {
  const int most = host_.avx512 ? 24 : 12;
  const auto count = static_cast<int>(plan.accumulates.size());
  if (kernel_.vector_is_inner()) return registers * rows_in_turn() * count <= most;
  if (!kernel_.short_vector) return true;
  const bool stores = std::ranges::any_of(
      plan.phase->instrs, [&](int number) { return instr(number).kind == InstrKind::store; });
  return stores || registers * count <= most;
}

/// As many as keep the machine busy (chains of dependent instructions leave it idle: mandelbrot
/// takes 1.8 times as long with one copy as with four), unless there is too much code or more than
/// half of what is live would be spilled. Loops over positions of channels are many and wait for
/// memory: without AVX-512 more code makes them no faster, and LLVM takes 1.5 times as long.
int KernelSchedule::choose_copies(const Plan& plan) const {
  const int max_instructions = kernel_.short_vector && !host_.avx512 ? 50 : 600;
  const int max_vectors = 2 * (host_.avx512 ? 32 : 16);
  const int work = rows_in_turn() * work_of(*plan.phase);
  const int registers = registers_of_vector(*plan.phase);
  const int vectors = rows_in_turn() * max_live_vectors(plan);
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

/// The least number of vectors that end where a row does, as often as it fits into `copies`.
int KernelSchedule::copies_of_flat_rows(int copies) const {
  const auto length = static_cast<int>(kernel_.row_length);
  const int least = length / std::gcd(length, lanes_);
  return std::max(copies / least, 1) * least;
}

/// Vectors that use up all words of their counters, or half of them: more copies than registers
/// hold are faster than words that are thrown away.
int KernelSchedule::copies_that_share_words() const {
  return 4 * kCounters / lanes_;
}

bool KernelSchedule::draws_random_bits(const Phase& phase) const {
  return std::ranges::any_of(phase.instrs, [&](int number) {
    const Instr& at = instr(number);
    return at.kind == InstrKind::random_bits && varies(number);
  });
}

/// Rows that add to an accumulator between its load and its store: where a row is as large as the
/// nearest cache, accumulators come from the second one, and delay what comes from memory. Each row
/// is a stream of memory for each of its loads and stores: twelve gain, sixteen take 1.1 times as
/// long.
int KernelSchedule::rows_at_once(const Plan& plan) const {
  constexpr int kMostStreams = 12;
  constexpr int kMaxInstructions = 300;
  const auto is_in_memory = [&](int number) {
    const Instr& at = instr(number);
    if (has_lanes_of_own(at.buffer)) return false;
    return at.kind == InstrKind::store ||
           (at.kind == InstrKind::load && varies(number) && !is_of_column(number));
  };
  const auto streams = std::ranges::count_if(plan.phase->instrs, is_in_memory);
  const int rows = 4 * streams <= kMostStreams ? 4 : 2;
  return rows * unroll_ * work_of(*plan.phase) <= kMaxInstructions ? rows : 1;
}

/// Rows that are added at a time in the loop of the phase. Those that compute more hide the wait.
int KernelSchedule::chains_of(const Plan& plan, int copies) const {
  constexpr int kLittleWork = 8;
  constexpr int kMostAccumulators = 16;
  if (!has_few_columns() || plan.accumulates.empty() || work_of(*plan.phase) > kLittleWork)
    return 1;
  const int accumulators = copies * static_cast<int>(plan.accumulates.size());
  int chains = 4;
  while (chains > 1 && chains * accumulators > kMostAccumulators)
    chains /= 2;
  return chains;
}

/// Of the main loop, which spans all phases but where those have loops of their own.
int KernelSchedule::choose_unroll() const {
  int unroll = 1;
  if (!kernel_.short_vector) {
    unroll = std::max(most_copies(), copies_that_share_words());
    for (const Plan& plan : plans_)
      unroll = std::min(unroll, choose_copies(plan));
    if (has_few_columns()) unroll = std::min(unroll, kernel_.column_vectors);
  }
  if (row_in_registers_) unroll = std::min(unroll, vectors_of_row());
  return kernel_.row_length > 0 ? copies_of_flat_rows(unroll) : unroll;
}

}  // namespace wick::codegen::llvm_jit
