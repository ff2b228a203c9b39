#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "expect_error.h"
#include "expect_values.h"
#include <gtest/gtest.h>

#include "wick/nn/data/dataset.h"

namespace wick::data {
namespace {

using testing_support::error_of;
using testing_support::expect_values;

/// Sample i: f32[2] {i, -i} and i64[] i.
DataView numbers(int64_t count) {
  std::vector<float> pairs;
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < count; ++i) {
    pairs.push_back(static_cast<float>(i));
    pairs.push_back(static_cast<float>(-i));
    labels.push_back(i);
  }
  return DataView(
      TensorDataset({HostArray::copy(pairs, {count, 2}), HostArray::copy(labels, {count})}));
}

std::vector<int64_t> labels_of(const DataView& view) {
  std::vector<int64_t> labels;
  for (const Sample& sample : view) {
    for (const int64_t label : sample[1].values<int64_t>()) {
      labels.push_back(label);
    }
  }
  return labels;
}

std::vector<int64_t> counted(int64_t count) {
  std::vector<int64_t> labels(static_cast<size_t>(count));
  std::iota(labels.begin(), labels.end(), 0);
  return labels;
}

TEST(TensorDataset, GivesRowsOfEveryArray) {
  const DataView view = numbers(5);

  const Sample sample = view.get(3);

  EXPECT_EQ(view.size(), 5);
  ASSERT_EQ(sample.size(), 2U);
  expect_values(sample[0].to_tensor(), {2}, {3, -3}, 0);
  expect_values(sample[1].to_tensor(), {}, {3}, 0);
  EXPECT_EQ(sample[1].type().dtype, DType::i64);
}

TEST(TensorDataset, RefusesArraysThatDoNotFit) {
  const HostArray three = HostArray::copy(std::vector<float>(6), {3, 2});
  const HostArray four = HostArray::copy(std::vector<int64_t>(4), {4});

  EXPECT_EQ(error_of([&] { const TensorDataset d({three, four}); }),
            "tensor_dataset: first extents differ: f32[3,2] and i64[4]");
  EXPECT_EQ(error_of([&] { const TensorDataset d({}); }), "tensor_dataset: no arrays given");
  EXPECT_EQ(error_of([&] { const HostArray a = HostArray::copy(std::vector<float>(5), {3, 2}); }),
            "host_array: 20 bytes given for f32[3,2]");
  EXPECT_EQ(error_of([] { static_cast<void>(numbers(3).get(3)); }),
            "get: index 3 in a data set of 3");
}

TEST(HostArray, OutlivesItsDataSetInATensor) {
  Tensor x = numbers(10).get(7)[0].to_tensor();

  x += 1;

  expect_values(x, {2}, {8, -6}, 0);
}

TEST(HostArray, IsNotOverwrittenByPlans) {
  const DataView view = numbers(4);
  {
    Tensor x = view.get(2)[0].to_tensor();
    x = exp(x) + 1;
    materialize(x);
  }

  expect_values(view.get(2)[0].to_tensor(), {2}, {2, -2}, 0);
}

TEST(Batch, StacksSamplesInOrder) {
  const DataView batches = numbers(7).batch(3);

  ASSERT_EQ(batches.size(), 3);
  expect_values(batches.get(1)[0].to_tensor(), {3, 2}, {3, -3, 4, -4, 5, -5}, 0);
  expect_values(batches.get(2)[0].to_tensor(), {1, 2}, {6, -6}, 0);
  EXPECT_EQ(labels_of(batches), counted(7));
  EXPECT_EQ(labels_of(numbers(7).batch(3, /*drop_last=*/true)), counted(6));
  EXPECT_EQ(numbers(6).batch(3).size(), 2);
  EXPECT_EQ(numbers(0).batch(3).size(), 0);
  EXPECT_EQ(error_of([] { static_cast<void>(numbers(7).batch(0)); }), "batch: the batch size is 0");
}

TEST(Batch, RefusesSamplesOfDifferentTypes) {
  const DataView ragged = numbers(4).transform([](Sample sample) {
    if (sample[1].values<int64_t>()[0] == 2) sample[0] = HostArray({DType::f32, {5}});
    return sample;
  });

  try {
    static_cast<void>(ragged.batch(4).get(0));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "samples of one batch differ in type: (f32[2], i64[]) (f32[5], i64[])");
  }
}

TEST(Shuffle, IsAPermutationThatTheSeedDecides) {
  const std::vector<int64_t> one = labels_of(numbers(100).shuffle(1));
  const std::vector<int64_t> again = labels_of(numbers(100).shuffle(1));
  const std::vector<int64_t> two = labels_of(numbers(100).shuffle(2));

  EXPECT_EQ(one, again);
  EXPECT_NE(one, two);
  EXPECT_NE(one, counted(100));
  std::vector<int64_t> sorted = one;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, counted(100));
}

TEST(Shuffle, PutsEverySampleEverywhere) {
  std::vector<int> firsts(4);
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    ++firsts[static_cast<size_t>(labels_of(numbers(4).shuffle(seed))[0])];
  }

  // Five standard deviations of the binomial: sqrt(4000 / 4 * 3 / 4) = 27.
  for (const int count : firsts) {
    EXPECT_NEAR(count, 1000, 137);
  }
}

TEST(Transform, AppliesToSamplesOrBatches) {
  const auto doubled = [](Sample sample) {
    HostArray twice(sample[0].type());
    std::ranges::transform(sample[0].values<float>(),
                           twice.mutable_values<float>().begin(),
                           [](float v) { return 2 * v; });
    sample[0] = twice;
    return sample;
  };

  expect_values(
      numbers(4).transform(doubled).batch(2).get(1)[0].to_tensor(), {2, 2}, {4, -4, 6, -6}, 0);
  expect_values(
      numbers(4).batch(2).transform(doubled).get(1)[0].to_tensor(), {2, 2}, {4, -4, 6, -6}, 0);
}

}  // namespace
}  // namespace wick::data
