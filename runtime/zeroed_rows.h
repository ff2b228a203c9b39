#pragma once

// Internal to runtime/.

#include <algorithm>
#include <cstdint>

#include "wick/runtime/pool_shape.h"

namespace wick::runtime {

/// The rows of a gradient become zero shortly before something is added to them.
template <typename T>
class ZeroedRows {
 public:
  ZeroedRows(const PoolShape& shape, T* gradient) : shape_(shape), gradient_(gradient) {}

  void up_to_windows_of(int64_t row) {
    up_to(shape_.rows.position(row, shape_.rows.last_element(row)));
  }

  void up_to_end() { up_to(shape_.rows.in); }

 private:
  void up_to(int64_t end) {
    const int64_t width = shape_.columns.in * shape_.lanes;
    if (end > zeroed_) std::fill_n(gradient_ + zeroed_ * width, (end - zeroed_) * width, T{0});
    zeroed_ = std::max(zeroed_, end);
  }

  const PoolShape& shape_;
  T* gradient_;
  int64_t zeroed_ = 0;
};

}  // namespace wick::runtime
