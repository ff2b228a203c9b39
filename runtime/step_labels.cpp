#include "wick/runtime/step_labels.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "wick/ir/format.h"

namespace wick::runtime {
namespace {

constexpr size_t kMostNames = 4;  // of ops in a title
constexpr size_t kMostLines = 32;

/// `exp, sum, div`: the ops that compute, each once, in order; movement where there is nothing
/// else.
std::string title(const std::vector<StepOp>& ops) {
  std::vector<std::string_view> names;
  for (const bool with_movement : {false, true}) {
    for (const StepOp& each : ops) {
      if (!with_movement && ir::has(each.op, ir::kMovement)) continue;
      const std::string_view name = ir::to_string(each.op);
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    if (!names.empty()) break;
  }
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", names[i]);
  if (names.size() > kMostNames) text += fmt::format(" +{}", names.size() - kMostNames);
  return text;
}

std::string lines(const std::vector<StepOp>& ops) {
  std::string text;
  for (size_t i = 0; i < std::min(ops.size(), kMostLines); ++i) {
    text += fmt::format(
        "{}{} {}", i == 0 ? "" : "; ", ir::to_string(ops[i].op), to_string(ops[i].where));
  }
  if (ops.size() > kMostLines) text += fmt::format("; and {} more", ops.size() - kMostLines);
  return text;
}

std::string types(const Plan& plan, const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) {
    const Type& type = plan.values[static_cast<size_t>(number)].type;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", type);
  }
  return text;
}

int64_t bytes(const Plan& plan, const std::vector<int>& numbers) {
  int64_t sum = 0;
  for (const int number : std::set<int>(numbers.begin(), numbers.end())) {
    sum += static_cast<int64_t>(plan.values[static_cast<size_t>(number)].type.num_bytes());
  }
  return sum;
}

struct ActionLabel {
  profile::Label& label;

  void operator()(const KernelStep& step) const {
    label.args.push_back({"kind", std::string("kernel")});
    label.args.push_back({"kernel", step.kernel->name});
    label.args.push_back({"element operations", step.task_extent * step.work_per_task});
  }

  void operator()(const LibraryStep& step) const {
    label.args.push_back({"kind", std::string("library")});
    label.args.push_back({"implementation", std::string(step.call->implementation())});
    label.flops = flops(step.op);
  }

  void operator()(const InterpretStep& /*step*/) const {
    label.args.push_back({"kind", std::string("interpreter")});
  }

  void operator()(const CopyStep& /*step*/) const {
    label.args.push_back({"kind", std::string("copy")});
  }
};

double matmul_flops(const LibraryOp& op) {
  const Shape& lhs = op.operands[0].shape;
  const int k_axis = lhs.ndim() - (op.attributes.flag("transpose_lhs") ? 2 : 1);
  return 2.0 * static_cast<double>(lhs[k_axis]) * static_cast<double>(op.result.numel());
}

/// Each element of the output meets the weights of one output channel; the gradients do the same
/// work with the parts exchanged.
double convolution_flops(const Type& output, const Type& weight) {
  const int64_t channels = std::max<int64_t>(1, weight.shape[0]);
  return 2.0 * static_cast<double>(output.numel()) * static_cast<double>(weight.numel() / channels);
}

profile::Label make_label(const Plan& plan, const Step& step) {
  profile::Label label{.name = step.ops.empty() ? step.name : title(step.ops)};
  label.args.push_back({"where", to_string(step.where)});
  std::visit(ActionLabel{label}, step.action);
  if (!step.ops.empty()) label.args.push_back({"ops", lines(step.ops)});
  label.args.push_back({"reads", types(plan, step.reads)});
  label.args.push_back({"writes", types(plan, step.writes)});
  label.args.push_back({"bytes read", bytes(plan, step.reads)});
  label.args.push_back({"bytes written", bytes(plan, step.writes)});
  label.bytes = bytes(plan, step.reads) + bytes(plan, step.writes);
  return label;
}

}  // namespace

std::vector<std::shared_ptr<const profile::Label>> step_labels(const Plan& plan) {
  std::vector<std::shared_ptr<const profile::Label>> labels;
  labels.reserve(plan.steps.size());
  for (const Step& step : plan.steps)
    labels.push_back(std::make_shared<profile::Label>(make_label(plan, step)));
  return labels;
}

double flops(const LibraryOp& op) {
  switch (op.op) {
    case ir::OpKind::matmul:
      return matmul_flops(op);
    case ir::OpKind::conv:
      return convolution_flops(op.result, op.operands[1]);
    case ir::OpKind::conv_input_grad:
      return convolution_flops(op.operands[0], op.operands[1]);
    case ir::OpKind::conv_weight_grad:
      return convolution_flops(op.operands[1], op.result);
    default:
      return 0;
  }
}

}  // namespace wick::runtime
