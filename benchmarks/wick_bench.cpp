// How close plain code comes to what the machine can do, and to other libraries:
//
//     wick_bench --filter softmax        # a table, row by row
//     wick_bench --profile softmax-4096  # where its time goes
//
// Each row runs in a process of its own, which is this program again.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/html_report.h"
#include "harness/measure.h"
#include "harness/peers.h"
#include "harness/row.h"
#include "harness/row_process.h"
#include "harness/row_profile.h"
#include "harness/table.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "wick/passes/options.h"

namespace {

using wick::bench::Family;
using wick::bench::Measurement;
using wick::bench::Row;

struct Flags {
  std::string filter = ".*";
  bool list = false;
  wick::bench::MeasureOptions measure;
  std::string html;
  std::string json;
  std::string row;  // to work on, told by the process that measures
  std::string profile;
  std::string trace;
  wick::bench::PeerOptions peers;
};

const Row& find_row(const std::vector<Family>& families, const std::string& name) {
  for (const Family& family : families) {
    for (const Row& row : family.rows) {
      if (row.name == name) return row;
    }
  }
  throw std::invalid_argument(fmt::format("no row '{}'; --list shows them", name));
}

void list(const std::vector<Family>& families) {
  for (const Family& family : families) {
    fmt::print("{}\n", family.name);
    for (const Row& row : family.rows)
      fmt::print("  {:<26} {}\n", row.name, row.what);
  }
}

int measure_all(const std::vector<Family>& families, const Flags& flags, const std::string& line) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  const std::regex filter(flags.filter);
  const wick::bench::Peers peers(flags.peers, flags.measure);
  const wick::bench::Table table(!flags.peers.program.empty());
  std::vector<Measurement> all;
  table.print_header();
  for (const Family& family : families) {
    for (const Row& row : family.rows) {
      if (!std::regex_search(row.name, filter)) continue;
      const auto progress = [&](const std::string& stage) {
        wick::bench::show_progress(fmt::format("{}: {}", row.name, stage));
      };
      all.push_back(wick::bench::measure(
          program, family.name, row, peers.of(row.name), flags.measure, progress));
      table.print_row(all.back());
      // Again after each row: whoever stops early keeps what is there.
      if (!flags.html.empty()) wick::bench::write_html(flags.html, line, all);
      if (!flags.json.empty()) wick::bench::write_json(flags.json, line, all);
    }
  }
  table.print_summary(all);
  if (!flags.html.empty()) fmt::print("{}\n", flags.html);
  const bool all_went_well =
      std::ranges::all_of(all, [](const Measurement& m) { return m.error.empty(); });
  return all_went_well ? 0 : 1;
}

int run(const Flags& flags, const std::string& line) {
  const std::vector<Family> families = wick::bench::all_families();
  if (flags.list) {
    list(families);
    return 0;
  }
  if (!flags.row.empty()) return wick::bench::serve_row(find_row(families, flags.row));
  if (!flags.profile.empty()) {
    wick::options().num_threads = flags.measure.threads;
    wick::bench::profile_row(find_row(families, flags.profile), flags.trace);
    return 0;
  }
  return measure_all(families, flags, line);
}

std::string command_line(int argc, char** argv) {
  std::string line = std::filesystem::path(argv[0]).filename();
  for (int i = 1; i < argc; ++i)
    line += fmt::format(" {}", argv[i]);
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("How close plain code comes to the limits of the machine, and to other libraries");
  Flags flags;
  app.add_flag("--list", flags.list, "Print the rows and what they compute");
  app.add_option("--filter", flags.filter, "Rows in whose name this regular expression is found");
  app.add_option("--threads", flags.measure.threads, "Threads of each contestant")
      ->check(CLI::PositiveNumber);
  app.add_option("--seconds", flags.measure.seconds, "Least time of turns for each contestant");
  app.add_flag("--cpu-time",
               flags.measure.cpu_time,
               "Measure CPU time: of one thread, where other processes take the CPU away");
  app.add_option("--html", flags.html, "Also write a report with plots to this file");
  app.add_option("--json", flags.json, "Also write the figures to this file");
  app.add_option("--profile", flags.profile, "Print the steps of this row, the slowest first");
  app.add_option("--trace", flags.trace, "With --profile: also write a Chrome trace to this file");
  app.add_option("--row", flags.row, "Work on this row as standard input tells");
  app.add_option("--peers", flags.peers.program, "Compare with this program of a peer");
  app.add_option("--peer-libraries", flags.peers.libraries, "Folder of what its profiles load");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(flags, command_line(argc, argv));
  } catch (const std::exception& error) {
    fmt::print(stderr, "wick_bench: {}\n", error.what());
    return 1;
  }
}
