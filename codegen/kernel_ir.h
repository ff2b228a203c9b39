#pragma once

// Kernel IR: one kernel's loops, generic in extents. What LLVM, CUDA C++ and the kernel
// interpreter consume.
//
// A kernel walks a box of dimensions. `outer` dimensions are independent of each other and run in
// parallel, unless a launch says that some tasks in a row depend on those before; `inner`
// dimensions are walked in order for each outer position, once per loop phase. Exactly one
// dimension is the vector dimension: kernels process several consecutive positions of it at a time.
// It is the last inner dimension (row reductions), or the last outer one (elementwise kernels, and
// reductions over leading axes, whose accumulators are then vectors).
//
//   kernel @k(%0: f32 in, %1: f32 out) outer(d0) inner(d1 vector) {
//     loop {
//       %a = load f32 %0[d0*s + d1]
//       %m = accumulate reduce_max %a
//     }
//     %z = neg f32 %m
//     loop { ... store %1[d0*s + d1], %x }
//   }
//
// Numbers known only at launch (extents, offsets, strides) are parameters in one int64 table.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wick/ir/hash.h"
#include "wick/ir/op.h"

namespace wick::codegen {

struct Dim {
  bool inner = false;
  /// The parameter table holds the extent at this index.
  int extent_param = 0;
};

/// What is known about a stride when the kernel is compiled. Where the vector dimension walks rows
/// as one (Kernel::has_flat_rows()), `column` counts the position in its row, `row` the rows before
/// it, and `transposed` adds to those, each by itself or times a parameter, the column times
/// another. Rows may be blocks of short axes: `block` has a known stride for rows and for each of
/// those axes.
enum class Stride : uint8_t { zero, one, dynamic, column, row, transposed, block };

/// An axis of the blocks that rows are.
struct BlockAxis {
  int64_t extent = 1;
  int64_t stride = 0;
  friend bool operator==(const BlockAxis&, const BlockAxis&) = default;
};

/// offset + sum over dimensions of position * stride, in elements. Absent offset is the known one.
struct Affine {
  struct Term {
    Stride stride = Stride::zero;
    int param = -1;  // of the stride when dynamic or transposed
    /// A dynamic stride that kernels are compiled for: -1 reads backwards, a small one takes lanes
    /// from few vectors. 0: any.
    int64_t known = 0;
    int64_t row_step = 0;           // of a block; 0 in rows whose length is a parameter
    int row_param = -1;             // of the stride of transposed rows; -1: they are neighbours
    std::vector<BlockAxis> axes{};  // of a block, the fastest first
    friend bool operator==(const Term&, const Term&) = default;
  };

