// Pooling and its gradients, one plane at a time, parallel over the planes of a batch.
//
// Each output row is built by one pass for each window element, so that the innermost loop runs
// along the row, or over the channels of a block, and vectorizes whatever the window.

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "wick/runtime/library_call.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/pool_shape.h"

namespace wick::runtime {
namespace {

/// Calls visit(start, first, last) for each window element of output row `row` that lies inside the
/// input for output columns [first, last): column x reads input column start + x * stride.
template <typename Visit>
void for_each_element_of_row(const PoolShape& shape, int64_t row, const Visit& visit) {
  for (int64_t i = shape.rows.first_element(row); i < shape.rows.last_element(row); ++i) {
    const int64_t start = shape.rows.position(row, i) * shape.columns.in;
    for (int64_t j = 0; j < shape.columns.kernel; ++j) {
      const int64_t first = shape.columns.first_output(j);
      const int64_t last = shape.columns.last_output(j);
      if (first < last) visit(start - shape.columns.padding + j, first, last);
    }
  }
}

/// Calls body(output element, input element) for every element of an output row and every input
/// element of its window that lies inside. Stride and lanes are constants where they are common,
/// so that the loop vectorizes.
template <typename Body>
void for_each_pair_of_row(const PoolShape& shape, int64_t row, const Body& body) {
  const auto walk = [&](auto stride, auto lanes) {
    for_each_element_of_row(shape, row, [&](int64_t start, int64_t first, int64_t last) {
      for (int64_t x = first; x < last; ++x) {
        const int64_t from = (start + x * stride) * lanes;
        for (int64_t lane = 0; lane < lanes; ++lane)
          body(x * lanes + lane, from + lane);
      }
    });
  };
  using One = std::integral_constant<int64_t, 1>;
  const int64_t stride = shape.columns.stride;
  if (shape.lanes == 16) return walk(stride, std::integral_constant<int64_t, 16>());
  if (shape.lanes != 1) return walk(stride, shape.lanes);
  if (stride == 1) return walk(One(), One());
  if (stride == 2) return walk(std::integral_constant<int64_t, 2>(), One());
  walk(stride, One());
}

/// Calls body(column, lane, output element) for each output of a row.
template <typename Body>
void for_each_of_row(const PoolShape& shape, const Body& body) {
  for (int64_t column = 0, x = 0; column < shape.columns.out; ++column) {
    for (int64_t lane = 0; lane < shape.lanes; ++lane, ++x)
      body(column, lane, x);
  }
}

/// Elements of the window that count, for output (row, column).
template <typename T>
T window_size(const PoolShape& shape, int64_t row, int64_t column) {
  const PoolAxis& r = shape.rows;
  const PoolAxis& c = shape.columns;
  if (!shape.exclude_padding) return static_cast<T>(r.kernel * c.kernel);
  return static_cast<T>((r.last_element(row) - r.first_element(row)) *
                        (c.last_element(column) - c.first_element(column)));
}

template <typename T>
void max_pool(const PoolShape& shape, const T* const* operands, T* out) {
  const T* in = operands[0];
  const int64_t width = shape.columns.out * shape.lanes;
  for (int64_t row = 0; row < shape.rows.out; ++row, out += width) {
    std::fill_n(out, width, -std::numeric_limits<T>::infinity());
    for_each_pair_of_row(shape, row, [&](int64_t to, int64_t from) {
      const T value = in[from];
      const T best = out[to];
      out[to] = (value > best) | (value != value) ? value : best;
    });
  }
}

/// Of the width of T: lanes of both go side by side.
template <typename T>
using Position = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;

/// Where each window of a row has its first largest element, or first NaN.
template <typename T>
void find_largest(const PoolShape& shape, const T* in, int64_t row, T* best, Position<T>* place) {
  const int64_t top = std::max<int64_t>(0, shape.rows.position(row, 0)) * shape.columns.in;
  for_each_of_row(shape, [&](int64_t column, int64_t lane, int64_t x) {
    const int64_t left = std::max<int64_t>(0, shape.columns.position(column, 0));
    best[x] = -std::numeric_limits<T>::infinity();
    place[x] = static_cast<Position<T>>((top + left) * shape.lanes + lane);
  });
  for_each_pair_of_row(shape, row, [&](int64_t to, int64_t from) {
    const T value = in[from];
    const bool wins = (value > best[to]) | ((value != value) & (best[to] == best[to]));
    best[to] = wins ? value : best[to];
    place[to] = wins ? static_cast<Position<T>>(from) : place[to];
  });
}

template <typename T>
void max_pool_grad(const PoolShape& shape, const T* const* operands, T* out) {
  const T* cotangent = operands[1];
  std::fill_n(out, shape.in_plane(), T{0});
  const int64_t width = shape.columns.out * shape.lanes;
  std::vector<T> best(static_cast<size_t>(width));
  std::vector<Position<T>> place(best.size());
  for (int64_t row = 0; row < shape.rows.out; ++row, cotangent += width) {
    find_largest(shape, operands[0], row, best.data(), place.data());
    for (int64_t x = 0; x < width; ++x)
      out[place[static_cast<size_t>(x)]] += cotangent[x];
  }
}

template <typename T>
void avg_pool(const PoolShape& shape, const T* const* operands, T* out) {
  const T* in = operands[0];
  const int64_t width = shape.columns.out * shape.lanes;
  for (int64_t row = 0; row < shape.rows.out; ++row, out += width) {
    std::fill_n(out, width, T{0});
    for_each_pair_of_row(shape, row, [&](int64_t to, int64_t from) { out[to] += in[from]; });
    for_each_of_row(shape, [&](int64_t column, int64_t /*lane*/, int64_t x) {
      out[x] /= window_size<T>(shape, row, column);
    });
  }
}

template <typename T>
void avg_pool_grad(const PoolShape& shape, const T* const* operands, T* out) {
  const T* cotangent = operands[0];
  std::fill_n(out, shape.in_plane(), T{0});
  const int64_t width = shape.columns.out * shape.lanes;
  std::vector<T> shares(static_cast<size_t>(width));
  for (int64_t row = 0; row < shape.rows.out; ++row, cotangent += width) {
    for_each_of_row(shape, [&](int64_t column, int64_t /*lane*/, int64_t x) {
      shares[static_cast<size_t>(x)] = cotangent[x] / window_size<T>(shape, row, column);
    });
    for_each_pair_of_row(shape, row, [&](int64_t to, int64_t from) {
      out[from] += shares[static_cast<size_t>(to)];
    });
  }
}

template <typename T>
class Pooling final : public HostCall {
 public:
  Pooling(const LibraryOp& op, const PoolShape& shape, PlaneFunction<T> function)
      : shape_(shape),
        function_(function) {
    for (const Type& operand : op.operands)
      operand_planes_.push_back(plane_of(operand));
    result_plane_ = plane_of(op.result);
  }

