#pragma once

// Matrix products and convolutions alone, each by the fastest call that oneDNN has for it: the
// floor of what is bound by arithmetic.

#include <functional>
#include <vector>

#include "harness/products.h"

namespace wick::bench {

/// Whether this benchmark was built with oneDNN. Without it there is no such floor.
bool can_time_products();

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
