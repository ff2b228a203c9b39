#pragma once

// Named attributes of an op, kept sorted by name.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "wick/ir/hash.h"
#include "wick/ir/literal.h"

namespace wick::ir {

using AttributeValue = std::variant<bool,
                                    int64_t,
                                    double,
                                    std::string,
                                    DType,
                                    std::vector<int64_t>,
                                    std::vector<std::string>,
                                    Literal>;

/// A small map sorted by name. Readers of an absent attribute get their fallback; reading one of
/// another type is a broken invariant, since the verifier has checked types before.
class Attributes {
 public:
  using Entry = std::pair<std::string, AttributeValue>;

  Attributes() = default;
  Attributes(std::initializer_list<Entry> entries);

  void set(std::string_view name, AttributeValue value);
  void erase(std::string_view name);
  [[nodiscard]] const AttributeValue* find(std::string_view name) const;

  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }

  [[nodiscard]] bool flag(std::string_view name) const;  // false when absent
  [[nodiscard]] int64_t integer(std::string_view name, int64_t fallback) const;
  [[nodiscard]] double number(std::string_view name, double fallback) const;
  [[nodiscard]] const std::string& text(std::string_view name) const;  // "" when absent
  [[nodiscard]] const std::vector<int64_t>& integers(
      std::string_view name) const;  // {} when absent
  [[nodiscard]] const std::vector<std::string>& texts(std::string_view name) const;
  [[nodiscard]] DType dtype(std::string_view name) const;             // must be present
  [[nodiscard]] const Literal& literal(std::string_view name) const;  // must be present

  [[nodiscard]] bool empty() const { return entries_.empty(); }

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

  [[nodiscard]] Hash128 hash() const;

  friend bool operator==(const Attributes&, const Attributes&) = default;

 private:
  std::vector<Entry> entries_;
};

}  // namespace wick::ir
