#pragma once

// Matrix products and convolutions alone, each by the fastest call that oneDNN has for it: the
// floor of what is bound by arithmetic.

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/products.h"

namespace wick::bench {

/// Whether this benchmark was built with oneDNN. Without it there is no such floor.
bool can_time_products();

/// gelu(x W^T + b) of f32[rows,in], f32[out,in] and f32[out], by oneDNN's fastest call for all of
/// it. Where there is oneDNN.
std::function<void()> linear_gelu_by_hand(int64_t rows, int64_t in, int64_t out);

/// Runs a set of products.
class ProductTimer {
 public:
  /// Tries every call for each product, layouts free, and keeps the fastest.
  explicit ProductTimer(const Products& products);

  /// Milliseconds of all of them: each is run once and counts as often as the program has it.
  [[nodiscard]] double time() const;

 private:
  struct Call {
    std::function<void()> run;
    int count;
  };

  std::vector<Call> calls_;
};

}  // namespace wick::bench
