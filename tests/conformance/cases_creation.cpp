#include "table.h"

#include "wick/tensor/ops_creation.h"

namespace wick::conformance {
namespace {

Tensor range(const Call& c) {
  const bool is_real = [&] {
    const auto is_whole = [&](const char* name) {
      return !c.has(name) || c.number(name).is_integer;
    };
    return !is_whole("start") || !is_whole("end") || !is_whole("step");
  }();
  if (is_real) return arange(c.real("start", 0), c.real("end"), c.real("step", 1));
  return arange(c.integer("start", 0), c.integer("end"), c.integer("step", 1));
}

}  // namespace

std::vector<Entry> creation() {
  return {
      {"arange", range},
      {"eye", [](const Call& c) { return eye(c.integer("n"), c.integer("m", c.integer("n"))); }},
      {"full_like", [](const Call& c) { return full_like(c[0], c.number("fill_value")); }},
      {"linspace",
       [](const Call& c) { return linspace(c.real("start"), c.real("end"), c.integer("steps")); }},
      {"logspace",
       [](const Call& c) {
         return logspace(c.real("start"), c.real("end"), c.integer("steps"), c.real("base", 10));
       }},
      {"one_hot",
       [](const Call& c) { return one_hot(c[0], c.integer("num_classes"), DType::i64); }}};
}

}  // namespace wick::conformance
