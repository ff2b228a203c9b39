#include "wick/runtime/backend.h"

#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "wick/runtime/built_in_backends.h"
#include "wick/runtime/plan_builder.h"

namespace wick::runtime {
namespace {

class BackendRegistry {
 public:
  BackendRegistry() {
    add(make_llvm_backend());
    add(make_interpreter_backend());
  }

  void add(std::unique_ptr<Backend> backend) {
    const std::lock_guard lock(mutex_);
    std::string name(backend->name());
    if (backends_.contains(name)) {
      throw std::invalid_argument(fmt::format("backend '{}' is registered already", name));
    }
    backends_.emplace(std::move(name), std::move(backend));
  }

  Backend& find(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const auto found = backends_.find(name);
    if (found != backends_.end()) return *found->second;
    // Made when it is asked for, as there are as many as devices.
    if (std::unique_ptr<Backend> backend = make_cuda_backend(name)) {
      return *backends_.emplace(std::string(name), std::move(backend)).first->second;
    }
    std::vector<std::string_view> names;
    for (const auto& [known, backend] : backends_) {
      if (!known.starts_with("cuda")) names.push_back(known);
    }
    names.insert(names.end(), {"cuda", "cuda:N", "cuda:sm_NN"});
    throw std::invalid_argument(
        fmt::format("no backend '{}'; there are: {}", name, fmt::join(names, ", ")));
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Backend>, std::less<>> backends_;
};

BackendRegistry& registry() {
  static BackendRegistry instance;
  return instance;
}

}  // namespace

PlanOptions Backend::planning() const {
  return {.fusions = PlanOptions::Fusions::interpret_kernels};
}

void register_backend(std::unique_ptr<Backend> backend) {
  registry().add(std::move(backend));
}

Backend& find_backend(std::string_view name) {
  return registry().find(name);
}

}  // namespace wick::runtime
