#include <algorithm>

#include "wick/ir/interpret_rules.h"
#include "wick/ir/strided_walk.h"

// Movement copies bits: NaN payloads stay.

namespace wick::ir {
namespace {

void copy_element(const Literal& from, int64_t at, Literal& to, int64_t i) {
  const size_t size = size_of(from.type().dtype);
  std::memcpy(to.data() + static_cast<size_t>(i) * size,
              from.data() + static_cast<size_t>(at) * size,
              size);
}

/// Numbers of a per-axis attribute, `fallback` for each axis where it is absent.
std::vector<int64_t> per_axis(const OpCall& call,
                              std::string_view name,
                              const Shape& shape,
                              int64_t fallback) {
  if (call.attributes.has(name)) return call.attributes.integers(name);
  return std::vector<int64_t>(static_cast<size_t>(shape.ndim()), fallback);
}

struct View {
  Strides strides;  // of the operand along the result's axes
  int64_t offset = 0;
};

View view_of(const OpCall& call) {
  const Shape& shape = call.operand(0).type().shape;
  Strides own = row_major_strides(shape);
  if (call.op == OpKind::broadcast) return {broadcast_strides(shape, call.result.shape)};
  if (call.op == OpKind::reshape) return {row_major_strides(call.result.shape)};
  View view{own};
  if (call.op == OpKind::permute) {
    const std::vector<int64_t>& axes = call.attributes.integers("axes");
    for (size_t i = 0; i < axes.size(); ++i) {
      view.strides[i] = own[static_cast<size_t>(axes[i])];
    }
    return view;
  }
  const std::vector<int64_t> starts = per_axis(call, "starts", shape, 0);
  const std::vector<int64_t> steps = per_axis(call, "steps", shape, 1);
  for (size_t i = 0; i < own.size(); ++i) {
    view.offset += starts[i] * own[i];
    view.strides[i] = steps[i] * own[i];
  }
  return view;
}

}  // namespace

Literal interpret_strided(const OpCall& call) {
  Literal result(call.result);
  View view = view_of(call);
  walk<1>(
      call.result.shape, {std::move(view.strides)}, {view.offset}, [&](int64_t i, const auto& at) {
        copy_element(call.operand(0), at[0], result, i);
      });
  return result;
}

Literal interpret_concat(const OpCall& call) {
  Literal result(call.result);
  const int64_t axis = call.attributes.integer("axis", 0);
  const size_t size = size_of(call.result.dtype);
  const AxisSplit whole = split_at(call.result.shape, axis);
  int64_t start = 0;
  for (const Literal* operand : call.operands) {
    const AxisSplit part = split_at(operand->type().shape, axis);
    const auto row = static_cast<size_t>(part.extent * part.inner) * size;
    for (int64_t o = 0; row != 0 && o < part.outer; ++o) {
      const int64_t to = (o * whole.extent + start) * whole.inner;
      std::memcpy(result.data() + static_cast<size_t>(to) * size,
                  operand->data() + static_cast<size_t>(o) * row,
                  row);
    }
    start += part.extent;
  }
  return result;
}

Literal interpret_pad(const OpCall& call) {
  const Literal& x = call.operand(0);
  const Shape& shape = x.type().shape;
  const Shape& padded = call.result.shape;
  const auto rank = static_cast<size_t>(shape.ndim());
  const std::vector<int64_t> low = per_axis(call, "low", shape, 0);
  const std::vector<int64_t> interior = per_axis(call, "interior", shape, 0);
  const Strides own = row_major_strides(shape);
  Literal result(call.result);
  std::vector<int64_t> index(rank, 0);
  for (int64_t i = 0; i < result.numel(); ++i) {
    int64_t at = 0;
    bool inside = true;
    for (size_t d = 0; d < rank; ++d) {
      const int64_t moved = index[d] - low[d];
      const int64_t step = interior[d] + 1;
      inside =
          inside && moved >= 0 && moved % step == 0 && moved / step < shape[static_cast<int>(d)];
      if (inside) at += moved / step * own[d];
    }
    copy_element(inside ? x : call.operand(1), inside ? at : 0, result, i);
    for (size_t d = rank; d-- > 0;) {
      if (++index[d] < padded[static_cast<int>(d)]) break;
      index[d] = 0;
    }
  }
  return result;
}

Literal interpret_gather(const OpCall& call) {
  const Literal& x = call.operand(0);
  const std::vector<int64_t> indices = widen<int64_t>(call.operand(1));
  const auto count = static_cast<int64_t>(indices.size());
  const AxisSplit split = split_at(x.type().shape, call.attributes.integer("axis", 0));
  Literal result(call.result);
  const auto place_of = [&](int64_t outer, int64_t index, int64_t inner) {
    const int64_t row = std::clamp<int64_t>(index, 0, split.extent - 1);
    return (outer * split.extent + row) * split.inner + inner;
  };
  if (call.attributes.flag("along")) {
    const int64_t block = count / std::max<int64_t>(split.outer, 1);
    for (int64_t n = 0; n < count; ++n) {
      const int64_t index = indices[static_cast<size_t>(n)];
      copy_element(x, place_of(n / block, index, n % split.inner), result, n);
    }
    return result;
  }
  int64_t i = 0;
  for (int64_t o = 0; o < split.outer; ++o) {
    for (int64_t k = 0; k < count; ++k) {
      const int64_t index = indices[static_cast<size_t>(k)];
      for (int64_t inner = 0; inner < split.inner; ++inner, ++i)
        copy_element(x, place_of(o, index, inner), result, i);
    }
  }
  return result;
}

}  // namespace wick::ir
