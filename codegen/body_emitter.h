#pragma once

// Emits the values of a fusion body into a kernel draft, pulling producers in from what is stored.
// A value is computed once for each way it is seen, in the earliest phase that can.

#include <map>
#include <optional>
#include <vector>

#include "wick/codegen/fused_body.h"
#include "wick/codegen/kernel_draft.h"
#include "wick/codegen/row_scratch.h"

namespace wick::codegen {

/// Where partial results of reductions are in the workspace, in bytes.
using PartialPlaces = std::map<const ir::Node*, size_t>;

/// Phases alternate: straight code 0, loop 1, straight code 2, ... A reduction of depth k is
/// accumulated in loop 2k-1.
class BodyEmitter {
 public:
  /// `domain` may differ from the body's own when `partials` are combined.
  BodyEmitter(const ir::Node& fusion, const FusedBody& body, ir::Domain domain);

  /// Reads reductions as the combination of their partial results.
  void read_partials(PartialPlaces places);

  /// Stores result `index` of the fusion. To be called in order of the results' depths, since loops
  /// read back what earlier ones have stored.
  void store_result(int index);
  /// Leaves a value where later loops of the row find it.
  void store_scratch(const RowScratch& scratch);
  /// Stores the accumulators into the workspace, one for each block and row.
  void store_partials(const PartialPlaces& places);
  /// Adds what the row has for reductions over the rows to their partial results, one for each
  /// block of so many rows and column.
  void add_to_columns(const PartialPlaces& places, int64_t rows_of_block);

  [[nodiscard]] KernelDraft& draft() { return draft_; }

  /// Appends the collected stores behind everything else.
  void finish_stores();

 private:
  /// A value as seen from where it is needed.
  struct Request {
    const ir::Node* node = nullptr;
    ir::IndexMap map;
    int predicate = -1;  // false: the value is not used and must not be loaded
    int loop = 1;        // the loop to compute in when the value varies along it
  };

  /// A value at every position that is in memory once its loop is done.
  struct Stored {
    ArgBinding binding;
    BufferArg buffer;
    ir::AffineExpr address;
    int loop = 0;
  };

  struct PendingStore {
    int phase = 0;
    DraftInstr instr;
  };

  int emit(Request root);
  [[nodiscard]] int phase_of(const Request& request) const;
  [[nodiscard]] bool varies_in_loop(const ir::AffineExpr& expr) const;
  [[nodiscard]] std::vector<int64_t> key_of(const Request& request) const;
  std::vector<Request> dependencies(const Request& request);
  /// A constant seen from nowhere in particular.
  [[nodiscard]] Request anywhere(const ir::Value& constant) const;
  [[nodiscard]] bool is_stored(const Request& request) const;
  int read_back(const Request& request);
  int build(const Request& request, const std::vector<int>& values);

  // One for each form of op.
  int build_parameter(const Request& request);
  int build_constant(const Request& request);
  int build_elementwise(const Request& request, const std::vector<int>& values);
  int build_iota(const Request& request);
  int build_random(const Request& request, const std::vector<int>& values);
  int build_concat(const Request& request, const std::vector<int>& values);
  int build_pad(const Request& request, const std::vector<int>& values);
  int build_gather(const Request& request, const std::vector<int>& values);
  int build_reduction(const Request& request, const std::vector<int>& values);

  // Where an element of a concat or pad comes from.
  int concat_predicate(const Request& request, int operand);
  int pad_predicate(const Request& request);
  int interior_pad_index(const Request& request);

  /// Instructions of one dtype.
  struct Division {
    DType dtype = DType::i64;
    int dividend = -1;
    int divisor = -1;
    int quotient = -1;  // rounded down
  };

  Division element_before(const Request& request, const ir::AffineExpr& expr, int64_t step);
  int within(const Request& request, const ir::AffineExpr& expr, int64_t bound, int so_far);

  /// The number of the block of rows that the row is in, and whether it is the first of it.
  struct RowBlock {
    int number = 0;
    int is_first = 0;
  };

  RowBlock row_block(int64_t rows_of_block);
  void add_to_column(const ir::Node& reduction, size_t place, const RowBlock& block);

  // Single instructions, placed in the phase of the request.
  int index(const Request& request, const ir::AffineExpr& expr);
  int number(const Request& request, int64_t value);
  int compute(const Request& request, ir::OpKind op, DType dtype, std::vector<int> operands);
  [[nodiscard]] int without_widening(int value, DType dtype) const;
  int cast(const Request& request, int value, DType dtype);
  int cast_in(int phase, int value, DType dtype);
  int convert(int phase, InstrKind kind, int value, DType dtype);
  int constant(int64_t value);
  int both(const Request& request, int a, int b);
  [[nodiscard]] bool is_zero_outside(int value, int predicate) const;
  [[nodiscard]] bool is_zero(int value) const;
  /// Loads an element of a parameter of the body, behind reshapes or not.
  int load(const Request& request,
           const ir::Value& source,
           const ir::AffineExpr& linear,
           int dynamic_index = -1,
           int64_t dynamic_stride = 0);
  void store(int value,
             const ArgBinding& binding,
             const BufferArg& buffer,
             ir::AffineExpr address,
             int phase);
  /// A result, or a part of the workspace.
  [[nodiscard]] BufferArg written_buffer(const ArgBinding& binding, DType dtype) const;
  [[nodiscard]] bool may_alias(const ArgBinding& binding) const;

  const ir::Node& fusion_;
  const FusedBody& body_;
  std::vector<int> parameter_number_;  // by Node::id of the body
  PartialPlaces partials_;
  KernelDraft draft_;
  std::map<std::vector<int64_t>, int> values_;
  std::vector<PendingStore> stores_;
  std::map<int, Stored> stored_;  // by Node::id
};

/// f16 and bf16 are computed in f32.
DType compute_dtype(DType dtype);

/// So many bytes into the workspace.
ArgBinding workspace_at(size_t offset);

}  // namespace wick::codegen
