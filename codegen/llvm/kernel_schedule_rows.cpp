// How rows are walked: several at a time, in registers, or with what is the same in all of them
// found in front. Rows here are positions of the last task dimension, which may be blocks of a
// single one.

#include <algorithm>
#include <ranges>
#include <set>

#include "wick/codegen/llvm/kernel_schedule.h"
#include "wick/codegen/row_scratch.h"

namespace wick::codegen::llvm_jit {

namespace {

constexpr int kMostInstructions = 1500;  // of straight code

}  // namespace

/// Whether neighboring rows have the same value of it.
bool KernelSchedule::are_shared(int number) const {
  return (deps_of(number) & dims_of_rows()) == 0;
}

/// Which tell one row from another.
uint64_t KernelSchedule::dims_of_rows() const {
  const uint64_t row = bit(task_dims_.back());
  return rows_are_blocks() ? row | bit(kernel_.blocking->inner) : row;
}

bool KernelSchedule::is_stored_and_read(int buffer) const {
  return kernel_.buffers[static_cast<size_t>(buffer)].written &&
         std::ranges::any_of(kernel_.instrs, [&](const Instr& at) {
           return at.kind == InstrKind::load && at.buffer == buffer;
         });
}

bool KernelSchedule::reads_what_it_stores() const {
  return std::ranges::any_of(kernel_.instrs, [&](const Instr& at) {
    return at.kind == InstrKind::store && is_stored_and_read(at.buffer) &&
           !is_in_registers(at.buffer);
  });
}

/// Rows take turns at each position of each loop, so what they write may be read in the same loop
/// alone, at the same place and before: partial results of columns. Any other load of a row would
/// come before the stores of the one before. What looks the same for all rows is loaded once.
bool KernelSchedule::is_read_in_turn(int buffer) const {
  const Instr* first = nullptr;
  const Phase* where = nullptr;
  bool is_stored = false;
  for (const Phase& phase : kernel_.phases) {
    for (const int number : phase.instrs) {
      const Instr& at = instr(number);
      if (at.buffer != buffer) continue;
      if (at.kind == InstrKind::load && are_shared(number)) return false;
      if (first == nullptr) {
        first = &at;
        where = &phase;
      }
      const bool is_same = at.address == first->address &&
                           at.dynamic_index == first->dynamic_index &&
                           at.dynamic_stride_param == first->dynamic_stride_param;
      if (!phase.loop || &phase != where || !is_same || is_stored) return false;
      is_stored = at.kind == InstrKind::store;
    }
  }
  return true;
}

/// Kernels of reduction loops.
bool KernelSchedule::rows_may_take_turns() const {
  if (!kernel_.vector_is_inner() || task_dims_.empty()) return false;
  const auto num_loops = std::ranges::count(kernel_.phases, true, &Phase::loop);
  if (num_loops > 1 && inner_dims_.size() > 1) return false;
  for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
    const BufferArg& buffer = kernel_.buffers[i];
    const int number = static_cast<int>(i);
    if (is_in_registers(number)) continue;
    if (!buffer.no_alias || buffer.own_elements > 0) return false;
    if (is_stored_and_read(number) && !is_read_in_turn(number)) return false;
  }
  for (size_t i = 0; i < kernel_.instrs.size(); ++i) {
    if (kernel_.instrs[i].kind == InstrKind::accumulate && !are_shared(static_cast<int>(i)))
      return true;
  }
  return false;
}

/// Of rows that are whole: blocks of them take turns as plain rows do, if at all.
bool KernelSchedule::rows_share_vectors() const {
  if (kernel_.blocking) return false;
  for (size_t i = 0; i < kernel_.instrs.size(); ++i) {
    if (kernel_.instrs[i].kind == InstrKind::load && varies(static_cast<int>(i)) &&
        are_shared(static_cast<int>(i))) {
      return true;
    }
  }
  return false;
}

