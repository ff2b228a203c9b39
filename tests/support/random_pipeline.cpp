#include "random_pipeline.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <vector>

#include "random_graph_generator.h"

#include "wick/passes/pass_registry.h"

namespace wick::testing_support {
namespace {

using passes::PassInfo;

constexpr std::string_view kPlanner = "plan-memory";  // reads the final graph

/// Another value of an option with this default; empty for an option that is no number or flag.
std::string random_value(Random& random, const std::string& fallback) {
  if (fallback == "true" || fallback == "false") return random.chance(0.5) ? "true" : "false";
  int64_t number = 0;
  const char* const end = fallback.data() + fallback.size();
  const auto [parsed, problem] = std::from_chars(fallback.data(), end, number);
  if (problem != std::errc() || parsed != end) return "";
  return std::to_string(random.pick<int64_t>({0, 1, 2, 3, 5, 16, 1000, number}));
}

bool accepts(const PassInfo& info, const passes::PassOptions& options) {
  try {
    return info.create(options) != nullptr;
  } catch (const std::invalid_argument&) {
    return false;  // below the option's minimum
  }
}

std::string with_options(Random& random, const PassInfo& info) {
  passes::PassOptions options;
  for (const auto& [name, fallback] : info.options) {
    if (random.chance(0.6)) continue;
    const std::string value = random_value(random, fallback);
    if (!value.empty() && accepts(info, {{name, value}})) options[name] = value;
  }
  std::string text;
  for (const auto& [name, value] : options)
    text += (text.empty() ? "" : ",") + name + "=" + value;
  return text.empty() ? info.name : info.name + "{" + text + "}";
}

}  // namespace

std::string random_pipeline(uint64_t seed) {
  Random random(seed);
  const std::vector<const PassInfo*> all = passes::PassRegistry::instance().all();
  std::string text;
  const auto append = [&](const PassInfo& info) {
    text += (text.empty() ? "" : ",") + with_options(random, info);
  };
  const PassInfo* planner = nullptr;
  std::vector<const PassInfo*> movable;
  for (const PassInfo* info : all) {
    if (info->name == kPlanner) {
      planner = info;
    } else {
      movable.push_back(info);
    }
  }
  for (size_t count = random.below(2 * movable.size()); count > 0; --count)
    append(*random.pick(movable));
  if (planner != nullptr && random.chance(0.6)) append(*planner);
  return text;
}

}  // namespace wick::testing_support
