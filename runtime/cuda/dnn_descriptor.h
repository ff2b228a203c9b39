#pragma once

// Descriptors, of which cuDNN's graph API is made: tensors, operations, graphs of them, engines,
// plans. Each is created, gets attributes and is finalized; then it does not change any more.

#include <span>
#include <vector>

#include "wick/runtime/cuda/dnn.h"

namespace wick::runtime::cuda {

/// How an attribute of this C++ type is passed.
template <typename Value>
inline constexpr cudnnBackendAttributeType_t kAttributeType = CUDNN_TYPE_INT64;
template <>
inline constexpr auto kAttributeType<bool> = CUDNN_TYPE_BOOLEAN;
template <>
inline constexpr auto kAttributeType<float> = CUDNN_TYPE_FLOAT;
template <>
inline constexpr auto kAttributeType<double> = CUDNN_TYPE_DOUBLE;
template <>
inline constexpr auto kAttributeType<cudnnHandle_t> = CUDNN_TYPE_HANDLE;
template <>
inline constexpr auto kAttributeType<cudnnDataType_t> = CUDNN_TYPE_DATA_TYPE;
template <>
inline constexpr auto kAttributeType<cudnnConvolutionMode_t> = CUDNN_TYPE_CONVOLUTION_MODE;
template <>
inline constexpr auto kAttributeType<cudnnBackendHeurMode_t> = CUDNN_TYPE_HEUR_MODE;
template <>
inline constexpr auto kAttributeType<cudnnBackendNumericalNote_t> = CUDNN_TYPE_NUMERICAL_NOTE;
template <>
inline constexpr auto kAttributeType<void*> = CUDNN_TYPE_VOID_PTR;

/// Owns one. `Dnn` outlives it, and what it refers to lives as long as it does. All members throw
/// what Dnn::call throws.
class DnnDescriptor {
 public:
  DnnDescriptor(const Dnn& dnn, cudnnBackendDescriptorType_t type);
  DnnDescriptor(DnnDescriptor&& other) noexcept;
  DnnDescriptor& operator=(DnnDescriptor&&) = delete;
  ~DnnDescriptor();

  [[nodiscard]] cudnnBackendDescriptor_t handle() const { return handle_; }

  template <typename Value>
  DnnDescriptor& set(cudnnBackendAttributeName_t name, const Value& value) {
    return set_raw(name, kAttributeType<Value>, 1, &value);
  }

  template <typename Value>
  DnnDescriptor& set_all(cudnnBackendAttributeName_t name, std::span<const Value> values) {
    return set_raw(name, kAttributeType<Value>, static_cast<int64_t>(values.size()), values.data());
  }

  DnnDescriptor& set(cudnnBackendAttributeName_t name, const DnnDescriptor& part) {
    return set_raw(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &part.handle_);
  }

  void finalize();
  /// The same as an answer: false where cuDNN has nothing of the kind.
  [[nodiscard]] bool try_finalize();

  [[nodiscard]] int64_t integer(cudnnBackendAttributeName_t name) const;
  [[nodiscard]] std::vector<cudnnBackendNumericalNote_t> notes(
      cudnnBackendAttributeName_t name) const;
  /// A part, as a descriptor of its own.
  [[nodiscard]] DnnDescriptor part(cudnnBackendAttributeName_t name,
                                   cudnnBackendDescriptorType_t type) const;
  [[nodiscard]] std::vector<DnnDescriptor> parts(cudnnBackendAttributeName_t name,
                                                 cudnnBackendDescriptorType_t type) const;

 private:
  DnnDescriptor& set_raw(cudnnBackendAttributeName_t name,
                         cudnnBackendAttributeType_t type,
                         int64_t count,
                         const void* values);
  /// Writes up to `wanted` elements and gives how many there are.
  int64_t get(cudnnBackendAttributeName_t name,
              cudnnBackendAttributeType_t type,
              int64_t wanted,
              void* values) const;

  const Dnn* dnn_;
  cudnnBackendDescriptor_t handle_ = nullptr;
};

}  // namespace wick::runtime::cuda
