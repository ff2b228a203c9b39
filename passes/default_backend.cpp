#include "wick/passes/default_backend.h"

namespace wick {

std::string_view default_backend() {
  return "llvm";
}

}  // namespace wick
