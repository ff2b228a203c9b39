#include "wick/nn/linear.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "wick/ir/error.h"
#include "wick/nn/init.h"

namespace wick::nn {

Linear::Linear(int64_t in, int64_t out, bool bias, Where where)
    : in_(in),
      out_(out),
      weight_(register_parameter("weight", init::fan_in_uniform({out, in}, in, where), where)) {
  if (bias) bias_ = register_parameter("bias", init::fan_in_uniform({out}, in, where), where);
}

Tensor Linear::forward(const Tensor& x) {
  const Where where = call_site();
  if (x.ndim() == 0 || x.shape()[x.ndim() - 1] != in_) {
    throw Error(where,
                "linear",
                fmt::format("the last extent of x must be {}, x is {}", in_, to_string(x.type())));
  }
  // One matrix product whatever the number of leading axes: the weight's gradient is one too.
  const Tensor rows = x.ndim() > 2 ? reshape(x, {-1, in_}, where) : x;
  Tensor y = matmul(rows, transpose(weight_, 0, 1, where), where);
  if (bias_.defined()) y = Operand(y, where) + Operand(bias_.value(), where);
  if (x.ndim() <= 2) return y;
  std::vector<int64_t> extents(x.shape().begin(), x.shape().end());
  extents.back() = out_;
  return reshape(y, Shape(extents), where);
}

}  // namespace wick::nn
