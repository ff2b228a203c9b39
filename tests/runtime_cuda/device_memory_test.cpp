#include "wick/runtime/cuda/device_memory.h"

#include <new>

#include "runtime_cuda/error_text.h"
#include "runtime_cuda/fake_driver.h"
#include <gtest/gtest.h>

#include "wick/runtime/cuda/stream.h"

namespace wick::runtime::cuda {
namespace {

constexpr AllocationTag kTag{.purpose = "test"};
constexpr size_t kMiB = size_t{1} << 20U;

class CudaMemory : public testing::Test {
 protected:
  void* allocate(size_t bytes) { return manager_->allocate(bytes, kTag); }

  FakeDriver fake_;
  Device device_{fake_.api(), 0};
  std::shared_ptr<MemoryManager> manager_ = make_device_memory_manager(device_);
};

TEST_F(CudaMemory, AsksTheDriverForWholeSegmentsAndReusesThem) {
  fake_.take_calls();

  void* first = allocate(3 * kMiB);
  manager_->free(first);
  void* second = allocate(3 * kMiB);

  EXPECT_EQ(second, first);
  EXPECT_EQ(fake_.take_calls(), std::vector<std::string>{"cuMemAlloc 3145728 bytes"});
  manager_->free(second);
}

TEST_F(CudaMemory, PutsSmallBlocks256BytesApart) {
  for (const size_t bytes : {1, 200, 257, 1025, 5000}) {
    auto* first = static_cast<std::byte*>(allocate(bytes));
    auto* second = static_cast<std::byte*>(allocate(bytes));

    // Of blocks of one size, which lie side by side; where segments begin is the driver's choice.
    EXPECT_EQ((second - first) % 256, 0) << bytes;
    manager_->free(first);
    manager_->free(second);
  }
}

TEST_F(CudaMemory, OutOfMemoryReleasesTheCacheAndTriesAgain) {
  fake_.set_memory_bytes(64 * kMiB);
  manager_->free(allocate(40 * kMiB));
  fake_.take_calls();

  void* block = allocate(60 * kMiB);

  EXPECT_EQ(fake_.take_calls(),
            (std::vector<std::string>{"cuMemAlloc 62914560 bytes",
                                      "cuCtxSynchronize",
                                      "cuMemFree mem1",
                                      "cuMemAlloc 62914560 bytes"}));
  EXPECT_EQ(manager_->stats().bytes_reserved, static_cast<int64_t>(60 * kMiB));
  manager_->free(block);
}

TEST_F(CudaMemory, OutOfMemoryForGoodSaysTheSizes) {
  fake_.set_memory_bytes(64 * kMiB);
  void* block = allocate(40 * kMiB);

  EXPECT_THROW(static_cast<void>(allocate(30 * kMiB)), std::bad_alloc);
  EXPECT_EQ(error_text([&] { allocate(30 * kMiB); }),
            "cuda:0: out of memory: 30.0 MiB asked for; 40.0 MiB in use by this program, 24.0 MiB "
            "free of 64.0 MiB");
  EXPECT_EQ(manager_->stats().bytes_in_use, static_cast<int64_t>(40 * kMiB));
  EXPECT_FALSE(device_.is_lost());
  manager_->free(block);
}

TEST_F(CudaMemory, TheCacheGoesToOtherCallsThatFindNoMemory) {
  manager_->free(allocate(40 * kMiB));
  fake_.take_calls();
  fake_.fail_once("cuStreamCreate", CUDA_ERROR_OUT_OF_MEMORY);

  const Stream stream(device_);

  EXPECT_EQ(fake_.take_calls(),
            (std::vector<std::string>{"cuStreamCreate non-blocking",
                                      "cuCtxSynchronize",
                                      "cuMemFree mem1",
                                      "cuStreamCreate non-blocking"}));
}

TEST_F(CudaMemory, ALostDeviceIsNotOutOfMemory) {
  fake_.fail_once("cuMemAlloc", CUDA_ERROR_ILLEGAL_ADDRESS);

  EXPECT_THROW(static_cast<void>(allocate(kMiB)), DeviceLost);
  EXPECT_EQ(error_text([&] { allocate(kMiB); }),
            "error: cuda:0: the device was lost: allocating 4.0 MiB: cuMemAlloc: "
            "CUDA_ERROR_ILLEGAL_ADDRESS: as told");
}

TEST_F(CudaMemory, BlocksAreFreedOnALostDevice) {
  void* block = allocate(kMiB);
  fake_.fail_once("cuCtxSynchronize", CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THROW(device_.call("testing", device_.api().cuCtxSynchronize), DeviceLost);

  manager_->free(block);
  manager_->release_cached();

  EXPECT_EQ(manager_->stats().bytes_in_use, 0);
}

TEST_F(CudaMemory, GivesEverythingBackAtItsEnd) {
  void* block = allocate(3 * kMiB);
  manager_->free(block);

  manager_.reset();

  EXPECT_EQ(fake_.bytes_allocated(), 0U);
}

}  // namespace
}  // namespace wick::runtime::cuda
