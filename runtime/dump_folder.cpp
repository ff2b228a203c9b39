#include "wick/runtime/dump_folder.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include "wick/ir/value_names.h"
#include "wick/runtime/dump_files.h"

namespace wick::runtime {

namespace {

namespace fs = std::filesystem;

void say(const std::string& line) {
  std::fputs((line + "\n").c_str(), stderr);
}

/// Whether this call made the file; one of several processes that ask gets true.
bool claim(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  if (descriptor >= 0) {
    ::close(descriptor);
    return true;
  }
  if (errno != EEXIST) throw std::system_error(errno, std::generic_category(), file.string());
  return false;
}

}  // namespace

DumpFolder::DumpFolder(fs::path root, int max_compiles)
    : root_(std::move(root)),
      left_(max_compiles) {}

void DumpFolder::add(const CompileRecord& record) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  if (left_ == 0) {
    closed_ = true;
    say(fmt::format(
        "wick: dumps: {} holds as many compiles as WICK_DUMP_MAX allows; later ones are "
        "not written",
        run_.string()));
    return;
  }
  try {
    if (process_ != getpid()) open();
    write_dump_files(record, make_subfolder(record));
    index_->write();
    --left_;
  } catch (const std::exception& failure) {
    closed_ = true;
    say(fmt::format(
        "wick: dumps: cannot write to {}: {}; going on without", root_.string(), failure.what()));
  }
}

void DumpFolder::open() {
  root_ = fs::absolute(root_);  // the program may change its working directory
  fs::create_directories(root_);
  if (!index_) index_.emplace(root_);
  run_ = root_;
  if (!claim(root_ / kDumpIndex)) {
    const auto now = fmt::gmtime(std::chrono::system_clock::now());
    run_ = root_ / fmt::format("run-{:%Y%m%d-%H%M%S}-{}", now, getpid());
    while (!fs::create_directory(run_))
      run_ += "_";  // the same process, after an exec
  }
  process_ = getpid();
}

fs::path DumpFolder::make_subfolder(const CompileRecord& record) const {
  const std::string name = fmt::format("{:04}-{}-{}",
                                       record.number,
                                       ir::printable_name(record.graph_name),
                                       record.hash.substr(0, 8));
  fs::create_directory(run_ / name);
  return run_ / name;
}

DumpFolder& dump_folder(const std::string& root, int max_compiles) {
  // Never destroyed: threads that still run at exit may compile.
  static auto& folders = *new std::map<std::string, std::unique_ptr<DumpFolder>>;  // NOLINT
  static auto& mutex = *new std::mutex;                                            // NOLINT
  const std::lock_guard lock(mutex);
  std::unique_ptr<DumpFolder>& folder = folders[root];
  if (folder == nullptr) folder = std::make_unique<DumpFolder>(root, max_compiles);
  return *folder;
}

}  // namespace wick::runtime
