#include "wick/tensor/dlpack.h"

#include <array>
#include <cstring>
#include <functional>

#include "expect_values.h"
#include "support/on_host.h"

#include "wick/tensor/dlpack_abi.h"

namespace wick {
namespace {

using testing_support::expect_values;

/// Memory of another library: f32 [2,3], 0 to 5, unless changed.
struct Foreign {
  Foreign() {
    managed.dl_tensor = {.data = values.data(),
                         .device = {.device_type = kDLCPU, .device_id = 0},
                         .ndim = 2,
                         .dtype = {.code = kDLFloat, .bits = 32, .lanes = 1},
                         .shape = shape.data(),
                         .strides = nullptr,
                         .byte_offset = 0};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensor* self) {
      ++static_cast<Foreign*>(self->manager_ctx)->deletions;
    };
  }

  std::array<float, 8> values = {0, 1, 2, 3, 4, 5, 6, 7};
  std::array<int64_t, 2> shape = {2, 3};
  std::array<int64_t, 2> strides = {3, 1};
  DLManagedTensor managed{};
  int deletions = 0;
};

TEST(DLPack, UsesRowMajorMemoryInPlace) {
  if (!on_host()) GTEST_SKIP() << "shares memory of the host";
  Foreign foreign;
  {
    const Tensor x = from_dlpack(&foreign.managed);
    expect_values(x, {2, 3}, {0, 1, 2, 3, 4, 5});
    EXPECT_EQ(x.node()->data(), foreign.values.data());
    expect_values(x * 2, {2, 3}, {0, 2, 4, 6, 8, 10});
    EXPECT_EQ(foreign.deletions, 0);
  }
  EXPECT_EQ(foreign.deletions, 1);
}

TEST(DLPack, ResultsAreNotWrittenOverIt) {
  Foreign foreign;
  Tensor x = from_dlpack(&foreign.managed);
  x = x + 1;
  materialize(x);

  EXPECT_EQ(foreign.values[0], 0);
  EXPECT_EQ(foreign.deletions, 1);
}

TEST(DLPack, CopiesWhatIsLaidOutOtherwise) {
  struct Case {
    std::array<int64_t, 2> shape;
    std::array<int64_t, 2> strides;
    uint64_t byte_offset;
    std::vector<double> values;
  };

  const std::vector<Case> cases = {
      {{3, 2}, {1, 3}, 0, {0, 3, 1, 4, 2, 5}},  // transposed
      {{2, 3}, {0, 1}, 4, {1, 2, 3, 1, 2, 3}},  // repeated
      {{2, 2}, {-4, -2}, 28, {7, 5, 3, 1}},     // backwards
      {{2, 2}, {4, 2}, 0, {0, 2, 4, 6}},        // with gaps
  };
  for (const Case& each : cases) {
    Foreign foreign;
    foreign.shape = each.shape;
    foreign.strides = each.strides;
    foreign.managed.dl_tensor.strides = foreign.strides.data();
    foreign.managed.dl_tensor.byte_offset = each.byte_offset;

    const Tensor x = from_dlpack(&foreign.managed);

    EXPECT_EQ(foreign.deletions, 1) << "copied, so nobody needs it";
    expect_values(x, Shape{std::span<const int64_t>(each.shape)}, each.values);
  }
}

TEST(DLPack, CopiesMisalignedMemory) {
  Foreign foreign;
  alignas(float) std::array<std::byte, 9> bytes{};
  const float value = 1.5;
  std::memcpy(bytes.data() + 1, &value, sizeof value);
  foreign.shape = {1, 1};
  foreign.managed.dl_tensor.data = bytes.data();
  foreign.managed.dl_tensor.byte_offset = 1;

  const Tensor x = from_dlpack(&foreign.managed);

  EXPECT_EQ(foreign.deletions, 1);
  EXPECT_EQ(x.item<float>(), 1.5F);
}

TEST(DLPack, StridesOfSingleElementsSayNothing) {
  if (!on_host()) GTEST_SKIP() << "shares memory of the host";
  Foreign foreign;
  foreign.shape = {1, 3};
  foreign.strides = {77, 1};
  foreign.managed.dl_tensor.strides = foreign.strides.data();
  foreign.managed.dl_tensor.byte_offset = 8;

  const Tensor x = from_dlpack(&foreign.managed);

  EXPECT_EQ(foreign.deletions, 0);
  expect_values(x, {1, 3}, {2, 3, 4});
}

TEST(DLPack, EveryDtypeThereAndBack) {
  if (!on_host()) GTEST_SKIP() << "shares memory of the host";
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    const Tensor x = tensor({{0, 1, 1}, {1, 0, 1}}).to(dtype);
    DLManagedTensorVersioned* const managed = to_dlpack_versioned(x + x);
    EXPECT_EQ(managed->dl_tensor.strides[0], 3);
    EXPECT_EQ(managed->flags & kDLReadOnly, kDLReadOnly);

    const Tensor back = from_dlpack(managed);

    EXPECT_EQ(back.dtype(), dtype);
    EXPECT_EQ(back.to_vector<int>(), (x + x).to_vector<int>());
    EXPECT_EQ(back.node()->data(), managed->dl_tensor.data);
  }
}

