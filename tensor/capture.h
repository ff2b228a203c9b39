#pragma once

// From pending nodes to a trace: which ops, in which order, over which leaves, keeping what.
// Internal; used under the materialization lock, since it writes into nodes.

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "wick/ir/graph.h"
#include "wick/tensor/node.h"

namespace wick::detail {

/// The captured program of some nodes. Entries are in post-order of a depth-first walk from the
/// roots, so the order depends on the program alone, not on when or where it was recorded.
///
/// Holds no references: counting those of others is how it finds out what dies with the run. The
/// caller keeps the roots alive.
class Capture {
 public:
  /// What tells entries apart besides operands, types and attributes.
  struct Form {
    ir::OpKind op = ir::OpKind::parameter;  // a leaf is one, whatever op it was computed by
    bool is_leaf = false;                   // a value from outside, scalar ones included
    bool is_scalar = false;
    bool donated = false;       // a leaf whose buffer dies with the run and may be reused
    uint32_t num_operands = 0;  // 0 for leaves

    /// All of it in one word.
    [[nodiscard]] uint64_t bits() const { return std::bit_cast<uint64_t>(*this); }
  };

  struct Entry : Form {
    Node* node = nullptr;
    uint32_t first_operand = 0;  // in operand_indices()
    bool is_output = false;
  };

  /// Walks from the roots; nodes that have a value are leaves. With `with_escaping`, everything
  /// that is referred to from outside the walked nodes becomes an output.
  void walk(std::span<const Ref<Node>> roots, bool with_escaping);

  [[nodiscard]] std::span<const Entry> entries() const { return entries_; }

  /// Entries that are leaves.
  [[nodiscard]] std::span<const uint32_t> leaves() const { return leaves_; }

  /// Entries of ops and constants that have attributes.
  [[nodiscard]] std::span<const uint32_t> with_attributes() const { return with_attributes_; }

  /// Positions in entries() of every entry's operands, one after another.
  [[nodiscard]] std::span<const uint32_t> operand_indices() const { return operand_indices_; }

  [[nodiscard]] std::span<const uint32_t> operands_of(const Entry& entry) const {
    return std::span(operand_indices_).subspan(entry.first_operand, entry.num_operands);
  }

  /// Entries whose values the program gives: the pending roots, then extra ones in order.
  [[nodiscard]] std::span<const uint32_t> outputs() const { return outputs_; }

  /// Entries that are computed without being kept although something outside refers to them.
  [[nodiscard]] std::span<const uint32_t> escaping() const { return escaping_; }

  /// Outputs that are kept because they follow from carried values (Node::is_carried).
  [[nodiscard]] std::span<const uint32_t> carried() const { return carried_; }

  /// A node whose value was lost in a failed run; null when all is well.
  [[nodiscard]] const Node* lost_input() const { return lost_input_; }

  [[nodiscard]] int64_t num_ops() const { return num_ops_; }

  /// Of the trace: structure, leaf types, which leaves are donated, outputs.
  [[nodiscard]] const Hash128& hash() const { return hash_; }

 private:
  void visit(Node* root);
  void finish(Node* node);
  [[nodiscard]] bool is_captured(const Node* node) const;
  void choose_outputs(std::span<const Ref<Node>> roots, bool with_escaping);
  [[nodiscard]] bool escapes(size_t index) const;
  [[nodiscard]] std::vector<bool> find_awaited() const;
  bool is_worth_keeping(uint32_t index, bool with_escaping);
  void keep_what_is_carried();
  void find_donations();
  void set_hash();

  struct Frame {
    Node* node;
    uint32_t next_operand;
  };

  std::vector<Entry> entries_;
  std::vector<uint32_t> leaves_;
  std::vector<uint32_t> with_attributes_;
  std::vector<uint32_t> operand_indices_;
  std::vector<uint32_t> outputs_;
  std::vector<uint32_t> escaping_;
  std::vector<uint32_t> carried_;
  bool has_carried_ = false;  // among the entries
  const Node* lost_input_ = nullptr;
  std::vector<uint32_t> references_;  // from captured nodes, by entry
  std::vector<Frame> stack_;
  int64_t num_ops_ = 0;
  Hash128 hash_;
};

}  // namespace wick::detail
