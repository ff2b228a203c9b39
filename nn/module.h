#pragma once

// The base of everything that has parameters and turns a tensor into another.

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wick/nn/parameter.h"
#include "wick/tensor/ops.h"
#include "wick/tensor/tensor.h"

namespace wick::nn {

/// A function of one tensor with named parameters, buffers and children, in the order in which they
/// were registered. Modules can be moved, not copied: a copy would share its parameters.
///
///     struct Net : nn::Module {
///       std::shared_ptr<nn::Linear> hidden = register_module("hidden", nn::Linear(784, 128));
///       std::shared_ptr<nn::Linear> out = register_module("out", nn::Linear(128, 10));
///       Tensor forward(const Tensor& x) override { return (*out)(relu((*hidden)(x))); }
///     };
class Module {
 public:
  Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  Module(Module&&) = default;
  Module& operator=(Module&&) = default;
  virtual ~Module() = default;

  virtual Tensor forward(const Tensor& x) = 0;
  /// forward(x); errors of the ops inside name the caller's line.
  Tensor operator()(const Tensor& x, Where where = Where::current());

  /// Of this module and all below it, each once.
  [[nodiscard]] std::vector<Parameter> parameters() const;
  /// With names such as "0.weight": the path of registered names.
  [[nodiscard]] std::vector<NamedParameter> named_parameters() const;
  [[nodiscard]] std::vector<NamedBuffer> named_buffers() const;
  [[nodiscard]] int64_t num_parameters() const;
  void zero_grad();

  /// Switches this module and all below it between training and evaluation.
  void train(bool training = true);

  void eval() { train(false); }

  [[nodiscard]] bool is_training() const { return training_; }

  /// Moves parameters and buffers of this module and all below it. Optimizers whose state was made
  /// before cannot go on: make them after.
  void to(Device device, Where where = Where::current());

  /// Writes parameters and buffers in the safetensors format. Error if the file cannot be written.
  void save(const std::string& path, Where where = Where::current()) const;
  /// Reads what save() wrote. Error naming file, parameter and both types when a name or type
  /// differs, and then nothing is changed.
  void load(const std::string& path, Where where = Where::current());

 protected:
  Parameter register_parameter(std::string name, Tensor initial, Where where = Where::current());
  Buffer register_buffer(std::string name, Tensor initial);

  template <std::derived_from<Module> M>
  std::shared_ptr<M> register_module(std::string name, M module) {
    auto child = std::make_shared<M>(std::move(module));
    register_child(std::move(name), child);
    return child;
  }

  /// Adds a module under a name that is not taken yet.
  void register_child(std::string name, std::shared_ptr<Module> module);

  [[nodiscard]] size_t num_children() const { return children_.size(); }

  [[nodiscard]] Module& child(size_t index) const { return *children_[index].module; }

  /// Where the user called the module that is running on this thread: what forward() gives to the
  /// ops it records.
  static Where call_site();

 private:
  struct Child {
    std::string name;
    std::shared_ptr<Module> module;  // shared by this list and the field of the parent's class
  };

  struct Path {
    std::string prefix;  // "0.": what the module's own names are put after
    const Module* module;
  };

  /// This module and all below it, parents first.
  [[nodiscard]] std::vector<Path> modules() const;

  std::vector<NamedParameter> own_parameters_;
  std::vector<NamedBuffer> own_buffers_;
  std::vector<Child> children_;
  bool training_ = true;
};

}  // namespace wick::nn
