#pragma once

// From a draft to its kernel: which dimensions are walked as one, which is the vector dimension,
// and what of each address is a parameter.

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "wick/codegen/kernel_draft.h"

namespace wick::codegen {

/// A run of domain dimensions walked as one.
struct Run {
  int64_t extent = 1;
  /// Position of its innermost dimension in the addresses; -1: a dimension nothing moves along.
  int last = -1;
};

/// Builds the final kernel from a draft.
class Finisher {
 public:
  Finisher(const std::vector<DraftInstr>& instrs,
           const ir::Domain& domain,
           const std::vector<BufferArg>& buffers)
      : instrs_(instrs),
        domain_(domain),
        buffers_(buffers) {}

  void make_dims(bool has_loop);
  [[nodiscard]] bool has_rows_of_many_tasks() const;
  int64_t make_blocks(int64_t wanted, size_t place = 0);
  bool flatten_rows(bool may_be_scattered = false);
  bool flatten_repeats();
  bool flatten_repeated_rows(bool may_be_few = false);
  bool flatten_blocks(bool may_be_scattered = false, bool may_be_few = false);
  bool flatten_columns();
  void move_crossed_dim();
  bool walk_rows();
  KernelLaunch finish(Kernel start, std::vector<Phase> phases);

 private:
  /// Of fewer short rows that lie behind each other, none are walked as one.
  static constexpr int64_t kFewestShortRows = 64;

  void add(std::vector<Run>& runs, Run next);
  [[nodiscard]] bool moves_as_one(const Run& outer, const Run& inner) const;
  void forget_blocks();
  [[nodiscard]] bool fill_bodies(int64_t blocks) const;
  [[nodiscard]] bool suit_columns() const;
  [[nodiscard]] bool has_whole_vectors() const;
  static bool is_plain_load(const Instr& instr);
  [[nodiscard]] bool has_repeats(Stride stride) const;
  [[nodiscard]] bool fit_registers() const;
  [[nodiscard]] bool fits_blocks(const DraftInstr& draft) const;
  [[nodiscard]] bool is_known_in_blocks(int number) const;
  [[nodiscard]] bool suits_blocks(bool may_be_scattered) const;
  [[nodiscard]] bool leaves_many_rows(int64_t rows) const;
  [[nodiscard]] int64_t vectors_of_blocks(const Affine::Term& term, int64_t vectors) const;
  [[nodiscard]] Affine::Term term_of_blocks(const ir::AffineExpr& expr) const;
  [[nodiscard]] int64_t row_elements() const;
  [[nodiscard]] int64_t longest_row() const;
  [[nodiscard]] bool adds_columns() const;
  [[nodiscard]] bool is_faster_side_by_side(int64_t length) const;
  [[nodiscard]] int64_t row_bound() const;
  [[nodiscard]] bool are_shared_by_tasks() const;
  [[nodiscard]] bool are_wide_enough() const;
  [[nodiscard]] bool are_worth_flattening(int64_t length, bool transposes) const;
  [[nodiscard]] bool has_short_rows_of_elements() const;
  [[nodiscard]] bool has_guards() const;
  [[nodiscard]] bool is_lane_guarded() const;
  [[nodiscard]] bool picks_elements() const;
  [[nodiscard]] int64_t instructions() const;
  int param(int64_t value);
  void add_dim(Kernel& kernel, const Run& run, bool inner);
  Affine final_address(const ir::AffineExpr& expr, bool knows_offset = false);
  [[nodiscard]] int64_t known(int64_t stride, const Run& run) const;
  [[nodiscard]] Stride flat_stride(const ir::AffineExpr& expr) const;
  [[nodiscard]] bool is_crossed(const Run& run) const;
  [[nodiscard]] bool has_tiles() const;
  [[nodiscard]] bool are_scattered(int64_t length, int64_t step, int64_t row_step) const;
  Affine shared_address(const DraftInstr& draft);
  Instr final_instr(const DraftInstr& draft);
  int dynamic_stride_param(const DraftInstr& draft);
  void set_extents();

  const std::vector<DraftInstr>& instrs_;
  const ir::Domain& domain_;
  const std::vector<BufferArg>& buffers_;
  std::vector<Run> outer_;
  std::vector<Run> inner_;
  bool vector_inner_ = false;
  int64_t longest_row_ = 0;
  int64_t row_length_ = 0;
  int row_length_param_ = -1;
  int64_t repeats_ = 1;          // of short rows in a long one
  int flat_rows_ = -1;           // the dimension of rows that became part of the vector one
  std::vector<Run> block_axes_;  // those that became part of it as well, the last one first
  int blocked_ = 0;              // inner dimension
  size_t block_dim_ = 0;
  int64_t block_size_ = 0;
  std::map<std::vector<int64_t>, Affine> addresses_;
  std::map<std::array<int64_t, 3>, int> dynamic_strides_;
  KernelLaunch launch_;
};

}  // namespace wick::codegen
