#include "wick/nn/module.h"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "wick/ir/error.h"

namespace wick::nn {

namespace {

Where& current_call_site() {
  thread_local Where site;
  return site;
}

class CallSiteScope {
 public:
  explicit CallSiteScope(const Where& where)
      : previous_(std::exchange(current_call_site(), where)) {}

  CallSiteScope(const CallSiteScope&) = delete;
  CallSiteScope& operator=(const CallSiteScope&) = delete;

  ~CallSiteScope() { current_call_site() = previous_; }

 private:
  Where previous_;
};

template <typename Entry>
void check_new_name(const std::vector<Entry>& entries, const std::string& name) {
  const bool taken = std::ranges::any_of(entries, [&](const Entry& e) { return e.name == name; });
  if (taken || name.empty()) {
    throw Error(Where(), "register", fmt::format("the name '{}' is taken or empty", name));
  }
}

}  // namespace

Tensor Module::operator()(const Tensor& x, Where where) {
  const CallSiteScope scope(where);
  return forward(x);
}

Where Module::call_site() {
  return current_call_site();
}

std::vector<Module::Path> Module::modules() const {
  std::vector<Path> found;
  std::vector<Path> open = {{"", this}};
  while (!open.empty()) {
    found.push_back(std::move(open.back()));
    open.pop_back();
    const Path path = found.back();
    for (const Child& child : std::views::reverse(path.module->children_)) {
      open.push_back({path.prefix + child.name + ".", child.module.get()});
    }
  }
  return found;
}

std::vector<NamedParameter> Module::named_parameters() const {
  std::vector<NamedParameter> found;
  for (const Path& path : modules()) {
    for (const NamedParameter& own : path.module->own_parameters_) {
      const bool is_shared = std::ranges::any_of(
          found, [&](const NamedParameter& other) { return other.parameter == own.parameter; });
      if (!is_shared) found.push_back({path.prefix + own.name, own.parameter});
    }
  }
  return found;
}

std::vector<NamedBuffer> Module::named_buffers() const {
  std::vector<NamedBuffer> found;
  for (const Path& path : modules()) {
    for (const NamedBuffer& own : path.module->own_buffers_) {
      found.push_back({path.prefix + own.name, own.buffer});
    }
  }
  return found;
}

std::vector<Parameter> Module::parameters() const {
  std::vector<Parameter> found;
  for (NamedParameter& named : named_parameters()) {
    found.push_back(std::move(named.parameter));
  }
  return found;
}

int64_t Module::num_parameters() const {
  int64_t count = 0;
  for (const Parameter& parameter : parameters()) {
    count += parameter.shape().numel();
  }
  return count;
}

void Module::zero_grad() {
  for (Parameter& parameter : parameters()) {
    parameter.zero_grad();
  }
}

void Module::to(Device device, Where where) {
  const NoGradGuard no_grad;
  for (Parameter& parameter : parameters())
    parameter.assign(parameter.value().to(device, where), where);
  for (NamedBuffer& named : named_buffers())
    named.buffer.assign(named.buffer.value().to(device, where), where);
}

void Module::train(bool training) {
  training_ = training;
  std::vector<Module*> open = {this};
  while (!open.empty()) {
    Module* module = open.back();
    open.pop_back();
    module->training_ = training;
    for (const Child& child : module->children_) {
      open.push_back(child.module.get());
    }
  }
}

Parameter Module::register_parameter(std::string name, Tensor initial, Where where) {
  check_new_name(own_parameters_, name);
  Parameter parameter(std::move(initial), where);
  own_parameters_.push_back({std::move(name), parameter});
  return parameter;
}

Buffer Module::register_buffer(std::string name, Tensor initial) {
  check_new_name(own_buffers_, name);
  Buffer buffer(std::move(initial));
  own_buffers_.push_back({std::move(name), buffer});
  return buffer;
}

void Module::register_child(std::string name, std::shared_ptr<Module> module) {
  check_new_name(children_, name);
  children_.push_back({std::move(name), std::move(module)});
}

}  // namespace wick::nn
