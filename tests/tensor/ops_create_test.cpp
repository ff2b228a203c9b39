#include <array>

#include "expect_values.h"
#include "support/on_host.h"

namespace wick {
namespace {

using testing_support::expect_values;

TEST(Create, Filled) {
  expect_values(zeros({2}), {2}, {0, 0});
  expect_values(ones({2}, DType::i32), {2}, {1, 1});
  expect_values(full({2, 1}, 2.5), {2, 1}, {2.5, 2.5});
  expect_values(scalar(7), {}, {7});
  EXPECT_EQ(ones({}, DType::bool_).item<bool>(), true);
}

TEST(Create, Counted) {
  EXPECT_EQ(arange(3).dtype(), DType::i64);
  expect_values(arange(3), {3}, {0, 1, 2});
  expect_values(eye(2), {2, 2}, {1, 0, 0, 1});
  expect_values(linspace(0, 1, 5), {5}, {0, 0.25, 0.5, 0.75, 1});
  expect_values(linspace(3, 9, 1), {1}, {3});
  const std::vector<float> tenths = linspace(0.1, 0.7, 7).to_vector<float>();
  EXPECT_EQ(tenths.back(), 0.7F);
}

TEST(Create, FromMemory) {
  const std::vector<int32_t> values = {1, 2, 3, 4};

  const Tensor copied = from_vector(values, {2, 2});

  EXPECT_EQ(copied.dtype(), DType::i32);
  EXPECT_TRUE(copied.is_materialized());
  expect_values(copied, {2, 2}, {1, 2, 3, 4});
}

TEST(Create, ForeignMemoryIsUsedAndGivenBack) {
  if (!on_host()) GTEST_SKIP() << "shares memory of the host";
  std::vector<double> values = {1, 2};
  int deleted = 0;
  {
    const Tensor x = from_buffer(values.data(), {DType::f64, {2}}, [&deleted] { ++deleted; });
    EXPECT_EQ(x.data<double>().data(), values.data());
    expect_values(x + 1, {2}, {2, 3});
    EXPECT_EQ(deleted, 0);
  }

  EXPECT_EQ(deleted, 1);
  EXPECT_EQ(values, (std::vector<double>{1, 2}));
}

TEST(Create, ForeignMemoryThatCannotBeUsed) {
  alignas(double) std::array<double, 2> values = {1, 2};
  int deleted = 0;
  const auto problem = [&](void* data, Type type) {
    try {
      (void)from_buffer(data, std::move(type), [&deleted] { ++deleted; });
    } catch (const Error& error) {
      EXPECT_EQ(error.op(), "from_buffer");
      return error.text();
    }
    return std::string("none");
  };
  auto* const misaligned = reinterpret_cast<char*>(values.data()) + 4;

  EXPECT_EQ(problem(nullptr, {DType::f32, {2}}), "null data for f32[2]");
  EXPECT_TRUE(problem(misaligned, {DType::f64, {1}}).ends_with(" is not aligned for f64[1]"));
  EXPECT_EQ(problem(misaligned, {DType::f32, {1}}), "none");
  EXPECT_EQ(problem(values.data(), {DType::f32, {-1}}), "shape [-1] has a negative extent");
  EXPECT_EQ(problem(values.data(), {DType::f32, {int64_t{1} << 40, int64_t{1} << 40}}),
            "shape [1099511627776,1099511627776] has too many elements");
  EXPECT_EQ(problem(nullptr, {DType::f32, {0}}), "none");
  EXPECT_EQ(deleted, 2) << "by the tensors that were made";
}

TEST(Create, DeletersMayUseTensors) {
  std::vector<float> values = {1, 2};
  float seen = 0;
  Tensor y;
  {
    const Tensor x = from_buffer(values.data(), {DType::f32, {2}}, [&seen] {
      seen = (tensor({20, 22}) + 0.5F).sum().item<float>();
    });
    y = x * 2;
  }

  materialize(y);  // x goes with this run

  EXPECT_EQ(seen, 43);
}

TEST(Create, ReadsAsAnyNumber) {
  const Tensor x = tensor({0, 1.75});

  EXPECT_EQ(x.to_vector<int>(), (std::vector<int>{0, 1}));
  EXPECT_EQ(x.to_vector<bool>(), (std::vector<bool>{false, true}));
  EXPECT_EQ(x.data<float>()[1], 1.75F);
  EXPECT_EQ(x.size(-1), 2);
  EXPECT_EQ(x.numel(), 2);
}

}  // namespace
}  // namespace wick
