#pragma once

// Graph IR as text. Every dump parses back (wick/ir/parser.h) and prints the same again.

#include <string>

#include "wick/ir/graph.h"

namespace wick::ir {

struct PrintOptions {
  bool locations = false;  // append loc("file":line:col)
};

/// One graph as in docs/ir.md. Values without a name are numbered in order.
std::string to_string(const Graph& graph, const PrintOptions& options = {});
/// One node as its line of the dump, without indentation.
std::string to_string(const Node& node, const PrintOptions& options = {});
std::string to_string(const AttributeValue& value);

}  // namespace wick::ir
