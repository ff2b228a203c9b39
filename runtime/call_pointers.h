#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace wick::runtime {

/// Pointers for one call; few ones need no memory from the heap.
template <typename T>
class CallPointers {
 public:
  explicit CallPointers(size_t count) {
    if (count <= few_.size()) return;
    many_.resize(count);
    data_ = many_.data();
  }

  CallPointers(const CallPointers&) = delete;
  CallPointers& operator=(const CallPointers&) = delete;
  ~CallPointers() = default;

  T& operator[](size_t i) { return data_[i]; }

  [[nodiscard]] T* data() { return data_; }

 private:
  std::array<T, 32> few_;
  std::vector<T> many_;
  T* data_ = few_.data();
};

}  // namespace wick::runtime
