// Convolutions as the fake computes them from cuDNN's descriptors, against Wick's interpreter.

#include "wick/runtime/cuda/convolution.h"

#include "runtime_cuda/error_text.h"
#include "runtime_cuda/fake_cudnn.h"
#include <gtest/gtest.h>

#include "wick/ir/format.h"
#include "wick/ir/interpreter.h"
#include "wick/ir/op.h"
#include "wick/runtime/cuda/not_supported.h"

namespace wick::runtime::cuda {
namespace {

using ir::Attributes;
using ir::OpKind;
using Ints = std::vector<int64_t>;

LibraryOp make_op(OpKind kind,
                  const Shape& first,
                  const Shape& second,
                  Attributes attributes,
                  DType dtype = DType::f32) {
  std::vector<Type> operands{{dtype, first}, {dtype, second}};
  const std::vector<const Type*> pointers{&operands[0], &operands[1]};
  Type result = ir::infer_type(kind, pointers, attributes, {});
  return {kind, std::move(attributes), std::move(operands), std::move(result)};
}

/// Small whole numbers, so that sums are exact in any order.
Literal numbers(const Type& type, int seed) {
  Literal literal(type);
  int i = seed;
  for (float& value : literal.mutable_values<float>())
    value = static_cast<float>(i++ * 7 % 11 - 5);
  return literal;
}

class CudaConvolution : public testing::Test {
 protected:
  void expect_equal(const LibraryOp& op) {
    const Literal first = numbers(op.operands[0], 1);
    const Literal second = numbers(op.operands[1], 5);
    const std::vector<const Literal*> operands{&first, &second};
    const Literal expected = ir::interpret_op(op.op, op.attributes, operands, op.result);
    Literal result(op.result);

    const Convolution convolution(dnn_, op);
    const void* const addresses[] = {first.data(), second.data()};
    convolution.enqueue(stream_, {.operands = addresses, .result = result.data()});
    stream_.synchronize();

    EXPECT_EQ(result, expected) << fmt::format("{} {}", op.op, op.result);
  }

  /// The engine that runs a small convolution.
  std::string engine_of(ConvolutionOptions options, DType dtype = DType::f32) {
    const Convolution convolution(dnn_, small_op(dtype), options);
    std::vector<std::byte> memory(4096);
    driver_.take_calls();
    const void* const operands[] = {memory.data(), memory.data()};
    convolution.enqueue(stream_, {.operands = operands, .result = memory.data() + 2048});
    stream_.synchronize();
    return driver_.take_calls().front();
  }

  static LibraryOp small_op(DType dtype = DType::f32) {
    return make_op(OpKind::conv, {1, 2, 3, 3}, {2, 2, 1, 1}, {}, dtype);
  }

