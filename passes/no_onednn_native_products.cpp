// What stands for native_products.cpp where Wick is built without oneDNN.

#include "wick/passes/native_products.h"

namespace wick::passes {

bool has_native_bf16_products() {
  return false;
}

}  // namespace wick::passes
