#include "wick/ir/custom_op.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>

#include <fmt/format.h>

#include "wick/ir/nearest_name.h"

namespace wick::ir {
namespace {

class Registry {
 public:
  static Registry& instance() {
    // Never destroyed: programs that still run at exit may look ops up.
    static auto* const registry = new Registry;  // NOLINT(cppcoreguidelines-owning-memory)
    return *registry;
  }

  void add(CustomOp op) {
    const std::unique_lock lock(mutex_);
    std::string name = op.name;
    const auto [entry, is_new] = ops_.try_emplace(std::move(name), nullptr);
    if (!is_new) {
      throw std::invalid_argument(fmt::format("an op named {} is registered already", op.name));
    }
    entry->second = std::make_unique<const CustomOp>(std::move(op));
  }

  const CustomOp* find(std::string_view name) const {
    const std::shared_lock lock(mutex_);
    const auto found = ops_.find(name);
    return found == ops_.end() ? nullptr : found->second.get();
  }

  std::vector<const CustomOp*> all() const {
    const std::shared_lock lock(mutex_);
    std::vector<const CustomOp*> list;
    for (const auto& [name, op] : ops_) {
      list.push_back(op.get());
    }
    return list;
  }

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::string, std::unique_ptr<const CustomOp>, std::less<>> ops_;
};

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

[[noreturn]] void refuse(const CustomOp& op, std::string_view why) {
  throw std::invalid_argument(fmt::format("the op {} cannot be registered: {}", op.name, why));
}

}  // namespace

bool is_custom_op_name(std::string_view name) {
  const bool has_dot = name.find('.') != std::string_view::npos;
  const bool has_empty_word = name.empty() || name.front() == '.' || name.back() == '.' ||
                              name.find("..") != std::string_view::npos;
  return has_dot && !has_empty_word &&
         std::ranges::all_of(name, [](char c) { return c == '.' || is_word_character(c); });
}

void register_custom_op(CustomOp op) {
  if (!is_custom_op_name(op.name)) {
    constexpr auto kText =
        "an op is named like geo.hypot, words in lower case joined by dots, not '{}'";
    throw std::invalid_argument(fmt::format(kText, op.name));
  }
  if (op.min_operands < 0 || (op.max_operands >= 0 && op.max_operands < op.min_operands)) {
    refuse(op, fmt::format("it takes {} to {} operands", op.min_operands, op.max_operands));
  }
  if (!op.infer) refuse(op, "it has no rule for its result type");
  if (!op.interpret && !op.expand && op.call == nullptr) {
    refuse(op, "it has neither interpret nor expand nor call");
  }
  Registry::instance().add(std::move(op));
}

const CustomOp* find_custom_op(std::string_view name) {
  return Registry::instance().find(name);
}

std::vector<const CustomOp*> custom_ops() {
  return Registry::instance().all();
}

bool is_unregistered(const Node& node) {
  return node.op() == OpKind::custom && node.attributes().has("op") &&
         find_custom_op(node.op_name()) == nullptr;
}

std::string unregistered_text(std::string_view name) {
  std::vector<std::string_view> names;
  for (const CustomOp* op : custom_ops()) {
    names.push_back(op->name);
  }
  const std::optional<std::string_view> nearest = nearest_name(name, names);
  if (nearest) return fmt::format("the op {} is not registered; did you mean {}?", name, *nearest);
  return fmt::format("the op {} is not registered; is its plug-in loaded?", name);
}

}  // namespace wick::ir
