// Hand-written kernels on a GPU, where there is one, at sizes that no test on the host can take.

#include "runtime_cuda/native_case.h"
#include <gtest/gtest.h>

#include "wick/runtime/cuda/device_call.h"

namespace wick::runtime::cuda {
namespace {

using ir::OpKind;
using Ints = std::vector<int64_t>;

class NativeOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (const Found<DriverApi> found = try_driver(); found.api == nullptr) {
      GTEST_SKIP() << found.problem;
    } else if (device_count(*found.api) == 0) {
      GTEST_SKIP() << "the driver shows no GPU";
    }
  }

  std::shared_ptr<void> allocate(size_t bytes) {
    const std::shared_ptr<MemoryManager>& memory = gpu(0).memory();
    return {memory->allocate(bytes, {.purpose = "test"}),
            [&memory](void* freed) { memory->free(freed); }};
  }

  /// Twice, with the same bits.
  void expect_as_on_the_host(const NativeCase& c, double tolerance = 0) {
    const LibraryOp op = library_op_of(c);
    const std::unique_ptr<DeviceCall> call = make_native_device_call(op);
    call->prepare(gpu(0));
    std::vector<std::shared_ptr<void>> blocks;
    std::vector<const void*> operands;
    for (const Literal& operand : c.operands) {
      blocks.push_back(allocate(operand.bytes().size()));
      gpu(0).upload(blocks.back().get(), operand.data(), operand.bytes().size());
      operands.push_back(blocks.back().get());
    }
    const std::shared_ptr<void> workspace = allocate(call->workspace_bytes());
    const std::shared_ptr<void> block = allocate(op.result.num_bytes());
    const auto run = [&] {
      call->enqueue(gpu(0).stream(), operands.data(), block.get(), workspace.get());
      Literal result(op.result);
      gpu(0).download(result.data(), block.get(), op.result.num_bytes());
      return result;
    };

    const Literal first = run();

    expect_interpreted(c, first, tolerance);
    EXPECT_EQ(run(), first);
  }
};

TEST_F(NativeOnGpu, Pools) {
  const Ints input_shape{8, 16, 57, 59};
  ir::Attributes attributes{
      {"kernel", Ints{3, 3}}, {"stride", Ints{2, 2}}, {"padding", Ints{1, 1}}};
  for (const DType dtype : {DType::f32, DType::bf16}) {
    const Literal x = small_numbers({dtype, Shape(input_shape)}, 1, 3);
    const Literal cotangent = small_numbers({dtype, {8, 16, 29, 30}}, 2, 9);

    expect_as_on_the_host({OpKind::max_pool2d, attributes, {x}});
    ir::Attributes of_numbers = attributes;
    of_numbers.set("argmax", true);
    expect_as_on_the_host({OpKind::max_pool2d, of_numbers, {x}});
    expect_as_on_the_host({OpKind::avg_pool2d, attributes, {x}}, 4.5e-3);
    ir::Attributes with_shape = attributes;
    with_shape.set("input_shape", input_shape);
    const Literal numbers = small_numbers({DType::u8, {8, 16, 29, 30}}, 3, 8);
    expect_as_on_the_host({OpKind::max_pool2d_grad, with_shape, {numbers, cotangent}});
    expect_as_on_the_host({OpKind::avg_pool2d_grad, with_shape, {cotangent}}, 4.5e-3);
  }
}

TEST_F(NativeOnGpu, Sorts) {
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::i8}) {
    for (const bool descending : {false, true}) {
      expect_as_on_the_host({OpKind::argsort,
                             {{"axis", int64_t{1}}, {"descending", descending}},
                             {special_numbers({dtype, {300, 1001}}, 1)}});
      expect_as_on_the_host({OpKind::argsort,
                             {{"axis", int64_t{0}}, {"descending", descending}},
                             {small_numbers({dtype, {70'001, 3}}, 2, 50)}});
    }
  }
}

TEST_F(NativeOnGpu, Scans) {
  for (const char* kind : {"sum", "max", "logaddexp"}) {
    for (const auto& [shape, axis] : {std::pair<Shape, int64_t>{{1'000'003}, 0},
                                      {{3000, 130}, 1},
                                      {{700, 1000}, 0},
                                      {{100'000, 3}, 0}}) {
      expect_as_on_the_host(
          {OpKind::scan, {{"axis", axis}, {"kind", kind}}, {plain_numbers({DType::f32, shape}, 1)}},
          1e-7);
    }
  }
}

TEST_F(NativeOnGpu, Scatters) {
  for (const char* mode : {"add", "max", "set"}) {
    for (const int64_t extent : {3, 1000, 50'000}) {
      Literal indices = small_numbers({DType::i64, {20'000}}, 3, static_cast<int>(extent));
      for (const DType dtype : {DType::f32, DType::f16}) {
        expect_as_on_the_host({OpKind::scatter,
                               {{"axis", int64_t{0}}, {"mode", mode}},
                               {plain_numbers({dtype, {extent, 24}}, 1),
                                indices,
                                plain_numbers({dtype, {20'000, 24}}, 2)}},
                              dtype == DType::f32 ? 1e-5 : 6e-4);
      }
    }
  }
}

}  // namespace
}  // namespace wick::runtime::cuda
