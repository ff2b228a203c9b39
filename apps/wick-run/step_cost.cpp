#include "step_cost.h"

namespace wick::run {

namespace {

using ir::OpKind;

/// Multiplications for each element of the convolution's output: channels of a group x window.
int64_t work_per_output(const Type& weight) {
  return weight.numel() / weight.shape[0];
}

struct Kind {
  std::string operator()(const runtime::KernelStep& /*step*/) const { return "kernel"; }

  std::string operator()(const runtime::LibraryStep& step) const {
    return std::string(step.call->implementation());
  }

  std::string operator()(const runtime::InterpretStep& /*step*/) const { return "interpreter"; }

  std::string operator()(const runtime::CopyStep& /*step*/) const { return "copy"; }
};

}  // namespace

int64_t bytes_moved(const runtime::Plan& plan, const runtime::Step& step) {
  size_t bytes = 0;
  for (const auto* values : {&step.reads, &step.writes}) {
    for (const int value : *values)
      bytes += plan.values[static_cast<size_t>(value)].type.num_bytes();
  }
  return static_cast<int64_t>(bytes);
}

std::optional<int64_t> operations(const runtime::Step& step) {
  const auto* library = std::get_if<runtime::LibraryStep>(&step.action);
  if (library == nullptr) return std::nullopt;
  const runtime::LibraryOp& op = library->op;
  switch (op.op) {
    case OpKind::matmul: {
      const Shape& lhs = op.operands[0].shape;
      const int inner = op.attributes.flag("transpose_lhs") ? lhs.ndim() - 2 : lhs.ndim() - 1;
      return 2 * op.result.numel() * lhs[inner];
    }
    case OpKind::conv:
      return 2 * op.result.numel() * work_per_output(op.operands[1]);
    case OpKind::conv_input_grad:  // of the cotangent and the weight
      return 2 * op.operands[0].numel() * work_per_output(op.operands[1]);
    case OpKind::conv_weight_grad:  // of the input and the cotangent
      return 2 * op.operands[1].numel() * work_per_output(op.result);
    default:
      return std::nullopt;
  }
}

std::string kind_of(const runtime::Step& step) {
  return std::visit(Kind{}, step.action);
}

}  // namespace wick::run
