#include "wick/autograd/rules_opaque.h"

namespace wick::autograd {
namespace {

using ir::OpKind;

constexpr GradientRow kRows[] = {
    {OpKind::scatter, {grad_scatter_x, nullptr, grad_scatter_updates}},
    {OpKind::scan, {grad_scan}},
    {OpKind::argsort, {}},
};

static_assert(covers(kRows, Family::opaque));

}  // namespace

std::span<const GradientRow> opaque_rules() {
  return kRows;
}

}  // namespace wick::autograd
