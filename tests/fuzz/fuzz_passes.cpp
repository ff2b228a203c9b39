// The default pipeline over any sound graph: every pass leaves it sound, and what comes out
// prints and parses back.

#include "expect.h"
#include "graphs_of_input.h"

#include "wick/ir/error.h"
#include "wick/ir/parser.h"
#include "wick/ir/printer.h"
#include "wick/ir/verifier.h"
#include "wick/passes/pass_manager.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace wick;
  for (const auto& graph : fuzz::graphs_of_input(data, size)) {
    if (ir::verify(*graph)) continue;
    passes::PassManager manager = passes::PassManager::parse(passes::default_pipeline());
    manager.set_verify_each(true);
    passes::PassContext context(/*wants_remarks=*/true);
    try {
      manager.run(*graph, context);
    } catch (const Error&) {  // about the graph: the expansion of one of its ops has no end
      continue;
    }
    const std::string text = ir::to_string(*graph);
    fuzz::expect(ir::to_string(*ir::parse_graph(text)) == text,
                 "results print and parse:\n" + text);
  }
  return 0;
}
