#include "wick/ir/printer.h"

#include <charconv>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "wick/ir/literal_text.h"
#include "wick/ir/value_names.h"

namespace wick::ir {
namespace {

struct ValuePrinter {
  std::string operator()(bool value) const { return value ? "true" : "false"; }

  std::string operator()(int64_t value) const { return fmt::format("{}", value); }

  std::string operator()(double value) const { return number_text(value); }

  std::string operator()(const std::string& value) const { return quoted(value); }

  std::string operator()(DType value) const { return std::string(to_string(value)); }

  std::string operator()(const std::vector<int64_t>& value) const {
    return fmt::format("[{}]", fmt::join(value, ", "));
  }

  std::string operator()(const std::vector<std::string>& value) const {
    if (value.empty()) return "texts[]";  // `[]` is a list of integers
    std::string text;
    for (const std::string& element : value) {
      text += (text.empty() ? "[" : ", ") + quoted(element);
    }
    return text + "]";
  }

  std::string operator()(const Literal& value) const { return literal_text(value); }
};

class Printer {
 public:
  Printer(const Graph& graph, const PrintOptions& options) : names_(graph), options_(options) {}

  std::string graph(const Graph& graph);
  std::string node(const Node& node);

 private:
  // Every program that is planned is printed first, for the case that a pass fails.

  template <typename... Parts>
  void write(const Parts&... parts) {
    (write_one(parts), ...);
  }

  void write_one(std::string_view text) { text_ += text; }

  void write_one(const Type& type) { text_ += wick::to_string(type); }

  void write_one(uint32_t number) {
    char digits[10];
    const char* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    text_.append(digits, static_cast<size_t>(end - digits));
  }

  void indent() { text_.append(indent_, ' '); }

  void parameter(const Node& node);
  void parameters(const Graph& graph);
  void attributes(const Node& node);
  void values(std::span<const Value> values);
  void result_names(const Node& node);
  void result_types(const Node& node);
  void body(const Node& node);
  void line(const Node& node);
  void lines(const Graph& graph);

  ValueNames names_;
  const PrintOptions& options_;
  std::string text_;
  size_t indent_ = 0;
  std::unordered_map<const char*, std::string> files_;  // quoted
};

void Printer::values(std::span<const Value> values) {
  std::string_view separator;
  for (const Value& value : values) {
    write(separator, "%", names_.of(value));
    separator = ", ";
  }
}

void Printer::parameter(const Node& node) {
  write("%", names_.of({const_cast<Node*>(&node), 0}), ": ", node.type());
  attributes(node);
}

void Printer::parameters(const Graph& graph) {
  std::string_view separator;
  for (const Node* node : graph.parameters()) {
    write(separator);
    parameter(*node);
    separator = ", ";
  }
}

/// A flag that is set prints as its bare name on a parameter, where flags are all there is.
void Printer::attributes(const Node& node) {
  std::string_view separator = " {";
  const bool is_fusion = node.op() == OpKind::fusion;
  const bool is_custom = node.op() == OpKind::custom;
  for (const auto& [name, value] : node.attributes().entries()) {
    if (is_fusion && name == "kind" && has_kind(node)) continue;
    if (is_custom && name == "op") continue;
    const bool* flag = std::get_if<bool>(&value);
    if (node.op() == OpKind::parameter && flag != nullptr && *flag) {
      write(separator, name);
    } else {
      write(separator, name, " = ", to_string(value));
    }
    separator = ", ";
  }
  if (separator != " {") write("}");
}

void Printer::result_names(const Node& node) {
  for (int i = 0; i < node.num_results(); ++i) {
    write(i == 0 ? "%" : ", %", names_.of({const_cast<Node*>(&node), i}));
  }
  if (node.num_results() > 0) write(" = ");
}

void Printer::result_types(const Node& node) {
  if (node.num_results() == 1) {
    write(" : ", node.type());
    return;
  }
  write(" : (");
  for (int i = 0; i < node.num_results(); ++i) {
    write(i == 0 ? "" : ", ", node.type(i));
  }
  write(")");
}

void Printer::body(const Node& node) {
  const Graph& body = *node.body();
  write("fusion");
  if (has_kind(node)) write("<", node.attributes().text("kind"), ">");
  write(" @", printable_name(body.name()), "(");
  values(node.operands());
  write(") {\n");
  indent_ += 2;
  indent();
  write("^(");
  parameters(body);
  write("):\n");
  lines(body);
  indent();
  write(body.results().empty() ? "yield" : "yield ");
  values(body.results());
  indent_ -= 2;
  write("\n");
  indent();
  write("}");
}

void Printer::line(const Node& node) {
  if (node.op() == OpKind::parameter) {
    parameter(node);
    return;
  }
  result_names(node);
  if (node.body() != nullptr) {
    body(node);
  } else {
    const bool is_custom = node.op() == OpKind::custom;
    write(is_custom ? quoted(node.op_name()) : node.op_name());
    if (node.num_operands() > 0) write(" ");
    values(node.operands());
  }
  attributes(node);
  result_types(node);
  if (options_.locations && node.location().is_known()) {
    const Location& where = node.location();
    std::string& file = files_[where.file];
    if (file.empty()) file = quoted(where.file);
    write(" loc(", file, ":", where.line, ":", where.column, ")");
  }
}

void Printer::lines(const Graph& graph) {
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (node->op() == OpKind::parameter) continue;
    indent();
    line(*node);
    write("\n");
  }
}

std::string Printer::graph(const Graph& graph) {
  write("graph @", printable_name(graph.name()), "(");
  parameters(graph);
  write(") -> (");
  std::string_view separator;
  for (const Value& result : graph.results()) {
    write(separator, result.type());
    separator = ", ";
  }
  write(") {\n");
  indent_ = 2;
  lines(graph);
  write(graph.results().empty() ? "  return" : "  return ");
  values(graph.results());
  write("\n}\n");
  return std::move(text_);
}

std::string Printer::node(const Node& node) {
  line(node);
  return std::move(text_);
}

}  // namespace

std::string to_string(const Graph& graph, const PrintOptions& options) {
  return Printer(graph, options).graph(graph);
}

std::string to_string(const Node& node, const PrintOptions& options) {
  return Printer(node.graph(), options).node(node);
}

std::string to_string(const AttributeValue& value) {
  return std::visit(ValuePrinter{}, value);
}

}  // namespace wick::ir
