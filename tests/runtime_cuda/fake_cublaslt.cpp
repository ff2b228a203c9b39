#include "runtime_cuda/fake_cublaslt.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "wick/ir/dtype.h"

namespace wick::runtime::cuda {
namespace {

FakeCublasLt* current = nullptr;

uint64_t at_or(const std::map<int, uint64_t>& attributes, int key, uint64_t otherwise) {
  const auto found = attributes.find(key);
  return found == attributes.end() ? otherwise : found->second;
}

float gelu(float x) {
  return 0.5F * x * (1 + std::tanh(0.7978845608F * (x + 0.044715F * x * x * x)));
}

float gelu_derivative(float x) {
  const float inner = std::tanh(0.7978845608F * (x + 0.044715F * x * x * x));
  return 0.5F * (1 + inner) +
         0.5F * x * (1 - inner * inner) * 0.7978845608F * (1 + 3 * 0.044715F * x * x);
}

bool get_bit(const uint8_t* bits, uint64_t index) {
  return (bits[index / 8] >> (index % 8) & 1U) != 0;
}

void put_bit(uint8_t* bits, uint64_t index, bool value) {
  bits[index / 8] &= static_cast<uint8_t>(~(1U << (index % 8)));
  bits[index / 8] |= static_cast<uint8_t>(value ? 1U << (index % 8) : 0U);
}

/// What follows the product of one element, by the bits that make up cublasLtEpilogue_t. Vector and
/// aux are of the result's dtype.
template <typename T>
class EpilogueState {
 public:
  explicit EpilogueState(const std::map<int, uint64_t>& operation)
      : code_(operation.at(CUBLASLT_MATMUL_DESC_EPILOGUE)),
        vector_(reinterpret_cast<T*>(at_or(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, 0))),
        aux_(at_or(operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, 0)),
        aux_leading_(at_or(operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, 0)),
        aux_stride_(at_or(operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, 0)) {}

  void clear_sums(uint64_t rows) const {
    if (has(kSumsResult) || sums_a()) std::fill_n(vector_, rows, static_cast<T>(0.0F));
  }

  [[nodiscard]] bool sums_a() const { return has(CUBLASLT_EPILOGUE_BGRADA); }

  void add_to_sum(uint64_t row, float value) const {
    vector_[row] = static_cast<T>(static_cast<float>(vector_[row]) + value);
  }

  [[nodiscard]] float apply(float z, uint64_t product, uint64_t row, uint64_t column) const {
    const uint64_t at = product * aux_stride_ + row + column * aux_leading_;
    if (has(CUBLASLT_EPILOGUE_BIAS)) z += static_cast<float>(vector_[row]);
    if (has(CUBLASLT_EPILOGUE_RELU)) {
      if (has(kAux)) put_bit(bits(), at, z > 0);
      z = std::max(z, 0.0F);
    }
    if (has(CUBLASLT_EPILOGUE_GELU)) {
      if (has(kAux)) values()[at] = static_cast<T>(z);
      z = gelu(z);
    }
    if (has(kReluGradient)) z = get_bit(bits(), at) ? z : 0;
    if (has(kGeluGradient)) z *= gelu_derivative(static_cast<float>(values()[at]));
    if (has(kSumsResult)) add_to_sum(row, z);
    return z;
  }

 private:
  static constexpr uint64_t kReluGradient = 8;
  static constexpr uint64_t kSumsResult = 16;
  static constexpr uint64_t kGeluGradient = 64;
  static constexpr uint64_t kAux = 128;

  [[nodiscard]] bool has(uint64_t flag) const { return (code_ & flag) != 0; }

  [[nodiscard]] uint8_t* bits() const { return reinterpret_cast<uint8_t*>(aux_); }

  [[nodiscard]] T* values() const { return reinterpret_cast<T*>(aux_); }

  uint64_t code_;
  T* vector_;
  uint64_t aux_;
  uint64_t aux_leading_;
  uint64_t aux_stride_;
};

/// A matrix as cuBLASLt sees it: column by column.
template <typename T>
struct Matrix {
  T* data;
  uint64_t rows;
  uint64_t columns;
  uint64_t leading;
  uint64_t stride;  // from one of the batch to the next

