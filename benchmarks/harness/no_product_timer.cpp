// What stands for product_timer.cpp where Wick is built without oneDNN.

#include "harness/product_timer.h"

namespace wick::bench {

bool can_time_products() {
  return false;
}

std::function<void()> linear_gelu_by_hand(int64_t /*rows*/, int64_t /*in*/, int64_t /*out*/) {
  return {};
}

ProductTimer::ProductTimer(const Products& /*products*/) {}

double ProductTimer::time() const {
  return 0;
}

}  // namespace wick::bench
