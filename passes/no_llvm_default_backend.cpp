// What stands for default_backend.cpp where Wick is built without LLVM.

#include "wick/passes/default_backend.h"

namespace wick {

std::string_view default_backend() {
  return "interpreter";
}

}  // namespace wick
