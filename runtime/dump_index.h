#pragma once

// The page that lists all compiles in a dump folder.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "wick/runtime/report.h"

namespace wick::runtime {

inline constexpr const char* kDumpIndex = "index.html";

/// Lists what lies in the folder: the compiles of this process and of any other. Compiles that are
/// whole never change: each is read once. Not thread-safe.
class DumpIndex {
 public:
  explicit DumpIndex(std::filesystem::path root);

  /// Processes that call it at one time take turns. Throws std::runtime_error when the page cannot
  /// be written.
  void write();

 private:
  /// Subfolders that hold a finished compile, and those of the runs inside.
  std::vector<CompileSummary> find_compiles();
  /// False when the folder holds no finished compile.
  bool add(const std::filesystem::path& folder, std::vector<CompileSummary>& compiles);

  std::filesystem::path root_;
  std::map<std::string, std::string> timings_;  // content of timing.json, by folder
};

}  // namespace wick::runtime
