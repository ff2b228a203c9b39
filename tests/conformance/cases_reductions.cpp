#include "table.h"

#include "wick/tensor/ops_statistics.h"

namespace wick::conformance {
namespace {

/// A reduction over the axes that `dim` names, or all.
Entry reduction(const char* op, Tensor (*function)(const Tensor&, Axes, bool, Where)) {
  return {op, [function](const Call& c) {
            return function(c[0], c.axes(), c.flag("keepdim"), Where::current());
          }};
}

SpreadOptions spread(const Call& c) {
  const int64_t correction = c.integer("correction", c.flag("unbiased", true) ? 1 : 0);
  return {c.axes(), c.flag("keepdim"), correction};
}

/// An extreme of all elements, or along `dim` with its positions.
Entry extreme(const char* op,
              Tensor (*of_all)(const Tensor&, Axes, bool, Where),
              ValuesAndIndices (*along)(const Tensor&, int, bool, Where)) {
  return {op, [=](const Call& c) -> Results {
            if (!c.has("dim")) return of_all(c[0], {}, false, Where::current());
            const auto [values, indices] =
                along(c[0], c.axis(), c.flag("keepdim"), Where::current());
            return {values, indices};
          }};
}

/// The position of an extreme along `dim`, or in the flattened tensor.
Entry position(const char* op, Tensor (*along)(const Tensor&, int, bool, Where)) {
  return {op, [along](const Call& c) {
            if (c.has("dim")) return along(c[0], c.axis(), c.flag("keepdim"), Where::current());
            return along(reshape(c[0], {-1}), 0, false, Where::current());
          }};
}

}  // namespace

std::vector<Entry> reductions() {
  return {reduction("all", all),
          reduction("amax", max),
          reduction("amin", min),
          reduction("any", any),
          position("argmax", argmax),
          position("argmin", argmin),
          {"cdist", [](const Call& c) { return cdist(c[0], c[1], c.real("p", 2)); }},
          {"cosine_similarity",
           [](const Call& c) {
             return cosine_similarity(c[0], c[1], c.axis("dim", 1), c.real("eps", 1e-8));
           }},
          {"count_nonzero", [](const Call& c) { return count_nonzero(c[0], c.axes()); }},
          reduction("logsumexp", logsumexp),
          extreme("max", max, max_with_index),
          reduction("mean", mean),
          extreme("min", min, min_with_index),
          {"nanmean", [](const Call& c) { return nanmean(c[0], c.axes(), c.flag("keepdim")); }},
          {"nansum", [](const Call& c) { return nansum(c[0], c.axes(), c.flag("keepdim")); }},
          {"norm",
           [](const Call& c) { return norm(c[0], c.real("p", 2), c.axes(), c.flag("keepdim")); }},
          {"normalize",
           [](const Call& c) {
             return normalize(c[0], c.real("p", 2), c.axis("dim", 1), c.real("eps", 1e-12));
           }},
          reduction("prod", prod),
          {"std", [](const Call& c) { return std(c[0], spread(c)); }},
          reduction("sum", sum),
          {"var", [](const Call& c) {
             const auto [axes, keepdims, correction] = spread(c);
             return var(c[0], axes, keepdims, correction);
           }}};
}

}  // namespace wick::conformance
