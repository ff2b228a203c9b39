#pragma once

// Measuring a row: the processes of all contestants live side by side and take turns.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/contestant.h"
#include "harness/row.h"

namespace wick::bench {

struct MeasureOptions {
  int threads = 1;
  double seconds = 1;     // of turns for each contestant, at least
  bool cpu_time = false;  // instead of that on the wall
};

/// Another library's version of a row.
struct Peer {
  std::string name;  // how it runs: "tuned"
  Command command;
};

/// What was seen of one contestant.
struct Series {
  std::string name = {};
  std::vector<double> ms = {};  // one a turn: the median of the steps in it
  double first_ms = 0;          // of the first step in its process
  double peak_mib = 0;          // above what was resident when the inputs were there
};

/// What the step became; see Inspection.
struct Facts {
  double flops = 0;
  int programs = 0;
  int ops = 0;
  int kernels = 0;
  int library_calls = 0;
  int interpreted = 0;
  double arena_bytes = 0;
  double peak_live_bytes = 0;
  double intermediate_bytes = 0;
};

struct Measurement {
  std::string family;
  Row row;
  Series wick = {};
  std::vector<double> floor_ms = {};  // one a turn; empty: the row has no floor
  std::vector<Series> peers = {};
  Facts facts = {};
  /// First step in a new process that finds the kernels of another on disk.
  std::optional<double> warm_first_ms = {};
  /// CPUs that other processes kept busy meanwhile.
  double others = 0;
  /// Why there is nothing else; empty: all went well.
  std::string error = {};
};

/// Tells how many turns are done.
using Progress = std::function<void(const std::string& stage)>;

/// Never throws for what a contestant does; `program` is the benchmark itself.
Measurement measure(const std::string& program,
                    const std::string& family,
                    const Row& row,
                    const std::vector<Peer>& peers,
                    const MeasureOptions& options,
                    const Progress& progress);

/// What makes a contestant work as the options say.
std::map<std::string, std::string> environment_of(const MeasureOptions& options);

/// Median over the turns of above / below: how many times as long the one takes.
double median_ratio(const std::vector<double>& above, const std::vector<double>& below);

/// Fraction of the floor that the row reaches; 0 without one.
double fraction_of_floor(const Measurement& m);

/// `41.2 GB/s`; empty when there is nothing to count.
std::string rate_text(const Measurement& m);

}  // namespace wick::bench
