#pragma once

// A product in cuBLASLt's words.
//
// cuBLASLt thinks column by column: what Wick stores as rows of m x n is n x m to it. So instead of
// result = lhs * rhs it is asked for result' = rhs' * lhs', where nothing has to be moved: its A is
// our rhs, its B our lhs, and its bias, a vector over the rows of the result, lies over our
// columns.

#include <memory>

#include "wick/runtime/cuda/blas.h"

namespace wick::runtime::cuda {

/// Owns a descriptor of cuBLASLt.
template <typename Opaque>
struct DestroyDescriptor {
  const ApiFunction<cublasStatus_t(Opaque*)>* destroy = nullptr;

  void operator()(Opaque* descriptor) const { (*destroy)(descriptor); }
};

template <typename Opaque>
using Descriptor = std::unique_ptr<Opaque, DestroyDescriptor<Opaque>>;

/// Describes operands and result. Not thread-safe.
class MatmulDescriptors {
 public:
  MatmulDescriptors(const Blas& blas, const StridedProduct& product);

  /// Where the epilogue finds its vector and its aux.
  void set_bias(const void* bias);
  void set_aux(const void* aux);

  [[nodiscard]] cublasLtMatmulDesc_t operation() const { return operation_.get(); }

  [[nodiscard]] cublasLtMatrixLayout_t lhs() const { return lhs_.get(); }

  [[nodiscard]] cublasLtMatrixLayout_t rhs() const { return rhs_.get(); }

  [[nodiscard]] cublasLtMatrixLayout_t result() const { return result_.get(); }

  /// Up to `most` that give the same bits each time, in cuBLASLt's own order. Throws NotSupported
  /// where it has none.
  [[nodiscard]] std::vector<MatmulAlgorithm> algorithms(size_t most) const;

 private:
  using Operation = Descriptor<cublasLtMatmulDescOpaque_t>;
  using Layout = Descriptor<cublasLtMatrixLayoutOpaque_t>;
  using Preference = Descriptor<cublasLtMatmulPreferenceOpaque_t>;

  template <typename Value>
  void set(cublasLtMatmulDescAttributes_t attribute, Value value);
  [[nodiscard]] Operation make_operation() const;
  void describe_operation();
  void describe_epilogue();
  /// Of a matrix stored as `rows` rows of `columns`.
  [[nodiscard]] Layout make_layout(int64_t rows, int64_t columns, int64_t stride) const;
  [[nodiscard]] Preference make_preference() const;

  const Blas& blas_;
  StridedProduct product_;
  Operation operation_;
  Layout lhs_;
  Layout rhs_;
  Layout result_;
};

}  // namespace wick::runtime::cuda
