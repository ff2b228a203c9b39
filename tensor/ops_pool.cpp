#include "wick/tensor/ops_pool.h"

#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "wick/tensor/pool_windows.h"
#include "wick/tensor/recording.h"

namespace wick {

namespace {

using detail::from_planes;
using detail::max_of_windows;
using detail::PoolAxis;
using detail::PoolPlace;
using detail::to_planes;
using ir::OpKind;

const Axes kNone{0};
const Axes kUnit{1};

Tensor to_compute_dtype(const Tensor& x, Where where) {
  return is_half(x.dtype()) ? cast(x, DType::f32, where) : x;
}

/// One pooling op over the last two axes of [a,b,h,w]. The overhang of ceil_mode is padded first.
Tensor record_pool(OpKind op,
                   const Tensor& x,
                   const PoolAxis& rows,
                   const PoolAxis& columns,
                   bool exclude_padding,
                   Where where) {
  Tensor padded = x;
  if (rows.overhang() + columns.overhang() > 0) {
    const double fill = op == OpKind::max_pool2d ? -std::numeric_limits<double>::infinity() : 0.0;
    padded = pad(x, {0, 0, 0, 0}, {0, 0, rows.overhang(), columns.overhang()}, fill, where);
  }
  ir::Attributes attributes{{"kernel", Axes{rows.kernel, columns.kernel}},
                            {"padding", Axes{rows.padding, columns.padding}},
                            {"stride", Axes{rows.stride, columns.stride}}};
  if (exclude_padding) attributes.set("exclude_padding", true);
  const Tensor operands[] = {padded};
  return record(op, operands, std::move(attributes), where);
}

/// Pools one, two or three axes behind [planes] by ops that pool two: one axis is a matrix of one
/// row; of three axes the last two are pooled first, and then the first, which sees the same first
/// largest element and the same mean.
Tensor pool_planes(OpKind op,
                   const Tensor& planes,
                   const std::vector<PoolAxis>& axes,
                   bool exclude_padding,
                   Where where) {
  const PoolAxis single{.extent = 1, .count = 1};
  const Shape& s = planes.shape();
  if (axes.size() == 1) {
    const Tensor rows = reshape(planes, {s[0], 1, 1, s[1]}, where);
    const Tensor y = record_pool(op, rows, single, axes[0], exclude_padding, where);
    return reshape(y, {s[0], axes[0].count}, where);
  }
  if (axes.size() == 2) {
    const Tensor images = reshape(planes, {s[0], 1, s[1], s[2]}, where);
    const Tensor y = record_pool(op, images, axes[0], axes[1], exclude_padding, where);
    return reshape(y, {s[0], axes[0].count, axes[1].count}, where);
  }
  const int64_t inner = axes[1].count * axes[2].count;
  const Tensor flat = record_pool(op, planes, axes[1], axes[2], exclude_padding, where);
  const Tensor columns = reshape(flat, {s[0], 1, s[1], inner}, where);
  const Tensor y = record_pool(op, columns, axes[0], single, exclude_padding, where);
  return reshape(y, {s[0], axes[0].count, axes[1].count, axes[2].count}, where);
}

/// Pools the last axes of [...,planes]. Images stay [n,c,h,w], whose layout the compiler chooses.
Tensor pool(OpKind op,
            const Tensor& x,
            const std::vector<PoolAxis>& axes,
            bool exclude_padding,
            Where where) {
  if (axes.size() == 2 && x.ndim() == 4) {
    return record_pool(op, x, axes[0], axes[1], exclude_padding, where);
  }
  const auto num_axes = static_cast<int>(axes.size());
  const Tensor planes = to_planes(x, num_axes, where);
  return from_planes(pool_planes(op, planes, axes, exclude_padding, where), x, num_axes, where);
}

std::vector<PoolAxis> max_axes(const PoolPlace& place,
                               const Tensor& x,
                               int num_axes,
                               const MaxPoolOptions& o) {
  return pool_axes(place, x, num_axes, {o.kernel, o.stride, o.padding, o.dilation, o.ceil_mode});
}

IndexedPool indexed_max_pool(
    std::string op, int num_axes, const Tensor& x, const MaxPoolOptions& options, Where where) {
  std::vector<detail::WindowTable> tables;
  for (const PoolAxis& axis : max_axes({std::move(op), where}, x, num_axes, options))
    tables.push_back(window_table(axis));
  return max_of_windows(x, tables, where);
}

Tensor max_pool(
    std::string op, int num_axes, const Tensor& x, const MaxPoolOptions& options, Where where) {
  const std::vector<PoolAxis> axes = max_axes({op, where}, x, num_axes, options);
  for (const PoolAxis& axis : axes) {
    if (axis.dilation == 1) continue;
    return indexed_max_pool(std::move(op), num_axes, x, options, where).values;
  }
  return pool(OpKind::max_pool2d, x, axes, false, where);
}

/// How many elements of each window count: those within the axis, or its padding too.
Tensor window_counts(const PoolAxis& axis, bool include_pad, int at, int rank, Where where) {
  std::vector<double> counts;
  const int64_t border = include_pad ? axis.padding : 0;
  for (int64_t i = 0; i < axis.count; ++i) {
    const int64_t first = std::max(i * axis.stride - axis.padding, -border);
    const int64_t end =
        std::min(i * axis.stride - axis.padding + axis.kernel, axis.extent + border);
    counts.push_back(static_cast<double>(end - first));
  }
  std::vector<int64_t> extents(static_cast<size_t>(rank), 1);
  extents[static_cast<size_t>(at)] = axis.count;
  return from_vector(counts, Shape(std::span<const int64_t>(extents)), where);
}

Tensor avg_pool(
    std::string op, int num_axes, const Tensor& x, const AvgPoolOptions& options, Where where) {
  const PoolPlace place{std::move(op), where};
  if (options.divisor_override == 0) place.fail("divisor_override must not be 0");
  const std::vector<PoolAxis> axes =
      pool_axes(place,
                x,
                num_axes,
                {options.kernel, options.stride, options.padding, kUnit, options.ceil_mode});
  int64_t elements = 1;
  bool hangs_over = false;
  for (const PoolAxis& axis : axes) {
    elements *= axis.kernel;
    hangs_over = hangs_over || axis.overhang() > 0;
  }
  const bool own_divisor = hangs_over || options.divisor_override.has_value();
  const bool exclude_padding = !own_divisor && !options.count_include_pad;
  Tensor y = pool(OpKind::avg_pool2d, to_compute_dtype(x, where), axes, exclude_padding, where);
  if (own_divisor) {
    // The mean over all elements of the window, zeros beyond the axis included, back to a sum.
    y = Operand(y, where) * elements;
    if (options.divisor_override) {
      y = Operand(y, where) / *options.divisor_override;
    } else {
      for (int i = 0; i < num_axes; ++i) {
        const PoolAxis& axis = axes[static_cast<size_t>(i)];
        const Tensor counts = window_counts(axis, options.count_include_pad, i, num_axes, where);
        y = Operand(y, where) / cast(counts, y.dtype(), where);
      }
    }
  }
  return cast(y, x.dtype(), where);
}

Tensor lp_pool(
    std::string op, int num_axes, const Tensor& x, const LpPoolOptions& options, Where where) {
  const PoolPlace place{op, where};
  require_pooled(place, x, num_axes);
  const Tensor powers = pow(to_compute_dtype(x, where), options.p, where);
  const AvgPoolOptions windows{
      .kernel = options.kernel, .stride = options.stride, .ceil_mode = options.ceil_mode};
  const Tensor means = avg_pool(std::move(op), num_axes, powers, windows, where);
  int64_t elements = 1;
  for (const int64_t kernel : one_per_axis(place, "kernel", options.kernel, num_axes))
    elements *= kernel;
  const Tensor sums = relu(means, where) * Operand(elements, where);
  return cast(pow(sums, 1 / options.p, where), x.dtype(), where);
}

/// The extents of an adaptive pool's result.
Axes adaptive_output(const PoolPlace& place, const Tensor& x, const Axes& output, int num_axes) {
  require_pooled(place, x, num_axes);
  Axes extents = one_per_axis(place, "output", output, num_axes);
  for (int i = 0; i < num_axes; ++i) {
    int64_t& extent = extents[static_cast<size_t>(i)];
    if (extent == -1) extent = x.shape()[x.ndim() - num_axes + i];
    if (extent < 0) place.fail(fmt::format("output extent {} must not be negative", extent));
  }
  return extents;
}

/// Means of the windows along one axis.
Tensor adaptive_mean(const Tensor& x, int axis, int64_t count, Where where) {
  const int64_t extent = x.shape()[axis];
  if (extent == count) return x;
  if (count == 1) return mean(x, {axis}, true, where);
  if (count > 0 && extent % count == 0) {
    std::vector<int64_t> extents(x.shape().begin(), x.shape().end());
    extents[static_cast<size_t>(axis)] = count;
    extents.insert(extents.begin() + axis + 1, extent / count);
    return mean(
        reshape(x, Shape(std::span<const int64_t>(extents)), where), {axis + 1}, false, where);
  }
  std::vector<int64_t> positions;
  std::vector<double> weights;
  int64_t longest = 1;
  for (int64_t i = 0; i < count; ++i)
    longest = std::max(longest, ((i + 1) * extent + count - 1) / count - i * extent / count);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t first = i * extent / count;
    const int64_t length = ((i + 1) * extent + count - 1) / count - first;
    for (int64_t k = 0; k < longest; ++k) {
      positions.push_back(first + std::min(k, length - 1));
      weights.push_back(k < length ? 1 / static_cast<double>(length) : 0);
    }
  }
  std::vector<int64_t> column(static_cast<size_t>(x.ndim() - axis + 1), 1);
  column[0] = count;
  column[1] = longest;
  const Tensor windows = take(x, from_vector(positions, {count, longest}, where), axis, where);
  const Tensor share =
      cast(from_vector(weights, Shape(std::span<const int64_t>(column)), where), x.dtype(), where);
  // A product would let infinities into windows that do not hold them.
  const Tensor parts =
      wick::where(Operand(share, where) != 0, Operand(windows, where) * share, Operand(0, where));
  return sum(parts, {axis + 1}, false, where);
}

Tensor adaptive_avg_pool(
    std::string op, int num_axes, const Tensor& x, const Axes& output, Where where) {
  const Axes extents = adaptive_output({std::move(op), where}, x, output, num_axes);
  Tensor y = to_compute_dtype(x, where);
  for (int i = 0; i < num_axes; ++i)
    y = adaptive_mean(y, x.ndim() - num_axes + i, extents[static_cast<size_t>(i)], where);
  return cast(y, x.dtype(), where);
}

IndexedPool adaptive_max_pool(
    std::string op, int num_axes, const Tensor& x, const Axes& output, Where where) {
  const Axes extents = adaptive_output({std::move(op), where}, x, output, num_axes);
  std::vector<detail::WindowTable> tables;
  for (int i = 0; i < num_axes; ++i) {
    const int64_t extent = x.shape()[x.ndim() - num_axes + i];
    tables.push_back(detail::adaptive_table(extent, extents[static_cast<size_t>(i)]));
  }
  return max_of_windows(x, tables, where);
}

}  // namespace

