// Products in f32, computed by the fake as cuBLASLt's documentation says and compared with the
// definition in Wick's terms; and what cuBLASLt is told and asked for.

#include "wick/runtime/cuda/matmul.h"

#include <cmath>
#include <thread>

#include "runtime_cuda/error_text.h"
#include "runtime_cuda/fake_cublaslt.h"
#include <gtest/gtest.h>

#include "wick/runtime/cuda/not_supported.h"

namespace wick::runtime::cuda {
namespace {

using Values = std::vector<float>;

/// Small whole numbers of both signs, so that sums are exact in any order.
Values numbers(int64_t count, int seed) {
  Values values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>((i * 7 + seed) % 11 - 5));
  return values;
}

MatmulShape plain_shape(int64_t m, int64_t n, int64_t k) {
  return {.m = m, .n = n, .k = k, .lhs_offsets = {0}, .rhs_offsets = {0}};
}

Values reference(const MatmulShape& shape, const Values& lhs, const Values& rhs) {
  Values result;
  for (size_t b = 0; b < shape.lhs_offsets.size(); ++b) {
    for (int64_t i = 0; i < shape.m; ++i) {
      for (int64_t j = 0; j < shape.n; ++j) {
        float sum = 0;
        for (int64_t k = 0; k < shape.k; ++k) {
          const int64_t left = shape.transpose_lhs ? k * shape.m + i : i * shape.k + k;
          const int64_t right = shape.transpose_rhs ? j * shape.k + k : k * shape.n + j;
          sum += lhs[static_cast<size_t>(shape.lhs_offsets[b] + left)] *
                 rhs[static_cast<size_t>(shape.rhs_offsets[b] + right)];
        }
        result.push_back(sum);
      }
    }
  }
  return result;
}

class CudaMatmul : public testing::Test {
 protected:
  /// The result; `bias` and `aux` are read or written as the epilogue does.
  Values run(const MatmulSpec& spec,
             Values lhs,
             Values rhs,
             Values* bias = nullptr,
             std::vector<std::byte>* aux = nullptr) {
    const Matmul matmul(blas_, spec);
    if (aux != nullptr) aux->resize(matmul.aux_bytes());
    Values result(static_cast<size_t>(spec.shape.m * spec.shape.n * spec.shape.batch()), -1);
    matmul.enqueue(stream_,
                   {.lhs = lhs.data(),
                    .rhs = rhs.data(),
                    .result = result.data(),
                    .bias = bias == nullptr ? nullptr : bias->data(),
                    .aux = aux == nullptr ? nullptr : aux->data(),
                    .workspace = nullptr});
    stream_.synchronize();
    return result;
  }

