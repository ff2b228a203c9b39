#include "wick/runtime/cuda/matmul_descriptors.h"

#include <fmt/format.h>

#include "wick/runtime/cuda/not_supported.h"

namespace wick::runtime::cuda {
namespace {

constexpr auto kDescribing = "describing a matmul";

/// Enough for the split-k algorithms of sm_90.
constexpr uint64_t kLargestWorkspace = uint64_t{32} << 20U;

struct MatmulTypes {
  cudaDataType_t elements;
  cudaDataType_t scale;  // of alpha and beta
  cublasComputeType_t compute;
};

MatmulTypes types_of(const Device& device, DType dtype, bool tf32) {
  switch (dtype) {
    case DType::f32:
      return {CUDA_R_32F, CUDA_R_32F, tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F};
    case DType::f64:
      return {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F};
    case DType::f16:
      return {CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F};
    case DType::bf16:
      return {CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F};
    default:
      throw NotSupported(
          {}, device.name(), fmt::format("cuBLASLt multiplies no {}", to_string(dtype)));
  }
}

/// For what cuBLASLt only looks at the alignment of.
const void* placeholder(uintptr_t alignment) {
  return reinterpret_cast<const void*>(alignment);
}

}  // namespace

MatmulDescriptors::MatmulDescriptors(const Blas& blas, const StridedProduct& product)
    : blas_(blas),
      product_(product),
      operation_(make_operation()),
      lhs_(product.transpose_lhs ? make_layout(product.k, product.m, product.lhs_stride)
                                 : make_layout(product.m, product.k, product.lhs_stride)),
      rhs_(product.transpose_rhs ? make_layout(product.n, product.k, product.rhs_stride)
                                 : make_layout(product.k, product.n, product.rhs_stride)),
      result_(make_layout(product.m, product.n, product.m * product.n)) {
  describe_operation();
  describe_epilogue();
}

MatmulDescriptors::Operation MatmulDescriptors::make_operation() const {
  const MatmulTypes types = types_of(blas_.device(), product_.dtype, product_.tf32);
  cublasLtMatmulDesc_t operation = nullptr;
  blas_.call(
      kDescribing, blas_.api().cublasLtMatmulDescCreate, &operation, types.compute, types.scale);
  return Operation(operation, {&blas_.api().cublasLtMatmulDescDestroy});
}

MatmulDescriptors::Layout MatmulDescriptors::make_layout(int64_t rows,
                                                         int64_t columns,
                                                         int64_t stride) const {
  const CublasLtApi& api = blas_.api();
  cublasLtMatrixLayout_t made = nullptr;
  blas_.call(kDescribing,
             api.cublasLtMatrixLayoutCreate,
             &made,
             types_of(blas_.device(), product_.dtype, product_.tf32).elements,
             static_cast<uint64_t>(columns),
             static_cast<uint64_t>(rows),
             columns);
  Layout layout(made, {&api.cublasLtMatrixLayoutDestroy});
  if (product_.batch == 1) return layout;
  const auto count = static_cast<int32_t>(product_.batch);
  const auto set_layout = [&](cublasLtMatrixLayoutAttribute_t attribute, const auto& value) {
    blas_.call(kDescribing,
               api.cublasLtMatrixLayoutSetAttribute,
               layout.get(),
               attribute,
               static_cast<const void*>(&value),
               sizeof value);
  };
  set_layout(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, count);
  set_layout(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride);
  return layout;
}

template <typename Value>
void MatmulDescriptors::set(cublasLtMatmulDescAttributes_t attribute, Value value) {
  blas_.call(kDescribing,
             blas_.api().cublasLtMatmulDescSetAttribute,
             operation_.get(),
             attribute,
             static_cast<const void*>(&value),
             sizeof value);
}

void MatmulDescriptors::describe_operation() {
  set(CUBLASLT_MATMUL_DESC_TRANSA, product_.transpose_rhs ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(CUBLASLT_MATMUL_DESC_TRANSB, product_.transpose_lhs ? CUBLAS_OP_T : CUBLAS_OP_N);
}

void MatmulDescriptors::describe_epilogue() {
  const EpilogueTraits& epilogue = traits_of(product_.epilogue);
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue.code);
  if (epilogue.has_bias || epilogue.makes_sum) set_bias(placeholder(64));
  if (epilogue.aux == AuxKind::none) return;
  const int64_t row = aux_row(epilogue.aux, product_.n);
  set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, row);
  if (product_.batch > 1) {
    set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, row * product_.m);
  }
  set_aux(placeholder(16));  // what every run of a batch has
}

void MatmulDescriptors::set_bias(const void* bias) {
  set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
}

void MatmulDescriptors::set_aux(const void* aux) {
  set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, aux);
}

MatmulDescriptors::Preference MatmulDescriptors::make_preference() const {
  const CublasLtApi& api = blas_.api();
  cublasLtMatmulPreference_t made = nullptr;
  blas_.call(kDescribing, api.cublasLtMatmulPreferenceCreate, &made);
  Preference preference(made, {&api.cublasLtMatmulPreferenceDestroy});
  const auto set_preference = [&](cublasLtMatmulPreferenceAttributes_t attribute,
                                  const auto& value) {
    blas_.call(kDescribing,
               api.cublasLtMatmulPreferenceSetAttribute,
               preference.get(),
               attribute,
               static_cast<const void*>(&value),
               sizeof value);
  };
  set_preference(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kLargestWorkspace);
  // Parts of a sum over k that are added in the result itself come in the order in which blocks
  // happen to finish; those in the workspace are added in one order.
  set_preference(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                 uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
  set_preference(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, product_.rhs_alignment);
  set_preference(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, product_.lhs_alignment);
  set_preference(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, product_.result_alignment);
  set_preference(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, product_.result_alignment);
  return preference;
}

std::vector<MatmulAlgorithm> MatmulDescriptors::algorithms(size_t most) const {
  const Preference preference = make_preference();
  std::vector<cublasLtMatmulHeuristicResult_t> choices(most);
  int found = 0;
  const std::string doing = fmt::format("choosing an algorithm for a matmul of {} {} x {} x {}",
                                        to_string(product_.dtype),
                                        product_.m,
                                        product_.k,
                                        product_.n);
  blas_.call(doing,
             blas_.api().cublasLtMatmulAlgoGetHeuristic,
             blas_.handle(),
             operation_.get(),
             rhs_.get(),
             lhs_.get(),
             result_.get(),
             result_.get(),
             preference.get(),
             static_cast<int>(most),
             choices.data(),
             &found);
  std::vector<MatmulAlgorithm> algorithms;
  for (int i = 0; i < found; ++i) {
    const cublasLtMatmulHeuristicResult_t& choice = choices[static_cast<size_t>(i)];
    if (choice.state == CUBLAS_STATUS_SUCCESS)
      algorithms.push_back({choice.algo, choice.workspaceSize});
  }
  if (algorithms.empty()) {
    const std::string_view epilogue = traits_of(product_.epilogue).name;
    throw NotSupported(
        {}, blas_.device().name(), fmt::format("{}: none with epilogue {}", doing, epilogue));
  }
  return algorithms;
}

}  // namespace wick::runtime::cuda
