#include "harness/table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "harness/turns.h"
#include <fmt/format.h>
#include <unistd.h>

namespace wick::bench {

namespace {

constexpr double kMebibyte = 1 << 20;

std::string ratio_text(double ratio) {
  return ratio == 0 ? "" : fmt::format("{:.2f}", ratio);
}

std::string fraction_text(const Measurement& m) {
  return m.floor_ms.empty() ? "" : fmt::format("{:.2f}", fraction_of_floor(m));
}

void print_models(std::span<const Measurement> all) {
  const auto is_shown = [](const Measurement& m) { return m.row.shows_start && m.error.empty(); };
  if (std::ranges::none_of(all, is_shown)) return;
  fmt::print(
      "\n| model | first step, no kernels | kernels on disk | arena MiB | / live | / "
      "intermediates | ops | kernels | calls |\n|---|---|---|---|---|---|---|---|---|\n");
  for (const Measurement& m : all) {
    if (!is_shown(m)) continue;
    const double steady = median(m.wick.ms);
    const Facts& f = m.facts;
    fmt::print("| {} | {:+.2f} s | {:+.2f} s | {:.0f} | {:.2f} | {:.2f} | {} | {} | {} |\n",
               m.row.name,
               (m.wick.first_ms - steady) * 1e-3,
               (m.warm_first_ms.value_or(0) - steady) * 1e-3,
               f.arena_bytes / kMebibyte,
               f.arena_bytes / std::max(1.0, f.peak_live_bytes),
               f.arena_bytes / std::max(1.0, f.intermediate_bytes),
               f.ops,
               f.kernels,
               f.library_calls);
  }
}

void print_goals(std::span<const Measurement> all) {
  int with_goal = 0;
  int reached = 0;
  for (const Measurement& m : all) {
    if (m.row.goal == 0 || !m.error.empty()) continue;
    ++with_goal;
    if (fraction_of_floor(m) >= m.row.goal) ++reached;
  }
  fmt::print("\n{} of {} goals reached\n", reached, with_goal);
}

void print_means(std::span<const Measurement> all) {
  for (const char* name : {"stock", "tuned"}) {
    double logs = 0;
    int count = 0;
    for (const Measurement& m : all) {
      const double ratio = peer_ratio(m, name);
      if (ratio == 0) continue;
      logs += std::log(ratio);
      ++count;
    }
    if (count > 0)
      fmt::print("geometric mean against {}: {:.2f} x over {} rows\n",
                 name,
                 std::exp(logs / count),
                 count);
  }
}

}  // namespace

void Table::print_header() const {
  fmt::print("| {:<26} | {:>10} | {:>10} | {:>8} | {:>5} | {:>15} | {:>8} | {:>6} |{}\n",
             "row",
             "median ms",
             "floor ms",
             "of floor",
             "goal",
             "rate",
             "peak MiB",
             "others",
             with_peers_ ? " stock x | tuned x |  best x | peers' peak MiB |" : "");
  fmt::print("|---|---|---|---|---|---|---|---|{}\n", with_peers_ ? "---|---|---|---|" : "");
  std::fflush(stdout);
}

void Table::print_row(const Measurement& m) const {
  show_progress("");
  if (!m.error.empty()) {
    fmt::print("| {:<26} | {}\n", m.row.name, m.error);
    std::fflush(stdout);
    return;
  }
  fmt::print("| {:<26} | {:>10.3f} | {:>10} | {:>8} | {:>5} | {:>15} | {:>8.0f} | {:>6.2f} |",
             m.row.name,
             median(m.wick.ms),
             m.floor_ms.empty() ? "" : fmt::format("{:.3f}", median(m.floor_ms)),
             fraction_text(m),
             ratio_text(m.row.goal),
             rate_text(m),
             m.wick.peak_mib,
             m.others);
  if (with_peers_) {
    double peak = 0;
    for (const Series& peer : m.peers)
      peak = peer.name == "tuned" ? peer.peak_mib : peak;
    fmt::print(" {:>7} | {:>7} | {:>7} | {:>15} |",
               ratio_text(peer_ratio(m, "stock")),
               ratio_text(peer_ratio(m, "tuned")),
               ratio_text(best_peer_ratio(m)),
               m.peers.empty() ? "" : fmt::format("{:.0f}", peak));
  }
  fmt::print("\n");
  std::fflush(stdout);
}

void Table::print_summary(std::span<const Measurement> all) const {
  print_models(all);
  print_goals(all);
  if (with_peers_) print_means(all);
}

void show_progress(const std::string& text) {
  if (isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "\r\033[K{}", text);
  std::fflush(stderr);
}

double peer_ratio(const Measurement& m, const std::string& name) {
  const auto peer = std::ranges::find(m.peers, name, &Series::name);
  return peer == m.peers.end() ? 0 : median_ratio(peer->ms, m.wick.ms);
}

double best_peer_ratio(const Measurement& m) {
  double best = 0;
  for (const Series& peer : m.peers) {
    const double ratio = median_ratio(peer.ms, m.wick.ms);
    if (best == 0 || ratio < best) best = ratio;
  }
  return best;
}

}  // namespace wick::bench
