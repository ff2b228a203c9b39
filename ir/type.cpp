#include "wick/ir/type.h"

namespace wick {

std::string to_string(const Type& type) {
  return std::string(to_string(type.dtype)) + to_string(type.shape);
}

}  // namespace wick
