#pragma once

// Shows how far a long loop is.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace wick::nn {

struct ProgressOptions {
  std::string label;
  int64_t total = 0;  // steps of the loop
  std::FILE* stream = stderr;
  /// Between plain lines when the stream is no terminal.
  std::chrono::milliseconds line_interval{5000};
};

/// On a terminal one line that is redrawn in place up to ten times a second; elsewhere plain lines
/// every few seconds, so that logs stay short.
class ProgressBar {
 public:
  explicit ProgressBar(ProgressOptions options);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();

  /// `steps` more are done; `note` is shown behind the counts.
  void advance(int64_t steps = 1, std::string_view note = {});
  /// Takes the bar off a terminal. Called by the destructor too.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void draw(std::string_view note);
  void print_line(std::string_view note);
  /// "12.3 s left", or nothing before the first step.
  [[nodiscard]] std::string time_left() const;

  ProgressOptions options_;
  bool is_terminal_;
  bool is_drawn_ = false;
  int64_t done_ = 0;
  Clock::time_point start_;
  Clock::time_point shown_;
};

}  // namespace wick::nn
