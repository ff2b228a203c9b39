#include "step_times.h"

#include <algorithm>
#include <functional>

#include "step_cost.h"
#include <fmt/format.h>

namespace wick::run {

namespace {

double median(std::span<const double> values) {
  std::vector<double> samples(values.begin(), values.end());
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::ranges::nth_element(samples, middle);
  return *middle;
}

}  // namespace

void StepTimes::note(const runtime::Plan& plan, size_t number, double seconds) {
  Samples& samples = steps_[{&plan, number}];
  if (samples.seconds.empty()) {
    const runtime::Step& step = plan.steps[number];
    samples.kind = kind_of(step);
    samples.what = fmt::format("{} ({})", step.name, samples.kind);
    if (step.where.is_known()) samples.what += "  " + to_string(step.where);
    samples.bytes = bytes_moved(plan, step);
    samples.operations = operations(step);
  }
  samples.seconds.push_back(seconds);
}

void StepTimes::print_step(size_t number, const Samples& step, double per_run, double total) {
  const double seconds = median(step.seconds);
  const std::string flops =
      step.operations
          ? fmt::format("{:.1f}", static_cast<double>(*step.operations) / seconds * 1e-9)
          : "-";
  fmt::print("{:>5} {:>10.4f} {:>10.4f} {:>6.1f} % {:>8.2f} {:>8}  {}\n",
             number,
             seconds * 1e3,
             *std::ranges::min_element(step.seconds) * 1e3,
             100 * per_run / total,
             static_cast<double>(step.bytes) / seconds * 1e-9,
             flops,
             step.what);
}

void StepTimes::print(std::span<const double> runs, size_t most) const {
  struct Line {
    size_t number;
    const Samples* samples;
    double per_run;  // a plan may run several times in a run
  };

  std::vector<Line> lines;
  std::map<std::string, double> by_kind;
  double total = 0;
  for (const auto& [key, samples] : steps_) {
    const auto times = static_cast<double>(samples.seconds.size());
    const double per_run = median(samples.seconds) * times / static_cast<double>(runs.size());
    lines.push_back({key.second, &samples, per_run});
    by_kind[samples.kind] += per_run;
    total += per_run;
  }
  std::ranges::stable_sort(lines, std::greater<>(), &Line::per_run);
  if (!lines.empty()) fmt::print(" step  median ms     min ms    share     GB/s  GFLOP/s  what\n");
  for (size_t i = 0; i < std::min(most, lines.size()); ++i)
    print_step(lines[i].number, *lines[i].samples, lines[i].per_run, total);
  if (lines.size() > most) fmt::print("  ... and {} more\n", lines.size() - most);
  std::vector<std::pair<std::string, double>> kinds(by_kind.begin(), by_kind.end());
  std::ranges::stable_sort(kinds, std::greater<>(), &std::pair<std::string, double>::second);
  if (kinds.size() > 1) {
    for (const auto& [kind, seconds] : kinds)
      fmt::print("      {:>10.4f}            {:>6.1f} %  {}\n",
                 seconds * 1e3,
                 100 * seconds / total,
                 kind);
  }
  fmt::print("whole {:>10.4f} {:>10.4f}  {} runs, {:.4f} ms outside the steps\n",
             median(runs) * 1e3,
             *std::ranges::min_element(runs) * 1e3,
             runs.size(),
             std::max(0.0, median(runs) - total) * 1e3);
}

}  // namespace wick::run
