#include <algorithm>

#include "wick/ir/interpret_rules.h"
#include "wick/ir/semantics.h"
#include "wick/ir/strided_walk.h"

namespace wick::ir {
namespace {

struct DoubleOps {
  using Wide = double;

  static double unary(const ElementSemantics& row, double x) { return row.float_unary(x); }

  static double binary(const ElementSemantics& row, double x, double y, int /*bits*/) {
    return row.float_binary(x, y);
  }

  static bool compare(const ElementSemantics& row, double x, double y) {
    return row.float_compare(x, y);
  }
};

struct IntegerOps {
  using Wide = int64_t;

  static int64_t unary(const ElementSemantics& row, int64_t x) { return row.int_unary(x); }

  static int64_t binary(const ElementSemantics& row, int64_t x, int64_t y, int bits) {
    return row.int_binary(x, y, bits);
  }

  static bool compare(const ElementSemantics& row, int64_t x, int64_t y) {
    return row.int_compare(x, y);
  }
};

template <typename Ops>
Literal interpret_unary(const OpCall& call) {
  const ElementSemantics& row = element_semantics(call.op);
  auto values = widen<typename Ops::Wide>(call.operand(0));
  for (auto& value : values) {
    value = Ops::unary(row, value);
  }
  return narrow(values, call.result);
}

template <typename Ops>
Literal interpret_binary(const OpCall& call) {
  using Wide = typename Ops::Wide;
  const ElementSemantics& row = element_semantics(call.op);
  const bool compares = row.float_compare != nullptr;
  const Type& x_type = call.operand(0).type();
  const std::vector<Wide> x = widen<Wide>(call.operand(0));
  const std::vector<Wide> y = widen<Wide>(call.operand(1));
  const int bits = static_cast<int>(8 * size_of(x_type.dtype));
  std::vector<Wide> out(static_cast<size_t>(call.result.numel()));
  const std::array<Strides, 2> strides = {
      broadcast_strides(x_type.shape, call.result.shape),
      broadcast_strides(call.operand(1).type().shape, call.result.shape)};
  walk<2>(call.result.shape, strides, {0, 0}, [&](int64_t i, const auto& at) {
    const Wide a = x[static_cast<size_t>(at[0])];
    const Wide b = y[static_cast<size_t>(at[1])];
    out[static_cast<size_t>(i)] =
        compares ? static_cast<Wide>(Ops::compare(row, a, b)) : Ops::binary(row, a, b, bits);
  });
  return narrow(out, call.result);
}

Literal interpret_cast(const OpCall& call) {
  Literal result(call.result);
  visit_dtype(call.operand(0).type().dtype, [&]<typename From>() {
    const std::span<const From> in = call.operand(0).values<From>();
    visit_dtype(call.result.dtype, [&]<typename To>() {
      const std::span<To> out = result.mutable_values<To>();
      for (size_t i = 0; i < out.size(); ++i) {
        out[i] = convert<To>(in[i]);
      }
    });
  });
  return result;
}

Literal interpret_bitcast(const OpCall& call) {
  Literal result(call.result);
  std::ranges::copy(call.operand(0).bytes(), result.data());
  return result;
}

/// Moves bits, so that NaN payloads stay.
Literal interpret_where(const OpCall& call) {
  Literal result(call.result);
  const size_t size = size_of(call.result.dtype);
  std::array<Strides, 3> strides;
  for (size_t k = 0; k < strides.size(); ++k) {
    strides[k] = broadcast_strides(call.operand(k).type().shape, call.result.shape);
  }
  const std::span<const bool> condition = call.operand(0).values<bool>();
  walk<3>(call.result.shape, strides, {0, 0, 0}, [&](int64_t i, const auto& at) {
    const size_t chosen = condition[static_cast<size_t>(at[0])] ? 1 : 2;
    std::memcpy(result.data() + static_cast<size_t>(i) * size,
                call.operand(chosen).data() + static_cast<size_t>(at[chosen]) * size,
                size);
  });
  return result;
}

}  // namespace

Literal interpret_elementwise(const OpCall& call) {
  if (call.op == OpKind::cast) return interpret_cast(call);
  if (call.op == OpKind::bitcast) return interpret_bitcast(call);
  if (call.op == OpKind::where) return interpret_where(call);
  const bool floats = is_float(call.operand(0).type().dtype);
  if (call.operands.size() == 1) {
    return floats ? interpret_unary<DoubleOps>(call) : interpret_unary<IntegerOps>(call);
  }
  return floats ? interpret_binary<DoubleOps>(call) : interpret_binary<IntegerOps>(call);
}

}  // namespace wick::ir
