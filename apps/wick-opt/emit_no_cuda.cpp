#include <stdexcept>

#include "emit_cuda.h"

namespace wick::tools {

std::string emit_cuda(const ir::Graph& /*graph*/) {
  throw std::invalid_argument("--emit=cuda: this Wick was built without CUDA support");
}

}  // namespace wick::tools
