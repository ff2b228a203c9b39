#include "wick/runtime/known_choices.h"

#include <mutex>
#include <span>
#include <unordered_map>

#include <fmt/format.h>

#include "wick/codegen/disk_cache.h"
#include "wick/ir/hash.h"
#include "wick/ir/printer.h"

namespace wick::runtime {
namespace {

/// What the process knows, by problem.
class Choices {
 public:
  static Choices& instance() {
    static Choices choices;
    return choices;
  }

  std::string find(const std::string& problem) {
    const std::lock_guard lock(mutex_);
    const auto known = names_.find(problem);
    return known == names_.end() ? std::string() : known->second;
  }

  void store(const std::string& problem, const std::string& name) {
    const std::lock_guard lock(mutex_);
    names_[problem] = name;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::string> names_;
};

codegen::DiskCache disk() {
  return {codegen::default_cache_directory(), "timed choice"};
}

std::string find_on_disk(const std::string& problem) {
  const auto found = disk().find(hash_bytes(problem), problem);
  if (!found.object) return {};
  return {reinterpret_cast<const char*>(found.object->data()), found.object->size()};
}

}  // namespace

std::string problem_text(const LibraryOp& op) {
  std::string text(ir::to_string(op.op));
  for (const auto& [name, value] : op.attributes.entries()) {
    if (name != "buffers") text += fmt::format(" {}={}", name, ir::to_string(value));
  }
  for (const Type& operand : op.operands)
    text += fmt::format(" {}", to_string(operand));
  return text + fmt::format(" -> {}", to_string(op.result));
}

std::string find_choice(const std::string& problem) {
  std::string known = Choices::instance().find(problem);
  if (!known.empty()) return known;
  known = find_on_disk(problem);
  if (!known.empty()) Choices::instance().store(problem, known);
  return known;
}

void keep_choice(const std::string& problem, const std::string& name) {
  Choices::instance().store(problem, name);
  disk().store(hash_bytes(problem), problem, std::as_bytes(std::span(name)));
}

}  // namespace wick::runtime
