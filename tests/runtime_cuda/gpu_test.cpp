#include "wick/runtime/cuda/gpu.h"

#include "runtime_cuda/error_text.h"
#include "runtime_cuda/fake_driver.h"
#include <gtest/gtest.h>

namespace wick::runtime::cuda {
namespace {

TEST(Gpu, IsOpenedOnce) {
  const FakeDriver fake;
  const ScopedDriver scope(fake.api());

  Gpu& first = gpu(1);

  EXPECT_EQ(&gpu(1), &first);
  EXPECT_NE(&gpu(0), &first);
  EXPECT_EQ(first.device().name(), "cuda:1");
}

TEST(Gpu, RefusesADeviceThatIsNotThere) {
  const FakeDriver fake;
  const ScopedDriver scope(fake.api());

  EXPECT_EQ(error_text([] { gpu(7); }), "error: cuda:7: no such device: there are 2");
  EXPECT_EQ(error_text([] { gpu(-1); }), "error: cuda:-1: no such device: there are 2");
}

TEST(Gpu, IsClosedWithTheReplacedDriver) {
  const FakeDriver fake;
  {
    const ScopedDriver scope(fake.api());
    Gpu& opened = gpu(0);
    void* block = opened.memory()->allocate(100, {.purpose = "test"});
    const float value = 1;
    opened.upload(block, &value, sizeof value);
    opened.memory()->free(block);
    EXPECT_NE(fake.live_objects(), "");
  }

  EXPECT_EQ(fake.live_objects(), "");
}

TEST(Gpu, AFreedBlockServesLaterWorkOfTheSameStream) {
  const FakeDriver fake;
  const ScopedDriver scope(fake.api());
  Gpu& opened = gpu(0);
  const std::vector<float> first(100, 1.0F);
  const std::vector<float> second(100, 2.0F);
  std::vector<float> kept(100);
  void* result = opened.memory()->allocate(400, {.purpose = "test"});

  void* block = opened.memory()->allocate(400, {.purpose = "test"});
  opened.upload(block, first.data(), 400);
  copy_on_device(opened.stream(), result, block, 400);
  opened.memory()->free(block);  // while the copy is still enqueued
  void* again = opened.memory()->allocate(400, {.purpose = "test"});
  ASSERT_EQ(again, block);
  opened.upload(again, second.data(), 400);
  opened.download(kept.data(), result, 400);

  EXPECT_EQ(kept, first);
  opened.memory()->free(again);
  opened.memory()->free(result);
}

}  // namespace
}  // namespace wick::runtime::cuda
