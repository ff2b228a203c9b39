#pragma once

// How a kernel is going to be emitted, decided before there is any code: what depends on what and
// at which level of the loops it is computed, how many vectors and rows the bodies of loops take,
// what stays in registers or in memory of the function, what is asked for ahead and which stores
// may go past the caches. KernelEmitter then writes it down.
//
// Levels: 0 before all loops, 1 the body of the loop over tasks, 2 the body of the loop over an
// outer vector dimension, 3 + j the body of the loop over inner dimension j.
//
// Rows of few vectors are walked without loops, and what later phases need of them stays in
// registers. Columns are reduced in one of three ways. Few of them, a short vector dimension: the
// copies of the body are positions of the last inner dimension instead. Long ones: row by row as
// memory has them, with the vector loop inside the inner ones, and with accumulators for many
// columns, and what later loops need of each, in memory of their own. Else in strips as wide as
// registers allow.

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>

#include "wick/codegen/kernel_ir.h"
#include "wick/codegen/llvm/function_forms.h"
#include "wick/codegen/llvm/host_target.h"
#include "wick/codegen/llvm/reduction.h"
#include "wick/codegen/llvm/staging.h"

namespace wick::codegen::llvm_jit {

inline constexpr int kTaskLevel = 1;
inline constexpr int kVectorLevel = 2;
inline constexpr int kInnerLevel = 3;

inline constexpr int64_t kLineBytes = 64;  // of the cache

inline constexpr int kPrefetchParts = 4;  // of a row

/// A part of a row that a load of another loop reads, asked for along a loop.
struct Prefetch {
  int number = 0;  // of the load
  bool of_next_task = false;
  int begin = 0;  // in kPrefetchParts
  int size = 0;
};

/// A phase with the level of each of its instructions.
struct Plan {
  const Phase* phase = nullptr;
  std::vector<int> levels;  // one an instruction of the phase
  std::vector<int> accumulates;
  std::vector<Prefetch> prefetches;
};

/// Whether all lanes up to some place have a comparison of positions true, or all behind it.
bool splits_lanes(ir::OpKind op);
/// Whether the instruction is one of the phase.
bool is_in(const Phase& phase, int number);

class KernelSchedule {
 public:
  /// Columns in memory are taken in multiples of what a body takes at most, and in pieces of rows
  /// that are long enough for memory.
  static constexpr int64_t kWholeColumns = 64;
  static constexpr int64_t kLeastPiece = 256;
  /// Counters of random numbers together, each with words for as many elements behind each other.
  static constexpr int kCounters = 16;

  KernelSchedule(const Kernel& given, const HostTarget& host);
  KernelSchedule(const KernelSchedule&) = delete;

  /// As it was given, but for what is staged.
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }

  [[nodiscard]] llvm::ArrayRef<Staged> staged() const { return staged_.accesses; }

  [[nodiscard]] llvm::ArrayRef<int> inner_dims() const { return inner_dims_; }

  [[nodiscard]] llvm::ArrayRef<int> task_dims() const { return task_dims_; }

  /// Which the copies of a body are positions of.
  [[nodiscard]] int copy_dim() const { return copy_dim_; }

  /// One a phase.
  [[nodiscard]] llvm::ArrayRef<Plan> plans() const { return plans_; }

  /// Copies in the main loop; loops of their own may take others.
  [[nodiscard]] int unroll() const { return unroll_; }

  /// Positions that own memory has side by side.
  [[nodiscard]] int64_t own_width() const { return own_width_; }

  // kernel_schedule.cpp: instructions and their levels
  [[nodiscard]] const Instr& instr(int number) const;
  [[nodiscard]] Reduction reduction_of(int accumulate) const;
  /// Of what a function is asked for.
  [[nodiscard]] const InstrForm& form_of(int number) const;
  /// What it is computed from, as its form has it.
  [[nodiscard]] llvm::ArrayRef<int> arguments_of(int number) const;

  [[nodiscard]] bool divides_floats() const { return divides_floats_; }

