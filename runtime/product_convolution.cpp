// Convolutions as matrix products, where no library has them: of f64, and more in builds without
// oneDNN. What the windows of some positions read becomes the columns of
// a matrix, which the weights multiply (Chellapilla et al., 2006); positions are taken so many at a
// time that the matrix stays in the caches.

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "wick/runtime/convolution_axis.h"
#include "wick/runtime/division.h"
#include "wick/runtime/library_call.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime {
namespace {

constexpr int64_t kMatrixBytes = int64_t{1} << 21U;

struct Axis : ConvolutionAxis {
  [[nodiscard]] int64_t position(int64_t at, int64_t tap) const {
    return at * stride - padding + tap * dilation;
  }

  /// Outputs [first, second) are those whose window has this tap inside of the input.
  [[nodiscard]] std::pair<int64_t, int64_t> inside(int64_t tap) const {
    const int64_t from = padding - tap * dilation;  // first output times stride is at least this
    const int64_t to = input + from;
    const auto divided = [&](int64_t n) { return n <= 0 ? 0 : (n + stride - 1) / stride; };
    const int64_t begin = std::min(output, divided(from));
    return {begin, std::clamp(divided(to), begin, output)};
  }
};

struct Geometry {
  int64_t images = 0;
  int64_t groups = 1;
  int64_t inputs = 0;   // channels of a group
  int64_t outputs = 0;  // channels of a group
  std::array<Axis, 3> axes = {};

  [[nodiscard]] int64_t product(int64_t Axis::* extent) const {
    return axes[0].*extent * axes[1].*extent * axes[2].*extent;
  }

  [[nodiscard]] int64_t taps() const { return inputs * product(&Axis::window); }

  /// Rows of an image of the result of conv, and what is in them.
  [[nodiscard]] int64_t rows() const { return axes[0].output * axes[1].output; }

  [[nodiscard]] int64_t columns() const { return axes[2].output; }
};

Geometry plain_geometry(const ir::Attributes& attributes,
                        const Shape& x,
                        const Shape& w,
                        const Shape& y) {
  const auto groups = attributes.integer("groups", 1);
  Geometry g{.images = x[0], .groups = groups, .inputs = w[1], .outputs = w[0] / groups};
  const int rank = w.ndim() - 2;
  for (int i = 0; i < rank; ++i)
    g.axes[static_cast<size_t>(3 - rank + i)] = {convolution_axis(attributes, x, w, y, i + 2)};
  return g;
}

/// lhs (m x k) * rhs (k x n), or with an operand that is stored transposed.
std::unique_ptr<HostCall> make_product(
    DType dtype, const Shape& lhs, const Shape& rhs, const Shape& result, const char* transposed) {
  LibraryOp op{ir::OpKind::matmul, {}, {{dtype, lhs}, {dtype, rhs}}, {dtype, result}};
  if (*transposed != 0) op.attributes.set(transposed, true);
  for (const auto make : {make_f32_matmul, make_blas_matmul, make_native_matmul}) {
    if (auto call = make(op)) return call;
  }
  return nullptr;
}

/// What conv and both its gradients do: they go over groups of images in steps of a few rows of the
/// result of conv.
template <typename T>
class ProductConvolution final : public HostCall {
 public:
  ProductConvolution(ir::OpKind op, const Geometry& geometry, DType dtype) : op_(op), g_(geometry) {
    const int64_t row_bytes =
        std::max<int64_t>(1, g_.taps() * g_.columns() * static_cast<int64_t>(sizeof(T)));
    step_ = std::clamp<int64_t>(kMatrixBytes / row_bytes, 1, g_.rows());
    products_[0] = product(dtype, step_);
    if (const int64_t rest = g_.rows() % step_; rest > 0) products_[1] = product(dtype, rest);
  }

  std::string_view implementation() const override { return "native convolution"; }

  size_t scratch_bytes() const override { return lane_bytes() * static_cast<size_t>(lanes()); }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    const auto* first = static_cast<const T*>(operands[0]);
    const auto* second = static_cast<const T*>(operands[1]);
    auto* out = static_cast<T*>(result);
    parallel_for(lanes(), [&](int64_t lane) {
      const Scratch own = scratch_of(scratch + lane_bytes() * static_cast<size_t>(lane));
      for (int64_t task = lane; task < tasks(); task += lanes())
        run_task(task, first, second, out, own);
    });
  }

 private:
  struct Scratch {
    T* matrix;   // taps x positions
    T* slab;     // channels of conv's result x positions
    T* weights;  // a part of their gradient
    std::byte* of_product;
  };

  [[nodiscard]] std::unique_ptr<HostCall> product(DType dtype, int64_t rows) const {
    const int64_t positions = rows * g_.columns();
    const Shape weights{g_.outputs, g_.taps()};
    const Shape slab{g_.outputs, positions};
    const Shape matrix{g_.taps(), positions};
    if (op_ == ir::OpKind::conv) return make_product(dtype, weights, matrix, slab, "");
    if (op_ == ir::OpKind::conv_input_grad)
      return make_product(dtype, weights, slab, matrix, "transpose_lhs");
    return make_product(dtype, slab, matrix, weights, "transpose_rhs");
  }

