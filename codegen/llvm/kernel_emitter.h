#pragma once

// Kernel IR to one LLVM function of type KernelFunction.
//
// No IR passes run afterwards, so the emitter does what matters: an instruction is emitted at the
// loop level that it depends on, addresses are advanced level by level, values that do not vary
// along the vector dimension stay scalar, and the vector loop is unrolled by `copies` with as many
// accumulators. Levels: 0 before all loops, 1 the body of the loop over tasks, 2 the body of the
// loop over an outer vector dimension, 3 + j the body of the loop over inner dimension j.
//
// Rows of few vectors are walked without loops, and what later phases need of them stays in
// registers. Columns are reduced in one of three ways. Few of them, a short vector dimension: the
// copies of the body are positions of the last inner dimension instead. Long ones: row by row as
// memory has them, with the vector loop inside the inner ones, and with accumulators for many
// columns, and what later loops need of each, in memory of their own. Else in strips as wide as
// registers allow.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/MDBuilder.h>

#include "wick/codegen/kernel_ir.h"
#include "wick/codegen/llvm/division.h"
#include "wick/codegen/llvm/emit_context.h"
#include "wick/codegen/llvm/emitter_records.h"
#include "wick/codegen/llvm/function_forms.h"
#include "wick/codegen/llvm/reduction.h"
#include "wick/codegen/llvm/staging.h"
#include "wick/codegen/llvm/transposing_copy.h"

namespace wick::codegen::llvm_jit {

/// Where lines of the cache begin, and so stores past the caches and stacks.
inline constexpr llvm::Align kCacheLine = llvm::Align::Constant<64>();

class KernelEmitter {
 public:
  KernelEmitter(const Kernel& kernel, llvm::Module& module, const HostTarget& host);

  llvm::Function* emit(const std::string& symbol);

 private:
  static constexpr int kTaskLevel = 1;
  static constexpr int kVectorLevel = 2;
  static constexpr int kInnerLevel = 3;

  // kernel_emitter.cpp: analysis, phases, instructions
  void find_dependencies();
  void find_splats();
  void collect_accesses();
  Plan make_plan(const Phase& phase);
  [[nodiscard]] bool is_pinned(const Instr& instr) const;
  [[nodiscard]] int level_of(uint64_t dims) const;
  [[nodiscard]] int innermost_level() const;
  [[nodiscard]] static uint64_t bit(int dim);
  [[nodiscard]] uint64_t inner_dims_mask() const;
  [[nodiscard]] bool varies(int number) const;
  [[nodiscard]] bool has_copies(int number) const;
  [[nodiscard]] int work_of(const Phase& phase) const;
  [[nodiscard]] bool keeps_sums(const Plan& plan, int registers) const;
  [[nodiscard]] int choose_copies(const Plan& plan) const;
  [[nodiscard]] int most_copies() const;
  [[nodiscard]] bool waits_for_sums() const;
  [[nodiscard]] int max_live_vectors(const Plan& plan) const;
  void emit_phases();
  void emit_loop_phase(const Plan& plan);
  void emit_inner(const Plan& plan, size_t depth);
  void emit_copied_loop(llvm::Value* begin,
                        llvm::Value* end,
                        const std::function<void(llvm::Value*)>& body);
  void emit_level(const Plan& plan, int first_level, int last_level);
  void emit_instr(int number);
  llvm::Value* emit_copy(const Instr& instr, int number, int copy);
  [[nodiscard]] bool has_known_divisor(const Instr& instr) const;
  void add_other_forms(int number, Slot& slot);
  void emit_accumulate(const Instr& instr, int number);
  [[nodiscard]] int num_accumulator_copies() const;
  [[nodiscard]] size_t first_accumulator(int number) const;
  void start_accumulators(const Plan& plan);
  void finish_accumulators(const Plan& plan);
  llvm::Value* operand(int number, int copy, bool as_vector);
  [[nodiscard]] const Instr& instr(int number) const;
  [[nodiscard]] Reduction reduction_of(int accumulate) const;

  // kernel_emitter_few_columns.cpp
  [[nodiscard]] bool has_few_columns() const;
  [[nodiscard]] int chains_of(const Plan& plan) const;
  [[nodiscard]] bool may_overlap_columns() const;
  void emit_few_columns(Range range, const std::function<void()>& body);
  void emit_chains(Range range, const std::function<void(llvm::Value*)>& body);
  void join_chains(const Plan& plan);