  [[nodiscard]] bool has_known_divisor(const Instr& instr) const;
  [[nodiscard]] bool divides_many(int number) const;
  [[nodiscard]] bool needs_splat(int number) const;
  [[nodiscard]] bool is_interleaved(int number) const;
  [[nodiscard]] bool is_pinned(const Instr& instr) const;
  [[nodiscard]] bool depends_on(int number, int dim) const;
  [[nodiscard]] bool depends_on_inner(int number) const;
  [[nodiscard]] bool depends_on_vector_alone(int number) const;
  [[nodiscard]] bool varies(int number) const;
  [[nodiscard]] bool has_copies(int number) const;
  [[nodiscard]] int innermost_level() const;
  [[nodiscard]] const Affine::Term& vector_term(const Instr& at) const;
  [[nodiscard]] bool is_own(int buffer) const;
  [[nodiscard]] bool has_lanes_of_own(int buffer) const;
  [[nodiscard]] const Plan& loop_plan() const;
  [[nodiscard]] bool has_several_loops() const;
  [[nodiscard]] bool walks_back(const Plan& plan) const;
  [[nodiscard]] llvm::ArrayRef<Plan> straight_code_behind(const Plan* loop) const;

  // kernel_schedule_copies.cpp: how much is walked at once
  [[nodiscard]] int work_of(const Phase& phase) const;
  [[nodiscard]] int registers_of_vector(const Phase& phase) const;
  [[nodiscard]] int choose_copies(const Plan& plan) const;
  [[nodiscard]] int copies_that_share_words() const;
  [[nodiscard]] int chains_of(const Plan& plan, int copies) const;
  [[nodiscard]] int rows_at_once(const Plan& plan) const;

  // kernel_schedule_rows.cpp: which rows, and how
  [[nodiscard]] int rows_together() const { return rows_together_; }

  [[nodiscard]] int rows_together_from_memory() const;

  [[nodiscard]] bool are_shared(int number) const;
  [[nodiscard]] bool rows_share_vectors() const;
  [[nodiscard]] bool rows_are_read_once() const;
  [[nodiscard]] bool rows_are_blocks() const;

  [[nodiscard]] bool row_in_registers() const { return row_in_registers_; }

  [[nodiscard]] int vectors_of_row() const;
  [[nodiscard]] int whole_vectors_of_row() const;
  [[nodiscard]] bool is_in_registers(int buffer) const;

  [[nodiscard]] bool walks_bound_rows() const { return walks_bound_rows_; }

  /// By own memory, the store whose rows may stand for it.
  [[nodiscard]] const std::map<int, int>& lenders() const { return lenders_; }

  // kernel_schedule_columns.cpp
  [[nodiscard]] bool has_few_columns() const;

  [[nodiscard]] bool columns_in_memory() const { return columns_in_memory_; }

  [[nodiscard]] bool is_of_column(int number) const;
  [[nodiscard]] llvm::SmallVector<int, 4> uses_of(int number) const;

  /// Instructions whose values for each column later loops need.
  [[nodiscard]] const std::set<int>& kept_columns() const { return kept_columns_; }

  /// The loops up to where an instruction is first computed.
  [[nodiscard]] int loop_of(int number) const;
  [[nodiscard]] int64_t most_columns_at_once() const;

  // kernel_schedule_guards.cpp
  /// Comparisons that the vector loop is cut by.
  [[nodiscard]] llvm::ArrayRef<int> cuts() const { return cuts_; }

  [[nodiscard]] int compared_position(const Instr& instr) const;
  [[nodiscard]] bool is_choice(int number) const;
  [[nodiscard]] bool is_chosen(int number) const;
  [[nodiscard]] bool lacks_masks(const Instr& instr) const;
  [[nodiscard]] bool depends_on_tasks(int predicate) const;
  [[nodiscard]] bool has_whole_vectors() const;
  [[nodiscard]] bool avoids_masks() const;
  [[nodiscard]] bool may_compute_twice() const;
  [[nodiscard]] bool stores_are_apart() const;

  // kernel_schedule_memory.cpp
  [[nodiscard]] bool is_stream(int number) const;
  [[nodiscard]] bool is_bound_by_stores(int stream) const;
  [[nodiscard]] llvm::SmallVector<int, 4> streams_of(const Plan& plan) const;
  [[nodiscard]] llvm::SmallVector<int, 4> streams_of_tiles() const;
  [[nodiscard]] bool rows_have_no_lines() const;
  [[nodiscard]] bool may_stream_blocks(int number) const;
  [[nodiscard]] bool reads_vectors(const Instr& instr) const;
  [[nodiscard]] bool hides_loads(const Plan& plan) const;
  [[nodiscard]] bool asks_ahead(const Plan& plan) const;
  [[nodiscard]] bool asks_for_next_chunk(const Plan& plan) const;
  [[nodiscard]] bool reads_across() const;
  [[nodiscard]] int64_t bytes_that_tasks_share() const;
  [[nodiscard]] std::pair<int64_t, int64_t> known_offsets_beside(const Instr& at) const;
  [[nodiscard]] bool stages_for_many_tasks() const;
  [[nodiscard]] bool stages_strips() const;
  [[nodiscard]] bool is_of_flat_rows(const Instr& instr) const;
  [[nodiscard]] bool repeats_in_rows(const Instr& at) const;
  [[nodiscard]] int64_t place_of_lane(const Affine::Term& term, int64_t lane) const;
  [[nodiscard]] bool are_far_apart(std::set<int64_t> places) const;

