#include "wick/ir/parser.h"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "wick/ir/attribute_schema.h"
#include "wick/ir/custom_op.h"
#include "wick/ir/format.h"
#include "wick/ir/nearest_name.h"
#include "wick/ir/parse_values.h"

namespace wick::ir {
namespace {

using Names = std::vector<Token>;

/// Names are hints; a number is what a value without a name prints as.
std::string hint_of(const Token& name) {
  const bool is_number =
      std::ranges::all_of(name.text, [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? std::string() : std::string(name.text);
}

/// `1 result`, `2 results`.
std::string counted(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// Parses the lines of one graph or fusion body, whose names are its own.
class BodyParser {
 public:
  BodyParser(TokenStream& tokens, std::string name, bool is_fusion, const ParseOptions& options)
      : tokens_(tokens),
        graph_(std::make_unique<Graph>(std::move(name))),
        is_fusion_(is_fusion),
        options_(options) {}

  /// `(%x: f32[2], ...)`.
  void parameters();
  /// Lines up to `return` or `yield`, and that one.
  void lines();

  [[nodiscard]] Graph& graph() { return *graph_; }

  std::unique_ptr<Graph> take() { return std::move(graph_); }

 private:
  void parameter();
  void line();
  Node* fusion(const Token& at);
  Node* operation(const Token& at);
  Node* custom(const Token& at);
  OpKind op_named(const Token& at);
  Node* add(const Token& at, OpKind op, std::vector<Value> operands, Attributes attributes);
  Type type_ahead() const;
  Value value();
  std::vector<Value> values();
  std::vector<Value> operands_of_op();
  Names result_names();
  std::vector<Type> result_types();
  Location location();
  void check(const Token& at, OpKind op, const Attributes& attributes) const;
  void check_arity(const Token& at, const Graph& body, const std::vector<Value>& operands) const;
  void define(const Token& name, Value value);

  TokenStream& tokens_;
  std::unique_ptr<Graph> graph_;
  std::unordered_map<std::string_view, Value> values_;
  bool is_fusion_;
  const ParseOptions& options_;
};

void BodyParser::define(const Token& name, Value value) {
  if (!values_.emplace(name.text, value).second) {
    tokens_.fail(name, fmt::format("%{} is defined twice", name.text));
  }
}

void BodyParser::check(const Token& at, OpKind op, const Attributes& attributes) const {
  if (const std::optional<std::string> wrong = check_attributes(op, attributes)) {
    tokens_.fail(at, *wrong);
  }
}

void BodyParser::parameter() {
  const Token name = tokens_.expect(TokenKind::value, "a parameter");
  tokens_.expect(":");
  Type type = parse_type(tokens_);
  Attributes attributes = parse_attributes(tokens_);
  check(name, OpKind::parameter, attributes);
  Node* node = graph_->add_parameter(std::move(type), hint_of(name), std::move(attributes));
  define(name, node->result());
}

void BodyParser::parameters() {
  tokens_.expect("(");
  if (!tokens_.is(")")) {
    do {
      parameter();
    } while (tokens_.accept(","));
  }
  tokens_.expect(")");
}

Value BodyParser::value() {
  const Token name = tokens_.expect(TokenKind::value, "a value");
  const auto found = values_.find(name.text);
  if (found == values_.end()) {
    tokens_.fail(name, fmt::format("%{} is not defined", name.text));
  }
  return found->second;
}

std::vector<Value> BodyParser::values() {
  std::vector<Value> list;
  if (tokens_.peek().kind != TokenKind::value) return list;
  do {
    list.push_back(value());
  } while (tokens_.accept(","));
  return list;
}

std::vector<Value> BodyParser::operands_of_op() {
  std::vector<Value> list = values();
  if (!tokens_.is("{") && !tokens_.is(":")) tokens_.fail_expected("a value, '{' or ':'");
  return list;
}

Names BodyParser::result_names() {
  Names names;
  if (tokens_.peek().kind != TokenKind::value) return names;
  do {
    names.push_back(tokens_.expect(TokenKind::value, "a value"));
  } while (tokens_.accept(","));
  tokens_.expect("=");
  return names;
}

std::vector<Type> BodyParser::result_types() {
  if (!tokens_.accept("(")) return {parse_type(tokens_)};
  std::vector<Type> types;
  if (tokens_.accept(")")) return types;
  do {
    types.push_back(parse_type(tokens_));
  } while (tokens_.accept(","));
  tokens_.expect(")");
  return types;
}

Location BodyParser::location() {
  if (!tokens_.is_word("loc")) return {};
  tokens_.take();
  tokens_.expect("(");
  const std::string file = parse_string(tokens_);
  uint32_t numbers[2];
  for (uint32_t& number : numbers) {
    tokens_.expect(":");
    const Token at = tokens_.peek();
    const int64_t parsed = parse_integer(tokens_);
    if (parsed < 0 || parsed > std::numeric_limits<uint32_t>::max()) {
      tokens_.fail(at, fmt::format("{} is out of range", parsed));
    }
    number = static_cast<uint32_t>(parsed);
  }
  tokens_.expect(")");
  return {intern_file(file), numbers[0], numbers[1]};
}

OpKind BodyParser::op_named(const Token& at) {
  const std::optional<OpKind> op = op_from_string(at.text);
  if (op == OpKind::parameter) tokens_.fail(at, "parameters stand in the list behind the name");
  if (op == OpKind::custom || find_custom_op(at.text) != nullptr) {
    tokens_.fail(at, "the name of a plug-in op stands in quotes, such as \"geo.hypot\"");
  }
  if (op) return *op;
  std::vector<std::string_view> names;
  for (int i = 0; i < kNumOps; ++i) {
    names.push_back(to_string(static_cast<OpKind>(i)));
  }
  const std::optional<std::string_view> nearest = nearest_name(at.text, names);
  tokens_.fail(at,
               nearest ? fmt::format("unknown op {}; did you mean {}?", at.text, *nearest)
                       : fmt::format("unknown op {}", at.text));
}

Node* BodyParser::operation(const Token& at) {
  const OpKind op = op_named(at);
  std::vector<Value> operands = operands_of_op();
  Attributes attributes = parse_attributes(tokens_);
  return add(at, op, std::move(operands), std::move(attributes));
}

Node* BodyParser::add(const Token& at,
                      OpKind op,
                      std::vector<Value> operands,
                      Attributes attributes) {
  check(at, op, attributes);
  try {
    return graph_->add(op, std::move(operands), std::move(attributes));
  } catch (const Error& error) {
    tokens_.fail(at, fmt::format("{}: {}", error.op(), error.text()));
  }
}

/// The type behind the colon that is next.
Type BodyParser::type_ahead() const {
  TokenStream ahead = tokens_;
  ahead.expect(":");
  return parse_type(ahead);
}

/// `"geo.hypot" %x, %y {eps = 1e-06}`: a registered op, its name in quotes.
Node* BodyParser::custom(const Token& at) {
  const std::string name = parse_string(tokens_);
  const bool is_known = find_custom_op(name) != nullptr;
  if (!is_known && !options_.allow_unregistered) tokens_.fail(at, unregistered_text(name));
  if (!is_custom_op_name(name)) {
    tokens_.fail(at, fmt::format("an op in quotes is named like geo.hypot, not '{}'", name));
  }
  std::vector<Value> operands = operands_of_op();
  Attributes attributes = parse_attributes(tokens_);
  if (attributes.has("op")) tokens_.fail(at, "the attribute op is the name in quotes");
  attributes.set("op", name);
  if (is_known) return add(at, OpKind::custom, std::move(operands), std::move(attributes));
  check(at, OpKind::custom, attributes);
  return graph_->add_unregistered(type_ahead(), std::move(operands), std::move(attributes));
}

void BodyParser::check_arity(const Token& at,
                             const Graph& body,
                             const std::vector<Value>& operands) const {
  const std::span<Node* const> parameters = body.parameters();
  if (parameters.size() != operands.size()) {
    tokens_.fail(at,
                 fmt::format("the fusion has {}, its body {}",
                             counted(operands.size(), "operand"),
                             counted(parameters.size(), "parameter")));
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].type() != parameters[i]->type()) {
      tokens_.fail(at,
                   fmt::format("operand {} of the fusion is {}, parameter {} of its body {}",
                               i,
                               operands[i].type(),
                               i,
                               parameters[i]->type()));
    }
  }
}

Node* BodyParser::fusion(const Token& at) {
  if (is_fusion_) tokens_.fail(at, "a fusion should not be inside a fusion");
  std::string kind;
  if (tokens_.accept("<")) {
    kind = tokens_.expect(TokenKind::identifier, "the kind of the fusion").text;
    tokens_.expect(">");
  }
  const Token name = tokens_.expect(TokenKind::symbol, "the name of the fusion, such as @k0");
  tokens_.expect("(");
  std::vector<Value> operands = values();
  tokens_.expect(")");
  tokens_.expect("{");
  tokens_.expect("^");
  BodyParser body(tokens_, std::string(name.text), true, options_);  // one level deep: see above
  body.parameters();
  tokens_.expect(":");
  check_arity(at, body.graph(), operands);
  body.lines();
  tokens_.expect("}");
  Attributes attributes = parse_attributes(tokens_);
  if (!kind.empty()) attributes.set("kind", kind);
  check(at, OpKind::fusion, attributes);
  return graph_->add_fusion(std::move(operands), body.take(), std::move(attributes));
}

void BodyParser::line() {
  const Names names = result_names();
  const Token at = tokens_.peek();
  const bool is_custom = at.kind == TokenKind::string;
  if (!is_custom) tokens_.expect(TokenKind::identifier, "an op");
  Node* node = is_custom ? custom(at) : at.text == "fusion" ? fusion(at) : operation(at);
  tokens_.expect(":");
  const Token type_at = tokens_.peek();
  const std::vector<Type> types = result_types();
  const auto num_results = static_cast<size_t>(node->num_results());
  if (names.size() != num_results) {
    tokens_.fail(
        at,
        fmt::format("{} has {}, not {}", at.text, counted(num_results, "result"), names.size()));
  }
  if (types.size() != num_results) {
    tokens_.fail(type_at,
                 fmt::format("expected {}, found {}", counted(num_results, "type"), types.size()));
  }
  for (int i = 0; i < node->num_results(); ++i) {
    const auto at_result = static_cast<size_t>(i);
    if (types[at_result] != node->type(i)) {
      tokens_.fail(
          type_at,
          fmt::format("the type of {} is {}, not {}", at.text, node->type(i), types[at_result]));
    }
    define(names[at_result], node->result(i));
    std::string hint = hint_of(names[at_result]);
    if (!hint.empty()) node->set_name(std::move(hint), i);
  }
  node->set_location(location());
}

void BodyParser::lines() {
  const std::string_view last = is_fusion_ ? "yield" : "return";
  while (!tokens_.is_word(last)) {
    if (tokens_.peek().kind == TokenKind::end || tokens_.is("}")) {
      tokens_.fail_expected(fmt::format("an op or '{}'", last));
    }
    line();
  }
  tokens_.take();
  graph_->set_results(values());
}

/// `-> (f32[10])`.
std::vector<Type> declared_results(TokenStream& tokens) {
  tokens.expect("->");
  tokens.expect("(");
  std::vector<Type> types;
  if (tokens.accept(")")) return types;
  do {
    types.push_back(parse_type(tokens));
  } while (tokens.accept(","));
  tokens.expect(")");
  return types;
}

void check_results(const TokenStream& tokens,
                   const Token& at,
                   const Graph& graph,
                   const std::vector<Type>& types) {
  if (types.size() != graph.results().size()) {
    tokens.fail(at,
                fmt::format("the graph returns {} and declares {}",
                            counted(graph.results().size(), "value"),
                            types.size()));
  }
  for (size_t i = 0; i < types.size(); ++i) {
    const Type& type = graph.results()[i].type();
    if (type != types[i]) {
      tokens.fail(at,
                  fmt::format("result {} of the graph is {}, declared as {}", i, type, types[i]));
    }
  }
}

std::unique_ptr<Graph> parse_one(TokenStream& tokens, const ParseOptions& options) {
  tokens.expect_word("graph");
  const Token name = tokens.expect(TokenKind::symbol, "the name of the graph, such as @main");
  BodyParser body(tokens, std::string(name.text), false, options);
  body.parameters();
  const std::vector<Type> types = declared_results(tokens);
  tokens.expect("{");
  body.lines();
  check_results(tokens, name, body.graph(), types);
  tokens.expect("}");
  return body.take();
}

}  // namespace

std::vector<std::unique_ptr<Graph>> parse_graphs(std::string_view text,
                                                 std::string_view file,
                                                 const ParseOptions& options) {
  TokenStream tokens(text, file);
  std::vector<std::unique_ptr<Graph>> graphs;
  std::set<std::string_view> names;
  while (tokens.peek().kind != TokenKind::end) {
    const Token start = tokens.peek();
    graphs.push_back(parse_one(tokens, options));
    if (!names.insert(graphs.back()->name()).second) {
      tokens.fail(start, fmt::format("graph @{} is defined twice", graphs.back()->name()));
    }
  }
  return graphs;
}

std::unique_ptr<Graph> parse_graph(std::string_view text,
                                   std::string_view file,
                                   const ParseOptions& options) {
  TokenStream tokens(text, file);
  std::unique_ptr<Graph> graph = parse_one(tokens, options);
  if (tokens.peek().kind != TokenKind::end) tokens.fail_expected("the end");
  return graph;
}

}  // namespace wick::ir