  // kernel_emitter_lent_rows.cpp
  void find_lenders();
  [[nodiscard]] bool may_lend(int store, int own) const;
  llvm::Value* rows_are_lent();
  void borrow_rows();

  // kernel_emitter_columns.cpp
  [[nodiscard]] bool can_keep_columns_in_memory() const;
  [[nodiscard]] int64_t own_elements_of_column() const;
  [[nodiscard]] const Plan& loop_plan() const;
  [[nodiscard]] bool is_of_column(int number) const;
  [[nodiscard]] llvm::SmallVector<int, 4> uses_of(int number) const;
  void find_kept_columns();
  [[nodiscard]] int64_t most_columns_at_once() const;
  [[nodiscard]] bool has_several_loops() const;
  llvm::Value* columns_at_once();
  [[nodiscard]] static llvm::Type* type_in_column(llvm::Type* type);
  llvm::Value* make_column(llvm::Type* element);
  llvm::Value* load_column(llvm::Type* vector, llvm::Value* place);
  void store_column(llvm::Value* value, llvm::Value* place);
  void emit_columns(Range columns);
  void make_columns();
  void start_columns(const Plan& plan);
  void load_columns(const Plan& plan);
  void store_columns(const Plan& plan);
  void provide_column(int number);
  void provide_columns_of(const Plan& plan);
  [[nodiscard]] int rows_at_once(const Plan& plan) const;
  void emit_rows_of_columns(const Plan& plan);
  void emit_rows_together(const Plan& plan, Range range);
  void emit_columns_of_rows(const Plan& plan,
                            llvm::Value* first,
                            int count,
                            llvm::ArrayRef<int> streams);
  void share_values_of_columns(llvm::ArrayRef<Slot> known);
  void finish_columns(const Plan* loop);
  [[nodiscard]] bool finishes_columns(const Plan* loop) const;
  [[nodiscard]] llvm::ArrayRef<Plan> straight_code_behind(const Plan* loop) const;
  llvm::Value* column_place(const Column& column, llvm::Value* position, int copy);

  // kernel_emitter_loops.cpp
  [[nodiscard]] bool reads_across() const;
  void emit_tiles(Range tasks, Range vectors, const std::function<void(Range, Range)>& body);
  std::vector<llvm::Value*> positions_of(llvm::Value* number, llvm::ArrayRef<int> dims);
  void for_each_line(
      Range tasks,
      const std::function<void(const std::vector<llvm::Value*>& starts, Range line)>& body);
  llvm::Value* nonzero_extent(int dim);
  void emit_tasks(Range tasks, Range vectors, const std::vector<llvm::Value*>& starts);
  void for_each_task(Range tasks,
                     const std::vector<llvm::Value*>& starts,
                     const std::function<void()>& body);
  void emit_task(Range vectors);
  void emit_vector_loops(llvm::Value* begin,
                         llvm::Value* end,
                         llvm::ArrayRef<int> streams,
                         const std::function<void()>& body);
  [[nodiscard]] bool has_whole_vectors() const;
  [[nodiscard]] bool avoids_masks() const;
  [[nodiscard]] bool may_compute_twice() const;
  [[nodiscard]] bool stores_are_apart() const;
  void emit_unmasked_loop(Range range,
                          int copies,
                          llvm::Value* last,
                          const std::function<void()>& body);
  llvm::Value* emit_whole_vectors(llvm::Value* rest,
                                  llvm::Value* end,
                                  const std::function<void()>& body);
  llvm::Value* emit_last_vectors(Range range,
                                 llvm::Value* rest,
                                 llvm::ArrayRef<int> streams,
                                 const std::function<void()>& body);
  llvm::Value* emit_head(llvm::Value* begin,
                         llvm::Value* end,
                         int stream,
                         const std::function<void()>& body);
  llvm::Value* end_of_whole_steps(Range range, int64_t step);
  void emit_masked_loop(Range range, int copies, const std::function<void()>& body);
  [[nodiscard]] bool walks_back(const Plan& plan) const;
  llvm::Value* emit_main_loop(llvm::Value* begin,
                              llvm::Value* main_end,
                              llvm::Value* end,
                              llvm::ArrayRef<int> streams,
                              const std::function<void()>& body);
  void loop(llvm::Value* begin,
            llvm::Value* end,
            llvm::Value* step,
            const std::function<void(llvm::Value*)>& body);