Tensor max_pool1d(const Tensor& x, const MaxPoolOptions& options, Where where) {
  return max_pool("max_pool1d", 1, x, options, where);
}

Tensor max_pool2d(const Tensor& x, const MaxPoolOptions& options, Where where) {
  return max_pool("max_pool2d", 2, x, options, where);
}

Tensor max_pool3d(const Tensor& x, const MaxPoolOptions& options, Where where) {
  return max_pool("max_pool3d", 3, x, options, where);
}

IndexedPool max_pool1d_with_indices(const Tensor& x, const MaxPoolOptions& options, Where where) {
  return indexed_max_pool("max_pool1d", 1, x, options, where);
}

IndexedPool max_pool2d_with_indices(const Tensor& x, const MaxPoolOptions& options, Where where) {
  return indexed_max_pool("max_pool2d", 2, x, options, where);
}

IndexedPool max_pool3d_with_indices(const Tensor& x, const MaxPoolOptions& options, Where where) {
  return indexed_max_pool("max_pool3d", 3, x, options, where);
}

Tensor max_unpool2d(const Tensor& values, const Tensor& indices, const Axes& output, Where where) {
  const PoolPlace place{"max_unpool2d", where};
  require_pooled(place, values, 2);
  const Axes extents = one_per_axis(place, "output", output, 2);
  if (!indices.defined() || !is_integer(indices.dtype()) || indices.shape() != values.shape()) {
    constexpr auto kText = "indices must be integers of the shape of the values {}, are {}";
    const std::string given = indices.defined() ? to_string(indices.type()) : "undefined";
    place.fail(fmt::format(kText, to_string(values.type()), given));
  }
  const Tensor planes = to_planes(values, 2, where);
  const int64_t num_planes = planes.shape()[0];
  const int64_t size = extents[0] * extents[1];
  const Tensor starts = Operand(arange(num_planes, DType::i64, where), where) * size;
  const Tensor at = to_planes(cast(indices, DType::i64, where), 2, where);
  const Tensor targets = Operand(at, where) + reshape(starts, {num_planes, 1, 1}, where);
  const Tensor empty = zeros({num_planes * size}, values.dtype(), where);
  // Windows that overlap name an element twice, with the same value.
  const Tensor operands[] = {empty, flatten(targets, 0, -1, where), flatten(planes, 0, -1, where)};
  const Tensor y = record(
      OpKind::scatter, operands, {{"axis", int64_t{0}}, {"mode", std::string("set")}}, where);
  return from_planes(reshape(y, {num_planes, extents[0], extents[1]}, where), values, 2, where);
}

