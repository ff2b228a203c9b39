#include "wick/runtime/dump_index.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

#include "wick/runtime/dump_files.h"
#include "wick/runtime/report.h"

namespace wick::runtime {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kTiming = "timing.json";

/// The result of a system call that a signal did not end.
template <typename Call>
int uninterrupted(const Call& call) {
  int result = 0;
  do {
    result = call();
  } while (result < 0 && errno == EINTR);
  return result;
}

/// Held by one process at a time; its end gives it back.
class FileLock {
 public:
  explicit FileLock(const fs::path& path)
      : descriptor_(uninterrupted(
            [&] { return ::open(path.c_str(), O_CREAT | O_RDONLY | O_CLOEXEC, 0644); })) {
    if (descriptor_ >= 0 && uninterrupted([&] { return ::flock(descriptor_, LOCK_EX); }) == 0)
      return;
    const std::system_error failure(errno, std::generic_category(), path.string());
    if (descriptor_ >= 0) ::close(descriptor_);
    throw failure;
  }

  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Unlocks by itself: a process forked meanwhile has the descriptor open too.
  ~FileLock() {
    (void)::flock(descriptor_, LOCK_UN);
    ::close(descriptor_);
  }

 private:
  int descriptor_;
};

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Without those that vanish meanwhile.
std::vector<fs::path> subfolders(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failure;
  fs::directory_iterator entry(folder, failure);
  while (!failure && entry != fs::directory_iterator()) {
    std::error_code vanished;
    if (entry->is_directory(vanished)) found.push_back(entry->path());
    entry.increment(failure);
  }
  return found;
}

/// Whether index.js can show it: other programs may write files of that name too.
bool is_complete(const std::string& timing) {
  const json summary = json::parse(timing, nullptr, /*allow_exceptions=*/false);
  const auto is = [&summary](const char* key, bool (json::*kind)() const noexcept) {
    const auto found = summary.find(key);
    return found != summary.end() && ((*found).*kind)();
  };
  const auto is_number = [&](const char* key) { return is(key, &json::is_number); };
  const auto is_string = [&](const char* key) { return is(key, &json::is_string); };
  constexpr std::array kNumbers{"number", "process", "ops", "launches", "library_calls"};
  constexpr std::array kStrings{"graph", "reason", "where", "difference", "time"};
  if (!summary.is_object() || !is("times", &json::is_object) ||
      !is("command_line", &json::is_array)) {
    return false;
  }
  const json& times = summary["times"];
  const auto total = times.find("total");
  return total != times.end() && total->is_number() && std::ranges::all_of(kNumbers, is_number) &&
         std::ranges::all_of(kStrings, is_string);
}

}  // namespace

DumpIndex::DumpIndex(fs::path root) : root_(std::move(root)) {}

void DumpIndex::write() {
  const FileLock lock(root_ / ".lock");
  write_whole_file(root_ / kDumpIndex, index_html(find_compiles()));
}

bool DumpIndex::add(const fs::path& folder, std::vector<CompileSummary>& compiles) {
  const std::string name = folder.lexically_relative(root_).generic_string();
  auto known = timings_.find(name);
  if (known == timings_.end()) {
    std::string timing = read_file(folder / kTiming);
    if (timing.empty()) return false;
    if (!is_complete(timing)) return true;
    known = timings_.emplace(name, std::move(timing)).first;
  }
  compiles.push_back({name, known->second});
  return true;
}

std::vector<CompileSummary> DumpIndex::find_compiles() {
  std::vector<CompileSummary> compiles;
  for (const fs::path& folder : subfolders(root_)) {
    if (add(folder, compiles) || !folder.filename().string().starts_with("run-")) continue;
    for (const fs::path& inner : subfolders(folder))
      add(inner, compiles);
  }
  std::ranges::sort(compiles, {}, &CompileSummary::folder);
  return compiles;
}

}  // namespace wick::runtime