  void loop(llvm::Value* begin,
            llvm::Value* end,
            int64_t step,
            const std::function<void(llvm::Value*)>& body) {
    loop(begin, end, e_.b.getInt64(static_cast<uint64_t>(step)), body);
  }

  void emit_if(llvm::Value* condition,
               const std::function<void()>& then,
               const std::function<void()>& otherwise = nullptr);
  Range inner_range(int dim);
  llvm::Value* lane_mask(llvm::Value* remaining);
  [[nodiscard]] llvm::Value* mask_of_copy(int copy) const;
  [[nodiscard]] Scope save_scope() const;
  void restore_scope(Scope scope);

  // kernel_emitter_row_groups.cpp
  [[nodiscard]] uint64_t dims_of_rows() const;
  [[nodiscard]] bool are_shared(uint64_t deps) const;
  [[nodiscard]] bool is_stored_and_read(int buffer) const;
  [[nodiscard]] bool reads_what_it_stores() const;
  [[nodiscard]] bool is_read_in_turn(int buffer) const;
  [[nodiscard]] bool rows_may_take_turns() const;
  [[nodiscard]] bool rows_share_vectors() const;
  [[nodiscard]] int loads_of_row(uint64_t row_dims) const;
  [[nodiscard]] bool rows_wait_for_memory() const;
  [[nodiscard]] int rows_of_memory() const;
  [[nodiscard]] bool rows_are_read_once() const;
  void choose_rows_together();
  void emit_groups_of_rows(Range tasks);
  llvm::Value* bytes_that_rows_share();
  [[nodiscard]] bool rows_are_blocks() const;
  llvm::Value* end_of_equal_rows(llvm::Value* end);
  llvm::Value* position_in_row(int dim, llvm::Value* first);
  llvm::Value* distance_of_row(int row);
  llvm::Value* pays_to_group();
  void emit_rows(llvm::Value* first, int count);
  void for_each_row(const std::function<void()>& body);

  // kernel_emitter_row_registers.cpp
  [[nodiscard]] int vectors_of_row() const;
  [[nodiscard]] bool can_keep_rows_in_registers() const;
  [[nodiscard]] bool divides_row_faster() const;
  [[nodiscard]] bool is_in_registers(int buffer) const;
  void emit_kept_value(const Instr& at, int number);
  llvm::Value* whole_rows_stream();
  void emit_row_in_registers(const Plan& plan);
  void emit_vectors_of_row(const Plan& plan, bool is_whole);
  void emit_prefetches_of_masked_lines(const Plan& plan);
  void emit_part_of_row(const Plan& plan, int first, llvm::Value* position);
  [[nodiscard]] int whole_vectors_of_row() const;
  llvm::Value* mask_of_row_end();
  RowEnd place_of_row_end(int vector);

  // kernel_emitter_bound_rows.cpp
  struct RowPart {
    Scope scope;
    int copies = 1;
    Values masks;
    std::vector<size_t> wide_masks;  // slots of the scope that hold masks in lanes of 32 bits
  };

  [[nodiscard]] bool can_walk_bound_rows() const;
  llvm::Value* may_walk_bound_rows(Range vectors);
  RowPart start_part_of_rows(llvm::Value* begin, int copies, Values masks);
  void widen_masks(RowPart& part);
  void enter_part(const RowPart& part);
  void emit_bound_rows(Range tasks, const std::vector<llvm::Value*>& starts);

  // kernel_emitter_flat_rows.cpp
  [[nodiscard]] bool is_of_flat_rows(const Instr& instr) const;
  [[nodiscard]] int copies_of_flat_rows(int copies) const;
  llvm::Value* emit_head_of_flat_rows(llvm::Value* begin,
                                      llvm::Value* end,
                                      const std::function<void()>& body);
  void start_flat_rows(llvm::Value* begin);
  llvm::Value* load_of_flat_rows(const Instr& instr, int number, int copy);
  void copy_columns_of_long_rows();

  struct RowPlace {
    llvm::Value* position = nullptr;
    llvm::Value* row = nullptr;
    llvm::Value* column = nullptr;
  };