  std::string_view implementation() const override { return "native pooling"; }

  void run(const void* const* operands, void* result, std::byte* /*scratch*/) const override {
    parallel_ranges(shape_.planes, shape_.grain(), [&](int64_t begin, int64_t end) {
      const T* planes[kMostOperands];
      for (int64_t plane = begin; plane < end; ++plane) {
        for (size_t i = 0; i < operand_planes_.size(); ++i) {
          planes[i] = static_cast<const T*>(operands[i]) + plane * operand_planes_[i];
        }
        function_(shape_, planes, static_cast<T*>(result) + plane * result_plane_);
      }
    });
  }

 private:
  static constexpr size_t kMostOperands = 2;

  static int64_t plane_of(const Type& type) {
    return type.numel() / std::max<int64_t>(1, type.shape[0] * type.shape[1]);
  }

  PoolShape shape_;
  PlaneFunction<T> function_;
  std::vector<int64_t> operand_planes_;  // elements of one plane
  int64_t result_plane_ = 0;
};

template <typename T>
PlaneFunction<T> function_of(ir::OpKind op) {
  switch (op) {
    case ir::OpKind::max_pool2d:
      return max_pool<T>;
    case ir::OpKind::max_pool2d_grad:
      return max_pool_grad<T>;
    case ir::OpKind::avg_pool2d:
      return avg_pool<T>;
    case ir::OpKind::avg_pool2d_grad:
      return avg_pool_grad<T>;
    default:
      return nullptr;
  }
}

}  // namespace

std::unique_ptr<HostCall> make_native_pooling(const LibraryOp& op) {
  if (!ir::has(op.op, ir::kPooling)) return nullptr;
  const bool is_gradient =
      op.op == ir::OpKind::max_pool2d_grad || op.op == ir::OpKind::avg_pool2d_grad;
  const Shape& in = is_gradient ? op.result.shape : op.operands[0].shape;
  const Shape& out = is_gradient ? op.operands.back().shape : op.result.shape;
  const PoolShape shape = pool_shape(op.attributes, in, out);
  if (shape.in_plane() > std::numeric_limits<int32_t>::max()) return nullptr;
  if (op.result.dtype == DType::f32) {
    PlaneFunction<float> function = function_of<float>(op.op);
    if (op.op == ir::OpKind::max_pool2d_grad) {
      if (const auto in_blocks = max_pool_grad_in_blocks(shape.lanes)) function = in_blocks;
    }
    return std::make_unique<Pooling<float>>(op, shape, function);
  }
  if (op.result.dtype == DType::f64) {
    return std::make_unique<Pooling<double>>(op, shape, function_of<double>(op.op));
  }
  return nullptr;
}

}  // namespace wick::runtime
