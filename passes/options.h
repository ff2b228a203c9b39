#pragma once

// The switches of Wick. Each has one spelling: member `pass_pipeline` is the flag `--pass-pipeline`
// of the tools and of WICK_FLAGS, and the environment variable WICK_PASS_PIPELINE. docs/flags.md
// lists them all.

#include <cstdint>
#include <string>
#include <vector>

namespace wick {

/// Switches that decide which program a graph becomes: the plan cache tells programs apart by them.
struct CompileOptions {
  /// "llvm", "interpreter", "cuda" or "cuda:1" (a GPU), "cuda:sm_90" (for such a GPU, without one).
  std::string backend = "llvm";
  std::string pass_pipeline;  // empty: passes::default_pipeline()
  std::vector<std::string> disable_passes;
  int64_t opt_bisect_limit = -1;     // run only that many passes, and say which; -1: all, silently
  bool validate = false;             // run the interpreter too and compare
  bool detect_anomaly = false;       // where results hold NaN, find the op that made the first
  bool direct_convolutions = false;  // never by Winograd's algorithm
  bool tf32 = false;                 // GPUs may round f32 to 10 bits before they multiply

  friend bool operator==(const CompileOptions&, const CompileOptions&) = default;
};

struct Options : CompileOptions {
  // Running.
  int num_threads = 0;     // 0: all cores
  int max_pending = 8192;  // recording materializes by itself beyond chains of this length
  std::string cache_dir;   // of compiled kernels; empty: the user's cache folder; "off": none
  std::vector<std::string> plugins;  // shared libraries

  // Looking on.
  std::string dump_to;  // folder; one subfolder a compile
  int dump_max = 200;   // compiles that a process writes there
  std::string profile;  // file for a Chrome trace

  struct Log {
    bool sync = false;         // why and where pending ops were materialized
    bool recompile = false;    // what made a program new
    bool fusion = false;       // what fused, and why the rest did not
    bool output_code = false;  // every generated kernel
  } log;

  // Passes.
  std::vector<std::string> print_ir_before;  // names of passes
  std::vector<std::string> print_ir_after;
  bool print_ir_before_all = false;
  bool print_ir_after_all = false;
  enum class ChangePrinting : uint8_t { off, full, diff };
  ChangePrinting print_ir_after_change = ChangePrinting::off;
  bool print_locations = false;
#ifdef NDEBUG
  bool verify_each = false;
#else
  bool verify_each = true;
#endif
  bool timing = false;
  bool pass_statistics = false;
  std::string remarks;         // what passes did: a regular expression over their names
  std::string remarks_missed;  // what they did not do, and why
  std::string reproducer_dir;  // empty: dump_to, or else the folder for temporary files
};

/// The switches in force on this thread: those of the innermost ScopedOptions, else those of the
/// process, read once from WICK_FLAGS and the other WICK_* variables. The first call loads the
/// plug-ins. Throws std::invalid_argument naming the variable that does not parse. Change the
/// process's switches before work starts on other threads.
Options& options();

/// Whether the backend in force compiles for GPUs.
bool targets_gpu();

/// While it lives, `options` are the switches in force on this thread. Nests.
///
///     Options reference = options();
///     reference.backend = "interpreter";
///     ScopedOptions scope(reference);
class ScopedOptions {
 public:
  explicit ScopedOptions(Options options);
  ~ScopedOptions();
  ScopedOptions(const ScopedOptions&) = delete;
  ScopedOptions& operator=(const ScopedOptions&) = delete;

 private:
  Options options_;
  Options* previous_ = nullptr;
};

}  // namespace wick