/// Loads of vectors that are other ones in each row.
int KernelSchedule::loads_of_row(uint64_t row_dims) const {
  int loads = 0;
  for (size_t i = 0; i < kernel_.instrs.size(); ++i) {
    const bool is_own = varies(static_cast<int>(i)) && (deps_[i] & row_dims) != 0;
    if (kernel_.instrs[i].kind == InstrKind::load && is_own) ++loads;
  }
  return loads;
}

/// Rows of one vector each that is read as it lies in memory, with little to compute. Those of two
/// are two streams as they are, and arithmetic gains nothing: sums of exp(x) take 1.06 times as
/// long. Blocks of two long rows are read in less by Zen 5: the product of two vectors of 3 M in
/// 0.7 of the time.
bool KernelSchedule::rows_wait_for_memory() const {
  constexpr int kLittleWork = 8;
  const int most_loads = host_.zen5 && rows_are_blocks() ? 2 : 1;
  const int loads = loads_of_row(dims_of_rows());
  if (loads == 0 || loads > most_loads || work_of(*loop_plan().phase) > kLittleWork) return false;
  return std::ranges::all_of(loop_plan().phase->instrs, [&](int number) {
    const Instr& at = instr(number);
    if (at.kind != InstrKind::load || !varies(number)) return true;
    return at.predicate < 0 && at.dynamic_index < 0 && vector_term(at).stride == Stride::one;
  });
}

/// As memory brings them fastest. Zen 4 has one stream as fast as four, and two sooner by a
/// twentieth, which is less than what a second chain of maxima costs; argmax also waits for itself.
int KernelSchedule::rows_of_memory() const {
  const auto& accumulates = loop_plan().accumulates;
  const auto waits_for_itself = [&](int number) { return reduction_of(number).tracks_position(); };
  const auto is_sum = [&](int number) { return instr(number).op == ir::OpKind::reduce_sum; };
  if (!rows_wait_for_memory()) return 1;
  if (!host_.zen || host_.zen5 || std::ranges::any_of(accumulates, waits_for_itself)) return 4;
  return std::ranges::all_of(accumulates, is_sum) ? 2 : 1;
}

/// By one loop that stores nothing.
bool KernelSchedule::rows_are_read_once() const {
  if (std::ranges::count(kernel_.phases, true, &Phase::loop) != 1) return false;
  return std::ranges::none_of(loop_plan().phase->instrs,
                              [&](int number) { return instr(number).kind == InstrKind::store; });
}

/// As many as leave each row two accumulators: a chain of additions waits for itself. Of rows that
/// several loops walk or that are stored, four together are too many streams: the gradient of a
/// layer norm took 1.1 to 1.3 times as long as one by one. Where a row adds to what the one before
/// has just stored, between stores past the caches of which a line takes two, it waits for these:
/// 2.5 to 3.5 times as long (Zen 3).
void KernelSchedule::choose_rows_together() {
  if (!rows_may_take_turns() || (!host_.avx512 && reads_what_it_stores())) return;
  if (row_in_registers_) {
    rows_together_ = rows_in_registers();
    return;
  }
  if (rows_are_read_once()) {
    rows_together_ = rows_share_vectors() ? 4 : rows_of_memory();
  } else if (rows_share_vectors()) {
    rows_together_ = 2;
  }
  const auto has_few_copies = [&](const Plan& plan) {
    return plan.phase->loop && choose_copies(plan) < 2;
  };
  while (rows_together_ > 1 && std::ranges::any_of(plans_, has_few_copies))
    rows_together_ /= 2;
}

