#pragma once

// Functions that see gradients as a backward pass goes by.

#include <cstdint>
#include <functional>
#include <source_location>

#include "wick/tensor/tensor.h"

namespace wick {

/// Gets the whole gradient of a tensor. What it returns takes the gradient's place, unless it is
/// undefined. The gradient is recorded, not yet computed: a hook that reads values runs a program.
using GradientHook = std::function<Tensor(const Tensor& gradient)>;

/// Removes its hook; dropping the handle leaves the hook in place.
class HookHandle {
 public:
  HookHandle() = default;

  HookHandle(Ref<detail::AutogradMeta> meta, int64_t id) : meta_(std::move(meta)), id_(id) {}

  /// Later calls do nothing.
  void remove();

 private:
  Ref<detail::AutogradMeta> meta_;
  int64_t id_ = 0;
};

/// Calls the hook whenever a backward pass has the gradient of this tensor, before it is kept or
/// handed on. Hooks of one tensor run in the order of registration. Error for a tensor that does
/// not require a gradient; Error at the backward pass if a hook gives another type.
HookHandle register_hook(const Tensor& tensor,
                         GradientHook hook,
                         std::source_location where = std::source_location::current());

}  // namespace wick
