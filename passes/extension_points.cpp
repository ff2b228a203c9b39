#include "wick/passes/extension_points.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <stdexcept>

#include <fmt/format.h>

#include "wick/passes/pipeline_parser.h"

namespace wick::passes {

namespace {

constexpr std::array<std::string_view, 5> kPoints = {
    "pipeline-start", "before-fusion", "after-fusion", "before-planning", "pipeline-end"};

struct Extensions {
  std::mutex mutex;
  std::map<std::string, std::vector<std::string>, std::less<>> by_point;
};

Extensions& extensions() {
  static auto* const all = new Extensions;  // NOLINT: never destroyed, programs compile at exit.
  return *all;
}

}  // namespace

void extend_pipeline(std::string_view point, std::string passes) {
  if (!is_extension_point(point)) {
    throw std::invalid_argument(fmt::format("unknown extension point '{}'{}",
                                            point,
                                            did_you_mean(point, {kPoints.begin(), kPoints.end()})));
  }
  parse_pipeline(passes, PassRegistry::instance());  // tells now what is wrong with it
  if (passes.find('@') != std::string::npos) {
    throw std::invalid_argument(
        fmt::format("extension of '{}' may not name other points: {}", point, passes));
  }
  const std::lock_guard guard(extensions().mutex);
  extensions().by_point[std::string(point)].push_back(std::move(passes));
}

std::span<const std::string_view> extension_points() {
  return kPoints;
}

bool is_extension_point(std::string_view name) {
  return std::ranges::find(kPoints, name) != kPoints.end();
}

std::vector<std::string> extensions_at(std::string_view point) {
  const std::lock_guard guard(extensions().mutex);
  const auto found = extensions().by_point.find(point);
  return found == extensions().by_point.end() ? std::vector<std::string>() : found->second;
}

}  // namespace wick::passes
