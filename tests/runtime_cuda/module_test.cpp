#include "wick/runtime/cuda/module.h"

#include "runtime_cuda/error_text.h"
#include "runtime_cuda/fake_driver.h"
#include <gtest/gtest.h>

namespace wick::runtime::cuda {
namespace {

class CudaModule : public testing::Test {
 protected:
  FakeDriver fake_;
  Device device_{fake_.api(), 0};
  Stream stream_{device_};
  Module module_{device_, std::as_bytes(std::span("image"))};
};

TEST_F(CudaModule, LaunchesWithTheShapeItIsGiven) {
  const DeviceKernel kernel = module_.kernel("k0");
  fake_.take_calls();

  launch(stream_, kernel, {.grid = {5, 2, 1}, .block = {32, 4, 1}, .shared_bytes = 512}, {});

  EXPECT_EQ(fake_.take_calls(),
            std::vector<std::string>{"cuLaunchKernel k0 (5, 2, 1) (32, 4, 1) shared 512, stream1"});
}

TEST_F(CudaModule, AsksForSharedMemoryBeyondWhatEveryKernelGets) {
  fake_.take_calls();

  static_cast<void>(module_.kernel("small", 48 << 10));
  static_cast<void>(module_.kernel("large", 100000));

  EXPECT_EQ(fake_.take_calls(), std::vector<std::string>{"cuFuncSetAttribute large shared 100000"});
}

TEST_F(CudaModule, ALaunchThatIsRefusedNamesTheKernelAndItsShape) {
  fake_.fail_once("cuLaunchKernel", CUDA_ERROR_INVALID_VALUE);

  EXPECT_EQ(error_text([&] {
              launch(stream_, module_.kernel("k7"), {.grid = {1, 70000, 1}, .block = {64}}, {});
            }),
            "error: cuda:0: launching k7 with grid (1, 70000, 1), block (64, 0, 0), 0 bytes of "
            "shared memory: cuLaunchKernel: CUDA_ERROR_INVALID_VALUE: as told");
  EXPECT_FALSE(device_.is_lost());
}

TEST_F(CudaModule, AnImageThatDoesNotLoadShowsTheDriversLog) {
  EXPECT_EQ(error_text([&] { const Module bad(device_, std::as_bytes(std::span("bad"))); }),
            "error: cuda:0: loading kernels: ptxas: line 3: no such instruction: "
            "cuModuleLoadDataEx: CUDA_ERROR_INVALID_VALUE: as told");
}

TEST_F(CudaModule, AMissingKernelIsNamed) {
  fake_.fail_once("cuModuleGetFunction", CUDA_ERROR_INVALID_VALUE);

  EXPECT_EQ(error_text([&] { static_cast<void>(module_.kernel("k9")); }),
            "error: cuda:0: looking up kernel k9: cuModuleGetFunction: CUDA_ERROR_INVALID_VALUE: "
            "as told");
}

}  // namespace
}  // namespace wick::runtime::cuda