/// Rows in registers that are walked at once, so that one computes while another waits for its
/// folds: the machine does not look that far ahead. What registers do not hold is put aside, which
/// pays with AVX2, and on Zen 5 where rows wait more than once and compute little or are few
/// vectors. (On other machines with AVX-512 that was not measured.)
int KernelSchedule::rows_in_registers() const {
  constexpr int kVectorRegisters = 16;  // at least so many hold what is kept of rows
  constexpr int kMostVectors = 64;
  constexpr int kMostVectorsWithFunctions = 56;
  constexpr int kMostVectorsOfPair = 28;
  constexpr int kMostStreams = 8;
  constexpr int kMostRowsOfShortVectors = 4;
  if (host_.lanes < 8) return 1;
  int work = 0;
  int waits = 0;
  int registers = 1;
  bool has_functions = false;
  for (const Plan& plan : plans_) {
    if (!plan.phase->loop) continue;
    work += work_of(*plan.phase);
    registers = std::max(registers, registers_of_vector(*plan.phase));
    if (!plan.accumulates.empty()) ++waits;
    has_functions |= std::ranges::any_of(plan.phase->instrs,
                                         [&](int number) { return is_costly(instr(number)); });
  }
  const int row = vectors_of_row() * registers;
  const auto as_fit = [&](int rows, int vectors, int most) {
    while (rows > 1 && (rows * vectors > most || rows * row * work > kMostInstructions))
      rows /= 2;
    return rows;
  };
  if (!host_.avx512) {
    const int most = has_functions ? kMostVectorsWithFunctions : kMostVectors;
    return as_fit(kMostRowsOfShortVectors, row, most);
  }
  const int streams = std::max(static_cast<int>(read_along_rows().size()), 1);
  const int vectors = row * streams;
  const bool may_put_aside = host_.zen5 && waits > 1;
  const int most = may_put_aside && !has_functions ? kMostVectors : kVectorRegisters;
  const int rows = as_fit(std::max(kMostStreams / streams, 1), vectors, most);
  return may_put_aside ? std::max(rows, as_fit(2, vectors, kMostVectorsOfPair)) : rows;
}

/// Buffers, each with other vectors in each row.
std::set<int> KernelSchedule::read_along_rows() const {
  std::set<int> buffers;
  for (size_t i = 0; i < kernel_.instrs.size(); ++i) {
    const Instr& at = kernel_.instrs[i];
    if (reads_vectors(at) && !are_shared(static_cast<int>(i))) buffers.insert(at.buffer);
  }
  return buffers;
}

/// Of rows in registers, where they come from memory. (Compiled for AVX2, groups are no slower from
/// there than single rows, nor are groups of rows of 16-bit numbers, which are not counted.)
int KernelSchedule::rows_together_from_memory() const {
  constexpr int64_t kMostBytes = 1024;
  if (!host_.avx512) return rows_together_;
  int64_t bytes = 0;
  for (const int buffer : read_along_rows()) {
    const DType dtype = kernel_.buffers[static_cast<size_t>(buffer)].dtype;
    bytes += kernel_.row_bound * static_cast<int64_t>(size_of(dtype));
  }
  int rows = rows_together_;
  while (rows > 1 && rows * bytes > kMostBytes)
    rows /= 2;
  return rows;
}

/// That take turns in the body of each loop.
int KernelSchedule::rows_in_turn() const {
  return row_in_registers_ ? 1 : rows_together_;
}

bool KernelSchedule::rows_are_blocks() const {
  return kernel_.blocking && kernel_.blocking->outer == task_dims_.back();
}

int KernelSchedule::vectors_of_row() const {
  return static_cast<int>(kernel_.row_bound / lanes_);
}

/// Those that every row fills.
int KernelSchedule::whole_vectors_of_row() const {
  return static_cast<int>((kernel_.row_bound - kRowStep) / lanes_);
}

/// Unless there is too much code, or so many vectors that registers do not hold them. A loop alone,
/// of which memory is the limit, reads long rows as fast, and several of them at once faster.
bool KernelSchedule::can_keep_rows_in_registers() const {
  constexpr int kMostVectors = 16;
  constexpr int kLittleWork = 8;
  constexpr int64_t kLongestOfLittleWork = 128;
  if (kernel_.row_bound == 0 || !kernel_.vector_is_inner()) return false;
  if (!cuts_.empty() || vectors_of_row() > kMostVectors) return false;
  if (!host_.avx512 && !stores_are_apart()) return false;
  for (size_t i = 0; i < kernel_.instrs.size(); ++i) {
    if (kernel_.instrs[i].kind == InstrKind::random_bits || is_choice_[i]) return false;
  }
  if (rows_are_read_once() && work_of(*loop_plan().phase) <= kLittleWork)
    return kernel_.row_bound <= kLongestOfLittleWork;
  int work = 0;
  for (const Plan& plan : plans_) {
    if (plan.phase->loop) work += work_of(*plan.phase);
  }
  return work * vectors_of_row() <= kMostInstructions;
}

