#include "wick/runtime/backend.h"

#include <stdexcept>

#include "run_graph.h"
#include <gtest/gtest.h>

#include "wick/ir/parser.h"

namespace wick::runtime {
namespace {

class Doubling final : public Backend {
 public:
  std::string_view name() const override { return "test-doubling"; }

  std::unique_ptr<Executable> compile(std::unique_ptr<ir::Graph> graph,
                                      CompileRecord* /*record*/) override {
    return find_backend("interpreter").compile(std::move(graph));
  }
};

std::string message_of(const auto& action) {
  try {
    action();
  } catch (const std::invalid_argument& caught) {
    return caught.what();
  }
  return "";
}

TEST(Backends, AreFoundByName) {
  EXPECT_EQ(find_backend("llvm").name(), "llvm");
  EXPECT_EQ(find_backend("interpreter").name(), "interpreter");
}

TEST(Backends, ListTheKnownNames) {
  EXPECT_EQ(message_of([] { (void)find_backend("tpu"); }).substr(0, 40),
            "no backend 'tpu'; there are: interpreter");
}

TEST(Backends, AreRegisteredOnce) {
  register_backend(std::make_unique<Doubling>());

  EXPECT_EQ(find_backend("test-doubling").name(), "test-doubling");
  EXPECT_EQ(message_of([] { register_backend(std::make_unique<Doubling>()); }),
            "backend 'test-doubling' is registered already");
}

TEST(InterpreterBackend, CountsWhatWasRecorded) {
  const auto graph = ir::parse_graph(R"(
graph @f(%x: f32[4]) -> (f32[4]) {
  %y = exp %x : f32[4]
  %z = neg %y : f32[4]
  return %z
})");

  const ProgramSummary summary = find_backend("interpreter").compile(graph->clone())->summary();

  EXPECT_EQ(summary.num_ops, 2);
  EXPECT_EQ(summary.intermediate_bytes, 32);
  EXPECT_EQ(summary.num_interpreted, 2);
}

}  // namespace
}  // namespace wick::runtime