  std::vector<Term> terms;  // one a dimension
  int offset_param = -1;
  /// Besides: of an index along blocks, so that guards by it are known, or of one of a row's
  /// columns.
  int64_t known_offset = 0;
  friend bool operator==(const Affine&, const Affine&) = default;
};

enum class InstrKind : uint8_t {
  constant,     // `value`
  load,         // buffer `buffer` at `address`
  index,        // the i64 value of `address`
  compute,      // elementwise `op` over operands of one dtype (where: bool first)
  cast,         // operand 0 to `dtype`
  bitcast,      // the bits of operand 0 as `dtype`
  random_bits,  // operands: key, counter offset, element number (all i64); i32 result
  accumulate,   // reduction `op` of operand 0 over the inner dimensions; argmax takes the i64
                // position as operand 1 and gives it. Visible after its phase.
  store,        // operand 0 to buffer `buffer` at `address`
};

/// An SSA instruction; its number is its position in Kernel::instrs.
struct Instr {
  InstrKind kind = InstrKind::compute;
  ir::OpKind op = ir::OpKind::add;
  DType dtype = DType::f32;  // of the result; of the stored operand for store
  std::vector<int> operands;
  int buffer = -1;
  Affine address;
  /// Instruction giving an i64 added to the address of a load or store after scaling by
  /// params[dynamic_stride_param] (gather, blocks of rows); -1: none.
  int dynamic_index = -1;
  int dynamic_stride_param = -1;
  /// load: bool instruction; where it is false nothing is read and the result is 0. store: nothing
  /// is written. -1: always.
  int predicate = -1;
  Literal value;
};

bool has_address(const Instr& instr);
/// Computes what takes about as long as a load (ir::kCostly).
bool is_costly(const Instr& instr);

/// Straight code run once per outer position, or a loop over all inner dimensions.
struct Phase {
  bool loop = false;
  std::vector<int> instrs;  // numbers, in order
};

struct BufferArg {
  DType dtype = DType::f32;
  bool written = false;
  /// Shares no byte with any other argument (in-place arguments do).
  bool no_alias = true;
  /// Not 0: no argument but memory of the kernel's own, so many elements for each outer position,
  /// in which one loop leaves what later ones need. Addresses have inner dimensions alone.
  int64_t own_elements = 0;
};

/// Inner dimension `inner` is cut in blocks, walked by outer dimension `outer`: positions from
/// block * params[size_param] up to the next block or the extent. For reductions with too few outer
/// positions; the cut depends on the shape alone, so results do not depend on the thread count.
struct Blocking {
  int outer = 0;
  int inner = 0;
  int size_param = 0;
};

/// Vector dimensions of so many positions are short: one vector, the block of channels.
inline constexpr int64_t kShortVector = 16;
/// Those of so many, which vectors of most targets divide, are compiled for just these.
inline constexpr int64_t kWholeVectors[] = {8, 16};
/// So many times as many columns are reduced in registers.
inline constexpr int64_t kMostColumnVectors = 4;

/// Rows of fewer elements, unless they are whole vectors, spend more time at their ends than
/// between.
inline constexpr int64_t kLongestFlatRow = 256;
/// Blocks of short axes of fewer elements may be walked as such rows.
inline constexpr int64_t kLongestRepeat = 1024;

/// Rows of so many elements may be walked side by side (row_walk.h).
inline constexpr int64_t kShortRow = 64;
/// The same of rows that many tasks read, so that it pays to lay them out for vectors.
inline constexpr int64_t kSharedRow = 512;
/// Of rows of so many elements side by side kernels know the stride: as the vectors that they fill
/// they are transposed in less.
inline constexpr int64_t kLongestDenseRow = 6;

/// Kernels that walk rows of so many elements in order, or elementwise kernels shorter rows than
/// kLongestFlatRow, are compiled for their length rounded up to kRowStep.
inline constexpr int64_t kShortestBoundRow = 8;
inline constexpr int64_t kLongestBoundRow = 256;
inline constexpr int64_t kRowStep = 16;

struct Kernel {
  std::string name;  // a hint; not part of the identity
  std::vector<BufferArg> buffers;
  std::vector<Dim> dims;  // outer ones first
  int vector_dim = 0;
  /// The vector dimension has at most kShortVector positions: the kernel then takes several
  /// positions of the last inner one at once, be it reduced or, without reductions, walked in
  /// order.
  bool short_vector = false;
  /// Not 0: it has just so many, one of kWholeVectors.
  int64_t short_extent = 0;
  /// Not 0: it has more, so many times kShortVector rounded up, and there are inner dimensions:
  /// what is reduced for each position fits registers.
  int column_vectors = 0;
  /// Not 0: the vector dimension walks rows of so many elements, behind each other in memory, as
  /// one; loads may have one value for each column or for each row.
  int64_t row_length = 0;
  /// The same of rows at least as long as a vector, whose length is this parameter; -1: none.
  int row_length_param = -1;
  /// Not 0: the inner dimensions have at most so many positions in all, kShortRow or kSharedRow,
  /// and the vector dimension is an outer one: rows are walked side by side.
  int64_t longest_row = 0;
  /// Not 0: the vector dimension has at most so many positions, more than kRowStep fewer, and
  /// kShortestBoundRow or more. It is the one inner dimension, or there is none, and then it has
  /// just so many unless it is lane_guarded.
  int64_t row_bound = 0;
  /// Rows are too short to be cut where guards of loads change, or part of a vector: guards, and
  /// where a row ends, may be asked for each lane.
  bool lane_guarded = false;
  std::optional<Blocking> blocking;
  std::vector<Instr> instrs;
  std::vector<Phase> phases;
  int num_params = 0;

  [[nodiscard]] bool has_flat_rows() const { return row_length > 0 || row_length_param >= 0; }

  /// Whether such rows are the columns of blocks, whose own rows inner dimensions walk.
  [[nodiscard]] bool has_flat_columns() const;

  [[nodiscard]] bool has_short_rows() const { return longest_row > 0; }

  [[nodiscard]] bool vector_is_inner() const { return dims[static_cast<size_t>(vector_dim)].inner; }

  /// Outer dimensions but the vector one: the flattened range that is cut into tasks.
  [[nodiscard]] int num_task_dims() const;
};

/// Text form; equal text means equal kernels. The first line leaves the name out when
/// `with_name` is false, which is the form that caches hash.
std::string to_string(const Kernel& kernel, bool with_name = true);
Hash128 identity(const Kernel& kernel);
/// The length of the rows that the vector dimension walks as one: a number or, `p3`, a parameter.
std::string row_length_text(const Kernel& kernel);
/// What a column, a row or a block adds to an address at a position of the vector dimension; in
/// text, as C has it, a block for a position of that name.
int64_t place_in_rows(int64_t row_length, const Affine::Term& term, int64_t position);
std::string blocks_text(const Kernel& kernel,
                        const Affine::Term& term,
                        const std::string& position);

/// Empty when sound; otherwise the broken rule.
std::optional<std::string> verify(const Kernel& kernel);

/// The elementwise op that brings two partial results of a reduction together, of any but argmax.
ir::OpKind combining_op(ir::OpKind reduction, DType dtype);

/// Runs positions [task_begin, task_end) of the flattened task dimensions (row-major), in order,
/// and [vector_begin, vector_end) of the vector dimension when that is an outer one (ignored, whole
/// extent walked, when it is an inner one; all of it where Kernel::short_extent is known; whole
/// rows where Kernel::has_flat_columns()).
using KernelFunction = void (*)(void* const* buffers,
                                const int64_t* params,
                                int64_t task_begin,
                                int64_t task_end,
                                int64_t vector_begin,
                                int64_t vector_end);

/// Reference semantics of kernel IR, scalar and slow: tells a wrong lowering from a wrong emitter.
void interpret(const Kernel& kernel,
               void* const* buffers,
               const int64_t* params,
               int64_t task_begin,
               int64_t task_end,
               int64_t vector_begin,
               int64_t vector_end);

}  // namespace wick::codegen
