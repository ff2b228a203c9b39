#pragma once

// Files that make a failed compile happen again: the graph before the first pass, and the pipeline.

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wick::passes {

/// What a crash handler of this thread needs; null members: nothing.
struct CrashNote {
  const std::string* path = nullptr;
  const std::string* text = nullptr;
  const std::string* command = nullptr;
};

/// Stands by while a pipeline runs on this thread. Writes the file only when something goes wrong:
/// when `rethrow` is called, or when the thread crashes while this lives (SIGSEGV, SIGBUS, SIGFPE,
/// SIGILL, SIGABRT; the handlers that were there before run afterwards).
class Reproducer {
 public:
  Reproducer(const std::string& pipeline, std::string recorded);
  ~Reproducer();
  Reproducer(const Reproducer&) = delete;
  Reproducer& operator=(const Reproducer&) = delete;

  /// Throws `failure` of `pass` again, its text followed by the file and the command that replays
  /// it. An Error stays one.
  [[noreturn]] void rethrow(const std::string& pass, const std::exception& failure);

 private:
  [[nodiscard]] std::string write(const std::string& cause) const;

  std::string path_;
  std::string command_;
  std::string text_;
  CrashNote outer_;  // of the pipeline that this one runs inside of
  bool has_signal_stack_ = false;
};

/// What a reproducer says besides the graph.
struct ReproducerHeader {
  std::string pipeline;
  std::vector<std::string> plugins;
};

/// Empty when the text is no reproducer.
std::optional<ReproducerHeader> read_reproducer_header(std::string_view text);

}  // namespace wick::passes
