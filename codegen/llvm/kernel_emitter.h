#pragma once

// Kernel IR to one LLVM function of type KernelFunction.
//
// No IR passes run afterwards, so the emitter does what matters: an instruction is emitted at the
// loop level that it depends on, addresses are advanced level by level, values that do not vary
// along the vector dimension stay scalar, and the vector loop is unrolled by `copies` with as many
// accumulators. What can be decided before there is code is KernelSchedule's.

#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>

#include "wick/codegen/kernel_ir.h"
#include "wick/codegen/llvm/division.h"
#include "wick/codegen/llvm/emit_context.h"
#include "wick/codegen/llvm/emitter_records.h"
#include "wick/codegen/llvm/kernel_schedule.h"
#include "wick/codegen/llvm/transposing_copy.h"

namespace wick::codegen::llvm_jit {

/// Where lines of the cache begin, and so stores past the caches and stacks.
inline constexpr llvm::Align kCacheLine = llvm::Align::Constant<kLineBytes>();

class KernelEmitter {
 public:
  KernelEmitter(const Kernel& kernel, llvm::Module& module, const HostTarget& host);

  llvm::Function* emit(const std::string& symbol);

 private:
  // kernel_emitter.cpp: phases, instructions
  void collect_accesses();
  void emit_phases();
  void emit_loop_phase(const Plan& plan);
  void emit_inner(const Plan& plan, size_t depth);
  void emit_copied_loop(llvm::Value* begin,
                        llvm::Value* end,
                        const std::function<void(llvm::Value*)>& body);
  void emit_level(const Plan& plan, int first_level, int last_level);
  void emit_instr(int number);
  llvm::Value* emit_copy(const Instr& instr, int number, int copy);
  void add_other_forms(int number, Slot& slot);
  llvm::Value* operand(int number, int copy, bool as_vector);

  // kernel_emitter_accumulators.cpp
  [[nodiscard]] int num_accumulator_copies() const;
  void start_accumulators(const Plan& plan);
  [[nodiscard]] size_t first_accumulator(int number) const;
  void emit_accumulate(const Instr& instr, int number);
  void finish_accumulators(const Plan& plan);

  // kernel_emitter_few_columns.cpp
  [[nodiscard]] bool may_overlap_columns() const;
  void emit_few_columns(Range range, const std::function<void()>& body);
  void emit_chains(Range range, const std::function<void(llvm::Value*)>& body);
  void join_chains(const Plan& plan);

  // kernel_emitter_lent_rows.cpp
  llvm::Value* rows_are_lent();
  void borrow_rows();

  // kernel_emitter_columns.cpp
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
  void emit_rows_of_columns(const Plan& plan);
  void emit_rows_together(const Plan& plan, Range range);
  void emit_columns_of_rows(const Plan& plan,
                            llvm::Value* first,
                            int count,
                            llvm::ArrayRef<int> streams);
  void share_values_of_columns(llvm::ArrayRef<Slot> known);
  void finish_columns(const Plan* loop);
  [[nodiscard]] bool finishes_columns(const Plan* loop) const;
  llvm::Value* column_place(const Column& column, llvm::Value* position, int copy);

  // kernel_emitter_loops.cpp
  void emit_tiles(Range tasks, Range vectors, const std::function<void(Range, Range)>& body);
  void emit_near_tasks(Range tasks, Range vectors);
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
  Values emit_either(llvm::Value* condition,
                     const std::function<Values()>& then,
                     const std::function<Values()>& otherwise);
  Range inner_range(int dim);
  llvm::Value* lane_mask(llvm::Value* remaining);
  [[nodiscard]] llvm::Value* mask_of_copy(int copy) const;
  [[nodiscard]] Scope save_scope() const;
  void restore_scope(Scope scope);

  // kernel_emitter_row_groups.cpp
  void emit_groups_of_rows(Range tasks);
  void emit_groups_of_rows_in_registers(Range tasks);
  void for_each_line_of_rows(Range tasks, const std::function<void(Range)>& body);
  llvm::Value* bytes_that_rows_share();
  llvm::Value* end_of_equal_rows(llvm::Value* end);
  llvm::Value* position_in_row(int dim, llvm::Value* first);
  llvm::Value* distance_of_row(int row);
  llvm::Value* pays_to_group();
  void emit_rows(llvm::Value* first, int count);
  void for_each_row(const std::function<void()>& body);

