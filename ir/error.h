#pragma once

// The exception that reports a user's mistake at the line that made it.

#include <stdexcept>
#include <string>
#include <string_view>

#include "wick/ir/location.h"

namespace wick {

/// what() reads `train.cpp:41:12: error: matmul: inner extents differ: ...`: place, op, one
/// lower-case sentence with the offending values.
class Error : public std::runtime_error {
 public:
  Error(const Location& where, std::string_view op, std::string_view text);

  [[nodiscard]] const Location& where() const { return where_; }

  [[nodiscard]] const std::string& op() const { return op_; }

  /// The sentence alone, without place and op.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  Location where_;
  std::string op_;
  std::string text_;
};

}  // namespace wick