  [[nodiscard]] T& at(uint64_t product, uint64_t row, uint64_t column) const {
    return data[product * stride + row + column * leading];
  }
};

/// Sums are kept in f32, of f64 in f64, which has no epilogues.
template <typename T>
void multiply(const std::map<int, uint64_t>& operation,
              const Matrix<T>& a,
              const Matrix<T>& b,
              const Matrix<T>& d,
              uint64_t batch) {
  using Sum = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const bool transpose_a = operation.at(CUBLASLT_MATMUL_DESC_TRANSA) == CUBLAS_OP_T;
  const bool transpose_b = operation.at(CUBLASLT_MATMUL_DESC_TRANSB) == CUBLAS_OP_T;
  const uint64_t inner = transpose_a ? a.rows : a.columns;
  const EpilogueState<T> epilogue(operation);
  epilogue.clear_sums(d.rows);
  const auto element = [&](uint64_t product, uint64_t row, uint64_t column) {
    Sum z = 0;
    for (uint64_t k = 0; k < inner; ++k) {
      const auto left =
          static_cast<Sum>(transpose_a ? a.at(product, k, row) : a.at(product, row, k));
      const auto right =
          static_cast<Sum>(transpose_b ? b.at(product, column, k) : b.at(product, k, column));
      z += left * right;
      if (epilogue.sums_a() && column == 0) epilogue.add_to_sum(row, static_cast<float>(left));
    }
    if constexpr (!std::is_same_v<T, double>) z = epilogue.apply(z, product, row, column);
    return static_cast<T>(z);
  };
  for (uint64_t product = 0; product < batch; ++product) {
    for (uint64_t column = 0; column < d.columns; ++column) {
      for (uint64_t row = 0; row < d.rows; ++row)
        d.at(product, row, column) = element(product, row, column);
    }
  }
}

constexpr int kRows = CUBLASLT_MATRIX_LAYOUT_ROWS;
constexpr int kColumns = CUBLASLT_MATRIX_LAYOUT_COLS;
constexpr int kLeading = CUBLASLT_MATRIX_LAYOUT_LD;
constexpr int kType = CUBLASLT_MATRIX_LAYOUT_TYPE;
constexpr int kBatch = CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT;
constexpr int kStride = CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET;

template <typename T>
Matrix<T> matrix(const std::map<int, uint64_t>& layout, const void* data) {
  return {static_cast<T*>(const_cast<void*>(data)),
          layout.at(kRows),
          layout.at(kColumns),
          layout.at(kLeading),
          at_or(layout, kStride, 0)};
}

}  // namespace

FakeCublasLt::FakeCublasLt(FakeDriver& driver) : driver_(driver) {
  current = this;
  fill_descriptors();
  fill_calls();
}

FakeCublasLt::~FakeCublasLt() {
  current = nullptr;
}

template <typename Opaque>
Opaque* FakeCublasLt::make(Attributes attributes) {
  auto* descriptor = new Opaque;  // NOLINT(cppcoreguidelines-owning-memory)
  attributes_[descriptor] = std::move(attributes);
  return descriptor;
}

template <typename Opaque>
cublasStatus_t FakeCublasLt::destroy(Opaque* descriptor) {
  attributes_.erase(descriptor);
  delete descriptor;  // NOLINT(cppcoreguidelines-owning-memory)
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t FakeCublasLt::set(const void* descriptor,
                                 int attribute,
                                 const void* value,
                                 size_t bytes) {
  if (bytes > sizeof(uint64_t)) return CUBLAS_STATUS_INVALID_VALUE;
  uint64_t bits = 0;
  std::memcpy(&bits, value, bytes);
  attributes_.at(descriptor)[attribute] = bits;
  return CUBLAS_STATUS_SUCCESS;
}

void FakeCublasLt::fill_descriptors() {
  api_.cublasLtMatmulDescCreate.point_to(
      [](cublasLtMatmulDesc_t* made, cublasComputeType_t compute, cudaDataType_t scale) {
        *made = current->make<cublasLtMatmulDescOpaque_t>(
            {{CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, static_cast<uint64_t>(compute)},
             {CUBLASLT_MATMUL_DESC_SCALE_TYPE, static_cast<uint64_t>(scale)}});
        return CUBLAS_STATUS_SUCCESS;
      });
  api_.cublasLtMatmulDescDestroy.point_to(
      [](cublasLtMatmulDesc_t descriptor) { return current->destroy(descriptor); });
  api_.cublasLtMatmulDescSetAttribute.point_to(
      [](cublasLtMatmulDesc_t descriptor,
         cublasLtMatmulDescAttributes_t attribute,
         const void* value,
         size_t bytes) { return current->set(descriptor, attribute, value, bytes); });
  api_.cublasLtMatrixLayoutCreate.point_to([](cublasLtMatrixLayout_t* made,
                                              cudaDataType type,
                                              uint64_t rows,
                                              uint64_t columns,
                                              int64_t leading) {
    *made =
        current->make<cublasLtMatrixLayoutOpaque_t>({{kType, static_cast<uint64_t>(type)},
                                                     {kRows, rows},
                                                     {kColumns, columns},
                                                     {kLeading, static_cast<uint64_t>(leading)}});
    return CUBLAS_STATUS_SUCCESS;
  });
  api_.cublasLtMatrixLayoutDestroy.point_to(
      [](cublasLtMatrixLayout_t layout) { return current->destroy(layout); });
  api_.cublasLtMatrixLayoutSetAttribute.point_to(
      [](cublasLtMatrixLayout_t layout,
         cublasLtMatrixLayoutAttribute_t attribute,
         const void* value,
         size_t bytes) { return current->set(layout, attribute, value, bytes); });
  api_.cublasLtMatmulPreferenceCreate.point_to([](cublasLtMatmulPreference_t* made) {
    *made = current->make<cublasLtMatmulPreferenceOpaque_t>({});
    return CUBLAS_STATUS_SUCCESS;
  });
  api_.cublasLtMatmulPreferenceDestroy.point_to(
      [](cublasLtMatmulPreference_t preference) { return current->destroy(preference); });
  api_.cublasLtMatmulPreferenceSetAttribute.point_to(
      [](cublasLtMatmulPreference_t preference,
         cublasLtMatmulPreferenceAttributes_t attribute,
         const void* value,
         size_t bytes) { return current->set(preference, attribute, value, bytes); });
}

void FakeCublasLt::fill_calls() {
  api_.cublasLtCreate.point_to([](cublasLtHandle_t* handle) {
    *handle = reinterpret_cast<cublasLtHandle_t>(current);
    return CUBLAS_STATUS_SUCCESS;
  });
  api_.cublasLtDestroy.point_to([](cublasLtHandle_t) { return CUBLAS_STATUS_SUCCESS; });
  api_.cublasLtGetVersion.point_to([]() -> size_t { return CUBLAS_VERSION; });
  api_.cublasLtGetStatusName.point_to(
      [](cublasStatus_t) -> const char* { return "CUBLAS_STATUS_NOT_SUPPORTED"; });
  api_.cublasLtGetStatusString.point_to([](cublasStatus_t) -> const char* { return "as told"; });
  api_.cublasLtMatmulAlgoGetHeuristic.point_to([](cublasLtHandle_t,
                                                  cublasLtMatmulDesc_t operation,
                                                  cublasLtMatrixLayout_t a,
                                                  cublasLtMatrixLayout_t b,
                                                  cublasLtMatrixLayout_t /*c*/,
                                                  cublasLtMatrixLayout_t d,
                                                  cublasLtMatmulPreference_t preference,
                                                  int wanted,
                                                  cublasLtMatmulHeuristicResult_t* results,
                                                  int* found) {
    const auto& attributes = current->attributes_;
    current->last_search_ = {attributes.at(operation),
                             attributes.at(a),
                             attributes.at(b),
                             attributes.at(d),
                             attributes.at(preference)};
    ++current->num_searches_;
    const int known = current->finds_ ? static_cast<int>(current->costs_.size()) : 0;
    *found = std::min(wanted, known);
    for (int i = 0; i < *found; ++i) {
      results[i].algo.data[0] = static_cast<uint64_t>(i);
      results[i].state = CUBLAS_STATUS_SUCCESS;
      results[i].workspaceSize = current->workspace_bytes_;
    }
    return current->search_status_;
  });
  api_.cublasLtMatmul.point_to([](cublasLtHandle_t,
                                  cublasLtMatmulDesc_t operation,
                                  const void* alpha,
                                  const void* a,
                                  cublasLtMatrixLayout_t a_layout,
                                  const void* b,
                                  cublasLtMatrixLayout_t b_layout,
                                  const void* beta,
                                  const void* /*c*/,
                                  cublasLtMatrixLayout_t /*c_layout*/,
                                  void* d,
                                  cublasLtMatrixLayout_t d_layout,
                                  const cublasLtMatmulAlgo_t* algorithm,
                                  void* workspace,
                                  size_t workspace_bytes,
                                  cudaStream_t stream) {
    FakeDriver& driver = current->driver_;
    driver.record(fmt::format("cublasLtMatmul {} <- {} {}, workspace {} of {} bytes, {}",
                              driver.name_of(d),
                              driver.name_of(a),
                              driver.name_of(b),
                              driver.name_of(workspace),
                              workspace_bytes,
                              driver.name_of_object(stream)));
    if (current->matmul_status_ != CUBLAS_STATUS_SUCCESS) return current->matmul_status_;
    current->last_algorithm_ = algorithm->data[0];
    for (int i = 1; i < current->costs_.at(current->last_algorithm_); ++i)
      driver.enqueue(stream, [] {});
    const auto& known = current->attributes_;
    const auto enqueue = [&]<typename T>() {
      driver.enqueue(stream,
                     [operation = known.at(operation),
                      left = matrix<T>(known.at(a_layout), a),
                      right = matrix<T>(known.at(b_layout), b),
                      result = matrix<T>(known.at(d_layout), d),
                      batch = at_or(known.at(a_layout), kBatch, 1)] {
                       multiply(operation, left, right, result, batch);
                     });
    };
    const auto is_one = [](auto factor, auto addend) { return factor == 1 && addend == 0; };
    const auto type = static_cast<cudaDataType>(known.at(a_layout).at(kType));
    const bool is_plain =
        type == CUDA_R_64F
            ? is_one(*static_cast<const double*>(alpha), *static_cast<const double*>(beta))
            : is_one(*static_cast<const float*>(alpha), *static_cast<const float*>(beta));
    if (!is_plain) return CUBLAS_STATUS_NOT_SUPPORTED;
    switch (type) {
      case CUDA_R_32F:
        enqueue.operator()<float>();
        break;
      case CUDA_R_64F:
        enqueue.operator()<double>();
        break;
      case CUDA_R_16F:
        enqueue.operator()<Half>();
        break;
      case CUDA_R_16BF:
        enqueue.operator()<BFloat16>();
        break;
      default:
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    return CUBLAS_STATUS_SUCCESS;
  });
}

}  // namespace wick::runtime::cuda