  // kernel_emitter_row_registers.cpp
  void emit_kept_value(const Instr& at, int number);
  llvm::Value* whole_rows_stream();
  void emit_row_in_registers(const Plan& plan);
  void emit_vectors_of_row(const Plan& plan, bool is_whole);
  void emit_prefetches_of_masked_lines(const Plan& plan);
  void emit_part_of_row(const Plan& plan, int first, llvm::Value* position);
  llvm::Value* mask_of_row_end();
  RowEnd place_of_row_end(int vector);

  // kernel_emitter_bound_rows.cpp
  struct RowPart {
    Scope scope;
    int copies = 1;
    Values masks;
    std::vector<size_t> wide_masks;  // slots of the scope that hold masks in lanes of 32 bits
  };

  llvm::Value* may_walk_bound_rows(Range vectors);
  RowPart start_part_of_rows(llvm::Value* begin, int copies, Values masks);
  void widen_masks(RowPart& part);
  void enter_part(const RowPart& part);
  void emit_bound_rows(Range tasks, const std::vector<llvm::Value*>& starts);

  // kernel_emitter_flat_rows.cpp
  llvm::Value* emit_head_of_flat_rows(llvm::Value* begin,
                                      llvm::Value* end,
                                      const std::function<void()>& body);
  void start_flat_rows(llvm::Value* begin);
  llvm::Value* load_of_flat_rows(const Instr& instr, int number, int copy);
  llvm::Value* load_transposed_rows(const Instr& at, int number, llvm::Value* position, int copy);
  llvm::Value* multiple_of(int parameter, int64_t times);
  llvm::Value* load_scattered_rows(const Instr& at, int number, llvm::Value* position, int copy);
  llvm::Value* place_of_row(const Affine::Term& term, llvm::Value* position);
  llvm::Value* load_of_blocks(const Instr& at, int number, llvm::Value* position, int copy);
  llvm::Value* load_each(const Instr& at, llvm::ArrayRef<llvm::Value*> addresses);
  llvm::Value* load_places(const Instr& at,
                           llvm::Value* base,
                           const Places& places,
                           std::optional<std::pair<int64_t, int64_t>> bounds);
  static bool lie_in_runs(const Places& places);
  llvm::Value* widened(llvm::Value* vector);
  llvm::Value* index_of_rows(const Instr& at, llvm::Value* base, int copy);
  llvm::Value* places_in_rows_of(const Affine::Term& term, llvm::Value* position, int copy);
  [[nodiscard]] bool is_row_in_register(const Instr& at) const;
  llvm::GlobalVariable* columns_of_row();
  llvm::Value* permute_row(const Instr& at, int number, llvm::Value* position, int copy);
  llvm::Value* gather_of_flat_rows(const Instr& instr, int number, llvm::Value* position, int copy);

  // kernel_emitter_flat_columns.cpp
  void emit_flat_columns(Range range, const std::function<void()>& body);
  void find_blocks_behind();
  void store_of_blocks(const Instr& instr, int number, int copy);

  // kernel_emitter_long_rows.cpp
  struct RowPlace {
    llvm::Value* position = nullptr;
    llvm::Value* row = nullptr;
    llvm::Value* column = nullptr;
  };

  llvm::Value* row_of(llvm::Value* position);
  llvm::Value* last_row();
  const RowPlace& place_of_body();
  void copy_columns_of_long_rows();
  void copy_row(int number);
  void gather_row(int number);
  llvm::Value* load_of_long_rows(int number, int copy);
  [[nodiscard]] bool is_spread_from_long_rows(const Instr& instr) const;
  Values spread_rows(int number, int ends);
  Values spread_long_rows(int number);

  // kernel_emitter_functions.cpp
  Values emit_interleaved(int number);
  llvm::Value* emit_form(int number, llvm::ArrayRef<llvm::Value*> operands);

  // kernel_emitter_prefetch.cpp
  llvm::Value* stride_of(const Affine& address, int dim);
  llvm::Value* prefetch_start(const Prefetch& prefetch);
  void emit_prefetches(const Plan& plan);
  void emit_prefetch(const Prefetch& prefetch);
  void emit_prefetch_of_copies(int number, llvm::Value* distance, int level = 2);
  llvm::Value* distance_ahead(const Instr& instr);
  void emit_prefetches_ahead(const Plan& plan);
  void emit_prefetches_of_hidden(const Plan& plan);
  llvm::Value* rows_begin_within_lines(const Instr& at);
  void emit_prefetches_of_split_lines(const Plan& plan);
  void emit_prefetches_of_next_rows(const Plan& plan);
  void emit_prefetches_of_next_chunk(const Plan& plan);

