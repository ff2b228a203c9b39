#include <limits>

#include "table.h"

namespace wick::conformance {

std::vector<Entry> shape() {
  return {
      {"cat", [](const Call& c) { return concat(c.inputs(), c.axis()); }},
      {"flatten",
       [](const Call& c) { return flatten(c[0], c.axis("start_dim", 0), c.axis("end_dim", -1)); }},
      {"permute", [](const Call& c) { return permute(c[0], c.axes("dims")); }},
      {"reshape", [](const Call& c) { return reshape(c[0], c.shape("shape")); }},
      {"select", [](const Call& c) { return select(c[0], c.axis(), c.integer("index")); }},
      {"slice",
       [](const Call& c) {
         constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
         return slice(
             c[0], c.axis(), c.integer("start", 0), c.integer("end", kEnd), c.integer("step", 1));
       }},
      {"stack", [](const Call& c) { return stack(c.inputs(), c.axis()); }},
      {"transpose", [](const Call& c) { return transpose(c[0], c.axis("dim0"), c.axis("dim1")); }},
      {"unsqueeze", [](const Call& c) { return unsqueeze(c[0], c.axis()); }}};
}

}  // namespace wick::conformance
