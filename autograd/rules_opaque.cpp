#include "wick/autograd/rules_opaque.h"

namespace wick::autograd {
namespace {

using ir::OpKind;

constexpr GradientRow kOpaqueRows[] = {
    {OpKind::scatter, {grad_scatter_x, nullptr, grad_scatter_updates}},
    {OpKind::scan, {grad_scan}},
    {OpKind::argsort, {}},
};

static_assert(covers(kOpaqueRows, Family::opaque));

}  // namespace

std::span<const GradientRow> opaque_rules() {
  return kOpaqueRows;
}

}  // namespace wick::autograd
