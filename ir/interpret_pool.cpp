#include <cmath>

#include "wick/ir/interpret_rules.h"
#include "wick/ir/window.h"

namespace wick::ir {
namespace {

Window pool_window(const OpCall& call) {
  const std::vector<int64_t>& kernel = call.attributes.integers("kernel");
  const bool has_stride = call.attributes.has("stride");
  const std::vector<int64_t>& stride = has_stride ? call.attributes.integers("stride") : kernel;
  const std::vector<int64_t>& padding = call.attributes.integers("padding");
  Window window(2);
  for (size_t i = 0; i < window.size(); ++i) {
    window[i] = {kernel[i], stride[i], padding.empty() ? 0 : padding[i], 1};
  }
  return window;
}

struct WindowElement {
  int64_t number = 0;  // in the window, row by row
  size_t at = 0;       // in x
};

/// One window: its element number in the pooled tensor, and its elements that lie in x.
struct PoolSite {
  size_t pooled = 0;
  std::vector<WindowElement> elements;
};

/// Visits windows in order; the site's storage is used again. x is [n,c,h,w], or [n,c/b,h,w,b].
template <typename Visit>
void for_each_window(const Window& window, const Shape& x, const Visit& visit) {
  const int64_t rows = window[0].count(x[2]);
  const int64_t columns = window[1].count(x[3]);
  const int64_t block = x.ndim() == 5 ? x[4] : 1;
  PoolSite site;
  for (int64_t i = 0; i < x[0] * x[1] * rows * columns * block; ++i) {
    const int64_t at = i / block;
    const int64_t plane = at / (rows * columns);
    site.pooled = static_cast<size_t>(i);
    site.elements.clear();
    for (int64_t k = 0; k < window[0].kernel * window[1].kernel; ++k) {
      const int64_t h = window[0].position(at / columns % rows, k / window[1].kernel);
      const int64_t v = window[1].position(at % columns, k % window[1].kernel);
      if (h < 0 || h >= x[2] || v < 0 || v >= x[3]) continue;
      const int64_t element = (plane * x[2] + h) * x[3] + v;
      site.elements.push_back({k, static_cast<size_t>(element * block + i % block)});
    }
    visit(site);
  }
}

/// The first largest element of a window, or its first NaN.
WindowElement largest(const std::vector<double>& x, const std::vector<WindowElement>& elements) {
  WindowElement best = elements.front();
  for (const WindowElement element : elements) {
    if (std::isnan(x[best.at])) break;
    if (std::isnan(x[element.at]) || x[element.at] > x[best.at]) best = element;
  }
  return best;
}

double divisor(const OpCall& call, const Window& window, const PoolSite& site) {
  if (call.attributes.flag("exclude_padding")) return static_cast<double>(site.elements.size());
  return static_cast<double>(window[0].kernel * window[1].kernel);
}

}  // namespace

Literal interpret_max_pool2d(const OpCall& call) {
  const auto x = widen<double>(call.operand(0));
  const bool is_argmax = call.attributes.flag("argmax");
  std::vector<double> out(static_cast<size_t>(call.result.numel()));
  for_each_window(pool_window(call), call.operand(0).type().shape, [&](const PoolSite& site) {
    const WindowElement best = largest(x, site.elements);
    out[site.pooled] = is_argmax ? static_cast<double>(best.number) : x[best.at];
  });
  return narrow(out, call.result);
}

Literal interpret_max_pool2d_grad(const OpCall& call) {
  const auto numbers = widen<int64_t>(call.operand(0));
  const auto cotangent = widen<double>(call.operand(1));
  std::vector<double> out(static_cast<size_t>(call.result.numel()), 0);
  for_each_window(pool_window(call), call.result.shape, [&](const PoolSite& site) {
    for (const WindowElement element : site.elements) {
      if (element.number == numbers[site.pooled]) out[element.at] += cotangent[site.pooled];
    }
  });
  return narrow(out, call.result);
}

Literal interpret_avg_pool2d(const OpCall& call) {
  const auto x = widen<double>(call.operand(0));
  const Window window = pool_window(call);
  std::vector<double> out(static_cast<size_t>(call.result.numel()));
  for_each_window(window, call.operand(0).type().shape, [&](const PoolSite& site) {
    double sum = 0;
    for (const WindowElement element : site.elements)
      sum += x[element.at];
    out[site.pooled] = sum / divisor(call, window, site);
  });
  return narrow(out, call.result);
}

Literal interpret_avg_pool2d_grad(const OpCall& call) {
  const auto cotangent = widen<double>(call.operand(0));
  const Window window = pool_window(call);
  std::vector<double> out(static_cast<size_t>(call.result.numel()), 0);
  for_each_window(window, call.result.shape, [&](const PoolSite& site) {
    for (const WindowElement element : site.elements)
      out[element.at] += cotangent[site.pooled] / divisor(call, window, site);
  });
  return narrow(out, call.result);
}

}  // namespace wick::ir
