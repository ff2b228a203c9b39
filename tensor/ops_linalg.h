#pragma once

// Products of vectors, matrices and tensors. All are lowered to one `matmul`, or where nothing is
// summed to one `mul`. Operands of different dtypes meet in the promoted one; integers wrap.

#include <initializer_list>
#include <span>
#include <string_view>

#include "wick/tensor/ops.h"

namespace wick {

/// Matrix product of a [m,k] and b [k,n]; nothing else is broadcast or promoted to a matrix.
Tensor mm(const Tensor& a, const Tensor& b, Where where = Where::current());
/// Matrix [m,k] times vector [k].
Tensor mv(const Tensor& a, const Tensor& x, Where where = Where::current());
/// Matrix products of a [b,m,k] and b [b,k,n].
Tensor bmm(const Tensor& a, const Tensor& b, Where where = Where::current());
/// Sum of products of two vectors of one length.
Tensor dot(const Tensor& a, const Tensor& b, Where where = Where::current());
/// Dot products along one axis; other axes broadcast.
Tensor vecdot(const Tensor& a, const Tensor& b, int axis = -1, Where where = Where::current());
/// NumPy's vdot: the dot product of both operands' elements in row-major order.
Tensor vdot(const Tensor& a, const Tensor& b, Where where = Where::current());
/// Products of a [..., k] and b [..., k] over their last axes: a's leading axes, then b's. With a
/// scalar, plain multiplication.
Tensor inner(const Tensor& a, const Tensor& b, Where where = Where::current());
/// All products of the elements of two vectors: [m] and [n] give [m,n].
Tensor outer(const Tensor& a, const Tensor& b, Where where = Where::current());

/// What a product is added to, and with which factors.
struct AddProductOptions {
  double beta = 1;   // of the tensor added to; 0 ignores it, NaN and infinities too
  double alpha = 1;  // of the product
};

/// beta c + alpha a b for matrices; c broadcasts to the product.
Tensor addmm(const Tensor& c,
             const Tensor& a,
             const Tensor& b,
             const AddProductOptions& options = {},
             Where where = Where::current());
/// beta c + alpha a x for a matrix a and a vector x.
Tensor addmv(const Tensor& c,
             const Tensor& a,
             const Tensor& x,
             const AddProductOptions& options = {},
             Where where = Where::current());
/// beta c + alpha x y^T for vectors x and y.
Tensor addr(const Tensor& c,
            const Tensor& x,
            const Tensor& y,
            const AddProductOptions& options = {},
            Where where = Where::current());
/// beta c + alpha a b for batches of matrices.
Tensor baddbmm(const Tensor& c,
               const Tensor& a,
               const Tensor& b,
               const AddProductOptions& options = {},
               Where where = Where::current());
/// beta c + alpha times the sum of the batch's products.
Tensor addbmm(const Tensor& c,
              const Tensor& a,
              const Tensor& b,
              const AddProductOptions& options = {},
              Where where = Where::current());

/// x w^T + b for x [..., in], w [out, in] or [in], b broadcasting to the product; no b if
/// undefined.
Tensor linear(const Tensor& x,
              const Tensor& w,
              const Tensor& b = Tensor(),
              Where where = Where::current());

/// Sums products over the last `count` axes of a and the first of b.
Tensor tensordot(const Tensor& a, const Tensor& b, int count = 2, Where where = Where::current());
/// Sums products over pairs of axes: axes_a[i] of a with axes_b[i] of b. The result has the other
/// axes of a, then those of b.
Tensor tensordot(const Tensor& a,
                 const Tensor& b,
                 const Axes& axes_a,
                 const Axes& axes_b,
                 Where where = Where::current());

/// Kronecker product: result extent i is a's times b's, missing leading axes count as 1.
Tensor kron(const Tensor& a, const Tensor& b, Where where = Where::current());
/// Cross products of the 3-vectors along an axis; other axes broadcast.
Tensor cross(const Tensor& a, const Tensor& b, int axis = -1, Where where = Where::current());

/// Einstein's summation, as `bhid,bhjd->bhij`. A letter names an axis of the operands; those absent
/// from the output are summed. A letter twice in an operand takes its diagonal. `...` stands for
/// axes that broadcast; extents of 1 broadcast too. Without `->` the output has the axes of `...`
/// and then, sorted, the letters that occur once. Spaces do not matter. More than two operands are
/// contracted pair by pair, always the pair that makes the smallest result.
Tensor einsum(std::string_view equation,
              std::span<const Tensor> operands,
              Where where = Where::current());
Tensor einsum(std::string_view equation,
              std::initializer_list<Tensor> operands,
              Where where = Where::current());

/// The product of two or more matrices in the order of least work; the first may be a row vector,
/// the last a column vector, as 1-D tensors.
Tensor multi_dot(std::span<const Tensor> matrices, Where where = Where::current());
Tensor multi_dot(std::initializer_list<Tensor> matrices, Where where = Where::current());

}  // namespace wick