Tensor avg_pool1d(const Tensor& x, const AvgPoolOptions& options, Where where) {
  return avg_pool("avg_pool1d", 1, x, options, where);
}

Tensor avg_pool2d(const Tensor& x, const AvgPoolOptions& options, Where where) {
  return avg_pool("avg_pool2d", 2, x, options, where);
}

Tensor avg_pool3d(const Tensor& x, const AvgPoolOptions& options, Where where) {
  return avg_pool("avg_pool3d", 3, x, options, where);
}

Tensor lp_pool1d(const Tensor& x, const LpPoolOptions& options, Where where) {
  return lp_pool("lp_pool1d", 1, x, options, where);
}

Tensor lp_pool2d(const Tensor& x, const LpPoolOptions& options, Where where) {
  return lp_pool("lp_pool2d", 2, x, options, where);
}

Tensor adaptive_avg_pool1d(const Tensor& x, const Axes& output, Where where) {
  return adaptive_avg_pool("adaptive_avg_pool1d", 1, x, output, where);
}

Tensor adaptive_avg_pool2d(const Tensor& x, const Axes& output, Where where) {
  return adaptive_avg_pool("adaptive_avg_pool2d", 2, x, output, where);
}

Tensor adaptive_avg_pool3d(const Tensor& x, const Axes& output, Where where) {
  return adaptive_avg_pool("adaptive_avg_pool3d", 3, x, output, where);
}

IndexedPool adaptive_max_pool1d(const Tensor& x, const Axes& output, Where where) {
  return adaptive_max_pool("adaptive_max_pool1d", 1, x, output, where);
}

IndexedPool adaptive_max_pool2d(const Tensor& x, const Axes& output, Where where) {
  return adaptive_max_pool("adaptive_max_pool2d", 2, x, output, where);
}

IndexedPool adaptive_max_pool3d(const Tensor& x, const Axes& output, Where where) {
  return adaptive_max_pool("adaptive_max_pool3d", 3, x, output, where);
}

}  // namespace wick