  FakeDriver driver_;
  FakeCudnn library_{driver_};
  Device device_{driver_.api(), 0};
  Stream stream_{device_};
  Dnn dnn_{device_, library_.api()};
};

TEST_F(CudaConvolution, Forward) {
  expect_equal(make_op(OpKind::conv, {2, 3, 6, 5}, {4, 3, 3, 2}, {}));
  expect_equal(
      make_op(OpKind::conv,
              {2, 3, 9, 8},
              {4, 3, 3, 2},
              {{"stride", Ints{2, 1}}, {"padding", Ints{1, 2}}, {"dilation", Ints{1, 3}}}));
}

TEST_F(CudaConvolution, InGroups) {
  expect_equal(make_op(OpKind::conv, {2, 6, 5, 5}, {4, 3, 3, 3}, {{"groups", int64_t{2}}}));
}

TEST_F(CudaConvolution, OverOneAndOverThreeAxes) {
  expect_equal(make_op(OpKind::conv,
                       {2, 3, 9},
                       {4, 3, 3},
                       {{"stride", Ints{2}}, {"padding", Ints{1}}, {"dilation", Ints{2}}}));
  expect_equal(make_op(OpKind::conv,
                       {1, 2, 4, 5, 3},
                       {3, 2, 2, 3, 1},
                       {{"stride", Ints{1, 2, 1}}, {"padding", Ints{1, 0, 0}}}));
}

TEST_F(CudaConvolution, WithChannelsLast) {
  expect_equal(make_op(OpKind::conv, {2, 1, 6, 5, 8}, {16, 8, 3, 3}, {{"block", int64_t{16}}}));
}

TEST_F(CudaConvolution, InputGradient) {
  expect_equal(make_op(
      OpKind::conv_input_grad, {2, 4, 4, 7}, {4, 3, 3, 2}, {{"input_shape", Ints{2, 3, 6, 8}}}));
  expect_equal(
      make_op(OpKind::conv_input_grad,
              {2, 4, 5},
              {4, 3, 3},
              {{"input_shape", Ints{2, 3, 9}}, {"stride", Ints{2}}, {"padding", Ints{1}}}));
}

TEST_F(CudaConvolution, WeightGradient) {
  expect_equal(make_op(
      OpKind::conv_weight_grad,
      {2, 3, 9, 8},
      {2, 4, 5, 5},
      {{"weight_shape", Ints{4, 3, 3, 2}}, {"stride", Ints{2, 2}}, {"padding", Ints{1, 1}}}));
}

TEST_F(CudaConvolution, RefusesOtherBlocksOfChannels) {
  EXPECT_EQ(error_text([&] {
              const Convolution convolution(
                  dnn_,
                  make_op(OpKind::conv, {2, 2, 6, 5, 8}, {16, 16, 3, 3}, {{"block", int64_t{16}}}));
            }),
            "error: cuda:0: cuDNN convolves no images in blocks: [2,2,6,5,8]");
}

TEST_F(CudaConvolution, TakesTheFirstEngineThatWorksOnTheDevice) {
  library_.set_engines({{.name = "newer device", .notes = {}, .works = false},
                        {.name = "huge", .notes = {}, .workspace_bytes = int64_t{1} << 40U},
                        {.name = "fine", .notes = {}}});

  EXPECT_EQ(engine_of({}), "cudnnBackendExecute fine, workspace host, stream1");
}

TEST_F(CudaConvolution, FallsBackToTheSlowEngines) {
  library_.set_engines({}, {{.name = "slow", .notes = {}}});

  EXPECT_EQ(engine_of({}), "cudnnBackendExecute slow, workspace host, stream1");
}

TEST_F(CudaConvolution, NeverTakesAnEngineWhoseBitsVary) {
  library_.set_engines({{.name = "atomic", .notes = {CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC}},
                        {.name = "ordered", .notes = {}}});

  EXPECT_EQ(engine_of({.tf32 = true, .winograd = true}),
            "cudnnBackendExecute ordered, workspace host, stream1");
}

TEST_F(CudaConvolution, RoundsF32OnlyWhereThatIsAllowed) {
  library_.set_engines(
      {{.name = "tensor cores",
        .notes = {CUDNN_NUMERICAL_NOTE_TENSOR_CORE, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS}},
       {.name = "winograd", .notes = {CUDNN_NUMERICAL_NOTE_WINOGRAD}},
       {.name = "exact", .notes = {}}});

  EXPECT_EQ(engine_of({}), "cudnnBackendExecute exact, workspace host, stream1");
  EXPECT_EQ(engine_of({.winograd = true}), "cudnnBackendExecute winograd, workspace host, stream1");
  EXPECT_EQ(engine_of({.tf32 = true}), "cudnnBackendExecute tensor cores, workspace host, stream1");
}

TEST_F(CudaConvolution, HalvesUseTensorCores) {
  library_.set_engines({{.name = "tensor cores", .notes = {CUDNN_NUMERICAL_NOTE_TENSOR_CORE}}});

  const Convolution convolution(dnn_, small_op(DType::bf16));

  EXPECT_EQ(convolution.workspace_bytes(), 0U);
}

TEST_F(CudaConvolution, WorksInTheWorkspaceOfItsEngine) {
  library_.set_engines({{.name = "best", .notes = {}, .workspace_bytes = 256}});
  CUdeviceptr workspace = 0;
  device_.call("testing", device_.api().cuMemAlloc, &workspace, size_t{256});
  const Convolution convolution(dnn_, small_op());
  std::vector<std::byte> memory(4096);
  driver_.take_calls();

  const void* const operands[] = {memory.data(), memory.data()};
  convolution.enqueue(stream_,
                      {.operands = operands,
                       .result = memory.data() + 2048,
                       .workspace = reinterpret_cast<void*>(workspace)});
  stream_.synchronize();

  EXPECT_EQ(convolution.workspace_bytes(), 256U);
  EXPECT_EQ(driver_.take_calls().front(), "cudnnBackendExecute best, workspace mem1, stream1");
}

TEST_F(CudaConvolution, WithoutAnEngineTheOpIsNamed) {
  library_.set_engines({});

  EXPECT_EQ(error_text([&] { const Convolution convolution(dnn_, small_op()); }),
            "error: cuda:0: conv: cuDNN has no engine for it");
  EXPECT_THROW(Convolution(dnn_, small_op()), NotSupported);
  EXPECT_EQ(library_.num_live_descriptors(), 0);
}

TEST_F(CudaConvolution, AFailedCallSaysWhatCudnnSaid) {
  library_.fail_next(CUDNN_STATUS_BAD_PARAM);

  EXPECT_EQ(error_text([&] { const Convolution convolution(dnn_, small_op()); }),
            "error: cuda:0: describing an operation: cudnnBackendFinalize: CUDNN_STATUS_BAD_PARAM: "
            "as told");
  EXPECT_EQ(library_.num_live_descriptors(), 0);
}

TEST_F(CudaConvolution, TellsWhatIsNotSupportedFromWhatWentWrong) {
  library_.fail_next(CUDNN_STATUS_NOT_SUPPORTED_SHAPE);
  EXPECT_THROW(Convolution(dnn_, small_op()), NotSupported);
  library_.fail_next(CUDNN_STATUS_INTERNAL_ERROR);
  try {
    const Convolution convolution(dnn_, small_op());
    ADD_FAILURE() << "no error";
  } catch (const NotSupported&) {
    ADD_FAILURE() << "a broken library is no reason to go another way";
  } catch (const Error&) {  // as it should be
  }
}

TEST_F(CudaConvolution, RefusesIntegers) {
  EXPECT_EQ(error_text([&] {
              LibraryOp op = small_op();
              op.result.dtype = DType::i32;
              const Convolution convolution(dnn_, op);
            }),
            "error: cuda:0: cuDNN convolves no i32");
}

/// Operations need no device, only graphs of them do: the library itself can be asked whether it
/// takes their descriptions.
TEST_F(CudaConvolution, CudnnTakesTheDescriptions) {
  const Found<CudnnApi> found = try_cudnn();
  if (found.api == nullptr) GTEST_SKIP() << found.problem;
  CudnnApi api = *found.api;
  api.cudnnCreate = library_.api().cudnnCreate;
  api.cudnnDestroy = library_.api().cudnnDestroy;
  api.cudnnBackendSetAttribute.point_to([](cudnnBackendDescriptor_t descriptor,
                                           cudnnBackendAttributeName_t name,
                                           cudnnBackendAttributeType_t type,
                                           int64_t count,
                                           const void* values) {
    if (name == CUDNN_ATTR_OPERATIONGRAPH_HANDLE) return CUDNN_STATUS_NOT_INITIALIZED;
    return cudnn().cudnnBackendSetAttribute(descriptor, name, type, count, values);
  });
  const Dnn dnn(device_, api);
  const std::vector<LibraryOp> ops{
      make_op(OpKind::conv,
              {2, 6, 9, 8},
              {4, 3, 3, 2},
              {{"stride", Ints{2, 1}}, {"padding", Ints{1, 1}}, {"groups", int64_t{2}}}),
      make_op(OpKind::conv, {2, 3, 9}, {4, 3, 3}, {}),
      make_op(OpKind::conv, {2, 1, 6, 5, 8}, {16, 8, 3, 3}, {{"block", int64_t{16}}}, DType::f16),
      make_op(OpKind::conv_input_grad,
              {2, 4, 4, 7},
              {4, 3, 3, 2},
              {{"input_shape", Ints{2, 3, 6, 8}}},
              DType::f64),
      make_op(OpKind::conv_weight_grad,
              {2, 3, 6, 8},
              {2, 4, 4, 7},
              {{"weight_shape", Ints{4, 3, 3, 2}}},
              DType::bf16)};
  for (const LibraryOp& op : ops) {
    const std::string text = error_text([&] { const Convolution convolution(dnn, op); });

    EXPECT_TRUE(
        text.starts_with("error: cuda:0: describing an operation: "
                         "cudnnBackendSetAttribute: CUDNN_STATUS_NOT_INITIALIZED"))
        << text;
  }
}

}  // namespace
}  // namespace wick::runtime::cuda
