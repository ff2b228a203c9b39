#include "wick/tensor/ops_conv.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "wick/tensor/axis_windows.h"
#include "wick/tensor/recording.h"

namespace wick {

namespace {

using ir::OpKind;

/// Where a function is called from, and what its errors name.
struct Place {
  std::string_view op;
  Where where;

  [[noreturn]] void fail(const std::string& text) const { throw Error(where, op, text); }
};

void require_float(const Place& place, std::string_view name, const Tensor& x) {
  if (x.defined() && is_float(x.dtype())) return;
  const std::string given = x.defined() ? to_string(x.type()) : "undefined";
  place.fail(fmt::format("{} must be floats, is {}", name, given));
}

/// One number an axis, from one for all or one each; Error below `lowest`.
Axes one_per_axis(
    const Place& place, std::string_view name, const Axes& given, int num_axes, int64_t lowest) {
  if (given.size() != 1 && std::ssize(given) != num_axes) {
    constexpr auto kText = "{} must be one number or {}, one an axis, is {}";
    place.fail(fmt::format(kText, name, num_axes, given));
  }
  if (!given.empty() && std::ranges::min(given) < lowest) {
    place.fail(fmt::format("{} must be at least {}, is {}", name, lowest, given));
  }
  return given.size() == 1 ? Axes(static_cast<size_t>(num_axes), given.front()) : given;
}

/// Error unless x is [n,c,...] or [c,...] and w [.,.,...] with that many spatial axes.
void require_ranks(const Place& place, const Tensor& x, const Tensor& w, int num_axes) {
  require_float(place, "x", x);
  require_float(place, "w", w);
  const bool fits =
      (x.ndim() == num_axes + 1 || x.ndim() == num_axes + 2) && w.ndim() == num_axes + 2;
  if (fits) return;
  constexpr auto kText = "x must have {} or {} axes and w {}: x {}, w {}";
  place.fail(fmt::format(
      kText, num_axes + 1, num_axes + 2, num_axes + 2, to_string(x.type()), to_string(w.type())));
}

Tensor with_bias(const Place& place, const Tensor& y, const Tensor& bias) {
  if (!bias.defined()) return y;
  require_float(place, "bias", bias);
  if (bias.shape() != Shape{y.shape()[1]}) {
    constexpr auto kText = "bias must have the shape [{}], is {}";
    place.fail(fmt::format(kText, y.shape()[1], to_string(bias.type())));
  }
  std::vector<int64_t> extents(static_cast<size_t>(y.ndim()), 1);
  extents[1] = y.shape()[1];
  const Tensor row = reshape(bias, Shape(std::span<const int64_t>(extents)), place.where);
  return Operand(y, place.where) + row;
}

/// Zeros before axes 0 and 1, which are not padded.
Axes spatial(const Axes& widths) {
  Axes all(2, 0);
  all.insert(all.end(), widths.begin(), widths.end());
  return all;
}

/// What `padding` of the convolution cannot say is padded before it.
struct Padding {
  Axes low;
  Axes high;

