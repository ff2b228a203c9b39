// Pooling and its gradients, one plane at a time, parallel over the planes of a batch.
//
// Each output row is built by one pass for each window element, so that the innermost loop runs
// along the row and vectorizes whatever the window.

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "wick/runtime/library_call.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime {
namespace {

constexpr int64_t kWorkGrain = 32768;  // elements read worth a thread

struct PoolAxis {
  int64_t in = 1;
  int64_t out = 1;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t padding = 0;

  [[nodiscard]] int64_t position(int64_t at, int64_t k) const { return at * stride - padding + k; }

  /// Outputs whose window element k lies inside the input: [first, last).
  [[nodiscard]] int64_t first_output(int64_t k) const {
    const int64_t short_of = padding - k;
    return short_of <= 0 ? 0 : (short_of + stride - 1) / stride;
  }

  [[nodiscard]] int64_t last_output(int64_t k) const {
    const int64_t room = in - 1 + padding - k;
    return room < 0 ? 0 : std::min(out, room / stride + 1);
  }

  /// Window elements of output `at` inside the input: [first, last).
  [[nodiscard]] int64_t first_element(int64_t at) const {
    return std::max<int64_t>(0, padding - at * stride);
  }

  [[nodiscard]] int64_t last_element(int64_t at) const {
    return std::min(kernel, in + padding - at * stride);
  }
};

struct PoolShape {
  int64_t planes = 1;
  PoolAxis rows;
  PoolAxis columns;
  bool exclude_padding = false;

  [[nodiscard]] int64_t in_plane() const { return rows.in * columns.in; }

  [[nodiscard]] int64_t out_plane() const { return rows.out * columns.out; }

  /// Planes worth a thread.
  [[nodiscard]] int64_t grain() const {
    const int64_t work = in_plane() + out_plane() * rows.kernel * columns.kernel;
    return std::max<int64_t>(1, kWorkGrain / std::max<int64_t>(1, work));
  }
};

PoolShape pool_shape(const ir::Attributes& attributes, const Shape& in, const Shape& out) {
  const std::vector<int64_t>& kernel = attributes.integers("kernel");
  const std::vector<int64_t>& stride =
      attributes.has("stride") ? attributes.integers("stride") : kernel;
  const std::vector<int64_t>& padding = attributes.integers("padding");
  const auto axis = [&](size_t i) {
    return PoolAxis{.in = in[2 + static_cast<int>(i)],
                    .out = out[2 + static_cast<int>(i)],
                    .kernel = kernel[i],
                    .stride = stride[i],
                    .padding = padding.empty() ? 0 : padding[i]};
  };
  return {.planes = in[0] * in[1],
          .rows = axis(0),
          .columns = axis(1),
          .exclude_padding = attributes.flag("exclude_padding")};
}

/// Calls visit(start, first, last) for each window element of output row `row` that lies inside the
/// input for output columns [first, last): column x reads input element start + x * stride.
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

/// Calls body with the stride: as a constant where it is common, so that the loop along a row
/// vectorizes.
template <typename Body>
void with_stride(int64_t stride, const Body& body) {
  if (stride == 1) return body(std::integral_constant<int64_t, 1>());
  if (stride == 2) return body(std::integral_constant<int64_t, 2>());
  body(stride);
}

template <typename T>
class Pooling : public LibraryCall {
 public:
  explicit Pooling(PoolShape shape) : shape_(shape) {}

  std::string_view implementation() const final { return "native pooling"; }

 protected:
  /// Calls body(plane) for every plane.
  template <typename Body>
  void for_each_plane(const Body& body) const {
    parallel_ranges(shape_.planes, shape_.grain(), [&](int64_t begin, int64_t end) {
      for (int64_t plane = begin; plane < end; ++plane)
        body(plane);
    });
  }

  /// 1 / elements of the window that count, for output (row, column).
  [[nodiscard]] T weight(int64_t row, int64_t column) const {
    const PoolAxis& r = shape_.rows;
    const PoolAxis& c = shape_.columns;
    if (!shape_.exclude_padding) return static_cast<T>(r.kernel * c.kernel);
    return static_cast<T>((r.last_element(row) - r.first_element(row)) *
                          (c.last_element(column) - c.first_element(column)));
  }

  PoolShape shape_;
};

template <typename T>
class MaxPool final : public Pooling<T> {
 public:
  using Pooling<T>::Pooling;

  void run(const void* const* operands, void* result, std::byte* /*scratch*/) const override {
    const PoolShape& shape = this->shape_;
    this->for_each_plane([&](int64_t plane) {
      const T* in = static_cast<const T*>(operands[0]) + plane * shape.in_plane();
      T* out = static_cast<T*>(result) + plane * shape.out_plane();
      for (int64_t row = 0; row < shape.rows.out; ++row, out += shape.columns.out) {
        std::fill_n(out, shape.columns.out, -std::numeric_limits<T>::infinity());
        with_stride(shape.columns.stride, [&](auto stride) {
          for_each_element_of_row(shape, row, [&](int64_t start, int64_t first, int64_t last) {
            for (int64_t x = first; x < last; ++x) {
              const T value = in[start + x * stride];
              const T best = out[x];
              out[x] = (value > best) | (value != value) ? value : best;
            }
          });
        });
      }
    });
  }
};

template <typename T>
class MaxPoolGrad final : public Pooling<T> {
 public:
  using Pooling<T>::Pooling;

