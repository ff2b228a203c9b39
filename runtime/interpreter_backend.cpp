#include <cstring>
#include <utility>

#include "wick/ir/interpreter.h"
#include "wick/ir/printer.h"
#include "wick/ir/profile.h"
#include "wick/runtime/argument_values.h"
#include "wick/runtime/built_in_backends.h"
#include "wick/runtime/compile_record.h"
#include "wick/runtime/stats.h"

namespace wick::runtime {
namespace {

class InterpreterExecutable final : public Executable {
 public:
  explicit InterpreterExecutable(std::unique_ptr<ir::Graph> graph) : graph_(std::move(graph)) {}

  std::vector<Ref<Buffer>> run(std::span<const Argument> arguments) override {
    runtime_counters().plan_runs.fetch_add(1, std::memory_order_relaxed);
    const profile::Slice slice("run", "interpret");
    const std::vector<Literal> parameters = argument_values(*graph_, arguments);
    std::vector<Ref<Buffer>> results;
    for (const Literal& value : ir::interpret(*graph_, parameters)) {
      const size_t bytes = value.bytes().size();
      const ir::Node& maker = *graph_->results()[results.size()].node;
      const AllocationTag tag{
          .purpose = "result", .op = ir::to_string(maker.op()), .where = maker.location()};
      results.push_back(Buffer::allocate(bytes, tag));
      if (bytes > 0) std::memcpy(results.back()->data(), value.data(), bytes);
    }
    return results;
  }

  ProgramSummary summary() const override {
    ProgramSummary summary;
    count_recorded(*graph_, summary);
    summary.num_interpreted = summary.num_ops;
    summary.planned_peak_bytes = summary.intermediate_bytes;
    return summary;
  }

  std::string to_text() const override {
    return "interpreted, op by op:\n" + ir::to_string(*graph_);
  }

 private:
  std::unique_ptr<ir::Graph> graph_;
};

class InterpreterBackend final : public Backend {
 public:
  std::string_view name() const override { return "interpreter"; }

  std::unique_ptr<Executable> compile(std::unique_ptr<ir::Graph> graph,
                                      CompileRecord* record) override {
    runtime_counters().plans_built.fetch_add(1, std::memory_order_relaxed);
    auto executable = std::make_unique<InterpreterExecutable>(std::move(graph));
    if (record != nullptr) {
      record->plan_text = executable->to_text();
      record->summary = executable->summary();
    }
    return executable;
  }
};

}  // namespace

std::unique_ptr<Backend> make_interpreter_backend() {
  return std::make_unique<InterpreterBackend>();
}

void count_recorded(const ir::Graph& graph, ProgramSummary& summary) {
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (node->op() == ir::OpKind::parameter || node->op() == ir::OpKind::constant) continue;
    ++summary.num_ops;
    for (int i = 0; i < node->num_results(); ++i) {
      summary.intermediate_bytes += static_cast<int64_t>(node->type(i).num_bytes());
    }
  }
}

}  // namespace wick::runtime
