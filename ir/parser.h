#pragma once

// Parser of graph IR text.

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "wick/ir/graph.h"

namespace wick::ir {

/// what() is `file:line:col: error: expected ...`, then the source line and a caret.
class ParseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// All graphs of a text. Throws ParseError on bad input, whatever it is; never crashes.
std::vector<std::unique_ptr<Graph>> parse_graphs(std::string_view text,
                                                 std::string_view file = "<text>");
/// Exactly one graph.
std::unique_ptr<Graph> parse_graph(std::string_view text, std::string_view file = "<text>");

}  // namespace wick::ir