  /// Parts of the result that have nothing to do with each other.
  [[nodiscard]] int64_t tasks() const {
    return op_ == ir::OpKind::conv_weight_grad ? g_.groups : g_.images * g_.groups;
  }

  /// Where there are few tasks, the threads share each product instead.
  [[nodiscard]] int64_t lanes() const {
    const int64_t threads = max_threads_;
    return tasks() < threads ? 1 : threads;
  }

  [[nodiscard]] size_t matrix_bytes() const {
    return aligned(static_cast<size_t>(g_.taps() * step_ * g_.columns()) * sizeof(T));
  }

  [[nodiscard]] size_t slab_bytes() const {
    return aligned(static_cast<size_t>(g_.outputs * step_ * g_.columns()) * sizeof(T));
  }

  [[nodiscard]] size_t weight_bytes() const {
    if (op_ != ir::OpKind::conv_weight_grad) return 0;
    return aligned(static_cast<size_t>(g_.outputs * g_.taps()) * sizeof(T));
  }

  [[nodiscard]] size_t lane_bytes() const {
    size_t of_products = 0;
    for (const auto& call : products_) {
      if (call) of_products = std::max(of_products, call->scratch_bytes());
    }
    return matrix_bytes() + slab_bytes() + weight_bytes() + aligned(of_products);
  }

  Scratch scratch_of(std::byte* at) const {
    std::byte* const slab = at + matrix_bytes();
    std::byte* const weights = slab + slab_bytes();
    return {.matrix = reinterpret_cast<T*>(at),
            .slab = reinterpret_cast<T*>(slab),
            .weights = reinterpret_cast<T*>(weights),
            .of_product = weights + weight_bytes()};
  }

  void run_task(
      int64_t task, const T* first, const T* second, T* out, const Scratch& scratch) const {
    const int64_t input = g_.inputs * g_.product(&Axis::input);
    const int64_t output = g_.outputs * g_.product(&Axis::output);
    const int64_t weights = g_.outputs * g_.taps();
    if (op_ == ir::OpKind::conv) {
      convolve(
          first + task * input, second + task % g_.groups * weights, out + task * output, scratch);
    } else if (op_ == ir::OpKind::conv_input_grad) {
      std::fill_n(out + task * input, input, T{});
      spread(
          first + task * output, second + task % g_.groups * weights, out + task * input, scratch);
    } else {
      std::fill_n(out + task * weights, weights, T{});
      for (int64_t image = 0; image < g_.images; ++image) {
        const int64_t at = image * g_.groups + task;
        correlate(first + at * input, second + at * output, out + task * weights, scratch);
      }
    }
  }

  void convolve(const T* image, const T* weights, T* out, const Scratch& scratch) const {
    for_each_step([&](int64_t row, int64_t rows, const HostCall& product) {
      gather(image, row, rows, scratch.matrix);
      const void* const operands[] = {weights, scratch.matrix};
      product.run(operands, scratch.slab, scratch.of_product);
      for_each_part_of_slab(row, rows, scratch.slab, out, [](T* slab, T* whole, int64_t count) {
        std::copy_n(slab, count, whole);
      });
    });
  }

  void spread(const T* cotangent, const T* weights, T* image, const Scratch& scratch) const {
    for_each_step([&](int64_t row, int64_t rows, const HostCall& product) {
      take_slab(cotangent, row, rows, scratch.slab);
      const void* const operands[] = {weights, scratch.slab};
      product.run(operands, scratch.matrix, scratch.of_product);
      scatter(scratch.matrix, row, rows, image);
    });
  }

  void correlate(const T* image, const T* cotangent, T* weights, const Scratch& scratch) const {
    for_each_step([&](int64_t row, int64_t rows, const HostCall& product) {
      gather(image, row, rows, scratch.matrix);
      take_slab(cotangent, row, rows, scratch.slab);
      const void* const operands[] = {scratch.slab, scratch.matrix};
      product.run(operands, scratch.weights, scratch.of_product);
      const int64_t count = g_.outputs * g_.taps();
      std::transform(weights, weights + count, scratch.weights, weights, std::plus());
    });
  }

  template <class Step>
  void for_each_step(Step step) const {
    for (int64_t row = 0; row < g_.rows(); row += step_) {
      const int64_t rows = std::min(step_, g_.rows() - row);
      step(row, rows, *products_[rows == step_ ? 0 : 1]);
    }
  }

  /// The rows of each channel, in the slab and in the whole.
  template <class Whole, class Part>
  void for_each_part_of_slab(int64_t row, int64_t rows, T* slab, Whole* whole, Part part) const {
    const int64_t count = rows * g_.columns();
    for (int64_t channel = 0; channel < g_.outputs; ++channel)
      part(slab + channel * count, whole + (channel * g_.rows() + row) * g_.columns(), count);
  }

