// The libraries themselves, on machines with and without a driver.

#include <cstdlib>

#include "runtime_cuda/error_text.h"
#include "runtime_cuda/fake_driver.h"
#include <gtest/gtest.h>

#include "wick/runtime/cuda/cublaslt.h"
#include "wick/runtime/cuda/cudnn.h"
#include "wick/runtime/cuda/nccl.h"
#include "wick/runtime/gpu_report.h"

namespace wick::runtime::cuda {
namespace {

TEST(CudaLibraries, CublasLtIsOfTheHeadersMajorVersion) {
  const Found<CublasLtApi> found = try_cublaslt();
  if (found.api == nullptr) GTEST_SKIP() << found.problem;

  EXPECT_EQ(found.api->cublasLtGetVersion() / 10000, size_t{CUBLAS_VER_MAJOR});
}

TEST(CudaLibraries, CudnnIsOfTheHeadersMajorVersion) {
  const Found<CudnnApi> found = try_cudnn();
  if (found.api == nullptr) GTEST_SKIP() << found.problem;

  EXPECT_EQ(found.api->cudnnGetVersion() / 10000, size_t{CUDNN_MAJOR});
}

TEST(CudaLibraries, NcclIsOfTheHeadersMajorVersion) {
  const Found<NcclApi> found = try_nccl();
  if (found.api == nullptr) GTEST_SKIP() << found.problem;
  int version = 0;

  EXPECT_EQ(found.api->ncclGetVersion(&version), ncclSuccess);

  EXPECT_EQ(version / 10000, NCCL_MAJOR);
}

TEST(CudaLibraries, WithoutADriverAskingForAGpuSaysWhatIsMissing) {
  const Found<DriverApi> found = try_driver();
  if (found.api != nullptr) GTEST_SKIP() << "this machine has a driver";

  EXPECT_EQ(error_text([] { driver(); }), "error: cuda: " + found.problem);
  EXPECT_TRUE(found.problem.starts_with("no driver: ")) << found.problem;
  EXPECT_TRUE(gpu_report().gpus.empty());
  EXPECT_EQ(gpu_report().problem, found.problem);
}

TEST(CudaLibraries, AnAbsentLibraryIsNamedWithTheReason) {
  const Found<NcclApi> found = open_table<NcclApi>("NCCL", {.files = {"libabsent.so.2"}});

  EXPECT_EQ(found.api, nullptr);
  EXPECT_EQ(found.problem,
            "no NCCL: libabsent.so.2: cannot open shared object file: No such file or directory");
}

TEST(CudaLibraries, ALibraryThatLacksAFunctionIsRefused) {
  const Found<NcclApi> found = open_table<NcclApi>("NCCL", {.files = {"libc.so.6"}});

  EXPECT_EQ(found.api, nullptr);
  EXPECT_TRUE(found.problem.ends_with("libc.so.6 lacks ncclGetVersion")) << found.problem;
}

TEST(CudaLibraries, AReplacedTableStandsForTheLibraryInItsScope) {
  const FakeDriver fake;
  const DriverApi* before = try_driver().api;
  {
    const ScopedApi<DriverApi> scope(fake.api());

    EXPECT_EQ(&driver(), &fake.api());
  }

  EXPECT_EQ(try_driver().api, before);
}

TEST(CudaLibraries, TheReportTellsGpusAndVersions) {
  const FakeDriver fake;
  const ScopedApi<DriverApi> scope(fake.api());

  const GpuReport report = gpu_report();

  ASSERT_EQ(report.gpus.size(), 2U);
  EXPECT_EQ(report.gpus[1], "cuda:1: Fake GPU, sm_90, 1.0 GiB, 132 multiprocessors");
  EXPECT_EQ(report.problem, "");
  EXPECT_EQ(report.libraries.front().name, "driver");
  EXPECT_EQ(report.libraries.front().version,
            fmt::format("for CUDA {}.{}", CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10));
}

}  // namespace
}  // namespace wick::runtime::cuda