  FakeDriver driver_;
  FakeCublasLt library_{driver_};
  Device device_{driver_.api(), 0};
  Stream stream_{device_};
  Blas blas_{device_, library_.api()};
  Values lhs_ = numbers(64, 1);
  Values rhs_ = numbers(64, 4);
};

TEST_F(CudaMatmul, MultipliesInAllFourTranspositions) {
  for (const bool transpose_lhs : {false, true}) {
    for (const bool transpose_rhs : {false, true}) {
      MatmulShape shape = plain_shape(3, 5, 4);
      shape.transpose_lhs = transpose_lhs;
      shape.transpose_rhs = transpose_rhs;

      EXPECT_EQ(run({.shape = shape}, lhs_, rhs_), reference(shape, lhs_, rhs_))
          << transpose_lhs << transpose_rhs;
    }
  }
}

TEST_F(CudaMatmul, ABatchIsOneCall) {
  MatmulShape shape = plain_shape(2, 3, 4);
  shape.lhs_offsets = {0, 8, 16};
  shape.rhs_offsets = {0, 0, 0};
  driver_.take_calls();

  EXPECT_EQ(run({.shape = shape}, lhs_, rhs_), reference(shape, lhs_, rhs_));

  EXPECT_EQ(driver_.take_calls().size(), 2U);  // the product and the wait
}

TEST_F(CudaMatmul, ABatchWithAnOperandBroadcastInsideIsACallForEachRun) {
  MatmulShape shape = plain_shape(2, 3, 4);
  shape.lhs_offsets = {0, 8, 16, 24, 32, 40};
  shape.rhs_offsets = {0, 0, 0, 12, 12, 12};
  driver_.take_calls();

  EXPECT_EQ(run({.shape = shape}, lhs_, rhs_), reference(shape, lhs_, rhs_));

  EXPECT_EQ(driver_.take_calls().size(), 3U);
}

TEST_F(CudaMatmul, ComputesF32InF32UnlessTf32IsAllowed) {
  const auto compute_type = [&](DType dtype, bool tf32) {
    const Matmul matmul(blas_, {.shape = plain_shape(8, 8, 8), .dtype = dtype, .tf32 = tf32});
    return library_.last_search().operation.at(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE);
  };

  EXPECT_EQ(compute_type(DType::f32, false), CUBLAS_COMPUTE_32F);
  EXPECT_EQ(compute_type(DType::f32, true), CUBLAS_COMPUTE_32F_FAST_TF32);
  EXPECT_EQ(compute_type(DType::f64, false), CUBLAS_COMPUTE_64F);
  EXPECT_EQ(compute_type(DType::f16, false), CUBLAS_COMPUTE_32F);
  EXPECT_EQ(compute_type(DType::bf16, false), CUBLAS_COMPUTE_32F);
}

TEST_F(CudaMatmul, DescribesRowsAsColumns) {
  MatmulShape shape = plain_shape(3, 5, 4);
  shape.transpose_rhs = true;  // stored 5 x 4

  const Matmul matmul(blas_, {.shape = shape, .dtype = DType::bf16});

  const FakeCublasLt::Search& search = library_.last_search();
  EXPECT_EQ(search.a.at(CUBLASLT_MATRIX_LAYOUT_ROWS), 4U);
  EXPECT_EQ(search.a.at(CUBLASLT_MATRIX_LAYOUT_COLS), 5U);
  EXPECT_EQ(search.a.at(CUBLASLT_MATRIX_LAYOUT_LD), 4U);
  EXPECT_EQ(search.a.at(CUBLASLT_MATRIX_LAYOUT_TYPE), CUDA_R_16BF);
  EXPECT_EQ(search.b.at(CUBLASLT_MATRIX_LAYOUT_ROWS), 4U);
  EXPECT_EQ(search.b.at(CUBLASLT_MATRIX_LAYOUT_COLS), 3U);
  EXPECT_EQ(search.d.at(CUBLASLT_MATRIX_LAYOUT_ROWS), 5U);
  EXPECT_EQ(search.d.at(CUBLASLT_MATRIX_LAYOUT_COLS), 3U);
  EXPECT_EQ(search.d.at(CUBLASLT_MATRIX_LAYOUT_LD), 5U);
  EXPECT_EQ(search.operation.at(CUBLASLT_MATMUL_DESC_TRANSA), CUBLAS_OP_T);
  EXPECT_EQ(search.operation.at(CUBLASLT_MATMUL_DESC_TRANSB), CUBLAS_OP_N);
}

TEST_F(CudaMatmul, ForbidsSumsWhoseOrderVaries) {
  const Matmul matmul(blas_, {.shape = plain_shape(8, 8, 8)});

  EXPECT_EQ(library_.last_search().preference.at(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK),
            CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
}

TEST_F(CudaMatmul, PromisesTheAlignmentThatEveryRunHas) {
  MatmulShape shape = plain_shape(1, 3, 4);
  shape.lhs_offsets = {0, 4, 8, 12, 16, 20};
  shape.rhs_offsets = {0, 0, 0, 12, 12, 12};

  const Matmul matmul(blas_, {.shape = shape});

  const auto& preference = library_.last_search().preference;
  EXPECT_EQ(preference.at(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES), 16U);  // rhs: 48 bytes on
  EXPECT_EQ(preference.at(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES), 16U);
  EXPECT_EQ(preference.at(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES), 4U);  // 36 bytes on
}

TEST_F(CudaMatmul, OneProductIsAsAlignedAsItsOperands) {
  const Matmul matmul(blas_, {.shape = plain_shape(1, 3, 4)});

  const auto& preference = library_.last_search().preference;
  EXPECT_EQ(preference.at(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES), Matmul::kAlignment);
  EXPECT_EQ(preference.at(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES), Matmul::kAlignment);
}

TEST_F(CudaMatmul, SearchesOnceForEachShape) {
  const Matmul first(blas_, {.shape = plain_shape(8, 8, 8)});
  const Matmul again(blas_, {.shape = plain_shape(8, 8, 8)});
  EXPECT_EQ(library_.num_searches(), 1);

  const Matmul taller(blas_, {.shape = plain_shape(9, 8, 8)});
  const Matmul with_bias(blas_, {.shape = plain_shape(8, 8, 8), .epilogue = Epilogue::bias});
  const Matmul halves(blas_, {.shape = plain_shape(8, 8, 8), .dtype = DType::f16});
  EXPECT_EQ(library_.num_searches(), 4);
}

TEST_F(CudaMatmul, WorksInTheWorkspaceThatItsAlgorithmAskedFor) {
  library_.set_workspace_bytes(4096);
  const Matmul matmul(blas_, {.shape = plain_shape(4, 4, 4)});
  ASSERT_EQ(matmul.workspace_bytes(), 4096U);
  CUdeviceptr workspace = 0;
  device_.call("testing", device_.api().cuMemAlloc, &workspace, size_t{4096});
  Values result(16);
  driver_.take_calls();

  matmul.enqueue(stream_,
                 {.lhs = lhs_.data(),
                  .rhs = rhs_.data(),
                  .result = result.data(),
                  .workspace = reinterpret_cast<void*>(workspace)});
  stream_.synchronize();

  EXPECT_EQ(driver_.take_calls().front(),
            "cublasLtMatmul host <- host host, workspace mem1 of 4096 bytes, stream1");
}

TEST_F(CudaMatmul, AnEmptySumIsZero) {
  driver_.take_calls();

  EXPECT_EQ(run({.shape = plain_shape(2, 3, 0)}, {}, {}), Values(6, 0));
  EXPECT_EQ(run({.shape = plain_shape(0, 3, 4)}, {}, rhs_), Values{});

  EXPECT_EQ(driver_.take_calls(),
            (std::vector<std::string>{"cuMemsetD8Async host <- 0, 24 bytes, stream1",
                                      "cuStreamSynchronize stream1",
                                      "cuStreamSynchronize stream1"}));
}

TEST_F(CudaMatmul, AddsTheBiasToEveryRow) {
  const MatmulShape shape = plain_shape(3, 5, 4);
  Values bias = numbers(5, 3);
  Values expected = reference(shape, lhs_, rhs_);
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] += bias[i % 5];

  EXPECT_EQ(run({.shape = shape, .epilogue = Epilogue::bias}, lhs_, rhs_, &bias), expected);
}

TEST_F(CudaMatmul, ReluKeepsWhatItsGradientNeeds) {
  MatmulShape shape = plain_shape(3, 5, 4);
  shape.lhs_offsets = {0, 12};
  shape.rhs_offsets = {0, 20};
  Values bias = numbers(5, 3);
  Values forward = reference(shape, lhs_, rhs_);
  for (size_t i = 0; i < forward.size(); ++i)
    forward[i] = std::max(forward[i] + bias[i % 5], 0.0F);
  Values backward = reference(shape, rhs_, lhs_);
  for (size_t i = 0; i < forward.size(); ++i)
    if (forward[i] == 0) backward[i] = 0;
  std::vector<std::byte> aux;

  EXPECT_EQ(run({.shape = shape, .epilogue = Epilogue::relu_aux_bias}, lhs_, rhs_, &bias, &aux),
            forward);
  EXPECT_EQ(run({.shape = shape, .epilogue = Epilogue::relu_gradient}, rhs_, lhs_, nullptr, &aux),
            backward);
  EXPECT_EQ(aux.size(), 2U * 3 * 128 / 8);  // rows of bits in steps of 128
}

TEST_F(CudaMatmul, ReluGivesTheGradientOfItsBiasToo) {
  const MatmulShape shape = plain_shape(3, 5, 4);
  std::vector<std::byte> aux;
  const Values forward =
      run({.shape = shape, .epilogue = Epilogue::relu_aux}, lhs_, rhs_, nullptr, &aux);
  Values expected_sum(5, 0);
  const Values cotangent = reference(shape, rhs_, lhs_);
  for (size_t i = 0; i < forward.size(); ++i)
    expected_sum[i % 5] += forward[i] > 0 ? cotangent[i] : 0;
  Values row_sum(5, -1);

  run({.shape = shape, .epilogue = Epilogue::relu_bias_gradients}, rhs_, lhs_, &row_sum, &aux);

  EXPECT_EQ(row_sum, expected_sum);
}

TEST_F(CudaMatmul, GeluKeepsWhatItsGradientNeeds) {
  const MatmulShape shape = plain_shape(3, 5, 4);
  const Values z = reference(shape, lhs_, rhs_);
  const Values cotangent = reference(shape, rhs_, lhs_);
  const auto gelu = [](double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  };
  std::vector<std::byte> aux;
  Values row_sum(5, -1);

  const Values forward =
      run({.shape = shape, .epilogue = Epilogue::gelu_aux}, lhs_, rhs_, nullptr, &aux);
  const Values backward =
      run({.shape = shape, .epilogue = Epilogue::gelu_bias_gradients}, rhs_, lhs_, &row_sum, &aux);

  EXPECT_EQ(aux.size(), 3U * 8 * 4);  // rows of values in steps of 8
  Values expected_sum(5, 0);
  for (size_t i = 0; i < z.size(); ++i) {
    const double slope = (gelu(z[i] + 1e-4) - gelu(z[i] - 1e-4)) / 2e-4;
    EXPECT_NEAR(forward[i], gelu(z[i]), 1e-4);
    EXPECT_NEAR(backward[i], cotangent[i] * slope, 1e-3);  // of a difference quotient
    expected_sum[i % 5] += backward[i];
  }
  for (size_t j = 0; j < 5; ++j)
    EXPECT_NEAR(row_sum[j], expected_sum[j], 1e-4);  // in another order
}

TEST_F(CudaMatmul, SumsTheRowsOfRhsOverTheInnerAxis) {
  const MatmulShape shape = plain_shape(3, 5, 4);
  Values sum(5, -1);

  const Values result = run({.shape = shape, .epilogue = Epilogue::rhs_row_sum}, lhs_, rhs_, &sum);

  EXPECT_EQ(result, reference(shape, lhs_, rhs_));
  for (size_t j = 0; j < 5; ++j)
    EXPECT_EQ(sum[j], rhs_[j] + rhs_[5 + j] + rhs_[10 + j] + rhs_[15 + j]);
}

TEST_F(CudaMatmul, ThreadsShareAMatmulWithTheirOwnBiases) {
  const MatmulShape shape = plain_shape(3, 5, 4);
  const Matmul matmul(blas_, {.shape = shape, .epilogue = Epilogue::bias});
  std::vector<Values> biases{Values(5, 10), Values(5, 20)};
  std::vector<Values> results(2, Values(15));

  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < 2; ++i) {
      threads.emplace_back([&, i] {
        for (int repeat = 0; repeat < 100; ++repeat) {
          matmul.enqueue(stream_,
                         {.lhs = lhs_.data(),
                          .rhs = rhs_.data(),
                          .result = results[i].data(),
                          .bias = biases[i].data()});
        }
      });
    }
  }
  stream_.synchronize();

  const Values z = reference(shape, lhs_, rhs_);
  for (size_t i = 0; i < 15; ++i) {
    EXPECT_EQ(results[0][i], z[i] + 10);
    EXPECT_EQ(results[1][i], z[i] + 20);
  }
}

