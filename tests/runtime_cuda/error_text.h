#pragma once

// What an exception says.

#include <exception>
#include <string>

namespace wick::runtime::cuda {

template <typename Action>
std::string error_text(Action action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace wick::runtime::cuda
