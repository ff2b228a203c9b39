#include "wick/runtime/cuda/way_trial.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "wick/runtime/cuda/graph.h"
#include "wick/runtime/division.h"
#include "wick/runtime/known_choices.h"
#include "wick/runtime/run_memory.h"
#include "wick/runtime/step_labels.h"

namespace wick::runtime::cuda {
namespace {

constexpr double kWorthTrying = 1e8;  // floating-point operations: some microseconds
constexpr size_t kMostWays = 8;
constexpr double kClearly = 0.97;   // of the time of the first is clearly faster
constexpr double kFarApart = 0.67;  // this ratio needs no second round
constexpr int kRounds = 2;
constexpr int kRuns = 3;  // of a round
constexpr size_t kAlignment = 256;

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Zeroed memory for operands, result and workspace of a call.
class Workbench {
 public:
  Workbench(Gpu& gpu, const LibraryOp& op, size_t workspace_bytes)
      : gpu_(gpu),
        bytes_(bytes_of(op) + aligned(workspace_bytes, kAlignment)),
        block_(gpu.memory(), bytes_, {.purpose = "timing"}) {
    std::byte* place = block_.data();
    for (const Type& operand : op.operands) {
      operands_.push_back(place);
      place += aligned(operand.num_bytes(), kAlignment);
    }
    addresses_ = {.operands = operands_.data(),
                  .result = place,
                  .workspace = place + aligned(op.result.num_bytes(), kAlignment)};
    fill_zero(gpu.stream(), block_.data(), bytes_);
  }

  /// Milliseconds of a run. As a graph, as steady programs run: enqueueing may take longer than
  /// what is enqueued. The first launch may load code, and is not counted.
  [[nodiscard]] double time(const Way& way) const {
    const LaunchGraph runs(gpu_.device(), [&](const Stream& stream) {
      for (int run = 0; run < kRuns; ++run)
        way.enqueue(stream, addresses_);
    });
    const Stream& stream = gpu_.stream();
    runs.launch(stream);
    start_.record(stream);
    runs.launch(stream);
    end_.record(stream);
    end_.synchronize("timing ways of a call");
    return static_cast<double>(end_.milliseconds_since(start_)) / kRuns;
  }

  /// The same of one that may fail.
  [[nodiscard]] double try_to_time(const Way& way) const {
    try {
      return time(way);
    } catch (const DeviceLost&) {
      throw;
    } catch (const Error&) {
      return kNever;
    }
  }

 private:
  static size_t bytes_of(const LibraryOp& op) {
    size_t bytes = aligned(op.result.num_bytes(), kAlignment);
    for (const Type& operand : op.operands)
      bytes += aligned(operand.num_bytes(), kAlignment);
    return bytes;
  }

  Gpu& gpu_;
  size_t bytes_;
  RunBlock block_;
  std::vector<const void*> operands_;
  CallAddresses addresses_;
  Event start_{gpu_.device(), EventKind::timing};
  Event end_{gpu_.device(), EventKind::timing};
};

/// Rounds take turns, so that a change of the device's speed meets all.
std::vector<double> times_of(const Workbench& bench, std::span<const Way> ways) {
  std::vector<double> times(ways.size(), kNever);
  for (int round = 0; round < kRounds; ++round) {
    const double fastest = round == 0 ? kNever : *std::ranges::min_element(times);
    for (size_t i = 0; i < ways.size(); ++i) {
      if (round > 0 && fastest < kFarApart * times[i]) continue;
      times[i] = std::min(times[i], bench.try_to_time(ways[i]));
    }
  }
  return times;
}

}  // namespace

WayTrial::WayTrial(Gpu& gpu, const LibraryOp& op, const std::string& library)
    : gpu_(gpu),
      op_(op),
      problem_(fmt::format(
          "choose {} on {} by {}", problem_text(op), gpu.device().properties().name, library)) {}

size_t WayTrial::most_ways() const {
  return flops(op_) < kWorthTrying ? 1 : kMostWays;
}

std::optional<size_t> WayTrial::known() const {
  if (most_ways() == 1) return std::nullopt;  // never looked for: the disk need not be asked
  const std::string text = find_choice(problem_);
  size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

size_t WayTrial::fastest(std::span<const Way> ways) const {
  if (ways.size() < 2) return 0;
  const size_t workspace = std::ranges::max(ways, {}, &Way::workspace_bytes).workspace_bytes;
  try {
    const Workbench bench(gpu_, op_, workspace);
    const std::vector<double> times = times_of(bench, ways);
    const auto fastest = std::ranges::min_element(times);
    return *fastest < kClearly * times.front() ? static_cast<size_t>(fastest - times.begin()) : 0;
  } catch (const DeviceLost&) {
    throw;
  } catch (const Error&) {
    return 0;
  }
}

void WayTrial::keep(size_t number) const {
  keep_choice(problem_, std::to_string(number));
}

}  // namespace wick::runtime::cuda
