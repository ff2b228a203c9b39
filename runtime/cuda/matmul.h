#pragma once

// Matrix products on a GPU, by cuBLASLt.

#include <cstddef>
#include <mutex>

#include "wick/runtime/cuda/matmul_descriptors.h"
#include "wick/runtime/cuda/stream.h"
#include "wick/runtime/cuda/strided_runs.h"
#include "wick/runtime/cuda/way_trial.h"

namespace wick::runtime::cuda {

struct MatmulSpec {
  MatmulShape shape;
  DType dtype = DType::f32;  // of operands and result; sums are kept in f32, of f64 in f64
  Epilogue epilogue = Epilogue::none;
  /// Lets f32 be rounded to 10 bits of mantissa before it is multiplied, some eight times faster.
  bool tf32 = false;
};

/// Addresses on the device, each aligned to Matmul::kAlignment.
struct MatmulArguments {
  const void* lhs = nullptr;
  const void* rhs = nullptr;
  void* result = nullptr;
  void* bias = nullptr;  // n elements, where the epilogue reads or makes a vector
  void* aux = nullptr;   // aux_bytes(), where the epilogue reads or makes one
  void* workspace = nullptr;
};

/// A product at one shape, ready to be enqueued. The same shape gives the same bits each time.
/// Thread-safe.
class Matmul {
 public:
  static constexpr size_t kAlignment = 64;

  /// By the algorithm that the trial finds to be the fastest, else by cuBLASLt's first. `blas`
  /// outlives it. Throws NotSupported where cuBLASLt does not have such a product.
  Matmul(Blas& blas, const MatmulSpec& spec, const WayTrial* trial = nullptr);

  [[nodiscard]] size_t workspace_bytes() const { return algorithm_.workspace_bytes; }

  /// Of what a forward epilogue keeps for the backward one; 0 without.
  [[nodiscard]] size_t aux_bytes() const;

  void enqueue(const Stream& stream, const MatmulArguments& arguments) const;

  /// The same for a call of a plan, whose third operand is the bias if it has one.
  void enqueue(const Stream& stream, const CallAddresses& addresses) const;

 private:
  MatmulAlgorithm choose(const WayTrial* trial);
  void multiply(const Stream& stream, const MatmulArguments& arguments, size_t run) const;
  [[nodiscard]] bool is_empty() const;
  [[nodiscard]] size_t aux_bytes_of_run() const;

  Blas& blas_;
  StridedRuns runs_;
  StridedProduct product_;  // one run
  MatmulAlgorithm algorithm_;
  mutable std::mutex mutex_;  // the operation holds the addresses of bias and aux during a call
  std::unique_ptr<MatmulDescriptors> descriptors_;  // null where there is nothing to multiply
};

}  // namespace wick::runtime::cuda
