#pragma once

// Comparing what a mistake reports.

#include <string>

#include <gtest/gtest.h>

#include "wick/ir/error.h"

namespace wick::testing_support {

/// The op and sentence of the Error that fn throws, without its place; fails when it throws none.
template <typename Fn>
std::string error_of(Fn fn) {
  try {
    fn();
  } catch (const Error& error) {
    return error.op() + ": " + error.text();
  }
  ADD_FAILURE() << "no Error was thrown";
  return "";
}

/// The line the Error names.
template <typename Fn>
uint32_t error_line_of(Fn fn) {
  try {
    fn();
  } catch (const Error& error) {
    return error.where().line;
  }
  ADD_FAILURE() << "no Error was thrown";
  return 0;
}

}  // namespace wick::testing_support