  [[nodiscard]] bool is_even() const { return low == high; }
};

Padding padding_of(const Place& place,
                   const Tensor& w,
                   const ConvOptions& options,
                   const Axes& stride,
                   const Axes& dilation) {
  const int num_axes = w.ndim() - 2;
  if (!options.same_padding) {
    const Axes both = one_per_axis(place, "padding", options.padding, num_axes, 0);
    return {both, both};
  }
  if (std::ranges::max(stride) != 1) {
    place.fail(fmt::format("same_padding needs stride 1, stride is {}", stride));
  }
  Padding padding;
  for (int i = 0; i < num_axes; ++i) {
    const int64_t total = dilation[static_cast<size_t>(i)] * (w.shape()[2 + i] - 1);
    padding.low.push_back(total / 2);
    padding.high.push_back(total - total / 2);
  }
  return padding;
}

Tensor conv(const Place& place,
            int num_axes,
            const Tensor& x,
            const Tensor& w,
            const ConvOptions& options) {
  const Where where = place.where;
  require_ranks(place, x, w, num_axes);
  if (x.ndim() == num_axes + 1) {
    return squeeze(conv(place, num_axes, unsqueeze(x, 0, where), w, options), 0, where);
  }
  const Axes stride = one_per_axis(place, "stride", options.stride, num_axes, 1);
  const Axes dilation = one_per_axis(place, "dilation", options.dilation, num_axes, 1);
  Padding padding = padding_of(place, w, options, stride, dilation);
  Tensor padded = x;
  if (options.pad_mode || !padding.is_even()) {
    const Axes low = spatial(padding.low);
    const Axes high = spatial(padding.high);
    padded = options.pad_mode ? pad(x, low, high, *options.pad_mode, where)
                              : pad(x, low, high, 0, where);
    padding.low.assign(static_cast<size_t>(num_axes), 0);
  }
  const Tensor operands[] = {padded, w};
  const Tensor y = record(OpKind::conv,
                          operands,
                          {{"dilation", dilation},
                           {"groups", options.groups},
                           {"padding", padding.low},
                           {"stride", stride}},
                          where);
  return with_bias(place, y, options.bias);
}

/// The numbers of a transposed convolution, one an axis.
struct Transposed {
  Axes stride;
  Axes padding;
  Axes output_padding;
  Axes dilation;
};

Transposed transposed_of(const Place& place, int num_axes, const ConvTransposeOptions& options) {
  Transposed t{one_per_axis(place, "stride", options.stride, num_axes, 1),
               one_per_axis(place, "padding", options.padding, num_axes, 0),
               one_per_axis(place, "output_padding", options.output_padding, num_axes, 0),
               one_per_axis(place, "dilation", options.dilation, num_axes, 1)};
  for (size_t i = 0; i < t.stride.size(); ++i) {
    if (t.output_padding[i] < std::max(t.stride[i], t.dilation[i])) continue;
    constexpr auto kText = "output_padding {} must be less than stride {} or dilation {}";
    place.fail(fmt::format(kText, t.output_padding[i], t.stride[i], t.dilation[i]));
  }
  return t;
}

Tensor conv_transpose(const Place& place,
                      int num_axes,
                      const Tensor& x,
                      const Tensor& w,
                      const ConvTransposeOptions& options) {
  const Where where = place.where;
  require_ranks(place, x, w, num_axes);
  if (x.ndim() == num_axes + 1) {
    return squeeze(conv_transpose(place, num_axes, unsqueeze(x, 0, where), w, options), 0, where);
  }
  const Transposed t = transposed_of(place, num_axes, options);
  if (x.shape()[1] != w.shape()[0]) {
    constexpr auto kText = "channels differ: x {} has {}, w {} takes {}";
    place.fail(
        fmt::format(kText, to_string(x.type()), x.shape()[1], to_string(w.type()), w.shape()[0]));
  }
  // A convolution of the whole result has exactly the windows of x where the output padding is less
  // than the stride; else the uncropped result is computed and cropped.
  bool fits = true;
  for (size_t i = 0; i < t.stride.size(); ++i)
    fits = fits && t.output_padding[i] < t.stride[i];
  Axes whole{x.shape()[0], w.shape()[1] * options.groups};
  Axes crop_low(2, 0);
  Axes crop_high(2, 0);
  for (int i = 0; i < num_axes; ++i) {
    const auto at = static_cast<size_t>(i);
    const int64_t span =
        (x.shape()[2 + i] - 1) * t.stride[at] + t.dilation[at] * (w.shape()[2 + i] - 1) + 1;
    const int64_t extent = span - 2 * t.padding[at] + t.output_padding[at];
    if (extent < 1 || x.shape()[2 + i] == 0) {
      constexpr auto kText = "axis {} of x {} gives {} elements with padding {}";
      place.fail(fmt::format(kText, 2 + i, to_string(x.type()), extent, t.padding[at]));
    }
    whole.push_back(fits ? extent : span);
    crop_low.push_back(-t.padding[at]);
    crop_high.push_back(t.output_padding[at] - t.padding[at]);
  }
  const Tensor operands[] = {x, w};
  const Axes padding = fits ? t.padding : Axes(static_cast<size_t>(num_axes), 0);
  Tensor y = record(OpKind::conv_input_grad,
                    operands,
                    {{"dilation", t.dilation},
                     {"groups", options.groups},
                     {"input_shape", whole},
                     {"padding", padding},
                     {"stride", t.stride}},
                    where);
  if (!fits) y = pad(y, crop_low, crop_high, 0, where);
  return with_bias(place, y, options.bias);
}

/// The windows of unfold and fold over one axis, and the padding around it.
struct Columns {
  detail::AxisWindows windows;
  int64_t padding;
};

std::array<Columns, 2> columns_of(const Place& place,
                                  const UnfoldOptions& options,
                                  const Axes& extents) {
  const Axes kernel = one_per_axis(place, "kernel", options.kernel, 2, 1);
  const Axes stride = one_per_axis(place, "stride", options.stride, 2, 1);
  const Axes padding = one_per_axis(place, "padding", options.padding, 2, 0);
  const Axes dilation = one_per_axis(place, "dilation", options.dilation, 2, 1);
  std::array<Columns, 2> columns{};
  for (size_t i = 0; i < 2; ++i) {
    const int64_t span = dilation[i] * (kernel[i] - 1) + 1;
    const int64_t room = extents[i] + 2 * padding[i] - span;
    if (room < 0 || extents[i] < 1) {
      constexpr auto kText = "a window of {} does not fit into an axis of {} with padding {}";
      place.fail(fmt::format(kText, span, extents[i], padding[i]));
    }
    columns[i] = {.windows = {.count = room / stride[i] + 1,
                              .size = kernel[i],
                              .stride = stride[i],
                              .dilation = dilation[i]},
                  .padding = padding[i]};
  }
  return columns;
}

}  // namespace

Tensor conv1d(const Tensor& x, const Tensor& w, const ConvOptions& options, Where where) {
  return conv({"conv1d", where}, 1, x, w, options);
}

Tensor conv2d(const Tensor& x, const Tensor& w, const ConvOptions& options, Where where) {
  return conv({"conv2d", where}, 2, x, w, options);
}

Tensor conv3d(const Tensor& x, const Tensor& w, const ConvOptions& options, Where where) {
  return conv({"conv3d", where}, 3, x, w, options);
}

Tensor conv_transpose1d(const Tensor& x,
                        const Tensor& w,
                        const ConvTransposeOptions& options,
                        Where where) {
  return conv_transpose({"conv_transpose1d", where}, 1, x, w, options);
}

Tensor conv_transpose2d(const Tensor& x,
                        const Tensor& w,
                        const ConvTransposeOptions& options,
                        Where where) {
  return conv_transpose({"conv_transpose2d", where}, 2, x, w, options);
}

Tensor conv_transpose3d(const Tensor& x,
                        const Tensor& w,
                        const ConvTransposeOptions& options,
                        Where where) {
  return conv_transpose({"conv_transpose3d", where}, 3, x, w, options);
}

Tensor unfold(const Tensor& x, const UnfoldOptions& options, Where where) {
  const Place place{"unfold", where};
  if (!x.defined() || (x.ndim() != 3 && x.ndim() != 4)) {
    const std::string given = x.defined() ? to_string(x.type()) : "undefined";
    place.fail(fmt::format("x must be [n,c,h,w] or [c,h,w], is {}", given));
  }
  if (x.ndim() == 3) return squeeze(unfold(unsqueeze(x, 0, where), options, where), 0, where);
  const auto [rows, columns] = columns_of(place, options, {x.shape()[2], x.shape()[3]});
  const Axes border{0, 0, rows.padding, columns.padding};
  const Tensor padded = pad(x, border, border, 0, where);
  // [n,c,h,w] to [n,c,kw,h,ow] to [n,c,kh,kw,oh,ow]
  const Tensor by_columns = detail::elements_of_windows(padded, 3, 2, columns.windows, where);
  const Tensor windows = detail::elements_of_windows(by_columns, 3, 2, rows.windows, where);
  return reshape(windows,
                 {x.shape()[0],
                  x.shape()[1] * rows.windows.size * columns.windows.size,
                  rows.windows.count * columns.windows.count},
                 where);
}

Tensor fold(const Tensor& columns, const Axes& output, const UnfoldOptions& options, Where where) {
  const Place place{"fold", where};
  require_float(place, "columns", columns);
  if (columns.ndim() != 2 && columns.ndim() != 3) {
    place.fail(fmt::format("columns must be [n,c kh kw,l] or [c kh kw,l], are {}",
                           to_string(columns.type())));
  }
  if (columns.ndim() == 2) {
    return squeeze(fold(unsqueeze(columns, 0, where), output, options, where), 0, where);
  }
  const Axes extents = one_per_axis(place, "output", output, 2, 1);
  const auto [rows, across] = columns_of(place, options, extents);
  const detail::AxisWindows& down = rows.windows;
  const detail::AxisWindows& along = across.windows;
  const int64_t elements = down.size * along.size;
  if (columns.shape()[1] % elements != 0 || columns.shape()[2] != down.count * along.count) {
    constexpr auto kText = "columns {} must be [n, c {}, {}] for an output of {}";
    place.fail(
        fmt::format(kText, to_string(columns.type()), elements, down.count * along.count, extents));
  }
  const int64_t samples = columns.shape()[0];
  const int64_t channels = columns.shape()[1] / elements;
  const Tensor windows =
      reshape(columns, {samples, channels, down.size, along.size, down.count, along.count}, where);
  const int64_t width = extents[1] + 2 * across.padding;
  const int64_t height = extents[0] + 2 * rows.padding;
  // [n,c,kh,kw,oh,ow] to [n,c,kh,oh,w] to [n,c,h,w]
  const Tensor by_rows = detail::sum_of_elements(windows, 3, 4, along, width, where);
  const Tensor padded = detail::sum_of_elements(by_rows, 2, 2, down, height, where);
  const Axes crop{0, 0, -rows.padding, -across.padding};
  return pad(padded, crop, crop, 0, where);
}

}  // namespace wick
