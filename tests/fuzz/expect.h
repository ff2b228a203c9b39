#pragma once

// What a fuzz target does when Wick breaks a promise: an abort, which libFuzzer reports with the
// input that led to it.

#include <cstdio>
#include <cstdlib>
#include <string>

namespace wick::fuzz {

inline void expect(bool holds, const std::string& promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise.c_str());
  std::abort();
}

}  // namespace wick::fuzz