/// Than it computes the inverse of what each row is divided by, which the row has to wait for.
bool KernelSchedule::divides_row_faster() const {
  constexpr int kFewVectors = 4;
  return host_.zen || vectors_of_row() <= kFewVectors;
}

/// In place of memory of the kernel's own.
bool KernelSchedule::is_in_registers(int buffer) const {
  return row_in_registers_ && is_own(buffer);
}

/// Unless there is too much code. Without AVX-512 what last vectors share is computed twice, and
/// guards of lanes want masked loads.
bool KernelSchedule::can_walk_bound_rows() const {
  constexpr int kMostInstructions = 300;
  if (kernel_.vector_is_inner() || kernel_.row_bound == 0 || reads_across()) return false;
  if (!host_.avx512 && kernel_.lane_guarded && !stores_are_apart()) return false;
  const auto has_missing_mask = [&](int number) {
    const Instr& at = instr(number);
    const bool has_mask = at.kind == InstrKind::load && at.predicate >= 0 && varies(at.predicate);
    return has_mask && lacks_masks(at);
  };
  int work = 0;
  for (const Phase& phase : kernel_.phases) {
    if (draws_random_bits(phase)) return false;
    if (std::ranges::any_of(phase.instrs, has_missing_mask)) return false;
    work += work_of(phase);
  }
  return !stages_strips() && work * vectors_of_row() <= kMostInstructions;
}

/// Whether lines are not looked for in them. Those of tiles are rows of copies, which have them.
bool KernelSchedule::rows_have_no_lines() const {
  return kernel_.lane_guarded && staged_.accesses.empty();
}

/// Stores of transposing kernels past the caches that are put together a tile at a time: of short
/// rows, few of which begin or end with a line.
llvm::SmallVector<int, 4> KernelSchedule::streams_of_tiles() const {
  constexpr int64_t kLongestRow = 64;
  constexpr size_t kMostStreams = 2;  // small stacks hold little
  if (!walks_bound_rows_ || staged_.accesses.empty() || plans_.size() > 1) return {};
  if (kernel_.row_bound > kLongestRow) return {};
  llvm::SmallVector<int, 4> streams = streams_of(plans_[0]);
  if (streams.size() > kMostStreams) streams.clear();
  return streams;
}

/// Shorter rows gain nothing.
void KernelSchedule::find_lenders() {
  constexpr int64_t kLongRow = 1024;
  if (row_in_registers_ || kernel_.row_bound > 0 || kernel_.blocking) return;
  if (!kernel_.vector_is_inner() || inner_dims_.size() != 1) return;
  for (int own = 0; own < static_cast<int>(kernel_.buffers.size()); ++own) {
    if (kernel_.buffers[static_cast<size_t>(own)].own_elements < kLongRow) continue;
    const auto stores = std::views::iota(0, static_cast<int>(kernel_.instrs.size()));
    const auto lender = std::ranges::find_if(stores, [&](int store) {
      return may_lend(store, own) &&
             std::ranges::none_of(lenders_, [&](const auto& lent) { return lent.second == store; });
    });
    if (lender != stores.end()) lenders_[own] = *lender;
  }
}

/// A store of the same type behind which nothing touches the memory.
bool KernelSchedule::may_lend(int store, int own) const {
  const auto dtype_of = [&](int buffer) {
    return kernel_.buffers[static_cast<size_t>(buffer)].dtype;
  };
  if (!is_stream(store) || instr(store).dynamic_index >= 0) return false;
  if (dtype_of(instr(store).buffer) != dtype_of(own)) return false;
  bool is_stored = false;
  for (const Phase& phase : kernel_.phases) {
    for (const int number : phase.instrs) {
      if (is_stored && instr(number).buffer == own) return false;
      is_stored |= number == store;
    }
  }
  return is_stored;
}

}  // namespace wick::codegen::llvm_jit
