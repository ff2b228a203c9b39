#pragma once

// What autograd hangs on recorded nodes: the gradient kept at a leaf, the user's own rule, hooks.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "wick/autograd/autograd.h"
#include "wick/autograd/hooks.h"
#include "wick/tensor/node.h"
#include "wick/tensor/tensor.h"

namespace wick::autograd {

/// The hooks of a node, in the order of registration. Any thread may use it.
class HookList {
 public:
  int64_t add(GradientHook hook);
  void remove(int64_t id);
  /// The hooks at this moment.
  [[nodiscard]] std::vector<GradientHook> hooks() const;

 private:
  struct Item {
    int64_t id;
    GradientHook hook;
  };

  mutable std::mutex mutex_;
  std::vector<Item> items_;
  int64_t next_id_ = 0;
};

/// Every meta is one of these, so that the engine tells them apart without dynamic_cast.
class Meta : public detail::AutogradMeta {
 public:
  enum class Kind : uint8_t { leaf, custom, hooks };

  /// One that holds hooks and nothing else.
  Meta() = default;

  [[nodiscard]] Kind kind() const { return kind_; }

  [[nodiscard]] HookList& hooks() { return hooks_; }

 protected:
  explicit Meta(Kind kind) : kind_(kind) {}

 private:
  Kind kind_ = Kind::hooks;
  HookList hooks_;
};

/// Marks a leaf and holds the sum of the gradients that backward() found for it. Any
/// thread may use it.
class LeafMeta final : public Meta {
 public:
  LeafMeta() : Meta(Kind::leaf) {}

  [[nodiscard]] Tensor grad() const;
  void accumulate(const Tensor& gradient, std::source_location where);
  void clear();

  /// Makes this wait in a list of wick/autograd/pending_results.h; false when it does already.
  bool start_waiting() { return !is_waiting_.exchange(true); }

  void stop_waiting() { is_waiting_ = false; }

 private:
  mutable std::mutex mutex_;
  Tensor grad_;
  std::atomic<bool> is_waiting_ = false;
};

/// Replaces the rule of its node. Holds no reference to the node itself: that would be a cycle.
class CustomMeta final : public Meta {
 public:
  CustomMeta(std::vector<Tensor> inputs, CustomBackward backward)
      : Meta(Kind::custom),
        inputs_(std::move(inputs)),
        backward_(std::move(backward)) {}

  [[nodiscard]] std::span<const Tensor> inputs() const { return inputs_; }

  [[nodiscard]] const CustomBackward& backward() const { return backward_; }

  /// Gives the inputs up when the history is freed; the caller lets them go when it can.
  std::vector<Tensor> take_inputs() { return std::exchange(inputs_, {}); }

 private:
  std::vector<Tensor> inputs_;
  CustomBackward backward_;
};

template <typename M, typename... Args>
Ref<detail::AutogradMeta> make_meta(Args&&... args) {
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the reference owns it.
  return Ref<detail::AutogradMeta>(new M(std::forward<Args>(args)...));
}

/// Null when there is none.
Meta* meta_of(const detail::Node& node);
/// The node's meta if it is of that kind, else null.
LeafMeta* leaf_meta(const detail::Node& node);
CustomMeta* custom_meta(const detail::Node& node);

/// Records a node of the same value that nobody else holds, so that a meta can belong to it alone.
Tensor fresh_alias(const Tensor& value, std::source_location where);

}  // namespace wick::autograd
