#include "wick/autograd/custom_op_gradient.h"

#include <map>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "wick/ir/custom_op.h"

namespace wick {
namespace {

struct Gradients {
  std::shared_mutex mutex;
  std::map<std::string, CustomOpGradient, std::less<>> by_name;

  static Gradients& instance() {
    static auto* const gradients = new Gradients;  // NOLINT: never destroyed, as the ops.
    return *gradients;
  }
};

}  // namespace

void register_custom_gradient(std::string_view name, CustomOpGradient gradient) {
  if (!ir::is_custom_op_name(name) || !gradient) {
    throw std::invalid_argument(
        fmt::format("a gradient is a function for an op named like geo.hypot, not for '{}'", name));
  }
  Gradients& gradients = Gradients::instance();
  const std::unique_lock lock(gradients.mutex);
  if (!gradients.by_name.try_emplace(std::string(name), std::move(gradient)).second) {
    throw std::invalid_argument(fmt::format("the op {} has a gradient already", name));
  }
}

namespace autograd {

const CustomOpGradient* find_custom_gradient(std::string_view name) {
  Gradients& gradients = Gradients::instance();
  const std::shared_lock lock(gradients.mutex);
  const auto found = gradients.by_name.find(name);
  return found == gradients.by_name.end() ? nullptr : &found->second;
}

}  // namespace autograd
}  // namespace wick
