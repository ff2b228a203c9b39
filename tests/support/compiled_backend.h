#pragma once

// Which backend tests compare with the interpreter.

#include <string>

#include "wick/passes/default_backend.h"
#include "wick/passes/options.h"

namespace wick {

/// That of WICK_BACKEND where it compiles, else the default one: "interpreter" where Wick was built
/// without LLVM.
inline std::string compiled_backend() {
  const std::string& chosen = options().backend;
  return chosen == "interpreter" ? std::string(default_backend()) : chosen;
}

/// "interpreter", or that which "compiled" stands for.
inline std::string backend_named(const std::string& name) {
  return name == "compiled" ? compiled_backend() : name;
}

/// Whether backend "llvm" can compile.
inline bool has_llvm() {
  return default_backend() == "llvm";
}

}  // namespace wick
