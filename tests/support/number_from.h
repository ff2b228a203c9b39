#pragma once

#include <cstdint>
#include <cstdlib>

namespace wick {

/// What an environment variable asks of a test, such as for how many cases.
inline int64_t number_from(const char* variable, int64_t fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fallback : std::atoll(text);
}

}  // namespace wick
