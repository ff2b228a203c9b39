#pragma once

// Recorded ops: what a Tensor points to. Internal; users see Tensor.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <utility>
#include <vector>

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
  /// As record, but takes the references over: half the work on reference counts.
  static Ref<Node> record_moving(ir::OpKind op,
                                 std::span<Ref<Node>> operands,
                                 Ref<const SharedAttributes> attributes,
                                 std::source_location where);
  static Ref<Node> leaf(Type type, Ref<runtime::Buffer> value, std::source_location where);
  /// From values that the program brings along: on the device of the backend in force.
  static Ref<Node> imported_leaf(Type type, Ref<runtime::Buffer> value, std::source_location where);
  /// A rank-0 leaf passed to plans by content, never part of a trace key.
  static Ref<Node> scalar(DType dtype, uint64_t bits, std::source_location where);
  static Ref<Node> constant(Literal value, std::source_location where);

  [[nodiscard]] ir::OpKind op() const { return op_; }

  [[nodiscard]] const Type& type() const { return type_; }

  [[nodiscard]] std::span<const Ref<Node>> operands() const {
    if (more_operands_) return *more_operands_;
    return {inline_operands_, num_inline_};
  }

  /// Empty attributes when there are none.
  [[nodiscard]] const ir::Attributes& attributes() const;

  [[nodiscard]] const SharedAttributes* shared_attributes() const { return attributes_.get(); }

  [[nodiscard]] const std::source_location& where() const { return where_; }

  /// Where it is computed: with its operands. Empty for what has none, and what is made of that:
  /// numbers, zeros and random bits are computed where they are used.
  [[nodiscard]] std::optional<Device> device() const {
    if (device_ == kAnywhere) return std::nullopt;
    return device_ == kHost ? cpu() : Device{Device::Kind::cuda, static_cast<uint8_t>(device_)};
  }

  /// Longest chain of pending nodes below this one, itself included; 0 when there is none. May be
  /// too large after something in the middle of the chain was materialized.
  [[nodiscard]] uint32_t pending_depth() const { return is_materialized() ? 0 : marks_.depth; }

  [[nodiscard]] bool is_scalar_leaf() const { return has_flag(kScalar); }

  /// True for leaves, constants, and ops whose value has been computed.
  [[nodiscard]] bool is_materialized() const { return has_flag(kReady) || value() != nullptr; }

  /// The value; null while pending, and for scalar leaves.
  [[nodiscard]] runtime::Buffer* value() const {
    return is_scalar_leaf() ? nullptr : value_.load(std::memory_order_acquire);
  }

  /// The elements of a materialized node, scalar leaf or constant, for the host to read.
  [[nodiscard]] const void* data() const;
  /// The first value stays.
  void set_value(Ref<runtime::Buffer> value);

  /// Of a node that nobody else knows yet.
  void set_device(Device device) {
    device_ = device.is_cpu() ? kHost : static_cast<int8_t>(device.ordinal);
  }

  /// Lets go of the operands; later calls do nothing.
  void release_operands();
  /// As release_operands, but hands the references over instead of dropping them: for callers who
  /// hold a lock that a deleter might want.
  void move_operands_to(std::vector<Ref<Node>>& to);

  // Autograd: set when recorded from an operand that requires a gradient (and recording of
  // gradients is on), or on a leaf by requires_grad_().
  [[nodiscard]] bool requires_grad() const { return has_flag(kRequiresGrad); }

  void set_requires_grad(bool value) { set_flag(kRequiresGrad, value); }

  /// True while a backward pass may still walk from this node to its operands: those stay alive
  /// after materialization.
  [[nodiscard]] bool keeps_history() const { return has_flag(kKeepsHistory); }

  void set_keeps_history(bool value) { set_flag(kKeepsHistory, value); }

  /// A backward pass walked it or recorded it, and it may be walked again. Touched only under the
  /// materialization lock, as capture's notes, and by who records it.
  [[nodiscard]] bool is_differentiated() const { return marks_.differentiated != 0; }

  void set_differentiated() { marks_.differentiated = 1; }

  [[nodiscard]] AutogradMeta* meta() const { return meta_.get(); }

  void set_meta(Ref<AutogradMeta> meta) { meta_ = std::move(meta); }

  // Capture's notes; touched only under the materialization lock.

  /// Of a pending node: a program computed it, without keeping its value, while something held it.
  /// Of a leaf: it was kept because it follows from such a node. Either way it is a value of those
  /// that a loop carries along, and what follows from it is kept.
  [[nodiscard]] bool is_carried() const { return has_flag(kCarried); }

  void set_carried(bool value) { set_flag(kCarried, value); }

  /// A run that may have overwritten its inputs failed: the value is lost.
  [[nodiscard]] bool is_lost() const { return has_flag(kLost); }

  void set_lost() { set_flag(kLost, true); }

  [[nodiscard]] uint32_t capture_index() const { return marks_.capture_index; }

  void set_capture_index(uint32_t index) { marks_.capture_index = index; }

  /// Ends chains of any length without recursion.
  static void destroy(const Node* node);

  ~Node();

  // Blocks are recycled.
  static void* operator new(size_t bytes);
  static void operator delete(void* block) noexcept;

 private:
  enum Flag : uint8_t {
    kScalar = 1U << 0U,
    kReady = 1U << 1U,  // the value is inside the node
    kRequiresGrad = 1U << 2U,
    kKeepsHistory = 1U << 3U,
    kReleased = 1U << 4U,
    kCarried = 1U << 5U,
    kLost = 1U << 6U,
    kCounted = 1U << 7U,  // is in the count of pending nodes
  };

  static constexpr int8_t kAnywhere = -2;
  static constexpr int8_t kHost = -1;

  Node(ir::OpKind op, uint8_t flags, Type&& type, std::source_location where)
      : op_(op),
        flags_(flags),
        type_(std::move(type)),
        where_(where) {}

  [[nodiscard]] bool has_flag(Flag flag) const {
    return (flags_.load(std::memory_order_acquire) & flag) != 0;
  }

  void set_flag(Flag flag, bool value) {
    if (value) {
      flags_.fetch_or(flag, std::memory_order_acq_rel);
    } else {
      flags_.fetch_and(static_cast<uint8_t>(~flag), std::memory_order_acq_rel);
    }
  }

  void take_operands(std::span<Ref<Node>> operands);
  void stop_counting();
  /// Frees one node whose references are gone and adds operands that go with it to `list`.
  static void end(Node* node, Node*& list);

  struct Marks {
    uint32_t depth = 0;
    uint32_t capture_index : 31 = 0;
    uint32_t differentiated : 1 = 0;
  };

  // Two cache lines; capture reads the first alone, but for the types of leaves.
  ir::OpKind op_;
  std::atomic<uint8_t> flags_;
  uint8_t num_inline_ = 0;
  int8_t device_ = kAnywhere;  // one byte is left of the line: a GPU is its ordinal

  union {
    Marks marks_{};
    Node* next_dead_;  // once the last reference is gone
  };

  static constexpr int kInlineOperands = 3;
  Ref<Node> inline_operands_[kInlineOperands];
  std::unique_ptr<std::vector<Ref<Node>>> more_operands_;  // when there are over three
  Ref<const SharedAttributes> attributes_;

  union {
    std::atomic<runtime::Buffer*> value_{nullptr};  // holds one reference
    uint64_t scalar_bits_;                          // of a scalar leaf
  };

  Type type_;
  std::source_location where_;
  Ref<AutogradMeta> meta_;
};

/// Whether ops recorded by this thread take part in autograd (see NoGradGuard).
bool grad_mode();
/// Whether this thread records a backward pass.
bool in_backward();
void set_in_backward(bool value);
void set_grad_mode(bool enabled);

/// Ops that are recorded, alive and not computed, in all threads; late by up to 1024 a thread.
int64_t num_pending_nodes();

}  // namespace wick::detail
