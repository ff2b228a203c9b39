#include "wick/runtime/cuda/transfer.h"

#include <cstring>
#include <numeric>
#include <thread>

#include "runtime_cuda/fake_driver.h"
#include <gtest/gtest.h>

#include "wick/runtime/cuda/module.h"

namespace wick::runtime::cuda {
namespace {

constexpr StagingOptions kTwoSmallSlots{.slot_bytes = 64, .slots = 2};

class CudaTransfer : public testing::Test {
 protected:
  std::byte* allocate(size_t bytes) {
    CUdeviceptr address = 0;
    device_.call("testing", device_.api().cuMemAlloc, &address, bytes);
    return reinterpret_cast<std::byte*>(address);
  }

  FakeDriver fake_;
  Device device_{fake_.api(), 0};
  Stream stream_{device_};
};

std::vector<uint8_t> counting(size_t bytes, uint8_t first = 1) {
  std::vector<uint8_t> values(bytes);
  std::iota(values.begin(), values.end(), first);
  return values;
}

TEST_F(CudaTransfer, UploadsThroughPinnedSlotsInTurn) {
  StagingRing staging(device_, kTwoSmallSlots);
  std::byte* memory = allocate(160);
  fake_.take_calls();

  staging.upload(stream_, memory, counting(160).data(), 160);

  EXPECT_EQ(fake_.take_calls(),
            (std::vector<std::string>{"cuMemHostAlloc 64 bytes",
                                      "cuEventCreate order",
                                      "cuMemcpyHtoDAsync mem1 <- pinned1, 64 bytes, stream1",
                                      "cuEventRecord event1 on stream1",
                                      "cuMemHostAlloc 64 bytes",
                                      "cuEventCreate order",
                                      "cuMemcpyHtoDAsync mem1+64 <- pinned2, 64 bytes, stream1",
                                      "cuEventRecord event2 on stream1",
                                      "cuEventSynchronize event1",
                                      "cuMemcpyHtoDAsync mem1+128 <- pinned1, 32 bytes, stream1",
                                      "cuEventRecord event1 on stream1"}));
}

TEST_F(CudaTransfer, AnUploadHasReadItsSourceWhenItReturns) {
  StagingRing staging(device_, kTwoSmallSlots);
  std::byte* memory = allocate(300);
  const std::vector<uint8_t> expected = counting(300);
  std::vector<uint8_t> source = expected;

  staging.upload(stream_, memory, source.data(), source.size());
  std::ranges::fill(source, 0);
  stream_.synchronize();

  fake_.on_device([&] { EXPECT_EQ(std::memcmp(memory, expected.data(), expected.size()), 0); });
}

TEST_F(CudaTransfer, ADownloadWaitsForTheWorkBeforeIt) {
  StagingRing staging(device_, kTwoSmallSlots);
  std::byte* memory = allocate(300);
  const std::vector<uint8_t> expected = counting(300);
  const Module module(device_, std::as_bytes(std::span("image")));
  fake_.on_launch("fill", [&] { std::memcpy(memory, expected.data(), expected.size()); });
  launch(stream_, module.kernel("fill"), {}, {});
  std::vector<uint8_t> read(300);

  staging.download(stream_, read.data(), memory, read.size());

  EXPECT_EQ(read, expected);
}

TEST_F(CudaTransfer, ADownloadFillsTheNextSlotBeforeItWaitsForThisOne) {
  StagingRing staging(device_, kTwoSmallSlots);
  std::byte* memory = allocate(160);
  std::vector<uint8_t> read(160);
  staging.download(stream_, read.data(), memory, 128);  // makes the slots
  fake_.take_calls();

  staging.download(stream_, read.data(), memory, 160);

  EXPECT_EQ(fake_.take_calls(),
            (std::vector<std::string>{"cuMemcpyDtoHAsync pinned1 <- mem1, 64 bytes, stream1",
                                      "cuEventRecord event1 on stream1",
                                      "cuMemcpyDtoHAsync pinned2 <- mem1+64, 64 bytes, stream1",
                                      "cuEventRecord event2 on stream1",
                                      "cuEventSynchronize event1",
                                      "cuMemcpyDtoHAsync pinned1 <- mem1+128, 32 bytes, stream1",
                                      "cuEventRecord event1 on stream1",
                                      "cuEventSynchronize event2",
                                      "cuEventSynchronize event1"}));
}

TEST_F(CudaTransfer, AFreeSlotIsUsedAgainBeforeAnotherIsMade) {
  StagingRing staging(device_, kTwoSmallSlots);
  std::byte* memory = allocate(16);
  float value = 0;
  staging.download(stream_, &value, memory, sizeof value);
  staging.download(stream_, &value, memory, sizeof value);

  EXPECT_EQ(fake_.live_objects(), "event1 mem1 pinned1 stream1");
}

TEST_F(CudaTransfer, ADownloadKeepsSlotsThatTheDeviceIsDoneWithButTheHostIsNot) {
  fake_.work_at_once();
  StagingRing staging(device_, {.slot_bytes = 64, .slots = 3});
  const std::vector<uint8_t> expected = counting(250);
  std::byte* memory = allocate(250);
  fake_.on_device([&] { std::memcpy(memory, expected.data(), expected.size()); });
  std::vector<uint8_t> read(250);

  staging.download(stream_, read.data(), memory, read.size());

  EXPECT_EQ(read, expected);
}

TEST_F(CudaTransfer, ARingThatGrowsKeepsTheOrderOfUse) {
  StagingRing staging(device_, {.slot_bytes = 64, .slots = 3});
  std::byte* memory = allocate(64);
  const std::vector<uint8_t> values = counting(64);
  staging.upload(stream_, memory, values.data(), 64);  // makes 1
  staging.upload(stream_, memory, values.data(), 64);  // makes 2
  stream_.synchronize();
  staging.upload(stream_, memory, values.data(), 64);  // 1 again
  staging.upload(stream_, memory, values.data(), 64);  // 2 again
  staging.upload(stream_, memory, values.data(), 64);  // makes 3
  fake_.take_calls();

  staging.upload(stream_, memory, values.data(), 64);

  EXPECT_EQ(fake_.take_calls().front(), "cuEventSynchronize event1");
}

TEST_F(CudaTransfer, NothingIsCopiedForNoBytes) {
  StagingRing staging(device_);
  std::byte* memory = allocate(16);
  fake_.take_calls();

  staging.upload(stream_, memory, nullptr, 0);
  staging.download(stream_, nullptr, memory, 0);
  copy_on_device(stream_, memory, memory, 0);
  fill_zero(stream_, memory, 0);

  EXPECT_TRUE(fake_.take_calls().empty());
}

TEST_F(CudaTransfer, CopiesAndFillsOnTheDevice) {
  std::byte* from = allocate(64);
  std::byte* to = allocate(64);
  fake_.on_device([&] { std::memset(from, 7, 64); });
  fake_.take_calls();

  copy_on_device(stream_, to, from, 64);
  fill_zero(stream_, to + 32, 32);
  stream_.synchronize();

  EXPECT_EQ(fake_.take_calls(),
            (std::vector<std::string>{"cuMemcpyDtoDAsync mem2 <- mem1, 64 bytes, stream1",
                                      "cuMemsetD8Async mem2+32 <- 0, 32 bytes, stream1",
                                      "cuStreamSynchronize stream1"}));
  fake_.on_device([&] {
    EXPECT_EQ(to[31], std::byte{7});
    EXPECT_EQ(to[32], std::byte{0});
  });
}

TEST_F(CudaTransfer, ManyThreadsShareOneRing) {
  StagingRing staging(device_, kTwoSmallSlots);
  std::vector<std::byte*> memory;
  for (int i = 0; i < 4; ++i)
    memory.push_back(allocate(500));
  std::vector<std::vector<uint8_t>> read(4, std::vector<uint8_t>(500));

  std::vector<std::jthread> threads;
  for (size_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int repeat = 0; repeat < 20; ++repeat) {
        const std::vector<uint8_t> values = counting(500, static_cast<uint8_t>(i));
        staging.upload(stream_, memory[i], values.data(), values.size());
        staging.download(stream_, read[i].data(), memory[i], 500);
      }
    });
  }
  threads.clear();

  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(read[i], counting(500, static_cast<uint8_t>(i)));
}

TEST_F(CudaTransfer, AFailedCopyLeavesTheRingUsable) {
  StagingRing staging(device_, kTwoSmallSlots);
  std::byte* memory = allocate(200);
  const std::vector<uint8_t> values = counting(200);
  fake_.fail_once("cuMemcpyHtoDAsync", CUDA_ERROR_INVALID_VALUE, /*skip=*/1);
  EXPECT_THROW(staging.upload(stream_, memory, values.data(), values.size()), Error);
  std::vector<uint8_t> read(200);

  staging.upload(stream_, memory, values.data(), values.size());
  staging.download(stream_, read.data(), memory, read.size());

  EXPECT_EQ(read, values);
}

}  // namespace
}  // namespace wick::runtime::cuda
