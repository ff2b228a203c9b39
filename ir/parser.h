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

struct ParseOptions {
  /// Take an op in quotes that is not registered, with the type that is written: reads a dump
  /// without the plug-in that it was made with. Such a graph cannot run.
  bool allow_unregistered = false;
};

/// All graphs of a text. Throws ParseError on bad input, whatever it is; never crashes.
std::vector<std::unique_ptr<Graph>> parse_graphs(std::string_view text,
                                                 std::string_view file = "<text>",
                                                 const ParseOptions& options = {});
/// Exactly one graph.
std::unique_ptr<Graph> parse_graph(std::string_view text,
                                   std::string_view file = "<text>",
                                   const ParseOptions& options = {});

}  // namespace wick::ir