 private:
  // kernel_schedule.cpp
  void find_dependencies();
  void find_splats();
  [[nodiscard]] static uint64_t bit(int dim);
  [[nodiscard]] uint64_t inner_dims_mask() const;
  [[nodiscard]] uint64_t deps_of(int number) const;
  [[nodiscard]] int level_of(uint64_t dims) const;
  [[nodiscard]] int64_t choose_own_width() const;
  Plan make_plan(const Phase& phase);

  // kernel_schedule_copies.cpp
  [[nodiscard]] int max_live_vectors(const Plan& plan) const;
  [[nodiscard]] int most_copies() const;
  [[nodiscard]] bool waits_for_sums() const;
  [[nodiscard]] bool keeps_sums(const Plan& plan, int registers) const;
  [[nodiscard]] int copies_of_flat_rows(int copies) const;
  [[nodiscard]] bool draws_random_bits(const Phase& phase) const;
  [[nodiscard]] int choose_unroll() const;

  // kernel_schedule_rows.cpp
  [[nodiscard]] uint64_t dims_of_rows() const;
  [[nodiscard]] bool is_stored_and_read(int buffer) const;
  [[nodiscard]] bool reads_what_it_stores() const;
  [[nodiscard]] bool is_read_in_turn(int buffer) const;
  [[nodiscard]] bool rows_may_take_turns() const;
  [[nodiscard]] int loads_of_row(uint64_t row_dims) const;
  [[nodiscard]] bool rows_wait_for_memory() const;
  [[nodiscard]] int rows_of_memory() const;
  void choose_rows_together();
  [[nodiscard]] int rows_in_registers() const;
  [[nodiscard]] std::set<int> read_along_rows() const;
  [[nodiscard]] int rows_in_turn() const;
  [[nodiscard]] bool can_keep_rows_in_registers() const;
  [[nodiscard]] bool divides_row_faster() const;
  [[nodiscard]] bool can_walk_bound_rows() const;
  void find_lenders();
  [[nodiscard]] bool may_lend(int store, int own) const;

  // kernel_schedule_columns.cpp
  [[nodiscard]] bool can_keep_columns_in_memory() const;
  [[nodiscard]] int64_t own_elements_of_column() const;
  void find_kept_columns();

  // kernel_schedule_guards.cpp
  void find_cuts();
  void find_choices();

  // kernel_schedule_memory.cpp
  [[nodiscard]] bool gathers_rows(const Plan& plan) const;
  [[nodiscard]] int64_t work_of_memory(const Plan& plan) const;
  [[nodiscard]] bool is_bound_by_arithmetic(const Plan& plan) const;
  void find_prefetches();
  void share_prefetch(llvm::ArrayRef<Plan*> loops, size_t reader, int number);
  [[nodiscard]] bool is_shared_by_tasks(const Staged& staged) const;
  [[nodiscard]] bool loads_each(const Instr& at) const;

  const StagedKernel staged_;
  const Kernel& kernel_;  // the staged one
  const HostTarget& host_;
  const int lanes_;

  std::vector<int> inner_dims_;
  std::vector<int> task_dims_;
  int copy_dim_ = 0;
  std::vector<uint64_t> deps_;    // dims that an instruction depends on, by instruction
  std::vector<InstrForm> forms_;  // one an instruction
  bool divides_floats_ = false;
  std::vector<bool> needs_splat_;
  std::vector<bool> divides_many_;
  llvm::DenseMap<int, int> known_levels_;  // where an instruction planned so far is emitted
  std::vector<Plan> plans_;

  std::vector<bool> is_cut_;  // uniform between cuts of the vector loop
  std::vector<int> cuts_;
  std::vector<bool> is_choice_;  // one load, which uniform conditions choose
  std::vector<bool> is_chosen_;  // part of a choice

  bool walks_bound_rows_ = false;
  bool row_in_registers_ = false;
  int rows_together_ = 1;
  std::map<int, int> lenders_;
  bool columns_in_memory_ = false;
  std::vector<int> loop_of_;
  std::set<int> kept_columns_;
  int unroll_ = 1;
  int64_t own_width_ = 1;
};

}  // namespace wick::codegen::llvm_jit
