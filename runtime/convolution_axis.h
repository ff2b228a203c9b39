#pragma once

// The spatial axes of convolutions of plain images. Internal to runtime/.

#include <cstdint>

#include "wick/ir/graph.h"

namespace wick::runtime {

struct ConvolutionAxis {
  int64_t input = 1;
  int64_t output = 1;
  int64_t window = 1;
  int64_t stride = 1;
  int64_t padding = 0;
  int64_t dilation = 1;
};

/// Axis `number`, from 2 on, of input, weight and output of a convolution with these attributes.
ConvolutionAxis convolution_axis(const ir::Attributes& attributes,
                                 const Shape& input,
                                 const Shape& weight,
                                 const Shape& output,
                                 int number);

}  // namespace wick::runtime
