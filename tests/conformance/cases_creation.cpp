#include "table.h"

namespace wick::conformance {

std::vector<Entry> creation() {
  return {
      {"linspace",
       [](const Call& c) { return linspace(c.real("start"), c.real("end"), c.integer("steps")); }},
      {"one_hot",
       [](const Call& c) { return one_hot(c[0], c.integer("num_classes"), DType::i64); }}};
}

}  // namespace wick::conformance
