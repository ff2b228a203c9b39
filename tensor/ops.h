#pragma once

// The op functions. Each records; shape and dtype errors name op, types and the caller's line.
// Negative axes count from the end; an empty list of axes means all of them.

#include "wick/ir/op.h"
#include "wick/tensor/random.h"
#include "wick/tensor/tensor.h"

namespace wick {

// Making tensors.
Tensor zeros(Shape shape, DType dtype = DType::f32, Where where = Where::current());
Tensor ones(Shape shape, DType dtype = DType::f32, Where where = Where::current());
/// Every element equals `value`, which is an operand of the program, not part of it.
Tensor full(Shape shape, double value, DType dtype = DType::f32, Where where = Where::current());
Tensor arange(int64_t count, DType dtype = DType::i64, Where where = Where::current());
Tensor linspace(double start,
                double stop,
                int64_t count,
                DType dtype = DType::f32,
                Where where = Where::current());
Tensor eye(int64_t n, DType dtype = DType::f32, Where where = Where::current());
/// A rank-0 tensor.
Tensor scalar(double value, DType dtype = DType::f32, Where where = Where::current());
Tensor tensor(std::initializer_list<float> values, Where where = Where::current());
Tensor tensor(std::initializer_list<std::initializer_list<float>> rows,
              Where where = Where::current());

/// Copies `values`, whose number must be that of `shape`.
template <typename T>
Tensor from_span(std::span<const T> values, Shape shape, Where where = Where::current());

template <typename T>
Tensor from_vector(const std::vector<T>& values, Shape shape, Where where = Where::current()) {
  return from_span(std::span<const T>(values), std::move(shape), where);
}

/// Uses foreign memory without copying; `deleter` runs when nobody needs it any more.
Tensor from_buffer(void* data,
                   Type type,
                   std::function<void()> deleter,
                   Where where = Where::current());

// Elementwise.
Tensor abs(const Tensor& x, Where where = Where::current());
Tensor sign(const Tensor& x, Where where = Where::current());
Tensor floor(const Tensor& x, Where where = Where::current());
Tensor ceil(const Tensor& x, Where where = Where::current());
Tensor round(const Tensor& x, Where where = Where::current());
Tensor exp(const Tensor& x, Where where = Where::current());
Tensor log(const Tensor& x, Where where = Where::current());
Tensor sqrt(const Tensor& x, Where where = Where::current());
Tensor rsqrt(const Tensor& x, Where where = Where::current());
Tensor sin(const Tensor& x, Where where = Where::current());
Tensor cos(const Tensor& x, Where where = Where::current());
Tensor atan(const Tensor& x, Where where = Where::current());
Tensor tanh(const Tensor& x, Where where = Where::current());
Tensor erf(const Tensor& x, Where where = Where::current());
Tensor sigmoid(const Tensor& x, Where where = Where::current());
Tensor square(const Tensor& x, Where where = Where::current());
Tensor pow(const Tensor& x, const Operand& exponent, Where where = Where::current());
Tensor maximum(const Operand& a, const Operand& b);
Tensor minimum(const Operand& a, const Operand& b);
Tensor clamp(const Tensor& x, double low, double high, Where where = Where::current());
/// y where the bool condition is true, z elsewhere.
Tensor where(const Tensor& condition, const Operand& y, const Operand& z);
Tensor isnan(const Tensor& x, Where where = Where::current());
Tensor relu(const Tensor& x, Where where = Where::current());
/// x * Phi(x), by erf.
Tensor gelu(const Tensor& x, Where where = Where::current());
Tensor silu(const Tensor& x, Where where = Where::current());
Tensor cast(const Tensor& x, DType dtype, Where where = Where::current());
/// The same bits as another dtype of the same width; not bool.
Tensor bitcast(const Tensor& x, DType dtype, Where where = Where::current());

// Reductions. Integer and bool sums and products are i64.
Tensor sum(const Tensor& x, Axes axes = {}, bool keepdims = false, Where where = Where::current());
Tensor prod(const Tensor& x, Axes axes = {}, bool keepdims = false, Where where = Where::current());
Tensor max(const Tensor& x, Axes axes = {}, bool keepdims = false, Where where = Where::current());
Tensor min(const Tensor& x, Axes axes = {}, bool keepdims = false, Where where = Where::current());
Tensor mean(const Tensor& x, Axes axes = {}, bool keepdims = false, Where where = Where::current());
/// Population variance over axes with `correction` taken off the count.
Tensor var(const Tensor& x,
           Axes axes = {},
           bool keepdims = false,
           int64_t correction = 1,
           Where where = Where::current());
Tensor any(const Tensor& x, Axes axes = {}, bool keepdims = false, Where where = Where::current());
Tensor all(const Tensor& x, Axes axes = {}, bool keepdims = false, Where where = Where::current());
Tensor argmax(const Tensor& x, int axis, bool keepdims = false, Where where = Where::current());
Tensor argmin(const Tensor& x, int axis, bool keepdims = false, Where where = Where::current());
Tensor softmax(const Tensor& x, int axis, Where where = Where::current());
Tensor log_softmax(const Tensor& x, int axis, Where where = Where::current());
Tensor logsumexp(const Tensor& x, Axes axes, bool keepdims = false, Where where = Where::current());

// Movement.
Tensor broadcast_to(const Tensor& x, Shape shape, Where where = Where::current());
/// One extent may be -1: it is what remains.
Tensor reshape(const Tensor& x, Shape shape, Where where = Where::current());
/// Axes start..end become one.
Tensor flatten(const Tensor& x, int start = 0, int end = -1, Where where = Where::current());
Tensor permute(const Tensor& x, Axes axes, Where where = Where::current());
Tensor transpose(const Tensor& x, int a, int b, Where where = Where::current());
Tensor unsqueeze(const Tensor& x, int axis, Where where = Where::current());
Tensor squeeze(const Tensor& x, int axis, Where where = Where::current());
/// Elements start, start + step, ... before stop along one axis, with Python's rules for negative
/// and too large bounds. Consecutive elements of a materialized tensor (slices of its leading axis)
/// are a view: no program runs, and offsets are no part of the traces that read them. Other offsets
/// make a new plan, from the same kernels.
Tensor slice(const Tensor& x,
             int axis,
             int64_t start,
             int64_t stop,
             int64_t step = 1,
             Where where = Where::current());
/// One position of an axis, which goes.
Tensor select(const Tensor& x, int axis, int64_t index, Where where = Where::current());
Tensor concat(std::span<const Tensor> tensors, int axis, Where where = Where::current());
Tensor concat(std::initializer_list<Tensor> tensors, int axis, Where where = Where::current());
Tensor stack(std::span<const Tensor> tensors, int axis, Where where = Where::current());
Tensor pad(const Tensor& x, Axes low, Axes high, double value = 0, Where where = Where::current());
/// Slices of x along axis at the integer indices.
Tensor take(const Tensor& x, const Tensor& indices, int axis, Where where = Where::current());
/// 1 where the last axis's position equals the index.
Tensor one_hot(const Tensor& indices,
               int64_t num_classes,
               DType dtype = DType::f32,
               Where where = Where::current());

// Contractions; wick/tensor/ops_conv.h and ops_pool.h have those of windows.
/// NumPy's matmul, 1-D operands included.
Tensor matmul(const Tensor& a, const Tensor& b, Where where = Where::current());

// For layers above (autograd rules): an op of the table as it stands, attributes included.
Tensor record(ir::OpKind op,
              std::span<const Tensor> operands,
              ir::Attributes attributes,
              Where where);

}  // namespace wick
