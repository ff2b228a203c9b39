#include <string>

#include <fmt/format.h>

#include "wick/ir/parser.h"
#include "wick/ir/printer.h"
#include "wick/passes/options.h"
#include "wick/runtime/compile_record.h"
#include "wick/tensor/device_scope.h"
#include "wick/tensor/import.h"
#include "wick/tensor/materialize.h"

namespace wick {

namespace {

std::vector<Ref<detail::Node>> nodes_of(std::span<const Tensor> tensors) {
  std::vector<Ref<detail::Node>> nodes;
  for (const Tensor& tensor : tensors) {
    if (!tensor.defined()) throw Error({}, "explain", "the tensor is undefined");
    nodes.push_back(tensor.node());
  }
  return nodes;
}

std::unique_ptr<ir::Graph> pending_graph(std::span<const Ref<detail::Node>> nodes,
                                         bool with_donations) {
  const std::lock_guard guard(detail::materialization_lock());
  detail::Capture capture;
  capture.walk(nodes, false);
  return detail::import_graph(capture, with_donations);
}

std::string remark_text(const passes::Remark& remark) {
  std::string text = fmt::format("  {}{} [{}] {}",
                                 remark.missed ? "missed: " : "",
                                 to_string(remark.where),
                                 remark.code,
                                 remark.text);
  if (remark.other.is_known()) text += fmt::format(" (see {})", to_string(remark.other));
  return text + "\n";
}

std::string passes_text(const runtime::CompileRecord& record) {
  const auto optimized = ir::parse_graph(optimized_text(record));
  std::string text =
      fmt::format("\nAfter {}:\n{}", record.pipeline.pipeline, ir::to_string(*optimized));
  text += "\nRemarks:\n";
  for (const passes::Remark& remark : record.remarks)
    text += remark_text(remark);
  return text;
}

std::string summary_text(const runtime::ProgramSummary& summary) {
  constexpr auto kText =
      "  {} ops recorded; {} kernels, {} library calls, {} interpreted steps\n"
      "  {} bytes of temporaries planned; {} bytes at the peak with results; "
      "{} bytes if every value had memory of its own\n";
  return fmt::format(kText,
                     summary.num_ops,
                     summary.num_kernels,
                     summary.num_library_calls,
                     summary.num_interpreted,
                     summary.arena_bytes,
                     summary.planned_peak_bytes,
                     summary.intermediate_bytes);
}

}  // namespace

std::string Tensor::ir() const {
  return ir::to_string(*pending_graph(nodes_of({this, 1}), false));
}

std::string explain(std::span<const Tensor> tensors) {
  const std::vector<Ref<detail::Node>> nodes = nodes_of(tensors);
  std::unique_ptr<ir::Graph> graph = pending_graph(nodes, true);
  std::string text = "Recorded:\n" + ir::to_string(*graph, {.locations = true});

  const detail::DeviceScope scope(detail::device_of(nodes));
  const std::string& backend = wick::options().backend;
  runtime::CompileRecord record;
  const std::unique_ptr<runtime::Executable> executable =
      runtime::find_backend(backend).compile(std::move(graph), &record);
  if (!record.pipeline.pipeline.empty()) text += passes_text(record);
  text += fmt::format("\nPlan ({}):\n{}", backend, executable->to_text());
  return text + "\nSummary:\n" + summary_text(executable->summary());
}

std::string explain(std::initializer_list<Tensor> tensors) {
  return explain(std::span(tensors.begin(), tensors.size()));
}

}  // namespace wick
