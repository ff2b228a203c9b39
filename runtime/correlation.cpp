#include "wick/runtime/correlation.h"

#include <algorithm>
#include <limits>

#include "wick/runtime/convolution_axis.h"
#include "wick/runtime/division.h"

namespace wick::runtime {
namespace {

/// A dense convolution of plain images, [n,c,columns] or [n,c,rows,columns].
struct PlainConvolution {
  int64_t inputs = 0;  // channels
  int64_t outputs = 0;
  ConvolutionAxis rows = {};
  ConvolutionAxis columns = {};

  [[nodiscard]] int64_t window() const { return rows.window * columns.window; }
};

/// Makes rows and columns of all taps count from the least of them.
void anchor(Correlation& c) {
  int64_t least_row = std::numeric_limits<int64_t>::max();
  int64_t most_row = std::numeric_limits<int64_t>::min();
  int64_t least_column = least_row;
  int64_t most_column = most_row;
  for (const Pass& pass : c.passes) {
    for (const Tap& tap : pass.taps) {
      least_row = std::min(least_row, tap.row);
      most_row = std::max(most_row, tap.row);
      least_column = std::min(least_column, tap.column);
      most_column = std::max(most_column, tap.column);
    }
  }
  for (Pass& pass : c.passes) {
    for (Tap& tap : pass.taps) {
      tap.row -= least_row;
      tap.column -= least_column;
    }
  }
  c.first_source_row = least_row;
  c.source_rows = most_row - least_row + 1;
  c.source.first = least_column;
  c.column_reach = most_column - least_column;
}

PlainConvolution plain_convolution(const ir::Attributes& attributes,
                                   const Shape& x,
                                   const Shape& w,
                                   const Shape& y) {
  const auto axis = [&](int number) { return convolution_axis(attributes, x, w, y, number); };
  PlainConvolution convolution{.inputs = w[1], .outputs = w[0]};
  if (w.ndim() == 4) convolution.rows = axis(2);
  convolution.columns = axis(w.ndim() - 1);
  return convolution;
}

Correlation forward(const PlainConvolution& p) {
  Correlation c{.source = {.channels = p.inputs,
                           .height = p.rows.input,
                           .width = p.columns.input,
                           .phases = p.columns.stride},
                .source_stride = p.rows.stride,
                .channels = p.outputs,
                .height = p.rows.output,
                .width = p.columns.output,
                .weight_stride = p.inputs * p.window()};
  Pass& pass = c.passes.emplace_back();
  for (int64_t weight = 0; weight < c.weight_stride; ++weight) {
    const int64_t row = weight / p.columns.window % p.rows.window;
    const int64_t column = weight % p.columns.window * p.columns.dilation - p.columns.padding;
    const int64_t place = floor_div(column, p.columns.stride);
    pass.taps.push_back({.channel = weight / p.window(),
                         .row = row * p.rows.dilation - p.rows.padding,
                         .phase = column - place * p.columns.stride,
                         .column = place,
                         .weight = weight});
  }
  anchor(c);
  return c;
}

Correlation input_gradient(const PlainConvolution& p) {
  Correlation c{
      .source = {.channels = p.outputs, .height = p.rows.output, .width = p.columns.output},
      .channels = p.inputs,
      .height = p.rows.input,
      .width = p.columns.input,
      .row_stride = p.rows.stride,
      .column_stride = p.columns.stride,
      .weight_stride = p.window()};
  for (int64_t at = 0; at < p.rows.stride * p.columns.stride; ++at) {
    Pass& pass = c.passes.emplace_back();
    pass.row = at / p.columns.stride;
    pass.column = at % p.columns.stride;
    for (int64_t weight = 0; weight < p.window(); ++weight) {
      const int64_t row = pass.row + p.rows.padding - weight / p.columns.window * p.rows.dilation;
      const int64_t column =
          pass.column + p.columns.padding - weight % p.columns.window * p.columns.dilation;
      if (row % p.rows.stride != 0 || column % p.columns.stride != 0) continue;
      for (int64_t output = 0; output < p.outputs; ++output)
        pass.taps.push_back({.channel = output,
                             .row = row / p.rows.stride,
                             .column = column / p.columns.stride,
                             .weight = output * p.inputs * p.window() + weight});
    }
  }
  anchor(c);
  return c;
}

}  // namespace

Correlation correlation_of(const LibraryOp& op) {
  const Shape& from = op.operands[0].shape;
  const Shape& w = op.operands[1].shape;
  const Shape& to = op.result.shape;
  if (op.op == ir::OpKind::conv) return forward(plain_convolution(op.attributes, from, w, to));
  return input_gradient(plain_convolution(op.attributes, to, w, from));
}

}  // namespace wick::runtime
