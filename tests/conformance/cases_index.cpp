#include "table.h"

#include "wick/nn/functional/embedding.h"
#include "wick/tensor/ops_index.h"
#include "wick/tensor/ops_search.h"

namespace wick::conformance {
namespace {

ScatterReduction reduction_of(const std::string& name) {
  if (name == "sum") return ScatterReduction::sum;
  if (name == "prod") return ScatterReduction::prod;
  if (name == "mean") return ScatterReduction::mean;
  return name == "amax" ? ScatterReduction::amax : ScatterReduction::amin;
}

/// The source is a tensor or the attribute `value`.
Tensor scatter_source(const Call& c) {
  const std::string reduce = c.text("reduce", "");
  const ScatterMode mode = reduce == "add"        ? ScatterMode::add
                           : reduce == "multiply" ? ScatterMode::mul
                                                  : ScatterMode::set;
  return c[2].defined() ? scatter(c[0], c.axis(), c[1], c[2], mode)
                        : scatter(c[0], c.axis(), c[1], c.number("value"), mode);
}

Tensor index_add_scaled(const Call& c) {
  return c.has("alpha") ? index_add(c[0], c.axis(), c[1], c[2], c.number("alpha"))
                        : index_add(c[0], c.axis(), c[1], c[2]);
}

}  // namespace

std::vector<Entry> index() {
  return {
      {"argwhere", nonzero},
      {"bincount", [](const Call& c) { return bincount(c[0], c[1], c.integer("minlength", 0)); }},
      {"bucketize", [](const Call& c) { return bucketize(c[0], c[1], c.flag("right")); }},
      {"embedding",
       [](const Call& c) {
         if (!c.has("padding_idx")) return nn::embedding(c[0], c[1]);
         return nn::embedding(c[0], c[1], c.integer("padding_idx"));
       }},
      {"gather", [](const Call& c) { return gather(c[0], c.axis(), c[1]); }},
      {"index_add", index_add_scaled},
      {"index_copy", [](const Call& c) { return index_copy(c[0], c.axis(), c[1], c[2]); }},
      {"index_fill",
       [](const Call& c) { return index_fill(c[0], c.axis(), c[1], c.number("value")); }},
      {"index_select", [](const Call& c) { return index_select(c[0], c.axis(), c[1]); }},
      {"isin", [](const Call& c) { return isin(c[0], c[1]); }},
      {"masked_scatter", [](const Call& c) { return masked_scatter(c[0], c[1], c[2]); }},
      {"masked_select", [](const Call& c) { return masked_select(c[0], c[1]); }},
      {"nonzero", nonzero},
      {"put", [](const Call& c) { return put(c[0], c[1], c[2], c.flag("accumulate")); }},
      {"scatter", scatter_source},
      {"scatter_add", [](const Call& c) { return scatter_add(c[0], c.axis(), c[1], c[2]); }},
      {"scatter_reduce",
       [](const Call& c) {
         return scatter_reduce(c[0],
                               c.axis(),
                               c[1],
                               c[2],
                               reduction_of(c.text("reduce")),
                               c.flag("include_self", true));
       }},
      {"searchsorted", [](const Call& c) { return searchsorted(c[0], c[1], c.flag("right")); }},
      {"take", [](const Call& c) { return take(c[0], c[1]); }},
      {"take_along_dim",
       [](const Call& c) {
         if (!c.has("dim")) return take_along_axis(flatten(c[0]), flatten(c[1]), 0);
         return take_along_axis(c[0], c[1], c.axis());
       }},
      {"unique", [](const Call& c) { return unique(c[0]).values; }}};
}

}  // namespace wick::conformance
