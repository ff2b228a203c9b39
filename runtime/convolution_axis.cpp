#include "wick/runtime/convolution_axis.h"

namespace wick::runtime {

ConvolutionAxis convolution_axis(const ir::Attributes& attributes,
                                 const Shape& input,
                                 const Shape& weight,
                                 const Shape& output,
                                 int number) {
  const auto attribute = [&](const char* name, int64_t fallback) {
    const std::vector<int64_t>& values = attributes.integers(name);
    return values.empty() ? fallback : values[static_cast<size_t>(number - 2)];
  };
  return {.input = input[number],
          .output = output[number],
          .window = weight[number],
          .stride = attribute("stride", 1),
          .padding = attribute("padding", 0),
          .dilation = attribute("dilation", 1)};
}

}  // namespace wick::runtime
