#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "wick/ir/interpret_rules.h"
#include "wick/ir/semantics.h"

// Ops along an axis whose results depend on more than their own position.

namespace wick::ir {
namespace {

template <typename Wide>
using Combine = Wide (*)(Wide, Wide);

double log_add_exp(double x, double y) {
  const double high = std::max(x, y);
  if (std::isnan(x) || std::isnan(y)) return x + y;
  return std::isinf(high) ? high : high + std::log1p(std::exp(std::min(x, y) - high));
}

template <typename Wide>
Combine<Wide> reduction_combine(OpKind op) {
  if constexpr (std::is_same_v<Wide, double>) {
    return reduction_semantics(op).float_combine;
  } else {
    return reduction_semantics(op).int_combine;
  }
}

/// How two values of a scan kind or scatter mode combine; null for "set".
template <typename Wide>
Combine<Wide> combine_for(std::string_view name) {
  if (name == "sum" || name == "add") return reduction_combine<Wide>(OpKind::reduce_sum);
  if (name == "prod" || name == "mul") return reduction_combine<Wide>(OpKind::reduce_prod);
  if (name == "max") return reduction_combine<Wide>(OpKind::reduce_max);
  if (name == "min") return reduction_combine<Wide>(OpKind::reduce_min);
  if constexpr (std::is_same_v<Wide, double>) {
    if (name == "logaddexp") return log_add_exp;
  }
  return nullptr;
}

/// NaN after all numbers.
bool sorts_before(double x, double y) {
  return x < y || (std::isnan(y) && !std::isnan(x));
}

bool sorts_before(int64_t x, int64_t y) {
  return x < y;
}

}  // namespace

Literal interpret_scatter(const OpCall& call) {
  const std::vector<int64_t> indices = widen<int64_t>(call.operand(1));
  const AxisSplit split =
      split_at(call.operand(0).type().shape, call.attributes.integer("axis", 0));
  const bool along = call.attributes.flag("along");
  const std::string_view mode =
      call.attributes.has("mode") ? std::string_view(call.attributes.text("mode")) : "add";
  return visit_wide(call.result.dtype, [&]<typename Wide>() {
    const Combine<Wide> combine = combine_for<Wide>(mode);
    std::vector<Wide> out = widen<Wide>(call.operand(0));
    const std::vector<Wide> updates = widen<Wide>(call.operand(2));
    const auto put = [&](int64_t outer, int64_t row, int64_t inner, Wide update) {
      if (row < 0 || row >= split.extent) return;
      Wide& to = out[static_cast<size_t>((outer * split.extent + row) * split.inner + inner)];
      to = combine == nullptr ? update : combine(to, update);
    };
    const auto count = static_cast<int64_t>(updates.size());
    const int64_t block = count / std::max<int64_t>(split.outer, 1);  // of updates
    for (int64_t n = 0; n < count; ++n) {
      const int64_t at = along ? n : n % block / split.inner;
      put(n / block,
          indices[static_cast<size_t>(at)],
          n % split.inner,
          updates[static_cast<size_t>(n)]);
    }
    return narrow(out, call.result);
  });
}

Literal interpret_scan(const OpCall& call) {
  const AxisSplit split = split_at(call.result.shape, call.attributes.integer("axis", 0));
  const bool reverse = call.attributes.flag("reverse");
  return visit_wide(call.result.dtype, [&]<typename Wide>() {
    const Combine<Wide> combine = combine_for<Wide>(call.attributes.text("kind"));
    std::vector<Wide> out = widen<Wide>(call.operand(0));
    for (int64_t lane = 0; lane < split.outer * split.inner; ++lane) {
      const int64_t base = lane / split.inner * split.extent * split.inner + lane % split.inner;
      const auto element = [&](int64_t i) -> Wide& {
        const int64_t at = reverse ? split.extent - 1 - i : i;
        return out[static_cast<size_t>(base + at * split.inner)];
      };
      for (int64_t i = 1; i < split.extent; ++i)
        element(i) = combine(element(i - 1), element(i));
    }
    return narrow(out, call.result);
  });
}

Literal interpret_argsort(const OpCall& call) {
  const int64_t axis = call.attributes.integer("axis", 0);
  const AxisSplit split = split_at(call.operand(0).type().shape, axis);
  const int64_t start = call.attributes.integer("start", 0);
  const int64_t count = call.result.shape[static_cast<int>(axis)];
  const bool descending = call.attributes.flag("descending");
  return visit_wide(call.operand(0).type().dtype, [&]<typename Wide>() {
    const std::vector<Wide> x = widen<Wide>(call.operand(0));
    std::vector<int64_t> out(static_cast<size_t>(call.result.numel()));
    std::vector<int64_t> order(static_cast<size_t>(split.extent));
    for (int64_t lane = 0; lane < split.outer * split.inner; ++lane) {
      const int64_t outer = lane / split.inner;
      const auto at = [&](int64_t i) {
        return static_cast<size_t>((outer * split.extent + i) * split.inner + lane % split.inner);
      };
      const auto to = [&](int64_t i) {
        return static_cast<size_t>((outer * count + i) * split.inner + lane % split.inner);
      };
      std::iota(order.begin(), order.end(), 0);
      std::ranges::stable_sort(order, [&](int64_t i, int64_t j) {
        return descending ? sorts_before(x[at(j)], x[at(i)]) : sorts_before(x[at(i)], x[at(j)]);
      });
      for (int64_t i = 0; i < count; ++i)
        out[to(i)] = order[static_cast<size_t>(start + i)];
    }
    return narrow(out, call.result);
  });
}

Literal interpret_barrier(const OpCall& call) {
  return call.operand(0);
}

}  // namespace wick::ir