TEST_F(CudaMatmul, AProductThatCublasLtDoesNotHaveIsNamed) {
  library_.find_nothing();

  EXPECT_EQ(
      error_text([&] {
        const Matmul matmul(
            blas_,
            {.shape = plain_shape(3, 5, 4), .dtype = DType::f16, .epilogue = Epilogue::gelu_aux});
      }),
      "error: cuda:0: choosing an algorithm for a matmul of f16 3 x 4 x 5: none with "
      "epilogue gelu_aux");
  EXPECT_EQ(library_.num_live_descriptors(), 0);
}

TEST_F(CudaMatmul, TellsWhatIsNotSupportedFromWhatWentWrong) {
  const MatmulSpec spec{.shape = plain_shape(3, 5, 4), .epilogue = Epilogue::gelu};
  library_.fail_search(CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_THROW(Matmul(blas_, spec), NotSupported);
  library_.fail_search(CUBLAS_STATUS_INTERNAL_ERROR);
  try {
    const Matmul matmul(blas_, spec);
    ADD_FAILURE() << "no error";
  } catch (const NotSupported&) {
    ADD_FAILURE() << "a broken library is no reason to go another way";
  } catch (const Error&) {  // as it should be
  }
  library_.fail_search(CUBLAS_STATUS_SUCCESS);
  library_.find_nothing();
  EXPECT_THROW(Matmul(blas_, spec), NotSupported);
}

TEST_F(CudaMatmul, RefusesIntegers) {
  EXPECT_EQ(error_text([&] {
              const Matmul matmul(blas_, {.shape = plain_shape(3, 5, 4), .dtype = DType::i32});
            }),
            "error: cuda:0: cuBLASLt multiplies no i32");
}

TEST_F(CudaMatmul, AFailedCallSaysWhatCublasLtSaid) {
  library_.fail_matmul(CUBLAS_STATUS_NOT_SUPPORTED);

  EXPECT_EQ(error_text([&] { run({.shape = plain_shape(3, 5, 4)}, lhs_, rhs_); }),
            "error: cuda:0: multiplying matrices: cublasLtMatmul: CUBLAS_STATUS_NOT_SUPPORTED: as "
            "told");
}

TEST_F(CudaMatmul, ReleasesItsDescriptors) {
  {
    const Matmul matmul(blas_, {.shape = plain_shape(3, 5, 4)});
  }

  EXPECT_EQ(library_.num_live_descriptors(), 0);
}

/// Descriptors need no device, so the library itself can be asked whether it takes them.
TEST_F(CudaMatmul, CublasLtTakesTheDescriptions) {
  const Found<CublasLtApi> found = try_cublaslt();
  if (found.api == nullptr) GTEST_SKIP() << found.problem;
  CublasLtApi api = *found.api;
  api.cublasLtCreate = library_.api().cublasLtCreate;
  api.cublasLtDestroy = library_.api().cublasLtDestroy;
  const Blas blas(device_, api);
  for (int epilogue = 0; epilogue <= static_cast<int>(Epilogue::rhs_row_sum); ++epilogue) {
    const StridedProduct product{.m = 8,
                                 .n = 16,
                                 .k = 32,
                                 .batch = 4,
                                 .lhs_stride = 256,
                                 .rhs_stride = 0,
                                 .lhs_alignment = 64,
                                 .rhs_alignment = 64,
                                 .result_alignment = 64,
                                 .epilogue = static_cast<Epilogue>(epilogue)};

    EXPECT_NO_THROW(MatmulDescriptors(blas, product)) << epilogue;
  }
}

}  // namespace
}  // namespace wick::runtime::cuda
