#include "table.h"

namespace wick::conformance {
namespace {

/// A reduction over the axes that `dim` names, or all.
Entry reduction(const char* op, Tensor (*function)(const Tensor&, Axes, bool, Where)) {
  return {op, [function](const Call& c) {
            return function(c[0], c.axes(), c.flag("keepdim"), Where::current());
          }};
}

}  // namespace

std::vector<Entry> reductions() {
  return {reduction("all", all),
          reduction("amax", max),
          reduction("amin", min),
          reduction("any", any),
          reduction("logsumexp", logsumexp),
          reduction("mean", mean),
          reduction("prod", prod),
          reduction("sum", sum),
          {"var", [](const Call& c) {
             return var(c[0], c.axes(), c.flag("keepdim"), c.flag("unbiased", true) ? 1 : 0);
           }}};
}

}  // namespace wick::conformance
