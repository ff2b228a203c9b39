#pragma once

// The folder that WICK_DUMP_TO names, as one process uses it.

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include "wick/runtime/compile_record.h"
#include "wick/runtime/dump_index.h"

namespace wick::runtime {

/// Takes the compiles of one process. The first process that finds the folder without an index
/// writes into it; any other one, now or later, makes a folder `run-TIME-PID` of its own inside.
/// Thread-safe.
class DumpFolder {
 public:
  DumpFolder(std::filesystem::path root, int max_compiles);

  /// Writes a numbered subfolder and the index of all runs. A failure is said once and ends
  /// writing; so does the limit of compiles.
  void add(const CompileRecord& record);

 private:
  void open();
  std::filesystem::path make_subfolder(const CompileRecord& record) const;

  std::mutex mutex_;
  std::filesystem::path root_;  // absolute once it is open
  std::filesystem::path run_;   // where this process writes
  int64_t process_ = 0;         // that opened run_: a fork is another one
  std::optional<DumpIndex> index_;
  int left_;  // compiles still to be written
  bool closed_ = false;
};

/// The folder of that name; `max_compiles` counts at the first call.
DumpFolder& dump_folder(const std::string& root, int max_compiles);

}  // namespace wick::runtime
