#pragma once

// Where files of the source and build trees are that a test reads.

#include <cstdlib>
#include <string>

namespace wick {

/// `path`, whole, as the build told it. Where the test programs were carried to another machine
/// (./dev gpu-package) the trees lie below the folder that WICK_TEST_ROOT names.
inline std::string test_file(const std::string& path) {
  const char* root = std::getenv("WICK_TEST_ROOT");
  return root == nullptr ? path : root + path;
}

}  // namespace wick
