#include "wick/ir/value_names.h"

#include <algorithm>

#include <fmt/format.h>

namespace wick::ir {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '.' ||
         c == '$' || c == '-';
}

bool starts_identifier(char c) {
  return is_name_character(c) && !is_digit(c) && c != '-' && c != '.';
}

bool is_identifier(std::string_view text) {
  return !text.empty() && starts_identifier(text.front()) &&
         std::ranges::all_of(text, is_name_character);
}

std::string printable_name(std::string_view name) {
  if (name.empty()) return "_";
  std::string result(name);
  std::ranges::replace_if(result, [](char c) { return !is_name_character(c); }, '_');
  return result;
}

bool has_kind(const Node& fusion) {
  const AttributeValue* value = fusion.attributes().find("kind");
  const auto* kind = value == nullptr ? nullptr : std::get_if<std::string>(value);
  return kind != nullptr && !kind->empty() && std::ranges::all_of(*kind, is_name_character);
}

ValueNames::ValueNames(const Graph& graph) {
  add(graph);
}

std::string_view ValueNames::of(const Value& value) const {
  constexpr std::string_view kElsewhere = "?";
  if (value.node == nullptr) return kElsewhere;
  const auto graph = places_.find(&value.node->graph());
  const auto id = static_cast<size_t>(value.node->id());
  if (graph == places_.end() || id >= graph->second.size()) return kElsewhere;
  const Place place = graph->second[id];
  const auto index = static_cast<size_t>(value.index);
  return index < place.count ? std::string_view(names_[place.first + index]) : kElsewhere;
}

// Recursive in the nesting of fusions only, which the verifier keeps at one.
void ValueNames::add(const Graph& graph) {
  // A reference that stays: fusions' bodies are added meanwhile.
  std::vector<Place>& places = places_[&graph];
  places.resize(static_cast<size_t>(graph.id_bound()));
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    places[static_cast<size_t>(node->id())] = {names_.size(),
                                               static_cast<size_t>(node->num_results())};
    for (int i = 0; i < node->num_results(); ++i)
      names_.push_back(unused(node->name(i)));
    if (node->body() != nullptr) add(*node->body());
  }
}

/// Numbers are for values without a name, so that a parsed dump numbers them the same again.
std::string ValueNames::unused(const std::string& hint) {
  if (std::ranges::all_of(hint, is_digit)) return std::to_string(next_number_++);
  const std::string base = printable_name(hint);
  std::string name = base;
  while (!used_.insert(name).second) {
    name = fmt::format("{}_{}", base, ++suffixes_[base]);
  }
  return name;
}

}  // namespace wick::ir
