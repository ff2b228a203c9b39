#include "table.h"

#include "wick/tensor/ops_linalg.h"

namespace wick::conformance {
namespace {

AddProductOptions factors(const Call& c) {
  return {.beta = c.real("beta", 1), .alpha = c.real("alpha", 1)};
}

/// The first axis of extent 3 unless the case names one.
Tensor cross_of(const Call& c) {
  if (c.has("dim")) return cross(c[0], c[1], c.axis("dim"));
  int axis = 0;
  while (c[0].size(axis) != 3)
    ++axis;
  return cross(c[0], c[1], axis);
}

Tensor tensordot_of(const Call& c) {
  if (!c.is_list("dims")) return tensordot(c[0], c[1], static_cast<int>(c.integer("dims", 2)));
  const std::vector<Axes> pairs = c.lists("dims");
  return tensordot(c[0], c[1], pairs[0], pairs[1]);
}

}  // namespace

std::vector<Entry> linalg() {
  return {{"addmm", [](const Call& c) { return addmm(c[0], c[1], c[2], factors(c)); }},
          {"baddbmm", [](const Call& c) { return baddbmm(c[0], c[1], c[2], factors(c)); }},
          {"bmm", [](const Call& c) { return bmm(c[0], c[1]); }},
          {"cross", cross_of},
          {"dot", [](const Call& c) { return dot(c[0], c[1]); }},
          {"einsum", [](const Call& c) { return einsum(c.text("equation"), c.inputs()); }},
          {"kron", [](const Call& c) { return kron(c[0], c[1]); }},
          {"linear", [](const Call& c) { return linear(c[0], c[1], c[2]); }},
          {"matmul", [](const Call& c) { return matmul(c[0], c[1]); }},
          {"mv", [](const Call& c) { return mv(c[0], c[1]); }},
          {"outer", [](const Call& c) { return outer(c[0], c[1]); }},
          {"tensordot", tensordot_of}};
}

}  // namespace wick::conformance
