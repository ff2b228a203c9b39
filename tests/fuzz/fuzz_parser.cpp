// Graph IR: what parses can be verified, prints, parses back and prints the same; so does a copy.

#include "expect.h"
#include "graphs_of_input.h"

#include "wick/ir/dot.h"
#include "wick/ir/parser.h"
#include "wick/ir/printer.h"
#include "wick/ir/structural_hash.h"
#include "wick/ir/verifier.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace wick;
  for (const auto& graph : fuzz::graphs_of_input(data, size)) {
    const std::string text = ir::to_string(*graph, {.locations = true});
    const auto again = ir::parse_graph(text);
    fuzz::expect(ir::to_string(*again, {.locations = true}) == text,
                 "printing and parsing agree:\n" + text);
    fuzz::expect(ir::verify(*graph) == ir::verify(*again), "both are sound or neither:\n" + text);
    const auto copy = graph->clone();
    fuzz::expect(ir::to_string(*copy, {.locations = true}) == text,
                 "a copy prints the same:\n" + text);
    fuzz::expect(ir::structural_hash(*copy) == ir::structural_hash(*again),
                 "equal graphs hash equally:\n" + text);
    (void)ir::to_dot(*graph);
  }
  return 0;
}
