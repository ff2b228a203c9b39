#include "wick/tensor/plan_cache.h"

#include "expect_values.h"

#include "wick/codegen/kernel_compiler.h"
#include "wick/passes/options.h"

namespace wick::detail {
namespace {

using wick::testing_support::expect_values;

/// Counts from here on.
class Since {
 public:
  [[nodiscard]] PlanCacheStats operator()() const {
    const PlanCacheStats now = plan_cache_stats();
    return {now.captures - start_.captures,
            now.hits - start_.hits,
            now.misses - start_.misses,
            now.evictions - start_.evictions};
  }

 private:
  PlanCacheStats start_ = plan_cache_stats();
};

Tensor value(Shape shape) {
  Tensor x = arange(shape.numel(), DType::f32).reshape(shape);
  materialize(x);
  return x;
}

TEST(PlanCache, ALoopHasOnePlan) {
  Tensor x = ones({5});
  materialize(x);
  const Tensor data = value({5});
  double rate = 0.1;
  const Since since;

  for (int step = 0; step < 10; ++step) {
    x = x - data * rate;
    rate *= 0.9;  // a new learning rate each step
    materialize(x);
  }

  EXPECT_EQ(since().captures, 10);
  EXPECT_EQ(since().misses, 1);
}

TEST(PlanCache, ReadNowAndThen) {
  Tensor b = zeros({7});
  materialize(b);
  const Since since;

  for (int i = 1; i <= 300; ++i) {
    b = b + 0.02F;
    if (i % 3 == 0) materialize(b);
  }

  EXPECT_EQ(since().captures, 100);
  EXPECT_LE(since().misses, 1);
  EXPECT_NEAR(b.to_vector<float>()[0], 6.0F, 1e-4);
}

TEST(PlanCache, BatchesOfADataSetShareAPlan) {
  const Tensor images = value({32, 6});
  const Since since;

  double total = 0;
  for (int64_t i = 0; i < 32; i += 4) {
    total += (slice(images, 0, i, i + 4) * 0.5).sum().item<double>();
  }

  EXPECT_EQ(total, 191 * 192 / 4);
  EXPECT_EQ(since().captures, 8);
  EXPECT_EQ(since().misses, 1);
}

TEST(PlanCache, OtherOffsetsBatchesAndSeedsCompileNoKernel) {
  if (options().backend != "llvm") GTEST_SKIP() << "about compiled kernels";
  const auto run = [](int64_t offset, int64_t batch, uint64_t seed) {
    manual_seed(seed);
    const Tensor x = slice(arange(400, DType::f32).reshape({4, 100}) * 1.5, 1, offset, offset + 40);
    materialize(exp(x) + rand({4, 40}), value({batch, 70}) * 3.5);
  };
  run(0, 8, 1);
  run(3, 9, 2);  // a first offset that is not 0 may differ in kind
  const codegen::KernelCacheStats before = codegen::KernelCache::instance().stats();

  for (int64_t i = 10; i < 20; ++i)
    run(i, i, static_cast<uint64_t>(i));

  EXPECT_EQ(codegen::KernelCache::instance().stats().compiled, before.compiled);
}

TEST(PlanCache, KeyedByBackendAndShape) {
  const Tensor a = value({11});
  const Tensor b = value({12});
  const Since since;

  materialize(a * 3.25);
  materialize(b * 3.25);
  materialize(a * 4.25);
  const std::string backend = std::exchange(options().backend, "interpreter");
  materialize(a * 4.25);
  options().backend = backend;

  EXPECT_EQ(since().hits, backend == "interpreter" ? 2 : 1);
}

TEST(PlanCache, KeyedByTheChoiceOfConvolutions) {
  const Tensor images = value({1, 2, 5, 5});
  const Tensor weight = value({3, 2, 3, 3});
  const Since since;

  materialize(conv2d(images, weight));
  {
    Options direct = options();
    direct.direct_convolutions = true;
    const ScopedOptions scope(direct);
    materialize(conv2d(images, weight));
    materialize(conv2d(images, weight));
  }
  materialize(conv2d(images, weight));

  EXPECT_EQ(since().misses, 2);
  EXPECT_EQ(since().hits, 2);
}

TEST(PlanCache, IsBounded) {
  const std::string backend = std::exchange(options().backend, "interpreter");
  const Since since;

  for (int64_t n = 1; n <= static_cast<int64_t>(PlanCache::kCapacity) + 10; ++n) {
    (void)(zeros({n}) + 0.25).to_vector<float>();
  }

  EXPECT_GE(since().evictions, 10);
  options().backend = backend;
}

TEST(PlanCache, DonatedMemoryIsNotSeenByOthers) {
  Tensor x = value({4});
  const Tensor view = slice(x, 0, 1, 3);

  x = x * 2;  // x's old buffer is shared with the view
  materialize(x);

  expect_values(view, {2}, {1, 2});
  expect_values(x, {4}, {0, 2, 4, 6});
}

TEST(PlanCache, SaysWhatIsNew) {
  const Tensor a = value({3, 13});
  materialize(exp(a * 0.5) + a);
  options().log.recompile = true;
  ::testing::internal::CaptureStderr();

  const Tensor b = value({4, 13});
  const std::string ignored = ::testing::internal::GetCapturedStderr();
  ::testing::internal::CaptureStderr();
  materialize(exp(b * 0.5) + b);
  const uint32_t line = __LINE__ - 1;
  const std::string shape = ::testing::internal::GetCapturedStderr();
  ::testing::internal::CaptureStderr();
  materialize(tanh(a * 0.5) + a);
  const std::string op = ::testing::internal::GetCapturedStderr();
  options().log.recompile = false;

  const std::string place = std::string(__FILE__) + ":" + std::to_string(line);
  EXPECT_TRUE(shape.starts_with("wick: recompile: " + place)) << shape;
  EXPECT_TRUE(shape.ends_with(": operand 1 of mul is f32[4,13], not f32[3,13]\n")) << shape;
  EXPECT_TRUE(op.ends_with(": tanh f32[3,13], not exp f32[3,13]\n")) << op;
}

TEST(PlanCache, SaysWhyItRan) {
  const Tensor a = value({3});
  options().log.sync = true;
  ::testing::internal::CaptureStderr();

  (void)a.sum().item<float>();
  const uint32_t line = __LINE__ - 1;

  options().log.sync = false;
  const std::string text = ::testing::internal::GetCapturedStderr();
  const std::string place = std::string(__FILE__) + ":" + std::to_string(line);
  EXPECT_TRUE(text.starts_with("wick: sync: " + place)) << text;
  EXPECT_NE(text.find(": item: 1 ops, 1 results, "), std::string::npos) << text;
}

}  // namespace
}  // namespace wick::detail