  RowPlace place_in_long_rows(int copy);
  llvm::Value* row_of(llvm::Value* position);
  llvm::Value* load_of_long_rows(const Instr& instr, int number, int copy);
  [[nodiscard]] const Affine::Term& vector_term(const Instr& at) const;
  llvm::Value* load_transposed_rows(const Instr& at, int number, llvm::Value* position, int copy);
  llvm::Value* multiple_of(int parameter, int64_t times);
  llvm::Value* load_scattered_rows(const Instr& at, int number, llvm::Value* position, int copy);
  [[nodiscard]] bool repeats_in_rows(const Instr& at) const;
  llvm::Value* place_of_row(const Affine::Term& term, llvm::Value* position);
  [[nodiscard]] int64_t place_of_lane(const Affine::Term& term, int64_t lane) const;
  llvm::Value* load_of_blocks(const Instr& at, int number, llvm::Value* position, int copy);
  [[nodiscard]] bool are_far_apart(std::set<int64_t> places) const;
  [[nodiscard]] bool loads_each(const Instr& at) const;
  llvm::Value* load_each(const Instr& at, llvm::ArrayRef<llvm::Value*> addresses);
  llvm::Value* load_places(const Instr& at,
                           llvm::Value* base,
                           const Places& places,
                           std::optional<std::pair<int64_t, int64_t>> bounds);
  llvm::Value* widened(llvm::Value* vector);
  llvm::Value* index_of_rows(const Instr& at, llvm::Value* base, int copy);
  llvm::Value* places_in_rows_of(const Affine::Term& term, llvm::Value* position, int copy);
  llvm::Value* gather_of_flat_rows(const Instr& instr, int number, llvm::Value* position, int copy);

  // kernel_emitter_functions.cpp
  [[nodiscard]] bool is_interleaved(int number) const;
  [[nodiscard]] const InstrForm& form_of(int number) const;
  /// Of a half_quotient: the sum that stands for its divisor. Else -1.
  [[nodiscard]] int divisor_of(int number) const;
  Values emit_interleaved(int number);
  llvm::Value* emit_form(int number, llvm::ArrayRef<llvm::Value*> operands);

  // kernel_emitter_prefetch.cpp
  [[nodiscard]] bool reads_vectors(const Instr& instr) const;
  void find_prefetches();
  void share_prefetch(llvm::ArrayRef<Plan*> loops, size_t reader, int number);
  llvm::Value* stride_of(const Affine& address, int dim);
  llvm::Value* prefetch_start(const Prefetch& prefetch);
  void emit_prefetches(const Plan& plan);
  void emit_prefetch(const Prefetch& prefetch);
  void emit_prefetch(llvm::Value* address);
  void emit_prefetch_of_copies(int number, llvm::Value* distance);
  llvm::Value* distance_ahead(const Instr& instr);
  [[nodiscard]] bool hides_loads(const Plan& plan) const;
  [[nodiscard]] bool asks_ahead(const Plan& plan) const;
  void emit_prefetches_ahead(const Plan& plan);
  void emit_prefetches_of_hidden(const Plan& plan);
  void emit_prefetches_of_next_rows(const Plan& plan);
  [[nodiscard]] bool asks_for_next_chunk(const Plan& plan) const;
  void emit_prefetches_of_next_chunk(const Plan& plan);

  // kernel_emitter_short_rows.cpp
  [[nodiscard]] bool avoids_masked_loads() const;
  [[nodiscard]] bool may_load_past_row(const Instr& instr) const;
  llvm::Value* end_of_loads_past_rows(llvm::Value* begin, llvm::Value* end);
  [[nodiscard]] bool avoids_masked_stores(llvm::Type* vector) const;
  llvm::Value* may_store_all_lanes(const Instr& instr, int copy);
  void store_short_row(const Instr& instr, int copy, llvm::Value* value, llvm::Value* address);

  // kernel_emitter_random.cpp
  [[nodiscard]] int copies_that_share_words() const;
  [[nodiscard]] bool draws_random_bits(const Phase& phase) const;
  [[nodiscard]] bool may_share_random_words(const Instr& instr) const;
  Values emit_shared_words(const Instr& instr, llvm::Value* first);
  Values emit_random_copies(const Instr& instr);

