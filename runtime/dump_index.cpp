#include "wick/runtime/dump_index.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "wick/runtime/dump_files.h"
#include "wick/runtime/report.h"

namespace wick::runtime {

namespace {

namespace fs = std::filesystem;

/// Held by one process at a time; its end gives it back.
class FileLock {
 public:
  explicit FileLock(const fs::path& path)
      : descriptor_(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644)) {
    if (descriptor_ < 0 || ::flock(descriptor_, LOCK_EX) != 0) {
      throw std::system_error(errno, std::generic_category(), path.string());
    }
  }

  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  ~FileLock() { ::close(descriptor_); }

 private:
  int descriptor_;
};

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Subfolders that hold a finished compile, and those of the runs inside.
std::vector<CompileSummary> find_compiles(const fs::path& root) {
  std::vector<CompileSummary> compiles;
  const auto add = [&](const fs::path& folder) {
    std::string timing = read_file(folder / "timing.json");
    if (timing.empty()) return false;
    compiles.push_back({fs::relative(folder, root).generic_string(), std::move(timing)});
    return true;
  };
  for (const fs::directory_entry& entry : fs::directory_iterator(root)) {
    if (!entry.is_directory() || add(entry.path())) continue;
    if (!entry.path().filename().string().starts_with("run-")) continue;
    for (const fs::directory_entry& inner : fs::directory_iterator(entry.path())) {
      if (inner.is_directory()) add(inner.path());
    }
  }
  std::ranges::sort(compiles, {}, &CompileSummary::folder);
  return compiles;
}

}  // namespace

void write_dump_index(const fs::path& root) {
  const FileLock lock(root / ".lock");
  write_whole_file(root / kDumpIndex, index_html(find_compiles(root)));
}

}  // namespace wick::runtime
