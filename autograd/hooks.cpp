#include "wick/autograd/hooks.h"

#include <utility>

#include <fmt/format.h>

#include "wick/autograd/meta.h"
#include "wick/ir/error.h"
#include "wick/tensor/materialize.h"

namespace wick {
namespace {

constexpr std::string_view kRegisterHook = "register_hook";

}  // namespace

void HookHandle::remove() {
  if (!meta_) return;
  static_cast<autograd::Meta&>(*meta_).hooks().remove(id_);
  meta_ = nullptr;
}

HookHandle register_hook(const Tensor& tensor, GradientHook hook, std::source_location where) {
  if (!tensor.defined()) throw Error(where, kRegisterHook, "the tensor is undefined");
  if (!tensor.requires_grad()) {
    constexpr auto kText = "{} does not require a gradient";
    throw Error(where, kRegisterHook, fmt::format(kText, to_string(tensor.type())));
  }
  if (!hook) throw Error(where, kRegisterHook, "the hook is empty");
  const std::lock_guard lock(detail::materialization_lock());
  detail::Node& node = *tensor.node();
  if (node.meta() == nullptr) node.set_meta(autograd::make_meta<autograd::Meta>());
  autograd::Meta& meta = *autograd::meta_of(node);
  return {Ref<detail::AutogradMeta>(&meta), meta.hooks().add(std::move(hook))};
}

}  // namespace wick