  // kernel_emitter_short_rows.cpp
  [[nodiscard]] bool avoids_masked_loads() const;
  [[nodiscard]] bool may_load_past_row(const Instr& instr) const;
  llvm::Value* end_of_loads_past_rows(llvm::Value* begin, llvm::Value* end);
  [[nodiscard]] bool avoids_masked_stores(llvm::Type* vector) const;
  llvm::Value* may_store_all_lanes(const Instr& instr, int copy);
  void store_short_row(const Instr& instr, int copy, llvm::Value* value, llvm::Value* address);

  // kernel_emitter_random.cpp
  [[nodiscard]] bool may_share_random_words(const Instr& instr) const;
  Values emit_shared_words(const Instr& instr, llvm::Value* first);
  Values emit_random_copies(const Instr& instr);

  // kernel_emitter_guards.cpp
  llvm::Value* positions_to_cut(const Instr& at, int copy, llvm::Value* row);
  llvm::Value* place_of_cut(int cut);
  llvm::Value* emit_position_comparison(const Instr& at, int copy);
  void emit_sections(Range range, llvm::ArrayRef<int> streams, const SectionBody& body);
  void emit_cut_range(Range range, llvm::ArrayRef<int> streams, const SectionBody& body);
  llvm::Value* address_of_choice(int number);
  Values emit_choice(int number);
  llvm::Value* zeros();
  llvm::Value* address_if(llvm::Value* wanted, llvm::Value* address);

  // kernel_emitter_streams.cpp
  [[nodiscard]] int copies_of_cached_stores(int stream) const;
  llvm::Value* bytes_of_access(const Access& access);
  llvm::Value* bytes_touched();
  llvm::Value* exceeds_caches();
  llvm::Value* exceeds_own_cache();
  llvm::Value* cache_limit(int64_t bytes);
  llvm::Value* stores_exceed_caches();
  llvm::Value* streams_pay();
  llvm::Value* stores_may_stream();
  llvm::Value* stream_start(int stream, llvm::Value* begin);
  llvm::Value* elements_to_line(int stream, llvm::Value* begin);
  llvm::Value* elements_to_streamed_line(int stream, llvm::Value* begin);
  llvm::Value* bits_of_starts(llvm::ArrayRef<int> streams, llvm::Value* begin);
  llvm::Value* are_aligned(llvm::Value* bits);
  void emit_prefetch_of_last_line(int stream, llvm::Value* end);
  void emit_prefetches_of_row_ends();
  llvm::StoreInst* store_past_caches(llvm::Value* value, llvm::Value* address);
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
  void emit_lines_past_caches(llvm::Value* lines, llvm::Value* place, llvm::Value* bytes);
  void emit_staged_rows(size_t number, llvm::Value* place, StagedBlock block);
  void find_rows_behind(llvm::ArrayRef<llvm::Value*> places, StagedBlock block);
  void emit_prefetches_of_rows_behind(const Plan& plan, llvm::Value* column);
  void emit_rows_of_many_tasks(Range tasks, Range vectors);
  void emit_rows_staged(const std::function<void()>& body);
  void let_own_memory_begin_at(llvm::Value* first);
  void stage_lanes(size_t number, llvm::Value* place, llvm::Value* columns);
  void stage_strip(int dim, Range strip);
  void emit_staged_strips(int dim, Range range, const std::function<void(Range)>& body);

  // kernel_emitter_staged_tiles.cpp
  void emit_staged_tiles(Range tasks, Range vectors);
  void stage_tile(const std::vector<llvm::Value*>& starts, Range tasks, Range vectors);
  void emit_staged_tile(size_t number, llvm::Value* place, StagedBlock block, Range vectors);
  void make_lines_of_tile();
  void start_lines(llvm::ArrayRef<llvm::Value*> places, Range tasks, Range vectors);
  void end_lines();
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
  llvm::Value* load_wanted_lanes(const Instr& instr,
                                 int copy,
                                 llvm::Value* address,
                                 bool backwards);
  llvm::Value* both(llvm::Value* left, llvm::Value* right);
  llvm::Value* load_any_lane(const Instr& instr, int number, int copy);
  llvm::Value* gather(const Instr& instr, llvm::Value* addresses, llvm::Value* mask);
  llvm::Value* gather_wanted_lanes(const Instr& instr, llvm::Value* addresses, llvm::Value* mask);
  [[nodiscard]] bool reads_backwards(const Instr& instr) const;
  llvm::Value* load_backwards(const Instr& instr, int number, int copy);
  [[nodiscard]] bool reads_few_apart(const Instr& instr) const;
  llvm::Value* load_few_apart(const Instr& instr, int number, int copy);
  llvm::Instruction* tag(llvm::Instruction* access, int buffer);
  void make_alias_scopes();
  [[nodiscard]] Stride vector_stride(const Instr& instr) const;

