// Pooling and its gradients, one plane at a time, parallel over the planes of a batch: of all
// layouts and dtypes; runtime/row_pooling.cpp is faster for plain images of f32, block_pooling.cpp
// for those in blocks.
//
// Each output row is built by one pass for each window element, so that the innermost loop runs
// along the row, or over the channels of a block, and vectorizes whatever the window.

#include <algorithm>
#include <limits>
#include <vector>

#include "wick/runtime/block_pooling.h"
#include "wick/runtime/library_call.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/pool_rows.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {
namespace {

/// Elements of the window that count, for output (row, column).
template <typename T>
T window_size(const PoolShape& shape, int64_t row, int64_t column) {
  return static_cast<T>(shape.rows.counted(row, shape.exclude_padding) *
                        shape.columns.counted(column, shape.exclude_padding));
}

template <typename T>
void max_pool(const PoolShape& shape, const void* const* operands, void* result) {
  const auto* in = static_cast<const T*>(operands[0]);
  auto* out = static_cast<T*>(result);
  const int64_t width = shape.columns.out * shape.lanes;
  for (int64_t row = 0; row < shape.rows.out; ++row, out += width) {
    std::fill_n(out, width, -std::numeric_limits<T>::infinity());
    for_each_pair_of_row(shape, row, [&](int64_t to, int64_t from, int64_t /*number*/) {
      const T value = in[from];
      const T best = out[to];
      out[to] = (value > best) | (value != value) ? value : best;
    });
  }
}

template <typename T>
void avg_pool(const PoolShape& shape, const void* const* operands, void* result) {
  const auto* in = static_cast<const T*>(operands[0]);
  auto* out = static_cast<T*>(result);
  const int64_t width = shape.columns.out * shape.lanes;
  for (int64_t row = 0; row < shape.rows.out; ++row, out += width) {
    std::fill_n(out, width, T{0});
    for_each_pair_of_row(
        shape, row, [&](int64_t to, int64_t from, int64_t /*number*/) { out[to] += in[from]; });
    for_each_of_row(shape, [&](int64_t column, int64_t /*lane*/, int64_t x) {
      out[x] /= window_size<T>(shape, row, column);
    });
  }
}

template <typename T>
void avg_pool_grad(const PoolShape& shape, const void* const* operands, void* result) {
  const auto* cotangent = static_cast<const T*>(operands[0]);
  auto* out = static_cast<T*>(result);
  std::fill_n(out, shape.in_plane(), T{0});
  const int64_t width = shape.columns.out * shape.lanes;
  std::vector<T> shares(static_cast<size_t>(width));
  for (int64_t row = 0; row < shape.rows.out; ++row, cotangent += width) {
    for_each_of_row(shape, [&](int64_t column, int64_t /*lane*/, int64_t x) {
      shares[static_cast<size_t>(x)] = cotangent[x] / window_size<T>(shape, row, column);
    });
    for_each_pair_of_row(shape, row, [&](int64_t to, int64_t from, int64_t /*number*/) {
      out[from] += shares[static_cast<size_t>(to)];
    });
  }
}

class Pooling final : public HostCall {
 public:
  Pooling(const LibraryOp& op, const PoolShape& shape, PlaneFunction function)
      : shape_(shape),
        function_(function) {
    for (const Type& operand : op.operands)
      operand_planes_.push_back(plane_of(operand));
    result_plane_ = plane_of(op.result);
  }

  std::string_view implementation() const override { return "native pooling"; }

  void run(const void* const* operands, void* result, std::byte* /*scratch*/) const override {
    parallel_ranges(shape_.planes, shape_.grain(), [&](int64_t begin, int64_t end) {
      const void* planes[kMostOperands];
      for (int64_t plane = begin; plane < end; ++plane) {
        for (size_t i = 0; i < operand_planes_.size(); ++i) {
          planes[i] = static_cast<const std::byte*>(operands[i]) + plane * operand_planes_[i];
        }
        function_(shape_, planes, static_cast<std::byte*>(result) + plane * result_plane_);
      }
    });
  }

 private:
  static constexpr size_t kMostOperands = 2;

  static int64_t plane_of(const Type& type) {
    return static_cast<int64_t>(type.num_bytes()) /
           std::max<int64_t>(1, type.shape[0] * type.shape[1]);
  }

  PoolShape shape_;
  PlaneFunction function_;
  std::vector<int64_t> operand_planes_;  // bytes of one plane
  int64_t result_plane_ = 0;
};

template <typename T>
PlaneFunction function_of(ir::OpKind op) {
  switch (op) {
    case ir::OpKind::max_pool2d:
      return max_pool<T>;
    case ir::OpKind::avg_pool2d:
      return avg_pool<T>;
    case ir::OpKind::avg_pool2d_grad:
      return avg_pool_grad<T>;
    default:
      return nullptr;
  }
}

PlaneFunction function_of(const LibraryOp& op, const Type& images, int64_t lanes) {
  if (is_argmax(op.attributes))
    return chosen_element_function(op.op, images.dtype, op.result.dtype, lanes);
  if (op.op == ir::OpKind::max_pool2d_grad)
    return chosen_element_function(op.op, images.dtype, op.operands[0].dtype, lanes);
  if (images.dtype == DType::f32) {
    const int64_t vector = vector_lanes_of_blocks(lanes);
    if (vector == 0) return function_of<float>(op.op);
    return vector == 16 ? block_pooling<16>(op.op) : block_pooling<8>(op.op);
  }
  return images.dtype == DType::f64 ? function_of<double>(op.op) : nullptr;
}

}  // namespace

std::unique_ptr<HostCall> make_native_pooling(const LibraryOp& op) {
  if (!ir::has(op.op, ir::kPooling)) return nullptr;
  const bool is_gradient =
      op.op == ir::OpKind::max_pool2d_grad || op.op == ir::OpKind::avg_pool2d_grad;
  const Type& in = is_gradient ? op.result : op.operands[0];
  const Type& out = is_gradient ? op.operands.back() : op.result;
  const PoolShape shape = pool_shape(op.attributes, in.shape, out.shape);
  PlaneFunction function = function_of(op, in, shape.lanes);
  return function != nullptr ? std::make_unique<Pooling>(op, shape, function) : nullptr;
}

}  // namespace wick::runtime