  // kernel_emitter_guards.cpp
  [[nodiscard]] int compared_position(const Instr& instr) const;
  void find_cuts();
  llvm::Value* positions_to_cut(const Instr& at, int copy, llvm::Value* row);
  llvm::Value* place_of_cut(int cut);
  llvm::Value* emit_position_comparison(const Instr& at, int copy);
  void emit_sections(Range range, llvm::ArrayRef<int> streams, const SectionBody& body);
  void emit_cut_range(Range range, llvm::ArrayRef<int> streams, const SectionBody& body);
  void find_choices();
  llvm::Value* address_of_choice(int number);
  Values emit_choice(int number);
  llvm::Value* zeros();
  llvm::Value* address_if(llvm::Value* wanted, llvm::Value* address);

  // kernel_emitter_streams.cpp
  [[nodiscard]] bool is_stream(int number) const;
  [[nodiscard]] bool gathers_rows(const Plan& plan) const;
  [[nodiscard]] int64_t work_of_memory(const Plan& plan) const;
  [[nodiscard]] bool is_bound_by_arithmetic(const Plan& plan) const;
  [[nodiscard]] bool is_bound_by_stores(int stream) const;
  [[nodiscard]] int copies_of_cached_stores(int stream) const;
  [[nodiscard]] llvm::SmallVector<int, 4> streams_of(const Plan& plan) const;
  llvm::Value* bytes_of_access(const Access& access);
  llvm::Value* bytes_touched();
  llvm::Value* exceeds_caches();
  llvm::Value* cache_limit(int64_t bytes);
  llvm::Value* stores_exceed_caches();
  llvm::Value* streams_pay();
  llvm::Value* stores_may_stream();
  llvm::Value* stream_start(int stream, llvm::Value* begin);
  llvm::Value* elements_to_line(int stream, llvm::Value* begin);
  llvm::Value* elements_to_streamed_line(int stream, llvm::Value* begin);
  llvm::Value* are_aligned(llvm::ArrayRef<int> streams, llvm::Value* begin);
  void emit_prefetch_of_last_line(int stream, llvm::Value* end);
  void emit_prefetches_of_row_ends();
  llvm::StoreInst* store_past_caches(llvm::Value* value, llvm::Value* address);
  [[nodiscard]] bool may_stream_blocks(int number) const;
  void store_block(const Instr& instr, llvm::Value* value, llvm::Value* address, llvm::Value* mask);
  void end_streams();

  // kernel_emitter_staging.cpp
  void collect_staged_accesses();
  [[nodiscard]] llvm::Value* place_of_staged(size_t number) const;
  llvm::Function* transposing_copy(const TransposingCopy& copy);
  void emit_staged_copy(size_t number,
                        Transposing direction,
                        llvm::Value* place,
                        llvm::Value* place_stride,
                        StagedBlock block);
  llvm::Value* stride_of_staged(size_t number);
  void emit_staged_rows(size_t number, llvm::Value* place, StagedBlock block);
  void find_rows_behind(llvm::ArrayRef<llvm::Value*> places, StagedBlock block);
  void emit_prefetches_of_rows_behind(const Plan& plan, llvm::Value* column);
  [[nodiscard]] bool is_shared_by_tasks(const Staged& staged) const;
  [[nodiscard]] bool stages_for_many_tasks() const;
  void emit_rows_of_many_tasks(Range tasks, Range vectors);
  void emit_rows_staged(const std::function<void()>& body);
  void let_own_memory_begin_at(llvm::Value* first);
  void stage_tile(const std::vector<llvm::Value*>& starts, Range tasks, Range vectors);
  void emit_staged_tiles(Range tasks, Range vectors);
  [[nodiscard]] bool stages_strips() const;
  void stage_lanes(size_t number, llvm::Value* place, llvm::Value* columns);
  void stage_strip(int dim, Range strip);
  void emit_staged_strips(int dim, Range range, const std::function<void(Range)>& body);
  Range between_lines(Range tile, int stream);

