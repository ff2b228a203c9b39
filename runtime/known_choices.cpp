#include "wick/runtime/known_choices.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "wick/codegen/disk_cache.h"
#include "wick/ir/hash.h"
#include "wick/ir/printer.h"

namespace wick::runtime {
namespace {

/// A problem apart from its sizes.
struct Form {
  std::string text;
  std::vector<double> sizes;
};

Form form_of(const std::string& problem) {
  Form form;
  for (size_t at = 0; at < problem.size();) {
    int64_t size = 0;
    const char* const begin = problem.data() + at;
    const auto [end, error] = std::from_chars(begin, problem.data() + problem.size(), size);
    if (error == std::errc() && *begin != '-') {
      form.sizes.push_back(static_cast<double>(size));
      form.text += '#';
      at += static_cast<size_t>(end - begin);
    } else {
      form.text += *begin;
      ++at;
    }
  }
  return form;
}

/// How many times as large one size is at most, in either direction; infinite where short ones, or
/// numbers that are no sizes, differ.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  constexpr double kShort = 16;
  double most = 1;
  for (size_t i = 0; i < a.size(); ++i) {
    const auto [low, high] = std::minmax(a[i], b[i]);
    if (low == high) continue;
    if (low < kShort) return std::numeric_limits<double>::infinity();
    most = std::max(most, high / low);
  }
  return most;
}

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

  std::string find_nearby(const std::string& problem) {
    constexpr double kNear = 1.25;
    constexpr size_t kEnough = 3;
    const Form form = form_of(problem);
    const std::lock_guard lock(mutex_);
    const auto alike = by_form_.find(form.text);
    if (alike == by_form_.end()) return {};
    std::vector<std::pair<double, std::string_view>> near;
    for (const auto& [sizes, name] : alike->second) {
      const double at = distance(form.sizes, sizes);
      if (at <= kNear) near.emplace_back(at, name);
    }
    if (near.size() < kEnough) return {};
    std::ranges::partial_sort(near, near.begin() + kEnough);
    const auto differs = [&](const auto& each) { return each.second != near.front().second; };
    const bool agree = std::none_of(near.begin(), near.begin() + kEnough, differs);
    return agree ? std::string(near.front().second) : std::string();
  }

  void store(const std::string& problem, const std::string& name) {
    Form form = form_of(problem);
    const std::lock_guard lock(mutex_);
    if (names_.insert_or_assign(problem, name).second)
      by_form_[std::move(form.text)].emplace_back(std::move(form.sizes), name);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::string> names_;
  std::unordered_map<std::string, std::vector<std::pair<std::vector<double>, std::string>>>
      by_form_;
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

std::string find_choice_nearby(const std::string& problem) {
  return Choices::instance().find_nearby(problem);
}

void keep_choice(const std::string& problem, const std::string& name) {
  Choices::instance().store(problem, name);
  disk().store(hash_bytes(problem), problem, std::as_bytes(std::span(name)));
}

}  // namespace wick::runtime
