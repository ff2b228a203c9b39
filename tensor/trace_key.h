#pragma once

// What identifies a captured program, kept with its plan.

#include <compare>
#include <string>
#include <vector>

#include "wick/tensor/capture.h"

namespace wick::detail {

/// A copy of a capture that owns what it compares: structure, attributes, leaf types, donations,
/// outputs, and the switches that decide how it is compiled.
class TraceKey {
 public:
  explicit TraceKey(const Capture& capture);

  /// The full comparison. Types of results follow from the rest and are not compared.
  [[nodiscard]] bool matches(const Capture& capture) const;

  [[nodiscard]] size_t num_outputs() const { return outputs_.size(); }

  /// How alike two programs begin; larger is nearer.
  struct Nearness {
    size_t form = 0;   // entries that agree in op and operands, whatever their types
    size_t exact = 0;  // entries that agree in all
    friend auto operator<=>(const Nearness&, const Nearness&) = default;
  };

  [[nodiscard]] Nearness nearness(const Capture& capture) const;

  /// The first difference in words, with the place of the op that has it.
  [[nodiscard]] std::string difference(const Capture& capture) const;

 private:
  struct Entry : Capture::Form {
    uint32_t first_operand = 0;
    Type type;
    Ref<const SharedAttributes> attributes;
  };

  [[nodiscard]] bool same_form(size_t i, const Capture& capture) const;
  [[nodiscard]] bool same_entry(size_t i, const Capture& capture) const;

  std::vector<Entry> entries_;
  std::vector<uint64_t> forms_;  // bits of all entries: what a hit compares
  std::vector<uint32_t> operand_indices_;
  std::vector<uint32_t> outputs_;
  std::vector<uint32_t> with_attributes_;
};

}  // namespace wick::detail
