#pragma once

// Modules one after another.

#include <concepts>
#include <memory>
#include <string>
#include <utility>

#include "wick/nn/module.h"

namespace wick::nn {

/// x -> m_n(... m_1(m_0(x))). Children are named "0", "1", ...
///
///     nn::Sequential net(nn::Linear(784, 128), nn::ReLU(), nn::Linear(128, 10));
class Sequential final : public Module {
 public:
  Sequential() = default;

  /// Takes modules by value or as unique pointers.
  template <typename... Modules>
    requires(sizeof...(Modules) > 0)
  explicit Sequential(Modules... modules) {
    (append(std::move(modules)), ...);
  }

  template <std::derived_from<Module> M>
  Sequential& append(M module) {
    return append(std::make_unique<M>(std::move(module)));
  }

  template <std::derived_from<Module> M>
  Sequential& append(std::unique_ptr<M> module) {
    register_child(std::to_string(num_children()), std::move(module));
    return *this;
  }

  [[nodiscard]] size_t size() const { return num_children(); }

  Module& operator[](size_t index) { return child(index); }

  Tensor forward(const Tensor& x) override;
};

}  // namespace wick::nn