TEST(DLPack, WhatIsHandedOverOutlivesTheTensor) {
  DLManagedTensor* managed = nullptr;
  {
    Tensor x = ones({4});
    materialize(x);
    managed = to_dlpack(x);
    x = x + 1;  // may not reuse the memory
    materialize(x);
  }
  EXPECT_EQ(static_cast<float*>(managed->dl_tensor.data)[3], 1);
  managed->deleter(managed);
}

TEST(DLPack, NothingAndScalars) {
  for (const Tensor& x : {zeros({0, 3}), scalar(2.5)}) {
    DLManagedTensor* const managed = to_dlpack(x);
    const Tensor back = from_dlpack(managed);
    EXPECT_EQ(back.type(), x.type());
    EXPECT_EQ(back.to_vector<double>(), x.to_vector<double>());
  }
  Foreign nothing;
  nothing.shape = {0, 3};
  nothing.managed.dl_tensor.data = nullptr;
  nothing.managed.deleter = nullptr;
  expect_values(from_dlpack(&nothing.managed), {0, 3}, {});
}

TEST(DLPack, ErrorsLeaveTheOwnerTheOwner) {
  struct Case {
    std::function<void(DLTensor&)> change;
    std::string text;
  };

  const std::vector<Case> cases = {
      {[](DLTensor& t) { t.device.device_type = kDLCUDA; },
       "the memory is of device type 2, not the CPU's"},
      {[](DLTensor& t) { t.dtype.lanes = 4; }, "vectors of 4 lanes are not supported"},
      {[](DLTensor& t) { t.dtype = {kDLUInt, 64, 1}; },
       "no dtype of Wick has type code 1 and 64 bits"},
      {[](DLTensor& t) { t.dtype = {kDLComplex, 64, 1}; },
       "no dtype of Wick has type code 5 and 64 bits"},
      {[](DLTensor& t) { t.data = nullptr; }, "null data for f32[2,3]"},
      {[](DLTensor& t) { t.shape[0] = -1; },
       "shape [-1,3] has a negative extent or too many elements"},
      {[](DLTensor& t) { t.shape[0] = INT64_MAX; },
       "shape [9223372036854775807,3] has a negative extent or too many elements"},
      {[](DLTensor& t) { t.ndim = -1; }, "rank -1 has no shape"},
      {[](DLTensor& t) { t.dtype = {kDLBool, 8, 1}; }, "a bool is neither 0 nor 1"},
  };
  const auto expect_error = [](auto call, const std::string& text, uint32_t line) {
    try {
      call();
      ADD_FAILURE() << "no Error was thrown: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.op(), "from_dlpack");
      EXPECT_EQ(error.text(), text);
      EXPECT_EQ(error.where().line, line);
    }
  };
  for (const Case& each : cases) {
    Foreign foreign;
    foreign.values[0] = 1.0F / 3;  // bytes that are no bools
    each.change(foreign.managed.dl_tensor);
    expect_error([&] { (void)from_dlpack(&foreign.managed); }, each.text, __LINE__);
    EXPECT_EQ(foreign.deletions, 0);
  }
  DLManagedTensorVersioned future{};
  future.version = {.major = 2, .minor = 1};
  expect_error([&] { (void)from_dlpack(&future); },
               "version 2.1 of DLPack is not supported, which is 1",
               __LINE__ - 2);
  EXPECT_THROW((void)to_dlpack(Tensor()), Error);
}

}  // namespace
}  // namespace wick
