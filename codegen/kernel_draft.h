#pragma once

// A kernel while it is being made: instructions with numbers for addresses. Finishing it merges
// dimensions, picks the vector dimension and moves the numbers into the parameter table.

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "wick/codegen/lower.h"
#include "wick/ir/index_map.h"

namespace wick::codegen {

/// Of vectors whose lanes are some elements apart: more are a parameter.
inline constexpr int64_t kLargestKnownStride = 4;

struct DraftInstr {
  Instr instr;  // address and dynamic_stride_param unset
  /// Over the dimensions of the domain, and one more for the block when there are blocks.
  ir::AffineExpr address;
  int64_t known_offset = 0;  // besides, for which kernels are compiled
  int64_t dynamic_stride = 0;
};

/// Of a dimension; 0 for -1 and for those that the expression does not have.
int64_t coefficient(const ir::AffineExpr& expr, int dim);

/// Lets an instruction use what it used under other numbers; -1 stays.
void renumber(Instr& instr, const std::vector<int>& numbers);

class KernelDraft {
 public:
  KernelDraft(std::string name, ir::Domain domain)
      : name_(std::move(name)),
        domain_(std::move(domain)) {}

  [[nodiscard]] const ir::Domain& domain() const { return domain_; }

  int add_phase(bool loop);
  /// Number of the argument; bindings that are equal share one.
  int add_buffer(const ArgBinding& binding, const BufferArg& buffer);
  /// Appends to a phase, or gives the equal instruction that is already there.
  int append(int phase, DraftInstr instr);

  /// Cut an inner dimension in about `blocks` pieces, walked by an outer dimension.
  void set_blocks(int64_t blocks) { blocks_ = blocks; }

  [[nodiscard]] const DraftInstr& instr(int number) const {
    return instrs_[static_cast<size_t>(number)];
  }

  /// The phase an instruction was appended to.
  [[nodiscard]] int phase_of(int number) const { return phase_of_[static_cast<size_t>(number)]; }

  struct Finished {
    KernelLaunch launch;
    int64_t num_blocks = 1;
  };

  [[nodiscard]] Finished finish() const;

 private:
  static constexpr int kStraight = 0;  // the phase of a draft that has no loop

  /// Over another domain, with the same arguments and blocks, still empty.
  [[nodiscard]] KernelDraft over(ir::Domain domain) const;
  /// The same with one phase of straight code.
  [[nodiscard]] KernelDraft started_anew(ir::Domain domain) const;
  [[nodiscard]] int64_t elements_to_reduce() const;
  [[nodiscard]] bool has_few_to_reduce() const;
  [[nodiscard]] bool has_very_few_to_reduce() const;
  [[nodiscard]] bool is_walked_in_blocks() const;
  [[nodiscard]] std::optional<KernelDraft> straight() const;
  [[nodiscard]] bool stores_in(bool loop) const;
  [[nodiscard]] bool may_reduce_for_elements() const;
  /// Without reductions: each position of what is reduced has instructions of its own. Lanes are
  /// rows, or elements of rows, of which each computes what its row comes to.
  [[nodiscard]] KernelDraft unrolled(bool for_elements) const;
  [[nodiscard]] KernelDraft without_dead_code() const;
  [[nodiscard]] int rows_of_guard(const Instr& instr) const;
  [[nodiscard]] bool moves_as_one_from(const ir::AffineExpr& address, int rows) const;
  [[nodiscard]] bool are_short_rows(int rows, const std::set<int>& guarded) const;
  [[nodiscard]] int guarded_rows() const;
  /// Guards by a dimension, or by one behind it, count elements: all those are then one.
  [[nodiscard]] KernelDraft with_guards_of_elements(int first) const;
  [[nodiscard]] bool has_few_reduced_columns() const;
  /// Whether all of it is reductions of rows of a few columns, without guards.
  [[nodiscard]] bool has_few_columns() const;
  /// Over the rows: each of their columns has instructions of its own.
  [[nodiscard]] KernelDraft with_own_columns() const;
  [[nodiscard]] int first_column_axis() const;
  [[nodiscard]] bool depends_on_rows(const DraftInstr& draft) const;
  [[nodiscard]] bool is_read_for_columns(const DraftInstr& draft) const;
  [[nodiscard]] bool has_columns_to_join() const;
  int append_place_of_column(int phase, const ir::AffineExpr& address, KernelDraft& joined) const;
  [[nodiscard]] std::optional<KernelDraft> with_rows_in_order() const;
  /// Over one axis of columns instead of several.
  [[nodiscard]] KernelDraft with_joined_columns() const;
  int append_folded(DraftInstr instr);
  [[nodiscard]] std::optional<ir::AffineExpr> affine_of(int number) const;
  [[nodiscard]] std::optional<bool> known_comparison(const Instr& instr) const;
  [[nodiscard]] std::optional<bool> known_bool(int number) const;

  std::string name_;
  ir::Domain domain_;
  std::vector<DraftInstr> instrs_;
  std::vector<int> phase_of_;
  std::vector<Phase> phases_;
  std::vector<BufferArg> buffers_;
  std::vector<ArgBinding> args_;
  std::map<std::vector<int64_t>, int> known_;
  int64_t blocks_ = 0;
};

}  // namespace wick::codegen
