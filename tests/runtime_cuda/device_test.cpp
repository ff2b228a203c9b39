#include "wick/runtime/cuda/device.h"

#include "runtime_cuda/error_text.h"
#include "runtime_cuda/fake_driver.h"
#include <gtest/gtest.h>

#include "wick/runtime/cuda/module.h"

namespace wick::runtime::cuda {
namespace {

TEST(CudaDevice, KnowsWhatItCanDo) {
  const FakeDriver fake;

  const Device device(fake.api(), 1);

  EXPECT_EQ(device.name(), "cuda:1");
  EXPECT_EQ(device.properties().name, "Fake GPU");
  EXPECT_EQ(device.properties().sm, 90);
  EXPECT_EQ(device.properties().multiprocessors, 132);
  EXPECT_EQ(device.properties().warp_size, 32);
  EXPECT_EQ(device.properties().shared_bytes_per_block, 232448U);
  EXPECT_EQ(device.properties().memory_bytes, size_t{1} << 30U);
}

TEST(CudaDevice, HoldsThePrimaryContextOnce) {
  FakeDriver fake;
  {
    const Device device(fake.api(), 1);
  }

  EXPECT_EQ(fake.take_calls(),
            (std::vector<std::string>{"cuDevicePrimaryCtxRetain device 101",
                                      "cuDevicePrimaryCtxRelease device 101"}));
}

TEST(CudaDevice, RefusesADeviceThatIsNotThere) {
  const FakeDriver fake;

  EXPECT_EQ(error_text([&] { const Device device(fake.api(), 2); }),
            "error: cuda:2: no such device: there are 2");
  EXPECT_EQ(error_text([&] { const Device device(fake.api(), -1); }),
            "error: cuda:-1: no such device: there are 2");
}

TEST(CudaDevice, AContextThatCannotBeMadeIsAnError) {
  FakeDriver fake;
  fake.fail_once("cuDevicePrimaryCtxRetain", CUDA_ERROR_OUT_OF_MEMORY);

  EXPECT_EQ(error_text([&] { const Device device(fake.api(), 0); }),
            "error: cuda:0: opening the device: cuDevicePrimaryCtxRetain: "
            "CUDA_ERROR_OUT_OF_MEMORY: as told");
}

TEST(CudaDevice, AFailedCallNamesWhatWasDoneTheCallAndTheReason) {
  FakeDriver fake;
  const Device device(fake.api(), 0);
  fake.fail_once("cuCtxSynchronize", CUDA_ERROR_INVALID_VALUE);

  EXPECT_EQ(error_text([&] { device.call("resting", device.api().cuCtxSynchronize); }),
            "error: cuda:0: resting: cuCtxSynchronize: CUDA_ERROR_INVALID_VALUE: as told");
  EXPECT_NO_THROW(device.call("resting", device.api().cuCtxSynchronize));
}

TEST(CudaDevice, AResultWithoutANameIsANumber) {
  FakeDriver fake;
  const Device device(fake.api(), 0);
  fake.fail_once("cuCtxSynchronize", CUDA_ERROR_NOT_PERMITTED);

  EXPECT_EQ(error_text([&] { device.call("resting", device.api().cuCtxSynchronize); }),
            "error: cuda:0: resting: cuCtxSynchronize: error 800");
}

TEST(CudaDevice, AFaultyKernelLosesTheDeviceForGood) {
  FakeDriver fake;
  const Device device(fake.api(), 0);
  const Stream stream(device);
  const Module module(device, std::as_bytes(std::span("image")));
  fake.fault_in("wild", CUDA_ERROR_ILLEGAL_ADDRESS);
  launch(stream, module.kernel("wild"), {}, {});  // tells nothing yet
  const std::string cause =
      "running step 3: cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS: as told";

  EXPECT_THROW(
      try { stream.synchronize("running step 3"); } catch (const DeviceLost& lost) {
        EXPECT_EQ(lost.text(), cause);
        throw;
      },
      DeviceLost);

  EXPECT_TRUE(device.is_lost());
  EXPECT_EQ(error_text([&] { launch(stream, module.kernel("fine"), {}, {}); }),
            "error: cuda:0: the device was lost: " + cause);
  EXPECT_EQ(error_text([&] { const Stream other(device); }),
            "error: cuda:0: the device was lost: " + cause);
}

TEST(CudaDevice, IsNotLostByACallThatFails) {
  FakeDriver fake;
  const Device device(fake.api(), 0);
  fake.fail_once("cuStreamCreate", CUDA_ERROR_OUT_OF_MEMORY);

  EXPECT_THROW(const Stream stream(device), Error);

  EXPECT_FALSE(device.is_lost());
  EXPECT_NO_THROW(const Stream stream(device));
}

TEST(CudaDevice, OutOfMemoryAsksForMemoryBackAndTriesOnceMore) {
  FakeDriver fake;
  Device device(fake.api(), 0);
  int asked = 0;
  device.on_out_of_memory([&] { ++asked; });
  fake.fail_once("cuStreamCreate", CUDA_ERROR_OUT_OF_MEMORY);

  EXPECT_NO_THROW(const Stream stream(device));

  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace wick::runtime::cuda
