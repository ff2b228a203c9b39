#include "wick/nn/progress_bar.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace wick::nn {

namespace {

constexpr int kBarCells = 30;
constexpr std::chrono::milliseconds kRedrawInterval{100};

std::string bar(int64_t done, int64_t total) {
  const int64_t filled = total > 0 ? std::min<int64_t>(done * kBarCells / total, kBarCells) : 0;
  return fmt::format("{:=>{}}{:>{}}", "", filled, "", kBarCells - filled);
}

}  // namespace

ProgressBar::ProgressBar(ProgressOptions options)
    : options_(std::move(options)),
      is_terminal_(isatty(fileno(options_.stream)) == 1),
      start_(Clock::now()),
      shown_(start_) {}

ProgressBar::~ProgressBar() {
  try {
    finish();
  } catch (...) {  // a bar that cannot be cleared is no reason to end the program
    is_drawn_ = false;
  }
}

void ProgressBar::advance(int64_t steps, std::string_view note) {
  done_ += steps;
  const Clock::time_point now = Clock::now();
  const auto interval = is_terminal_ ? kRedrawInterval : options_.line_interval;
  if (now - shown_ < interval) return;
  shown_ = now;
  if (is_terminal_) {
    draw(note);
  } else {
    print_line(note);
  }
}

void ProgressBar::finish() {
  if (!std::exchange(is_drawn_, false)) return;
  std::fputs("\r\x1b[K", options_.stream);
  std::fflush(options_.stream);
}

void ProgressBar::draw(std::string_view note) {
  is_drawn_ = true;
  const std::string text = fmt::format("\r\x1b[K{} [{}] {}/{} {} {}",
                                       options_.label,
                                       bar(done_, options_.total),
                                       done_,
                                       options_.total,
                                       time_left(),
                                       note);
  std::fputs(text.c_str(), options_.stream);
  std::fflush(options_.stream);
}

void ProgressBar::print_line(std::string_view note) {
  std::string text = fmt::format("{} {}/{} {}", options_.label, done_, options_.total, time_left());
  if (!note.empty()) text += fmt::format(" {}", note);
  text += "\n";
  std::fputs(text.c_str(), options_.stream);
  std::fflush(options_.stream);
}

std::string ProgressBar::time_left() const {
  if (done_ == 0) return "";
  const std::chrono::duration<double> passed = Clock::now() - start_;
  const auto left = static_cast<double>(std::max<int64_t>(options_.total - done_, 0));
  return fmt::format("{:.1f} s left", passed.count() / static_cast<double>(done_) * left);
}

}  // namespace wick::nn
