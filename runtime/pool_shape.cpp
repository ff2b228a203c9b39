#include "wick/runtime/pool_shape.h"

namespace wick::runtime {

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
          .lanes = in.ndim() == 5 ? in[4] : 1,
          .exclude_padding = attributes.flag("exclude_padding")};
}

}  // namespace wick::runtime
