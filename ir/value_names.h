#pragma once

// The names values print under. Internal to ir/.

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "wick/ir/graph.h"

namespace wick::ir {

/// Characters of a name after `%` or `@`.
bool is_name_character(char c);
bool starts_identifier(char c);
/// Whether the text reads back as one name: no digit, dash or dot in front.
bool is_identifier(std::string_view text);

/// A name with other characters replaced, `_` for an empty one.
std::string printable_name(std::string_view name);

/// Whether the fusion has a kind that prints as `fusion<kind>`.
bool has_kind(const Node& fusion);

/// Names of all values of a graph and of its fusions' bodies, each given once: a value's own name,
/// with a number behind it where that is taken, or a number.
class ValueNames {
 public:
  explicit ValueNames(const Graph& graph);

  /// `?` for a value of elsewhere, which only broken graphs hold.
  [[nodiscard]] std::string_view of(const Value& value) const;

 private:
  void add(const Graph& graph);
  std::string unused(const std::string& hint);

  /// Where the names of a node's results are among all.
  struct Place {
    size_t first = 0;
    size_t count = 0;
  };

  std::unordered_map<const Graph*, std::vector<Place>> places_;  // by Node::id
  std::vector<std::string> names_;
  std::unordered_map<std::string, int> suffixes_;
  std::unordered_set<std::string> used_;
  int next_number_ = 0;
};

}  // namespace wick::ir
