#pragma once

// Cutting, joining, repeating and rearranging, and what lives on diagonals. None of these computes
// anything: they fuse with what does. x[...] is in wick/tensor/indexing.h.

#include <optional>
#include <vector>

#include "wick/tensor/ops.h"

namespace wick {

// Cutting.

/// Parts of `size` along the axis, the last one with what remains.
std::vector<Tensor> split(const Tensor& x,
                          int64_t size,
                          int axis = 0,
                          Where where = Where::current());
/// Parts of these sizes, which add up to the axis.
std::vector<Tensor> split_with_sizes(const Tensor& x,
                                     const Axes& sizes,
                                     int axis = 0,
                                     Where where = Where::current());
/// At most `count` parts: split into the smallest size that needs no more.
std::vector<Tensor> chunk(const Tensor& x,
                          int64_t count,
                          int axis = 0,
                          Where where = Where::current());
/// Exactly `count` parts, the first ones larger by one if they cannot be equal (NumPy's
/// array_split).
std::vector<Tensor> tensor_split(const Tensor& x,
                                 int64_t count,
                                 int axis = 0,
                                 Where where = Where::current());
/// The positions of an axis, which goes.
std::vector<Tensor> unbind(const Tensor& x, int axis = 0, Where where = Where::current());
/// `length` elements of an axis from `start` on; they must exist. A negative start counts from the
/// end.
Tensor narrow(
    const Tensor& x, int axis, int64_t start, int64_t length, Where where = Where::current());
/// Windows of `size` elements along the axis, `step` apart: their positions take the place of the
/// axis, their elements are a new last axis.
Tensor unfold(
    const Tensor& x, int axis, int64_t size, int64_t step, Where where = Where::current());

// Joining.

/// Along the first axis (vectors, scalars) or the second; down the first axis of rows; along the
/// third axis. Ranks are brought to at least 1, 2 and 3 first.
Tensor hstack(std::span<const Tensor> tensors, Where where = Where::current());
Tensor vstack(std::span<const Tensor> tensors, Where where = Where::current());
Tensor dstack(std::span<const Tensor> tensors, Where where = Where::current());
/// Vectors become columns.
Tensor column_stack(std::span<const Tensor> tensors, Where where = Where::current());
/// Rows of blocks, joined along the last axis and then the one before it.
Tensor block(const std::vector<std::vector<Tensor>>& rows, Where where = Where::current());
/// A matrix with these matrices (vectors: rows; scalars: 1 x 1) along its diagonal, 0 elsewhere.
Tensor block_diag(std::span<const Tensor> tensors, Where where = Where::current());

// Repeating.

/// The whole of x, repeats[i] times along axis i; the shorter of repeats and shape gets leading
/// ones.
Tensor tile(const Tensor& x, const Axes& repeats, Where where = Where::current());
/// As tile, with at least as many repeats as axes.
Tensor repeat(const Tensor& x, const Axes& repeats, Where where = Where::current());
/// Each element `repeats` times in a row along the axis; without an axis x is flat.
Tensor repeat_interleave(const Tensor& x,
                         int64_t repeats,
                         std::optional<int> axis = {},
                         Where where = Where::current());
/// As many times as the integers say, one for each position; their sum is only known at run time:
/// it materializes them.
Tensor repeat_interleave(const Tensor& x,
                         const Tensor& repeats,
                         std::optional<int> axis = {},
                         Where where = Where::current());
/// As broadcast_to, where an extent of -1 is x's own.
Tensor expand(const Tensor& x, Shape shape, Where where = Where::current());
std::vector<Tensor> broadcast_tensors(std::span<const Tensor> tensors,
                                      Where where = Where::current());
enum class GridIndexing : uint8_t { ij, xy };
/// Vectors or scalars, each stretched along the axes of the others; xy swaps the first two axes.
std::vector<Tensor> meshgrid(std::span<const Tensor> tensors,
                             GridIndexing indexing = GridIndexing::ij,
                             Where where = Where::current());

// Rearranging.

/// Reversed along the axes.
Tensor flip(const Tensor& x, const Axes& axes = {}, Where where = Where::current());
Tensor fliplr(const Tensor& x, Where where = Where::current());
Tensor flipud(const Tensor& x, Where where = Where::current());
/// Elements move by shifts[i] along axes[i], those pushed out coming in at the other end; without
/// axes x is treated as flat.
Tensor roll(const Tensor& x,
            const Axes& shifts,
            const Axes& axes = {},
            Where where = Where::current());
/// A quarter turn from axis a to axis b, `count` times; negative: back.
Tensor rot90(
    const Tensor& x, int64_t count = 1, int a = 0, int b = 1, Where where = Where::current());
/// Axis from[i] becomes axis to[i]; the others keep their order.
Tensor movedim(const Tensor& x, const Axes& from, const Axes& to, Where where = Where::current());
Tensor swapaxes(const Tensor& x, int a, int b, Where where = Where::current());
/// [..., c r r, h, w] to [..., c, h r, w r] (Shi et al., 2016), and back.
Tensor pixel_shuffle(const Tensor& x, int64_t factor, Where where = Where::current());
Tensor pixel_unshuffle(const Tensor& x, int64_t factor, Where where = Where::current());

// Axes of extent 1.

/// Without all of them.
Tensor squeeze(const Tensor& x, Where where = Where::current());
/// Without these.
Tensor squeeze(const Tensor& x, const Axes& axes, Where where = Where::current());
/// With new ones, at these places in the result.
Tensor expand_dims(const Tensor& x, const Axes& axes, Where where = Where::current());
/// Leading ones for vectors; as NumPy, atleast_3d gives [1,n,1] for [n] and [n,m,1] for [n,m].
Tensor atleast_1d(const Tensor& x, Where where = Where::current());
Tensor atleast_2d(const Tensor& x, Where where = Where::current());
Tensor atleast_3d(const Tensor& x, Where where = Where::current());
/// One axis as several, one of whose extents may be -1.
Tensor unflatten(const Tensor& x, int axis, const Shape& shape, Where where = Where::current());

// Borders.

enum class PadMode : uint8_t {
  reflect,    // c b | a b c d | c b; narrower than the axis
  symmetric,  // b a | a b c d | d c; at most as wide as the axis
  replicate,  // a a | a b c d | d d
  circular    // c d | a b c d | a b; at most as wide as the axis
};

/// x with low[i] and high[i] elements before and after axis i, made of x's own; negative ones crop.
Tensor pad(const Tensor& x,
           const Axes& low,
           const Axes& high,
           PadMode mode,
           Where where = Where::current());

// Diagonals: elements (i, i + offset) of two axes.

/// The matrices of the last two axes with 0 above (tril) or below (triu) a diagonal.
Tensor tril(const Tensor& x, int64_t offset = 0, Where where = Where::current());
Tensor triu(const Tensor& x, int64_t offset = 0, Where where = Where::current());
/// i64[2, k]: the rows and columns of the elements that tril and triu keep, in row-major order.
Tensor tril_indices(int64_t rows,
                    int64_t columns,
                    int64_t offset = 0,
                    Where where = Where::current());
Tensor triu_indices(int64_t rows,
                    int64_t columns,
                    int64_t offset = 0,
                    Where where = Where::current());
/// The diagonal as a new last axis, in place of axes a and b.
Tensor diagonal(
    const Tensor& x, int64_t offset = 0, int a = 0, int b = 1, Where where = Where::current());
/// The last axis as a diagonal of new axes a and b, 0 elsewhere.
Tensor diag_embed(
    const Tensor& x, int64_t offset = 0, int a = -2, int b = -1, Where where = Where::current());
/// A vector as a diagonal matrix; the diagonal of a matrix.
Tensor diag(const Tensor& x, int64_t offset = 0, Where where = Where::current());
/// The sum of the diagonal of axes a and b.
Tensor trace(
    const Tensor& x, int64_t offset = 0, int a = 0, int b = 1, Where where = Where::current());

// Positions and differences.

/// For row-major positions in `shape`, the position along each axis.
std::vector<Tensor> unravel_index(const Tensor& positions,
                                  const Shape& shape,
                                  Where where = Where::current());
/// And back.
Tensor ravel_multi_index(std::span<const Tensor> positions,
                         const Shape& shape,
                         Where where = Where::current());
/// x[i + 1] - x[i] along the axis, n times over; of bools, where they differ.
Tensor diff(const Tensor& x, int64_t n = 1, int axis = -1, Where where = Where::current());

}  // namespace wick
