#pragma once

// Internal to runtime/.

#include <cstdint>

#include "wick/runtime/division.h"

namespace wick::runtime {

/// Something cut in as few parts of at most `most` as possible, as even as possible.
class EvenParts {
 public:
  constexpr EvenParts(int64_t extent, int64_t most)
      : extent_(extent),
        count_(ceil_div(extent, most)) {}

  [[nodiscard]] constexpr int64_t count() const { return count_; }

  [[nodiscard]] constexpr int64_t begin(int64_t part) const { return extent_ * part / count_; }

  [[nodiscard]] constexpr int64_t size(int64_t part) const { return begin(part + 1) - begin(part); }

 private:
  int64_t extent_;
  int64_t count_;
};

}  // namespace wick::runtime