  void run(const void* const* operands, void* result, std::byte* /*scratch*/) const override {
    const PoolShape& shape = this->shape_;
    this->for_each_plane([&](int64_t plane) {
      const T* in = static_cast<const T*>(operands[0]) + plane * shape.in_plane();
      const T* cotangent = static_cast<const T*>(operands[1]) + plane * shape.out_plane();
      T* out = static_cast<T*>(result) + plane * shape.in_plane();
      std::fill_n(out, shape.in_plane(), T{0});
      std::vector<T> best(static_cast<size_t>(shape.columns.out));
      std::vector<Place> place(best.size());
      for (int64_t row = 0; row < shape.rows.out; ++row, cotangent += shape.columns.out) {
        find_largest(in, row, best.data(), place.data());
        for (int64_t x = 0; x < shape.columns.out; ++x) {
          out[place[static_cast<size_t>(x)]] += cotangent[x];
        }
      }
    });
  }

 private:
  /// Of the width of T: lanes of both go side by side.
  using Place = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;

  /// Where each window of a row has its first largest element, or first NaN.
  void find_largest(const T* in, int64_t row, T* best, Place* place) const {
    const PoolShape& shape = this->shape_;
    const int64_t top = std::max<int64_t>(0, shape.rows.position(row, 0)) * shape.columns.in;
    for (int64_t x = 0; x < shape.columns.out; ++x) {
      best[x] = -std::numeric_limits<T>::infinity();
      place[x] = static_cast<Place>(top + std::max<int64_t>(0, shape.columns.position(x, 0)));
    }
    with_stride(shape.columns.stride, [&](auto stride) {
      for_each_element_of_row(shape, row, [&](int64_t start, int64_t first, int64_t last) {
        for (int64_t x = first; x < last; ++x) {
          const T value = in[start + x * stride];
          const bool wins = (value > best[x]) | ((value != value) & (best[x] == best[x]));
          best[x] = wins ? value : best[x];
          place[x] = wins ? static_cast<Place>(start + x * stride) : place[x];
        }
      });
    });
  }
};

template <typename T>
class AvgPool final : public Pooling<T> {
 public:
  using Pooling<T>::Pooling;

  void run(const void* const* operands, void* result, std::byte* /*scratch*/) const override {
    const PoolShape& shape = this->shape_;
    this->for_each_plane([&](int64_t plane) {
      const T* in = static_cast<const T*>(operands[0]) + plane * shape.in_plane();
      T* out = static_cast<T*>(result) + plane * shape.out_plane();
      for (int64_t row = 0; row < shape.rows.out; ++row, out += shape.columns.out) {
        std::fill_n(out, shape.columns.out, T{0});
        for_each_element_of_row(shape, row, [&](int64_t start, int64_t first, int64_t last) {
          for (int64_t x = first; x < last; ++x)
            out[x] += in[start + x * shape.columns.stride];
        });
        for (int64_t x = 0; x < shape.columns.out; ++x)
          out[x] /= this->weight(row, x);
      }
    });
  }
};

template <typename T>
class AvgPoolGrad final : public Pooling<T> {
 public:
  using Pooling<T>::Pooling;

  void run(const void* const* operands, void* result, std::byte* /*scratch*/) const override {
    const PoolShape& shape = this->shape_;
    this->for_each_plane([&](int64_t plane) {
      const T* cotangent = static_cast<const T*>(operands[0]) + plane * shape.out_plane();
      T* out = static_cast<T*>(result) + plane * shape.in_plane();
      std::fill_n(out, shape.in_plane(), T{0});
      std::vector<T> shares(static_cast<size_t>(shape.columns.out));
      for (int64_t row = 0; row < shape.rows.out; ++row, cotangent += shape.columns.out) {
        for (int64_t x = 0; x < shape.columns.out; ++x) {
          shares[static_cast<size_t>(x)] = cotangent[x] / this->weight(row, x);
        }
        for_each_element_of_row(shape, row, [&](int64_t start, int64_t first, int64_t last) {
          for (int64_t x = first; x < last; ++x) {
            out[start + x * shape.columns.stride] += shares[static_cast<size_t>(x)];
          }
        });
      }
    });
  }
};

template <template <typename> typename Op>
std::unique_ptr<LibraryCall> make_for_dtype(const LibraryOp& op,
                                            const Shape& in,
                                            const Shape& out) {
  const PoolShape shape = pool_shape(op.attributes, in, out);
  if (shape.in_plane() > std::numeric_limits<int32_t>::max()) return nullptr;
  if (op.result.dtype == DType::f32) return std::make_unique<Op<float>>(shape);
  if (op.result.dtype == DType::f64) return std::make_unique<Op<double>>(shape);
  return nullptr;
}

}  // namespace

std::unique_ptr<LibraryCall> make_native_pooling(const LibraryOp& op) {
  const Shape& operand = op.operands.empty() ? op.result.shape : op.operands[0].shape;
  const Shape& result = op.result.shape;
  if (op.op == ir::OpKind::max_pool2d) return make_for_dtype<MaxPool>(op, operand, result);
  if (op.op == ir::OpKind::avg_pool2d) return make_for_dtype<AvgPool>(op, operand, result);
  if (op.op == ir::OpKind::avg_pool2d_grad) return make_for_dtype<AvgPoolGrad>(op, result, operand);
  if (op.op == ir::OpKind::max_pool2d_grad) {
    return make_for_dtype<MaxPoolGrad>(op, result, op.operands[1].shape);
  }
  return nullptr;
}

}  // namespace wick::runtime
