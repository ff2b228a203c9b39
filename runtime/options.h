#pragma once

// Process-wide switches, read once from WICK_* environment variables and changeable in code.

#include <string>

namespace wick::runtime {

struct Options {
  std::string backend = "llvm";  // WICK_BACKEND
  std::string pipeline;          // WICK_PIPELINE; empty: passes::default_pipeline()
  int num_threads = 0;           // WICK_NUM_THREADS; 0: all cores
  bool validate = false;         // WICK_VALIDATE=1: run the interpreter too and compare
  bool log_recompile = false;    // WICK_LOG=recompile
  bool log_sync = false;         // WICK_LOG=sync
  int max_pending_depth = 1024;  // WICK_MAX_PENDING: recording materializes by itself beyond this
};

/// The switches in force. Change them before work starts on other threads.
Options& options();

}  // namespace wick::runtime
