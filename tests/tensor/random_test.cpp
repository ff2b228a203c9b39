#include <algorithm>
#include <iterator>

#include "expect_values.h"
#include "support/compiled_backend.h"

#include "wick/codegen/kernel_compiler.h"
#include "wick/passes/options.h"
#include "wick/runtime/stats.h"

namespace wick {
namespace {

std::vector<float> drawn(uint64_t seed, int64_t count) {
  manual_seed(seed);
  return rand({count}).to_vector<float>();
}

TEST(Random, TheSeedDecides) {
  EXPECT_EQ(drawn(7, 100), drawn(7, 100));
  EXPECT_NE(drawn(7, 100), drawn(8, 100));
}

TEST(Random, EachCallContinuesTheStream) {
  manual_seed(3);
  const std::vector<float> first = rand({64}).to_vector<float>();
  const std::vector<float> second = rand({64}).to_vector<float>();

  EXPECT_NE(first, second);
}

/// Blocks of 64 elements use whole counter groups, so drawing in parts gives the same numbers.
template <typename Draw>
void expect_same_in_parts(const Draw& draw) {
  manual_seed(11);
  const std::vector<double> whole = draw({192}).template to_vector<double>();
  manual_seed(11);
  std::vector<double> parts = draw({64}).template to_vector<double>();
  std::ranges::copy(draw({2, 64}).template to_vector<double>(), std::back_inserter(parts));

  EXPECT_EQ(whole, parts);
}

TEST(Random, DoesNotDependOnThePartition) {
  expect_same_in_parts([](Shape shape) { return rand(shape); });
  expect_same_in_parts([](Shape shape) { return rand(shape, DType::f64); });
  expect_same_in_parts([](Shape shape) { return randn(shape); });
  expect_same_in_parts([](Shape shape) { return randn(shape, DType::f64); });
  expect_same_in_parts([](Shape shape) { return randint(0, 1000, shape); });
}

TEST(Random, DoesNotDependOnWhenItIsComputed) {
  manual_seed(9);
  const Tensor a = rand({10});
  const Tensor b = rand({10});
  const std::vector<float> b_first = b.to_vector<float>();
  const std::vector<float> a_second = a.to_vector<float>();

  manual_seed(9);
  EXPECT_EQ(rand({10}).to_vector<float>(), a_second);
  EXPECT_EQ(rand({10}).to_vector<float>(), b_first);
}

TEST(Random, AGeneratorGoesOnFromAState) {
  Generator generator(21);
  (void)rand({1000}, DType::f32, generator);
  const GeneratorState state = generator.state();
  Generator copy = generator;
  const auto drawn_by = [](Generator& g) { return rand({100}, DType::f32, g).to_vector<float>(); };
  const std::vector<float> first = drawn_by(generator);

  EXPECT_EQ(drawn_by(copy), first);
  EXPECT_NE(drawn_by(generator), first);
  generator.set_state(state);
  EXPECT_EQ(drawn_by(generator), first);
  generator.seed(21);
  EXPECT_EQ(generator.state(), Generator(21).state());
}

TEST(Random, ForksDependOnTheStateAlone) {
  Generator a(7);
  Generator b(7);

  EXPECT_EQ(a.fork().state(), b.fork().state());
  EXPECT_EQ(a.state(), b.state());
  EXPECT_NE(a.fork().state().key, a.fork().state().key);
  EXPECT_EQ(a.split(5).size(), 5U);
}

TEST(Random, FailedDrawsTakeNothing) {
  Generator generator(1);
  EXPECT_THROW((void)rand({-1}, DType::f32, generator), Error);
  EXPECT_THROW((void)randint(0, 300, {2}, DType::u8, generator), Error);
  EXPECT_THROW((void)bernoulli(1.5, {2}, DType::bool_, generator), Error);
  EXPECT_EQ(generator.state(), Generator(1).state());
}

/// Programs that draw everything that is made of integers alone, so that backends agree exactly.
std::vector<std::vector<double>> integer_draws(const Options& options) {
  const ScopedOptions scope(options);
  Generator generator(99);
  return {rand({3, 70}, DType::f32, generator).to_vector<double>(),
          rand({3, 70}, DType::f64, generator).to_vector<double>(),
          randint(-5, 1000, {300}, DType::i64, generator).to_vector<double>(),
          randint(0, int64_t{1} << 40, {300}, DType::i64, generator).to_vector<double>(),
          bernoulli(0.3, {300}, DType::bool_, generator).to_vector<double>(),
          dropout(ones({40, 40}), 0.5, generator).to_vector<double>()};
}

TEST(Random, EveryBackendAndPipelineDrawsTheSame) {
  Options compiled = options();
  compiled.backend = compiled_backend();
  Options interpreted = options();
  interpreted.backend = "interpreter";
  Options unfused = compiled;
  unfused.disable_passes = {"fuse"};
  Options one_thread = compiled;
  one_thread.num_threads = 1;
  const auto expected = integer_draws(interpreted);

  EXPECT_EQ(integer_draws(compiled), expected);
  EXPECT_EQ(integer_draws(unfused), expected);
  EXPECT_EQ(integer_draws(one_thread), expected);
}

TEST(Random, SeedsRatesAndBoundsCompileNothing) {
  const auto draw = [](uint64_t seed, double p, int64_t low) {
    Generator generator(seed);
    materialize(dropout(ones({33}), p, generator) + rand({33}, DType::f32, generator),
                randint(low, low + 10, {33}, DType::i64, generator),
                normal(p + 3, p + 5, {33}, DType::f32, generator),
                exponential(p + 7, {33}, DType::f32, generator));
  };
  draw(1, 0.25, 3);
  const int64_t plans = runtime::runtime_stats().plans_built;
  const int64_t kernels = codegen::KernelCache::instance().stats().compiled;

  draw(2, 0.75, 4);
  draw(uint64_t{1} << 40U, 0.3, 1000);

  EXPECT_EQ(runtime::runtime_stats().plans_built, plans);
  EXPECT_EQ(codegen::KernelCache::instance().stats().compiled, kernels);
}

}  // namespace
}  // namespace wick
