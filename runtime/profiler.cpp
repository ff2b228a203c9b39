#include "wick/runtime/profiler.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include "wick/passes/options.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/profile_writer.h"

namespace wick::runtime {
namespace {

constexpr int64_t kMostEvents = int64_t{1} << 19U;

class Profiler;

/// The events of one thread. Its owner and the writer share it.
struct ThreadLog {
  const Profiler* profiler = nullptr;
  std::mutex mutex;
  bool is_open = true;
  ThreadEvents thread;
};

std::string thread_name(int64_t thread_id) {
  if (thread_id == getpid()) return "main";
  if (omp_in_parallel() != 0) return fmt::format("worker {}", omp_get_thread_num());
  return fmt::format("thread {}", thread_id);
}

std::string expanded(std::string path) {
  const size_t at = path.find("%p");
  return at == std::string::npos ? path : path.replace(at, 2, fmt::format("{}", getpid()));
}

std::runtime_error cannot_write(const std::string& path) {
  return std::runtime_error(fmt::format("cannot write profile '{}': {}", path, strerror(errno)));
}

class Profiler final : public profile::Sink {
 public:
  /// This process's. A fork leaves its parent's alone, whose locks other threads may have held:
  /// the file is the parent's.
  static Profiler& instance() {
    // NOLINTNEXTLINE: never destroyed, threads may report until the very end.
    static std::atomic<Profiler*> latest = new Profiler;
    Profiler* found = latest.load();
    if (found->process_ == getpid()) return *found;
    auto fresh = std::unique_ptr<Profiler>(new Profiler);
    return latest.compare_exchange_strong(found, fresh.get()) ? *fresh.release() : *found;
  }

  void start(std::string path) {
    const std::lock_guard lock(mutex_);
    stop_locked();
    path_ = std::filesystem::absolute(expanded(std::move(path))).string();
    part_ = fmt::format("{}.{}.part", path_, getpid());
    out_.open(part_, std::ios::binary | std::ios::trunc);
    if (!out_) throw cannot_write(path_);
    start_ = profile::now();
    num_events_ = 0;
    is_running_ = true;
    profile::set_sink(this);
  }

  void stop() {
    const std::lock_guard lock(mutex_);
    stop_locked();
  }

  void add(profile::Event event) noexcept override {
    if (num_events_.fetch_add(1, std::memory_order_relaxed) >= kMostEvents) return;
    try {
      thread_local std::shared_ptr<ThreadLog> log;  // shared: the writer reads it, even afterwards
      if (log == nullptr || log->profiler != this || !append(*log, event)) {
        log = open_log();
        if (log != nullptr) append(*log, event);
      }
    } catch (const std::bad_alloc&) {  // a profile with a hole is better than no program
    }
  }

 private:
  Profiler() = default;

  void stop_locked() {
    if (!is_running_) return;
    profile::set_sink(nullptr);
    is_running_ = false;
    try {
      Profile profile = collect();
      write_chrome_trace(out_, profile);
      out_.close();
      if (out_.fail() || std::rename(part_.c_str(), path_.c_str()) != 0) throw cannot_write(path_);
    } catch (...) {
      out_.close();
      (void)std::remove(part_.c_str());
      throw;
    }
  }

  /// False when the log belongs to a profile that is over.
  static bool append(ThreadLog& log, profile::Event& event) {
    const std::lock_guard lock(log.mutex);
    if (!log.is_open) return false;
    log.thread.events.push_back(std::move(event));
    return true;
  }

  /// Null when no profile is running any more.
  std::shared_ptr<ThreadLog> open_log() {
    auto log = std::make_shared<ThreadLog>();
    log->profiler = this;
    log->thread.thread_id = gettid();
    log->thread.name = thread_name(log->thread.thread_id);
    const std::lock_guard lock(mutex_);
    if (!is_running_) return nullptr;
    logs_.push_back(log);
    return log;
  }

  Profile collect() {
    const std::vector<std::shared_ptr<ThreadLog>> logs = std::exchange(logs_, {});
    for (const std::shared_ptr<ThreadLog>& log : logs) {
      const std::lock_guard lock(log->mutex);
      log->is_open = false;
    }
    const int64_t dropped = std::max<int64_t>(0, num_events_.load() - kMostEvents);
    Profile profile{.program = program_invocation_short_name,
                    .process_id = process_,
                    .num_threads = max_threads(),
                    .backend = options().backend,
                    .start = start_,
                    .dropped_events = dropped,
                    .threads = {}};
    for (const std::shared_ptr<ThreadLog>& log : logs)  // closed: nobody else touches them
      profile.threads.push_back(std::move(log->thread));
    return profile;
  }

  const pid_t process_ = getpid();
  std::mutex mutex_;
  std::string path_;
  std::string part_;  // written, then renamed to path_
  std::ofstream out_;
  int64_t start_ = 0;
  bool is_running_ = false;
  std::vector<std::shared_ptr<ThreadLog>> logs_;
  std::atomic<int64_t> num_events_{0};
};

/// In a fork: its events would go into its copy of the parent's profile.
void turn_off() {
  profile::set_sink(nullptr);
}

void stop_at_exit() {
  try {
    Profiler::instance().stop();
  } catch (const std::exception& failure) {
    std::cerr << "wick: " << failure.what() << "\n";
  }
}

}  // namespace
}  // namespace wick::runtime

namespace wick {

void start_profile(std::string path) {
  [[maybe_unused]] static const bool registered =
      std::atexit(runtime::stop_at_exit) == 0 &&
      pthread_atfork(nullptr, nullptr, runtime::turn_off) == 0;
  runtime::Profiler::instance().start(std::move(path));
}

void stop_profile() {
  runtime::Profiler::instance().stop();
}

void profile::start_as_told() {
  [[maybe_unused]] static const bool done = [] {
    const std::string& path = options().profile;
    if (path.empty()) return true;
    try {
      start_profile(path);
    } catch (const std::exception& failure) {
      std::cerr << fmt::format("wick: {}; going on without\n", failure.what());
    }
    return true;
  }();
}

}  // namespace wick
