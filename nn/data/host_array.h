#pragma once

// Values as data sets hand them on: plain memory on the host, cheap to slice along the first axis.

#include <cstddef>
#include <span>
#include <vector>

#include "wick/runtime/buffer.h"
#include "wick/tensor/ops.h"
#include "wick/tensor/tensor.h"

namespace wick::data {

/// A dense row-major array. Copies share memory. Whoever fills a fresh array writes to it before
/// sharing it; afterwards it is only read.
class HostArray {
 public:
  HostArray() = default;
  /// Uninitialized, from the memory manager.
  explicit HostArray(Type type, Where where = Where::current());

  /// Copies `values`, whose number must be that of `shape`.
  template <typename T>
  static HostArray copy(std::span<const T> values, Shape shape, Where where = Where::current()) {
    return copy_bytes(std::as_bytes(values), {dtype_of<T>(), std::move(shape)}, where);
  }

  template <typename T>
  static HostArray copy(const std::vector<T>& values, Shape shape, Where where = Where::current()) {
    return copy(std::span<const T>(values), std::move(shape), where);
  }

  static HostArray copy_bytes(std::span<const std::byte> bytes, Type type, Where where);

  [[nodiscard]] const Type& type() const { return type_; }

  [[nodiscard]] const Shape& shape() const { return type_.shape; }

  [[nodiscard]] std::span<const std::byte> bytes() const { return {begin_, type_.num_bytes()}; }

  [[nodiscard]] std::span<std::byte> mutable_bytes() { return {begin_, type_.num_bytes()}; }

  /// The elements; T must store the dtype.
  template <typename T>
  [[nodiscard]] std::span<const T> values() const {
    check_dtype(dtype_of<T>());
    return {reinterpret_cast<const T*>(begin_), static_cast<size_t>(type_.numel())};
  }

  template <typename T>
  [[nodiscard]] std::span<T> mutable_values() {
    check_dtype(dtype_of<T>());
    return {reinterpret_cast<T*>(begin_), static_cast<size_t>(type_.numel())};
  }

  /// Position `index` of the first axis, without copying.
  [[nodiscard]] HostArray row(int64_t index) const;

  /// A tensor over the same memory, without copying.
  [[nodiscard]] Tensor to_tensor(Where where = Where::current()) const;

 private:
  void check_dtype(DType wanted) const;

  Type type_;
  Ref<runtime::Buffer> buffer_;
  std::byte* begin_ = nullptr;
};

/// The fields of one example or one batch, such as image and label.
using Sample = std::vector<HostArray>;

/// Every field as a tensor.
std::vector<Tensor> to_tensors(const Sample& sample, Where where = Where::current());

}  // namespace wick::data