  // kernel_emitter_memory.cpp
  [[nodiscard]] const Access& access_at(int number) const;
  void start_accesses();
  llvm::Value* start_of_buffer(int buffer);
  llvm::Value* make_own_memory(llvm::Type* element, int64_t elements);
  void enter_dims(llvm::ArrayRef<int> dims, const Plan* plan);
  llvm::Value* param(int index);
  llvm::Value* extent_of(int dim);
  llvm::Value* lane_offsets(int stride_param);
  [[nodiscard]] int64_t copy_distance(int copy) const;
  llvm::Value* offset_of_copy(const Instr& instr, int copy);
  llvm::Value* copy_offset(int stride_param, int copy);
  llvm::Value* emit_index(const Instr& instr, int number, int copy);
  llvm::Value* emit_load(const Instr& instr, int number, int copy);
  llvm::Value* with_hidden_zeros(const Instr& load, llvm::Value* value);
  void emit_store(const Instr& instr, int number, int copy);
  llvm::Value* address_of(const Instr& instr, int number, int copy);
  llvm::Value* mask_of(const Instr& instr, int copy, bool as_vector);

  /// Of a conjunction, what is the same for all lanes, and the rest; null: nothing.
  struct GuardParts {
    llvm::Value* uniform = nullptr;
    llvm::Value* varying = nullptr;
  };

  GuardParts parts_of_guard(int predicate, int copy);
  [[nodiscard]] bool lacks_masks(const Instr& instr) const;
  llvm::Value* load_wanted_lanes(const Instr& instr,
                                 int copy,
                                 llvm::Value* address,
                                 bool backwards);
  llvm::Value* both(llvm::Value* left, llvm::Value* right);
  [[nodiscard]] bool depends_on_tasks(int predicate) const;
  llvm::Value* load_any_lane(const Instr& instr, int number, int copy);
  llvm::Value* gather(const Instr& instr, llvm::Value* addresses, llvm::Value* mask);
  llvm::Value* gather_wanted_lanes(const Instr& instr, llvm::Value* addresses, llvm::Value* mask);
  [[nodiscard]] bool reads_backwards(const Instr& instr) const;
  llvm::Value* load_backwards(const Instr& instr, int number, int copy);
  [[nodiscard]] bool reads_few_apart(const Instr& instr) const;
  llvm::Value* load_few_apart(const Instr& instr, int number, int copy);
  [[nodiscard]] std::pair<int64_t, int64_t> known_offsets_beside(const Instr& at) const;
  llvm::Instruction* tag(llvm::Instruction* access, int buffer);
  void make_alias_scopes();
  [[nodiscard]] Stride vector_stride(const Instr& instr) const;
  [[nodiscard]] bool is_own(int buffer) const;
  [[nodiscard]] bool has_lanes_of_own(int buffer) const;

  const StagedKernel staged_;
  const Kernel& kernel_;  // the staged one
  EmitContext e_;
  llvm::Function* function_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr;  // params and buffers are read here, when first needed

  std::vector<uint64_t> deps_;    // dims that an instruction depends on, by instruction
  std::vector<bool> is_cut_;      // uniform between cuts of the vector loop
  std::vector<int> cuts_;         // comparisons
  std::vector<bool> is_choice_;   // one load, which uniform conditions choose
  std::vector<bool> is_chosen_;   // part of a choice
  std::vector<InstrForm> forms_;  // one an instruction
  bool divides_floats_ = false;
  std::vector<bool> needs_splat_;
  std::vector<bool> divides_many_;
  llvm::DenseMap<int, int> known_levels_;  // where an instruction planned so far is emitted
  std::vector<Plan> plans_;
  std::vector<int> inner_dims_;
  std::vector<int> task_dims_;

  std::vector<Slot> slots_;
  std::vector<Access> accesses_;
  std::vector<int> access_of_;               // by instruction, -1: none
  std::vector<llvm::Value*> positions_;      // by dimension, of copy 0 and lane 0
  std::vector<llvm::Value*> accumulators_;   // carried by every loop of the phase
  llvm::DenseMap<int, int> accumulator_at_;  // instruction to its place in accumulators_
  int copy_dim_ = 0;                         // which the copies are positions of
  int copies_ = 1;                           // in the body being emitted
  llvm::Value* num_positions_ = nullptr;     // of the vector dimension that the body takes
  int unroll_ = 1;                           // copies in the main loop
  bool in_vector_loop_ = false;
  bool walks_back_ = false;                      // the vector loop goes from its end to its begin
  bool in_stream_loop_ = false;                  // stores go past the caches
  bool loads_past_rows_ = false;                 // since rows follow
  llvm::Value* bytes_touched_ = nullptr;         // with the next
  llvm::Value* exceeds_caches_ = nullptr;        // made when first needed
  llvm::Value* stores_exceed_caches_ = nullptr;  // the same
  Values masks_;                                 // by copy, the lanes in range; empty: all

