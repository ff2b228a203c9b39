#include "swap_passes.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "counting_add.h"
#include "ledger.h"

#include "wick/ir/graph.h"
#include "wick/passes/extension_points.h"
#include "wick/passes/pass_registry.h"

namespace swap_add {
namespace {

using wick::ir::Graph;
using wick::ir::Node;
using wick::ir::OpKind;
using wick::passes::PassContext;

constexpr int64_t kNoProgram = -1;

bool is_ours(const Node& node) {
  return node.op() == OpKind::custom && node.op_name() == kOpName;
}

/// The number of the program, which its adds carry.
int64_t program_of(const Graph& graph) {
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (is_ours(*node)) return node->attributes().integer("program", kNoProgram);
  }
  return kNoProgram;
}

int64_t count_adds(const Graph& graph) {
  int64_t count = 0;
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    count += node->op() == OpKind::add ? 1 : 0;
    if (node->body() != nullptr) count += count_adds(*node->body());
  }
  return count;
}

class SwapAdd final : public wick::passes::Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "swap-add"; }

  bool run(Graph& graph, PassContext& context) override {
    const int64_t count = count_adds(graph);
    if (count == 0) return false;
    int64_t program = program_of(graph);
    if (program == kNoProgram) {
      program = Ledger::instance().open_program(count);
    } else {
      Ledger::instance().note_late(program, count);
    }
    for (Node* node : graph.nodes()) {
      if (node->op() == OpKind::add) replace(graph, *node, program);
    }
    context.count("swapped", count);
    return true;
  }

 private:
  static void replace(Graph& graph, Node& node, int64_t program) {
    Node* const ours = graph.add(OpKind::custom,
                                 {node.operand(0), node.operand(1)},
                                 {{"op", std::string(kOpName)}, {"program", program}},
                                 node.location(),
                                 &node);
    ours->set_name(node.name());
    graph.replace_all_uses(node.result(), ours->result());
    graph.erase(&node);
  }
};

class CloseBooks final : public wick::passes::Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "close-books"; }

  bool run(Graph& graph, PassContext& context) override {
    int64_t ours = 0;
    for (Node* node = graph.first(); node != nullptr; node = node->next()) {
      if (is_ours(*node)) node->attributes().set("add", ours++);
    }
    const int64_t built_in = count_adds(graph);
    context.count("built-in-adds-left", built_in);
    if (ours + built_in == 0) return false;
    const int64_t program = program_of(graph);
    Ledger::instance().close_program(
        program == kNoProgram ? Ledger::instance().open_program(0) : program, ours, built_in);
    return ours > 0;
  }
};

template <typename P>
void register_pass(std::string name, std::string summary) {
  wick::passes::PassRegistry::instance().add(
      {.name = std::move(name),
       .summary = std::move(summary),
       .options = {},
       .create = [](const wick::passes::PassOptions&) { return std::make_unique<P>(); }});
}

}  // namespace

void register_passes() {
  register_pass<SwapAdd>("swap-add", "replace every add by demo.counting_add");
  register_pass<CloseBooks>("close-books", "number the adds and look for built-in ones");
  wick::passes::extend_pipeline("pipeline-start", "swap-add");
  wick::passes::extend_pipeline("before-fusion", "swap-add");  // adds made by simplification
  wick::passes::extend_pipeline("before-planning", "close-books");
}

}  // namespace swap_add
