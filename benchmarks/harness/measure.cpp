#include "harness/measure.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>

#include "harness/turns.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wick::bench {

namespace {

constexpr int kWarmUps = 3;
constexpr double kMostWarmUpMs = 10e3;
constexpr double kTurnMs = 20;  // of steps in a turn, at least one
constexpr size_t kFewTurns = 3;
constexpr size_t kEnoughTurns = 7;
constexpr double kMostSeconds = 60;

/// A folder for compiled kernels that is gone afterwards.
class KernelFolder {
 public:
  KernelFolder() {
    std::string path = (std::filesystem::temp_directory_path() / "wick-bench-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("cannot make " + path);
    path_ = path;
  }

  KernelFolder(const KernelFolder&) = delete;
  KernelFolder& operator=(const KernelFolder&) = delete;

  ~KernelFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// CPU time of everything else while this object lives.
class OthersWatch {
 public:
  using Contestants = std::vector<const Contestant*>;

  explicit OthersWatch(Contestants contestants)
      : contestants_(std::move(contestants)),
        start_(Clock::now()),
        others_at_start_(others()) {}

  [[nodiscard]] double cpus() const {
    const std::chrono::duration<double> passed = Clock::now() - start_;
    return std::max(0.0, (others() - others_at_start_) / passed.count());
  }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] double others() const {
    double seconds = machine_cpu_seconds() - own_cpu_seconds();
    for (const Contestant* each : contestants_)
      seconds -= each->cpu_seconds();
    return seconds;
  }

  Contestants contestants_;
  Clock::time_point start_;
  double others_at_start_;
};

/// Starts a contestant and brings it to its steady state.
std::unique_ptr<Contestant> warm_up(const Command& command, Series& series) {
  auto contestant = std::make_unique<Contestant>(command);
  series.first_ms = contestant->ask_number("step 0");
  double spent = series.first_ms;
  for (int i = 1; i < kWarmUps && spent < kMostWarmUpMs; ++i)
    spent += contestant->ask_number("step 0");
  series.peak_mib = contestant->ask_number("peak");
  return contestant;
}

Facts parse_facts(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text);
  return {.flops = json.at("flops"),
          .programs = json.at("programs"),
          .ops = json.at("ops"),
          .kernels = json.at("kernels"),
          .library_calls = json.at("library_calls"),
          .interpreted = json.at("interpreted"),
          .arena_bytes = json.at("arena_bytes"),
          .peak_live_bytes = json.at("peak_live_bytes"),
          .intermediate_bytes = json.at("intermediate_bytes")};
}

void take_turns(Measurement& m,
                Contestant& wick,
                const std::vector<std::unique_ptr<Contestant>>& peers,
                const MeasureOptions& options,
                const Progress& progress) {
  const std::string turn = fmt::format("{}", kTurnMs);
  const bool has_floor = m.row.floor.kind != Floor::Kind::none;
  const double enough_ms = 1e3 * options.seconds * static_cast<double>(1 + peers.size());
  double spent = 0;
  const auto is_done = [&] {
    const size_t turns = m.wick.ms.size();
    return (turns >= kEnoughTurns && spent >= enough_ms) ||
           (turns >= kFewTurns && spent >= 1e3 * kMostSeconds);
  };
  while (!is_done()) {
    progress(fmt::format("turn {}", m.wick.ms.size() + 1));
    spent += time_ms([&] {
      if (has_floor) m.floor_ms.push_back(wick.ask_number("floor " + turn));
      m.wick.ms.push_back(wick.ask_number("step " + turn));
      for (size_t i = 0; i < peers.size(); ++i)
        m.peers[i].ms.push_back(peers[i]->ask_number("step " + turn));
    });
  }
}

void measure_into(Measurement& m,
                  const std::string& program,
                  const std::vector<Peer>& peers,
                  const MeasureOptions& options,
                  const Progress& progress) {
  const KernelFolder kernels;
  Command command{{program, "--row", m.row.name}, environment_of(options)};
  command.environment["WICK_CACHE_DIR"] = kernels.path();
  progress("warming up");
  std::unique_ptr<Contestant> wick = warm_up(command, m.wick);
  if (m.row.shows_start) {
    progress("starting again");
    wick.reset();  // a new program does not share the memory with an old one
    Series again;
    wick = warm_up(command, again);
    m.warm_first_ms = again.first_ms;
  }
  m.facts = parse_facts(wick->ask("facts"));

  std::vector<std::unique_ptr<Contestant>> others;
  OthersWatch::Contestants watched{wick.get()};
  for (const Peer& peer : peers) {
    progress("warming up " + peer.name);
    m.peers.push_back({.name = peer.name});
    others.push_back(warm_up(peer.command, m.peers.back()));
    watched.push_back(others.back().get());
  }
  const OthersWatch watch(watched);
  take_turns(m, *wick, others, options, progress);
  m.others = watch.cpus();
}

}  // namespace

Measurement measure(const std::string& program,
                    const std::string& family,
                    const Row& row,
                    const std::vector<Peer>& peers,
                    const MeasureOptions& options,
                    const Progress& progress) {
  Measurement m{.family = family, .row = row};
  m.wick.name = "wick";
  try {
    measure_into(m, program, peers, options, progress);
  } catch (const std::exception& error) {
    m.error = error.what();
  }
  return m;
}

std::map<std::string, std::string> environment_of(const MeasureOptions& options) {
  const std::string count = std::to_string(options.threads);
  return {{"WICK_NUM_THREADS", count},
          {"OMP_NUM_THREADS", count},
          {"THREADS", count},
          {"WICK_BENCH_CLOCK", options.cpu_time ? "cpu" : "wall"}};
}

double median_ratio(const std::vector<double>& above, const std::vector<double>& below) {
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(above.size(), below.size()); ++i)
    ratios.push_back(above[i] / below[i]);
  return median(std::move(ratios));
}

double fraction_of_floor(const Measurement& m) {
  return median_ratio(m.floor_ms, m.wick.ms);
}

std::string rate_text(const Measurement& m) {
  Rate rate = m.row.rate;
  if (rate.amount == 0 && m.row.floor.bytes > 0) rate = {m.row.floor.bytes * 1e-9, "GB"};
  if (rate.amount == 0 && m.facts.flops > 0) rate = {m.facts.flops * 1e-9, "GFLOP"};
  if (rate.amount == 0) return {};
  return fmt::format("{:.1f} {}/s", rate.amount / median(m.wick.ms) * 1e3, rate.unit);
}

}  // namespace wick::bench
