#include "progress.h"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace wick::reduce {

Progress::Progress() : is_terminal_(isatty(STDERR_FILENO) != 0) {}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void Progress::show(std::string_view stage, int64_t tried, int64_t ops) {
  const auto pause = is_terminal_ ? std::chrono::milliseconds(100) : std::chrono::seconds(5);
  const auto now = Clock::now();
  if (now - shown_ < pause) return;
  shown_ = now;
  fmt::print(stderr,
             "{}{} ops left, {} candidates, {:.0f} s: {}{}",
             is_terminal_ ? "\r" : "",
             ops,
             tried,
             seconds(),
             stage,
             is_terminal_ ? "\033[K" : "\n");
}

void Progress::clear() {
  if (is_terminal_) fmt::print(stderr, "\r\033[K");
}

}  // namespace wick::reduce
