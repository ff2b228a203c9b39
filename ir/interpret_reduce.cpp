#include <type_traits>

#include "wick/ir/interpret_rules.h"
#include "wick/ir/semantics.h"
#include "wick/ir/strided_walk.h"

namespace wick::ir {
namespace {

struct ReductionStrides {
  Strides result;    // of the result along the operand's axes: 0 along reduced ones
  Strides position;  // row-major over the reduced axes: 0 along the others
};

ReductionStrides reduction_strides(const OpCall& call) {
  const Shape& shape = call.operand(0).type().shape;
  const std::vector<int64_t>& axes = call.attributes.integers("axes");
  const auto rank = static_cast<size_t>(shape.ndim());
  std::vector<bool> is_reduced(rank);
  for (const int64_t axis : axes) {
    is_reduced[static_cast<size_t>(axis)] = true;
  }
  ReductionStrides strides{Strides(rank, 0), Strides(rank, 0)};
  int64_t kept = 1;
  int64_t reduced = 1;
  for (size_t axis = rank; axis-- > 0;) {
    const int64_t extent = shape[static_cast<int>(axis)];
    if (is_reduced[axis]) {
      strides.position[axis] = reduced;
      reduced *= extent;
    } else {
      strides.result[axis] = kept;
      kept *= extent;
    }
  }
  return strides;
}

template <typename Wide>
Literal reduce(const OpCall& call) {
  const ReductionSemantics& row = reduction_semantics(call.op);
  const std::vector<Wide> x = widen<Wide>(call.operand(0));
  const auto combine = [&] {
    if constexpr (std::is_same_v<Wide, double>)
      return row.float_combine;
    else
      return row.int_combine;
  }();
  const Wide init = [&] {
    if constexpr (std::is_same_v<Wide, double>)
      return row.float_init;
    else
      return row.int_init;
  }();
  std::vector<Wide> out(static_cast<size_t>(call.result.numel()), init);
  walk<1>(call.operand(0).type().shape,
          {reduction_strides(call).result},
          {0},
          [&](int64_t i, const auto& at) {
            Wide& sum = out[static_cast<size_t>(at[0])];
            sum = combine(sum, x[static_cast<size_t>(i)]);
          });
  return narrow(out, call.result);
}

template <typename Wide>
Literal arg_reduce(const OpCall& call) {
  const ReductionSemantics& row = reduction_semantics(call.op);
  const auto is_better = [&] {
    if constexpr (std::is_same_v<Wide, double>)
      return row.float_better;
    else
      return row.int_better;
  }();
  const std::vector<Wide> x = widen<Wide>(call.operand(0));
  ReductionStrides strides = reduction_strides(call);
  const auto count = static_cast<size_t>(call.result.numel());
  std::vector<Wide> best(count);
  std::vector<int64_t> position(count, -1);
  walk<2>(call.operand(0).type().shape,
          {std::move(strides.result), std::move(strides.position)},
          {0, 0},
          [&](int64_t i, const auto& at) {
            const auto o = static_cast<size_t>(at[0]);
            const Wide value = x[static_cast<size_t>(i)];
            if (position[o] >= 0 && !is_better(value, best[o])) return;
            best[o] = value;
            position[o] = at[1];
          });
  return narrow(position, call.result);
}

}  // namespace

Literal interpret_reduction(const OpCall& call) {
  const bool positions = reduction_semantics(call.op).float_better != nullptr;
  return visit_wide(call.operand(0).type().dtype, [&]<typename Wide>() {
    return positions ? arg_reduce<Wide>(call) : reduce<Wide>(call);
  });
}

}  // namespace wick::ir
