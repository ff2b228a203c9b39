// What hand-written kernels ask of the driver.

#include "runtime_cuda/fake_driver.h"
#include "runtime_cuda/native_case.h"
#include <gtest/gtest.h>

#include "wick/runtime/cuda/device_call.h"

namespace wick::runtime::cuda {
namespace {

using ir::OpKind;
using Ints = std::vector<int64_t>;
using Calls = std::vector<std::string>;

/// Makes empty images and counts them.
class CountingCompiler final : public ProgramCompiler {
 public:
  codegen::cuda::CompiledProgram compile(std::span<const codegen::cuda::ProgramKernel> /*kernels*/,
                                         int /*compute_capability*/) override {
    return image();
  }

  codegen::cuda::CompiledProgram compile(std::string_view /*name*/,
                                         const std::string& /*text*/,
                                         int /*compute_capability*/) override {
    return image();
  }

  int compiled = 0;

 private:
  codegen::cuda::CompiledProgram image() {
    ++compiled;
    codegen::cuda::CompiledProgram program;
    program.image.resize(16);
    return program;
  }
};

class CudaNativeCall : public testing::Test {
 protected:
  std::unique_ptr<DeviceCall> prepared(const NativeCase& c) {
    std::unique_ptr<DeviceCall> call = make_native_device_call(library_op_of(c));
    call->prepare(gpu_);
    driver_.take_calls();
    return call;
  }

  FakeDriver driver_;
  CountingCompiler compiler_;
  Gpu gpu_{driver_.api(), 0, compiler_};
};

NativeCase pool(OpKind op, const Shape& x, const Shape& cotangent) {
  NativeCase c{op, {{"kernel", Ints{2, 2}}}, {Literal(Type{DType::f32, x})}};
  if (op == OpKind::max_pool2d_grad) {
    c.attributes.set("input_shape", Ints(x.begin(), x.end()));
    c.operands = {Literal(Type{DType::u8, cotangent}), Literal(Type{DType::f32, cotangent})};
  }
  return c;
}

TEST_F(CudaNativeCall, EnqueuesItsLaunchAndNothingElse) {
  const auto call = prepared(pool(OpKind::max_pool2d_grad, {4, 8, 32, 32}, {4, 8, 16, 16}));
  const void* operands[] = {nullptr, nullptr};

  call->enqueue(gpu_.stream(), operands, nullptr, nullptr);

  EXPECT_EQ(driver_.take_calls(),
            (Calls{"cuLaunchKernel max_pool_grad (128, 1, 1) (256, 1, 1) shared 0, stream1"}));
  EXPECT_EQ(call->workspace_bytes(), 0U);
  EXPECT_EQ(call->implementation(), "native pooling");
}

TEST_F(CudaNativeCall, SortsAskForTheSharedMemoryOfTheirTiles) {
  const Literal x(Type{DType::f64, {2, 5000}});
  const auto call = prepared({OpKind::argsort, {{"axis", int64_t{1}}}, {x}});
  const void* operands[] = {nullptr};

  call->enqueue(gpu_.stream(), operands, nullptr, nullptr);

  EXPECT_EQ(driver_.take_calls(),
            (Calls{"cuLaunchKernel sort_tiles (6, 1, 1) (1024, 1, 1) shared 24576, stream1",
                   "cuLaunchKernel merge_runs (40, 1, 1) (256, 1, 1) shared 0, stream1",
                   "cuLaunchKernel merge_runs (40, 1, 1) (256, 1, 1) shared 0, stream1",
                   "cuLaunchKernel write_positions (40, 1, 1) (256, 1, 1) shared 0, stream1"}));
}

TEST_F(CudaNativeCall, OneLongScanKeepsManyBlocksBusyInOrder) {
  const Literal x(Type{DType::f32, {4'000'000}});
  const auto call =
      prepared({OpKind::scan, {{"axis", int64_t{0}}, {"kind", std::string("sum")}}, {x}});
  const void* operands[] = {nullptr};

  call->enqueue(gpu_.stream(), operands, nullptr, nullptr);

  EXPECT_EQ(driver_.take_calls(),
            (Calls{"cuLaunchKernel scan_totals (245, 1, 1) (256, 1, 1) shared 2048, stream1",
                   "cuLaunchKernel scan_carries (1, 1, 1) (256, 1, 1) shared 2048, stream1",
                   "cuLaunchKernel scan (245, 1, 1) (256, 1, 1) shared 2048, stream1"}));
  EXPECT_GE(call->workspace_bytes(), 245U * 4);
}

TEST_F(CudaNativeCall, AnOpAndItsGradientShareAText) {
  prepared(pool(OpKind::max_pool2d, {1, 1, 4, 4}, {}));
  prepared(pool(OpKind::max_pool2d_grad, {1, 1, 8, 8}, {1, 1, 4, 4}));

  EXPECT_EQ(compiler_.compiled, 1);
}

TEST_F(CudaNativeCall, AnEmptyResultTakesNoCall) {
  const auto call = prepared(pool(OpKind::max_pool2d, {0, 3, 4, 4}, {}));
  const void* operands[] = {nullptr};

  call->enqueue(gpu_.stream(), operands, nullptr, nullptr);

  EXPECT_EQ(driver_.take_calls(), Calls{});
  EXPECT_EQ(call->workspace_bytes(), 0U);
}

TEST_F(CudaNativeCall, LeavesOtherOpsToOthers) {
  const Literal x(Type{DType::f32, {2, 2}});

  EXPECT_EQ(make_native_device_call(library_op_of({OpKind::matmul, {}, {x, x}})), nullptr);
}

}  // namespace
}  // namespace wick::runtime::cuda
