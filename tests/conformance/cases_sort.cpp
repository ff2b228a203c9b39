#include "table.h"

#include "wick/tensor/ops_sort.h"

namespace wick::conformance {
namespace {

Results both(const ValuesAndIndices& found) {
  return {found.values, found.indices};
}

}  // namespace

std::vector<Entry> sorting() {
  return {{"argsort",
           [](const Call& c) { return argsort(c[0], c.axis("dim", -1), c.flag("descending")); }},
          {"cummax", [](const Call& c) { return both(cummax(c[0], c.axis())); }},
          {"cummin", [](const Call& c) { return both(cummin(c[0], c.axis())); }},
          {"cumprod", [](const Call& c) { return cumprod(c[0], c.axis()); }},
          {"cumsum", [](const Call& c) { return cumsum(c[0], c.axis()); }},
          {"kthvalue",
           [](const Call& c) {
             return both(kthvalue(c[0], c.integer("k"), c.axis("dim", -1), c.flag("keepdim")));
           }},
          {"logcumsumexp", [](const Call& c) { return logcumsumexp(c[0], c.axis()); }},
          {"median",
           [](const Call& c) -> Results {
             if (!c.has("dim")) return median(c[0]);
             return both(median(c[0], c.axis(), c.flag("keepdim")));
           }},
          {"mode",
           [](const Call& c) { return both(mode(c[0], c.axis("dim", -1), c.flag("keepdim"))); }},
          {"nanmedian",
           [](const Call& c) -> Results {
             if (!c.has("dim")) return nanmedian(c[0]);
             return both(nanmedian(c[0], c.axis(), c.flag("keepdim")));
           }},
          {"sort",
           [](const Call& c) { return both(sort(c[0], c.axis("dim", -1), c.flag("descending"))); }},
          {"topk", [](const Call& c) {
             return both(topk(c[0], c.integer("k"), c.axis("dim", -1), c.flag("largest", true)));
           }}};
}

}  // namespace wick::conformance