  void take_slab(const T* whole, int64_t row, int64_t rows, T* slab) const {
    for_each_part_of_slab(row, rows, slab, whole, [](T* part, const T* from, int64_t count) {
      std::copy_n(from, count, part);
    });
  }

  void gather(const T* image, int64_t row, int64_t rows, T* matrix) const {
    const int64_t step = g_.axes[2].stride;
    for_each_line(row, rows, [&](int64_t line, const LineSource& source) {
      const auto [begin, end] = source.inside;
      T* const to = matrix + line * g_.columns();
      const T* const from = image + source.first;
      std::fill(to, to + begin, T{});
      if (step == 1) {
        std::copy_n(from, end - begin, to + begin);
      } else {
        for (int64_t i = begin; i < end; ++i)
          to[i] = from[(i - begin) * step];
      }
      std::fill(to + end, to + g_.columns(), T{});
    });
  }

  void scatter(const T* matrix, int64_t row, int64_t rows, T* image) const {
    const int64_t step = g_.axes[2].stride;
    for_each_line(row, rows, [&](int64_t line, const LineSource& source) {
      const auto [begin, end] = source.inside;
      const T* const from = matrix + line * g_.columns() + begin;
      T* const to = image + source.first;
      for (int64_t i = 0; i < end - begin; ++i)
        to[i * step] += from[i];
    });
  }

  /// What a line of the matrix, a row of positions for one tap, reads of the image.
  struct LineSource {
    std::pair<int64_t, int64_t> inside;  // positions that do not meet the padding
    int64_t first = 0;                   // what the first of them reads
  };

  /// Visits the lines, each with its number.
  template <class Visit>
  void for_each_line(int64_t row, int64_t rows, Visit visit) const {
    const auto& [depth, height, width] = g_.axes;
    const int64_t first_z = row / height.output;
    const int64_t first_y = row % height.output;
    int64_t line = 0;
    for (int64_t channel = 0; channel < g_.inputs; ++channel) {
      for (int64_t tap = 0; tap < g_.product(&Axis::window); ++tap) {
        const int64_t tap_row = tap / width.window;
        const int64_t column_tap = tap % width.window;
        const auto inside = width.inside(column_tap);
        const int64_t first_column = width.position(inside.first, column_tap);
        int64_t at_z = first_z;
        int64_t at_y = first_y;
        for (int64_t i = 0; i < rows; ++i, ++line) {
          const int64_t z = depth.position(at_z, tap_row / height.window);
          const int64_t y = height.position(at_y, tap_row % height.window);
          const bool is_inside = z >= 0 && z < depth.input && y >= 0 && y < height.input;
          const int64_t image_row = (channel * depth.input + z) * height.input + y;
          visit(line,
                is_inside ? LineSource{inside, image_row * width.input + first_column}
                          : LineSource{});
          if (++at_y < height.output) continue;
          at_y = 0;
          ++at_z;
        }
      }
    }
  }

  ir::OpKind op_;
  Geometry g_;
  int64_t max_threads_ = max_threads();
  int64_t step_ = 1;                                        // rows at a time
  std::array<std::unique_ptr<HostCall>, 2> products_ = {};  // of a step, and of the last one
};

/// Nothing for ops that are no convolution, and for images in blocks of channels.
std::optional<Geometry> geometry_of(const LibraryOp& op) {
  const auto with = [&](const Type& x, const Type& w, const Type& y) -> std::optional<Geometry> {
    const int rank = w.shape.ndim();
    if (x.shape.ndim() != rank || y.shape.ndim() != rank) return std::nullopt;
    return plain_geometry(op.attributes, x.shape, w.shape, y.shape);
  };
  if (op.op == ir::OpKind::conv) return with(op.operands[0], op.operands[1], op.result);
  if (op.op == ir::OpKind::conv_input_grad) return with(op.result, op.operands[1], op.operands[0]);
  if (op.op == ir::OpKind::conv_weight_grad) return with(op.operands[0], op.result, op.operands[1]);
  return std::nullopt;
}

}  // namespace

std::unique_ptr<HostCall> make_product_convolution(const LibraryOp& op) {
  const std::optional<Geometry> geometry = geometry_of(op);
  if (!geometry) return nullptr;
  if (op.operands[0].numel() == 0 || op.operands[1].numel() == 0 || op.result.numel() == 0)
    return nullptr;
  const auto make = [&]<typename T>() -> std::unique_ptr<HostCall> {
    return std::make_unique<ProductConvolution<T>>(op.op, *geometry, op.result.dtype);
  };
  if (op.result.dtype == DType::f64) return make.template operator()<double>();
  return op.result.dtype == DType::f32 ? make.template operator()<float>() : nullptr;
}

}  // namespace wick::runtime
