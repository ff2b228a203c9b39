#pragma once

// One line that says how far a reduction has come.

#include <chrono>
#include <cstdint>
#include <string_view>

namespace wick::reduce {

/// On a terminal one line is written over and over, elsewhere a line every few seconds.
class Progress {
 public:
  Progress();

  void show(std::string_view stage, int64_t tried, int64_t ops);
  /// Ends the line that is written over.
  void clear();

  [[nodiscard]] double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  bool is_terminal_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = Clock::now();
};

}  // namespace wick::reduce
