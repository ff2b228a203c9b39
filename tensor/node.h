#pragma once

// Recorded ops: what a Tensor points to. Internal; users see Tensor.

#include <atomic>
#include <cstdint>
#include <source_location>
#include <span>

#include "wick/ir/attributes.h"
#include "wick/ir/hash.h"
#include "wick/ir/op.h"
#include "wick/ir/ref.h"
#include "wick/runtime/buffer.h"

namespace wick::detail {

class Node;

/// Attributes shared between the node, cached traces and graphs.
struct SharedAttributes : RefCounted<SharedAttributes> {
  explicit SharedAttributes(ir::Attributes attributes)
      : value(std::move(attributes)),
        hash(value.hash()) {}

  ir::Attributes value;
  Hash128 hash;
};

/// What autograd hangs on a node; defined in autograd/.
class AutogradMeta : public RefCounted<AutogradMeta> {
 public:
  virtual ~AutogradMeta() = default;
};

/// An op, its operands, its type; immutable but for three things: the value arrives when it is
/// materialized, the operands go when nobody can need them, autograd may mark it.
///
/// A leaf is a node of op parameter: a value with a buffer, or a scalar whose bytes are inside the
/// node. Literals that simplification wants (0, 1, -1, 2) are nodes of op constant.
class Node final : public RefCounted<Node> {
 public:
  static Ref<Node> record(ir::OpKind op,
                          std::span<const Ref<Node>> operands,
                          Ref<const SharedAttributes> attributes,
                          std::source_location where);
  static Ref<Node> leaf(Type type, Ref<runtime::Buffer> value, std::source_location where);
  /// A rank-0 leaf passed to plans by content, never part of a trace key.
  static Ref<Node> scalar(DType dtype, uint64_t bits, std::source_location where);
  static Ref<Node> constant(Literal value, std::source_location where);

  [[nodiscard]] ir::OpKind op() const { return op_; }

  [[nodiscard]] const Type& type() const { return type_; }

  [[nodiscard]] std::span<const Ref<Node>> operands() const;
  /// Empty attributes when there are none.
  [[nodiscard]] const ir::Attributes& attributes() const;

  [[nodiscard]] const SharedAttributes* shared_attributes() const { return attributes_.get(); }

  [[nodiscard]] const std::source_location& where() const { return where_; }

  [[nodiscard]] const Hash128& hash() const { return hash_; }

  /// Longest chain of pending nodes below this one, itself included.
  [[nodiscard]] uint32_t pending_depth() const;

  [[nodiscard]] bool is_scalar_leaf() const;
  [[nodiscard]] bool is_materialized() const;

  /// The value; null while pending, and for scalar leaves.
  [[nodiscard]] runtime::Buffer* value() const { return value_.load(std::memory_order_acquire); }

  /// Address of the elements of a materialized node or scalar leaf.
  [[nodiscard]] const void* data() const;
  void set_value(Ref<runtime::Buffer> value);
  /// Lets go of the operands.
  void release_operands();

  // Autograd: set when recorded from an operand that requires a gradient (and recording of
  // gradients is on), or on a leaf by requires_grad_().
  [[nodiscard]] bool requires_grad() const;
  void set_requires_grad(bool value);
  /// True while a backward pass may still walk from this node to its operands: those stay alive
  /// after materialization.
  [[nodiscard]] bool keeps_history() const;
  void set_keeps_history(bool value);

  [[nodiscard]] AutogradMeta* meta() const { return meta_.get(); }

  void set_meta(Ref<AutogradMeta> meta) { meta_ = std::move(meta); }

  /// Ends chains of any length without recursion.
  static void destroy(const Node* node);

  ~Node();

 private:
  Node() = default;
  // Layout is the tensor folder's business; keep it at most 200 bytes with two operands.
  ir::OpKind op_ = ir::OpKind::parameter;
  uint8_t num_operands_ = 0;
  std::atomic<uint8_t> flags_{0};
  uint32_t depth_ = 0;
  Type type_;
  static constexpr int kInlineOperands = 3;
  Ref<Node> inline_operands_[kInlineOperands];
  std::vector<Ref<Node>>* more_operands_ = nullptr;  // owned; when there are over three
  Ref<const SharedAttributes> attributes_;
  std::source_location where_;
  Hash128 hash_;
  std::atomic<runtime::Buffer*> value_{nullptr};  // holds one reference
  uint64_t scalar_bits_ = 0;
  Ref<AutogradMeta> meta_;
};

/// Whether ops recorded by this thread take part in autograd (see NoGradGuard).
bool grad_mode();
void set_grad_mode(bool enabled);

}  // namespace wick::detail
