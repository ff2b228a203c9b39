#pragma once

// cuDNN for tests without a GPU: it keeps descriptors as the graph API says, offers the engines
// that a test names, and computes convolutions in f32 on the fake driver's streams.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime_cuda/fake_driver.h"

#include "wick/runtime/cuda/cudnn.h"

namespace wick::runtime::cuda {

struct FakeEngine {
  std::string name;
  std::vector<cudnnBackendNumericalNote_t> notes;
  int64_t workspace_bytes = 0;
  bool works = true;     // makes a plan on this device
  bool executes = true;  // and its plan can be enqueued
  int cost = 1;          // of the time that one does
};

/// One at a time, as its driver.
class FakeCudnn {
 public:
  explicit FakeCudnn(FakeDriver& driver);
  FakeCudnn(const FakeCudnn&) = delete;
  FakeCudnn& operator=(const FakeCudnn&) = delete;
  ~FakeCudnn();

  [[nodiscard]] const CudnnApi& api() const { return api_; }

  /// Engines of heuristic mode A, best first, and of the fallback mode.
  void set_engines(std::vector<FakeEngine> best, std::vector<FakeEngine> fallback = {});

  [[nodiscard]] int num_live_descriptors() const { return static_cast<int>(descriptors_.size()); }

  /// Tensors of other dtypes are refused: what convolves here knows none.
  void support_f32_alone() { supports_f32_alone_ = true; }

  void fail_next(cudnnStatus_t status) { next_status_ = status; }

  struct Descriptor {
    cudnnBackendDescriptorType_t type{};
    bool finalized = false;
    std::map<int, std::vector<int64_t>> values;  // addresses and enumerators too
    std::map<int, std::vector<double>> numbers;
    std::map<int, std::vector<Descriptor>> parts;  // copies: what is finalized does not change
    FakeEngine engine;                             // of an engine and of what is made from one
    std::shared_ptr<const Descriptor> operation;   // that the engine was found for
  };

 private:
  cudnnStatus_t set(Descriptor& descriptor,
                    int name,
                    cudnnBackendAttributeType_t type,
                    int64_t count,
                    const void* values);
  cudnnStatus_t get(
      const Descriptor& descriptor, int name, int64_t wanted, int64_t* count, void* values);
  cudnnStatus_t finalize(Descriptor& descriptor);
  cudnnStatus_t execute(const Descriptor& plan, const Descriptor& pack);
  [[nodiscard]] Descriptor& at(cudnnBackendDescriptor_t handle) const;
  cudnnStatus_t outcome();

  FakeDriver& driver_;
  CudnnApi api_;
  std::map<const void*, std::unique_ptr<Descriptor>> descriptors_;
  std::map<int, std::vector<FakeEngine>> engines_;  // by heuristic mode
  CUstream stream_ = nullptr;
  bool supports_f32_alone_ = false;
  cudnnStatus_t next_status_ = CUDNN_STATUS_SUCCESS;
};

}  // namespace wick::runtime::cuda
