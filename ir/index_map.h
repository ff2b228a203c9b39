#pragma once

// Where an element of a value sits, seen from a box of positions that is being walked: one affine
// expression of the positions for each axis. Movement ops change maps instead of moving data, which
// is what lets them take part in fusions.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "wick/ir/graph.h"

namespace wick::ir {

/// offset + sum of coefs[d] * position d. Coefficients of dimensions of one position are 0.
struct AffineExpr {
  int64_t offset = 0;
  std::vector<int64_t> coefs;
  /// The offset comes from an op whose offset is a number of the program (slice, pad, concat), so
  /// that generated code must not be specialized to its being 0.
  bool free_offset = false;

  [[nodiscard]] bool is_constant() const;

  /// Same value everywhere; free_offset does not count.
  friend bool operator==(const AffineExpr& a, const AffineExpr& b) {
    return a.offset == b.offset && a.coefs == b.coefs;
  }
};

/// One expression for each axis of the value.
using IndexMap = std::vector<AffineExpr>;

using Extents = std::span<const int64_t>;

/// The row-major number of the position among the dimensions for which `counts` is true.
AffineExpr row_major_position(Extents extents, const std::vector<bool>& counts);

/// The row-major number of the element of a value of this shape.
AffineExpr linearize(const IndexMap& map, const Shape& shape, Extents extents);

/// Cutting a dimension in two, the inner one of this extent.
struct DimSplit {
  size_t dim = 0;
  int64_t inner = 0;
};

/// The map that `linear` is the row-major number of; empty when that is not affine. `wanted` then
/// gets a split of a dimension that brings it nearer to being so, if there is one.
std::optional<IndexMap> delinearize(const AffineExpr& linear,
                                    const Shape& shape,
                                    Extents extents,
                                    std::optional<DimSplit>* wanted = nullptr);

/// How operand `operand` is read when the node's result is seen through `result`: elementwise ops
/// with their broadcasting, movement ops, the scalars of random_bits. For concat and pad the map
/// leaves the operand where the result takes another value. Empty when no affine map exists
/// (reshapes that do not split, the data of gather, interior padding, reductions).
std::optional<IndexMap> operand_map(const Node& node,
                                    int operand,
                                    const IndexMap& result,
                                    Extents extents,
                                    std::optional<DimSplit>* wanted = nullptr);

/// First position of operand `operand` of a concat along its axis.
int64_t concat_offset(const Node& concat, int operand);

/// The positions of a kernel as a list of dimensions, fine enough that the shapes of all values
/// walked by it are merged runs of them; `reduced` ones are walked in order by reductions.
/// Dimensions of extent 1 are left out.
struct Domain {
  std::vector<int64_t> extents;
  std::vector<bool> reduced;

  Domain() = default;
  explicit Domain(const Shape& shape, std::span<const int64_t> reduced_axes = {});

  /// All dimensions, only those that are not reduced, or only those that are: what is summed over
  /// all rows has a column for each position of a row.
  enum class Level : uint8_t { full, row, column };

  [[nodiscard]] int64_t numel(Level level) const;
  [[nodiscard]] bool has_reduced() const;
  /// The last dimension is reduced: what is reduced together lies together.
  [[nodiscard]] bool has_rows() const;

  /// The same positions, rows and columns exchanged.
  [[nodiscard]] Domain transposed() const;

  /// Splits dimensions so that `shape` (whose elements the positions of the level number in
  /// row-major order) is affine in them. False, and nothing changed, when that cannot be.
  bool refine(const Shape& shape, Level level);
  /// The same for all dimensions of another domain whose reduced dimensions must agree.
  bool refine(const Domain& other);

  void split(const DimSplit& split);

  /// The map of a value whose elements the positions number in row-major order.
  [[nodiscard]] std::optional<IndexMap> aligned_map(
      const Shape& shape, Level level, std::optional<DimSplit>* wanted = nullptr) const;
};

}  // namespace wick::ir
