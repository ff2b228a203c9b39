// What stands for product_timer.cpp where Wick is built without oneDNN.

#include "harness/product_timer.h"

namespace wick::bench {

bool can_time_products() {
  return false;
}

ProductTimer::ProductTimer(const Products& /*products*/) {}

double ProductTimer::time() const {
  return 0;
}

}  // namespace wick::bench