  const KernelSchedule s_;
  const Kernel& kernel_;  // of the schedule
  EmitContext e_;
  llvm::Function* function_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr;  // params and buffers are read here, when first needed

  std::vector<Slot> slots_;
  std::vector<Access> accesses_;
  std::vector<int> access_of_;               // by instruction, -1: none
  std::vector<llvm::Value*> positions_;      // by dimension, of copy 0 and lane 0
  std::vector<llvm::Value*> accumulators_;   // carried by every loop of the phase
  llvm::DenseMap<int, int> accumulator_at_;  // instruction to its place in accumulators_
  int copies_ = 1;                           // in the body being emitted
  llvm::Value* num_positions_ = nullptr;     // of the vector dimension that the body takes
  int unroll_;                               // copies in the main loop
  bool in_vector_loop_ = false;
  bool walks_back_ = false;                      // the vector loop goes from its end to its begin
  bool in_stream_loop_ = false;                  // stores go past the caches
  bool loads_past_rows_ = false;                 // since rows follow
  llvm::Value* bytes_touched_ = nullptr;         // with the next
  llvm::Value* exceeds_caches_ = nullptr;        // made when first needed
  llvm::Value* stores_exceed_caches_ = nullptr;  // the same
  Values masks_;                                 // by copy, the lanes in range; empty: all

  int first_of_part_ = 0;  // the first vector of the row that the body takes
  std::map<std::tuple<int, size_t, int>, llvm::Value*> kept_values_;  // by own memory, row, vector
  std::map<int, RowEnd> ends_of_row_;                                 // by vector
  llvm::Value* row_mask_ = nullptr;                                   // made when first needed
  llvm::Value* new_lanes_ = nullptr;    // that no vector of the row has had; null: all
  llvm::Value* rows_stream_ = nullptr;  // made when first needed

  llvm::Value* rows_are_lent_ = nullptr;  // made when first needed

  std::vector<Scope> rows_;              // that the body takes together; empty: one
  size_t row_ = 0;                       // of those, the one that is being emitted
  llvm::Value* row_distance_ = nullptr;  // from one of those to the next

  llvm::Value* last_copy_begins_ = nullptr;  // so far behind the first; null: behind the others

  int chains_ = 1;    // rows of few columns that are added at a time
  size_t chain_ = 0;  // of those, the one that is being emitted

  int loop_ = 0;                              // that is being emitted, or behind which
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
  llvm::Value* row_inverse_ = nullptr;  // with the next made when first needed
  llvm::Value* last_row_ = nullptr;
  RowPlace place_of_body_;
  llvm::DenseMap<int, llvm::Value*> long_columns_;  // by load
  bool at_row_start_ = false;                       // the body begins where a row does
  llvm::GlobalVariable* zeros_ = nullptr;           // made when first needed
  llvm::GlobalVariable* columns_of_row_ = nullptr;  // the same
  llvm::DenseMap<int, llvm::Value*> params_;
  llvm::DenseMap<int, llvm::Value*> lane_offsets_;
  /// With so many rows at once.
  llvm::DenseMap<std::pair<const Prefetch*, size_t>, llvm::Value*> prefetch_starts_;
  llvm::DenseMap<std::pair<int, int>, llvm::Value*> copy_offsets_;
  std::vector<size_t> accesses_of_staged_;
  Range tiled_vectors_;  // of which staged tiles are parts
  std::map<TransposingCopy, llvm::Function*> transposing_copies_;
  /// Buffers of own memory, and the rows behind those that it holds.
  llvm::SmallVector<std::pair<int, llvm::Value*>, 4> rows_behind_;
  std::vector<TileLines> lines_of_tile_;
  llvm::Value* tile_has_lines_ = nullptr;  // whether these take what streams store
  llvm::Value* staged_lines_ = nullptr;    // rows on their way past the caches
  std::vector<llvm::Value*> own_memory_;   // by buffer, null until first needed
  std::vector<llvm::MDNode*> scope_of_;    // by buffer
  std::vector<llvm::MDNode*> noalias_of_;  // by buffer
};

}  // namespace wick::codegen::llvm_jit