  bool row_in_registers_ = false;
  int first_of_part_ = 0;  // the first vector of the row that the body takes
  std::map<std::pair<int, int>, llvm::Value*> kept_values_;  // by own memory and vector
  std::map<int, RowEnd> ends_of_row_;                        // by vector
  llvm::Value* row_mask_ = nullptr;                          // made when first needed
  llvm::Value* new_lanes_ = nullptr;    // that no vector of the row has had; null: all
  llvm::Value* rows_stream_ = nullptr;  // made when first needed

  std::map<int, int> lenders_;            // by own memory, the store whose rows may stand for it
  llvm::Value* rows_are_lent_ = nullptr;  // made when first needed

  int rows_together_ = 1;
  std::vector<Scope> rows_;              // that the body takes together; empty: one
  size_t row_ = 0;                       // of those, the one that is being emitted
  llvm::Value* row_distance_ = nullptr;  // from one of those to the next

  llvm::Value* last_copy_begins_ = nullptr;  // so far behind the first; null: behind the others

  int chains_ = 1;    // rows of few columns that are added at a time
  size_t chain_ = 0;  // of those, the one that is being emitted

  bool walks_bound_rows_ = false;
  bool columns_in_memory_ = false;
  std::vector<int> loop_of_;  // by instruction, the loops up to where it is first computed
  int loop_ = 0;              // the same of what is being emitted
  std::map<int, llvm::Value*> kept_columns_;  // by instruction, its values for later loops
  llvm::DenseMap<const Plan*, std::vector<Column>> columns_;  // by accumulator of one copy
  llvm::DenseMap<llvm::Type*, std::vector<llvm::Value*>> column_memory_;  // of accumulators
  Range chunk_;                                                           // the columns in memory
  llvm::Value* chunk_is_near_ = nullptr;  // what loops touch of it fits a core's own cache
  llvm::Value* is_last_chunk_ = nullptr;
  llvm::Value* columns_ahead_ = nullptr;  // from a chunk to the next
  llvm::Value* columns_back_ = nullptr;   // from a chunk to the first

  llvm::DenseMap<int, Values> columns_of_rows_;       // by load, for the copies of the main loop
  llvm::DenseMap<int, llvm::Value*> values_of_rows_;  // by load, for all rows of the body
  llvm::DenseMap<std::pair<int, int64_t>, llvm::Value*> multiples_;  // of parameters
  llvm::Value* row_inverse_ = nullptr;
  std::vector<RowPlace> places_in_rows_;            // by copy
  llvm::DenseMap<int, llvm::Value*> long_columns_;  // by load
  bool at_row_start_ = false;                       // the body begins where a row does
  llvm::GlobalVariable* zeros_ = nullptr;           // made when first needed
  llvm::DenseMap<int, llvm::Value*> params_;
  llvm::DenseMap<int, llvm::Value*> lane_offsets_;
  /// With so many rows at once.
  llvm::DenseMap<std::pair<const Prefetch*, size_t>, llvm::Value*> prefetch_starts_;
  llvm::DenseMap<std::pair<int, int>, llvm::Value*> copy_offsets_;
  std::vector<size_t> accesses_of_staged_;
  Range tiled_vectors_;  // of which staged tiles are parts
  std::map<TransposingCopy, llvm::Function*> transposing_copies_;
  int64_t own_width_ = 1;  // positions that own memory has side by side
  /// Buffers of own memory, and the rows behind those that it holds.
  llvm::SmallVector<std::pair<int, llvm::Value*>, 4> rows_behind_;
  llvm::Value* staged_lines_ = nullptr;    // rows on their way past the caches
  std::vector<llvm::Value*> own_memory_;   // by buffer, null until first needed
  std::vector<llvm::MDNode*> scope_of_;    // by buffer
  std::vector<llvm::MDNode*> noalias_of_;  // by buffer
};

}  // namespace wick::codegen::llvm_jit
