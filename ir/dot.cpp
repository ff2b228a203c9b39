#include "wick/ir/dot.h"

#include <iterator>

#include <fmt/format.h>

#include "wick/ir/format.h"
#include "wick/ir/printer.h"
#include "wick/ir/value_names.h"

namespace wick::ir {
namespace {

constexpr size_t kLongestValue = 40;  // longer attribute values say little in a box

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

class DotWriter {
 public:
  explicit DotWriter(const Graph& graph) : names_(graph) {}

  std::string graph(const Graph& graph);

 private:
  template <typename... Args>
  void write(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  std::string label(const Node& node) const;
  void box(const Node& node, const std::string& prefix);
  void edges(const Graph& graph, const std::string& prefix);
  void results(const Graph& graph, const std::string& prefix);
  void cluster(const Node& fusion);

  ValueNames names_;
  std::string text_;
};

/// Nodes are named by where they are, since two graphs number alike.
std::string dot_name(const Node& node, const std::string& prefix) {
  return fmt::format("{}n{}", prefix, node.id());
}

std::string body_prefix(const Node& fusion) {
  return fmt::format("f{}_", fusion.id());
}

/// Where an edge from a value starts: inside the cluster for results of a fusion.
std::string source_of(const Value& value, const std::string& prefix) {
  if (value.node->body() == nullptr) return dot_name(*value.node, prefix);
  return fmt::format("{}r{}", body_prefix(*value.node), value.index);
}

std::string DotWriter::label(const Node& node) const {
  std::string text =
      fmt::format("%{}\\n{}", names_.of({const_cast<Node*>(&node), 0}), escaped(node.op_name()));
  for (const auto& [name, value] : node.attributes().entries()) {
    if (node.op() == OpKind::custom && name == "op") continue;
    std::string printed = to_string(value);
    if (printed.size() > kLongestValue) printed.replace(kLongestValue, std::string::npos, "...");
    text += fmt::format("\\n{} = {}", escaped(name), escaped(printed));
  }
  return text + fmt::format("\\n{}", node.type());
}

void DotWriter::box(const Node& node, const std::string& prefix) {
  std::string_view style;
  if (node.op() == OpKind::parameter) style = ", shape=ellipse, style=filled, fillcolor=lightblue";
  if (node.op() == OpKind::constant) style = ", shape=note";
  write("  {} [label=\"{}\"{}];\n", dot_name(node, prefix), label(node), style);
}

void DotWriter::edges(const Graph& graph, const std::string& prefix) {
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    for (int i = 0; i < node->num_operands(); ++i) {
      const std::string source = source_of(node->operand(i), prefix);
      if (node->body() == nullptr) {
        write("  {} -> {};\n", source, dot_name(*node, prefix));
      } else {
        const Node& inner = *node->body()->parameters()[static_cast<size_t>(i)];
        write("  {} -> {};\n", source, dot_name(inner, body_prefix(*node)));
      }
    }
  }
}

void DotWriter::results(const Graph& graph, const std::string& prefix) {
  for (size_t i = 0; i < graph.results().size(); ++i) {
    write("  {}r{} [label=\"result {}\", shape=ellipse, style=filled, fillcolor=palegreen];\n",
          prefix,
          i,
          i);
    write("  {} -> {}r{};\n", source_of(graph.results()[i], prefix), prefix, i);
  }
}

void DotWriter::cluster(const Node& fusion) {
  const std::string prefix = body_prefix(fusion);
  const Graph& body = *fusion.body();
  write("  subgraph cluster_{} {{\n", fusion.id());
  write("  label=\"fusion @{}\"; style=rounded;\n", printable_name(body.name()));
  for (const Node* node = body.first(); node != nullptr; node = node->next()) {
    box(*node, prefix);
  }
  edges(body, prefix);
  results(body, prefix);
  write("  }}\n");
}

std::string DotWriter::graph(const Graph& graph) {
  write("digraph \"{}\" {{\n  node [shape=box, fontname=monospace];\n",
        printable_name(graph.name()));
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (node->body() != nullptr) {
      cluster(*node);
    } else {
      box(*node, "");
    }
  }
  edges(graph, "");
  results(graph, "");
  write("}}\n");
  return std::move(text_);
}

}  // namespace

std::string to_dot(const Graph& graph) {
  return DotWriter(graph).graph(graph);
}

}  // namespace wick::ir
