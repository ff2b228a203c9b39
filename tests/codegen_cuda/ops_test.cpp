// Every elementwise op in every dtype as CUDA text run on the host, against the kernel interpreter.

#include "codegen/op_values.h"
#include "codegen_llvm/kernel_builder.h"
#include "emulated_kernels.h"
#include <gtest/gtest.h>

namespace wick::codegen::cuda::test {
namespace {

using codegen::test::Column;
using codegen::test::KernelBuilder;
using ir::OpKind;

/// One op on columns of values.
struct OpCase {
  OpKind op = OpKind::add;
  std::vector<Column> operands;
  DType result = DType::f32;
  KernelBuilder kernel;
};

OpCase make_case(OpKind op, std::vector<Column> operands, DType result) {
  std::vector<DType> dtypes;
  for (const Column& column : operands)
    dtypes.push_back(column.dtype);
  const auto count = static_cast<int64_t>(operands[0].count());
  KernelBuilder kernel = codegen::test::elementwise(op, dtypes, result, count);
  return {op, std::move(operands), result, std::move(kernel)};
}

std::vector<OpCase> all_ops() {
  std::mt19937_64 generator(7);
  std::vector<OpCase> cases;
  for (const int number : codegen::test::elementwise_ops()) {
    const auto op = static_cast<OpKind>(number);
    for (const DType dtype : kAllDTypes) {
      if (!codegen::test::accepts(op, dtype)) continue;
      cases.push_back(make_case(op,
                                codegen::test::operands_of(op, dtype, generator),
                                codegen::test::compares(op) ? DType::bool_ : dtype));
    }
  }
  return cases;
}

std::vector<OpCase> all_casts() {
  std::mt19937_64 generator(11);
  std::vector<OpCase> cases;
  for (const DType from : kAllDTypes) {
    Column values = codegen::test::edge_values(from);
    append_random(values, generator, 100);
    for (const DType to : kAllDTypes)
      cases.push_back(make_case(OpKind::cast, {values}, to));
  }
  return cases;
}

void expect_agreement(std::vector<OpCase> cases) {
  EmulatedKernels emulated;
  for (OpCase& c : cases) {
    ASSERT_EQ(verify(c.kernel.kernel()), std::nullopt);
    emulated.add(std::make_shared<Kernel>(c.kernel.kernel()), c.kernel.params());
  }
  emulated.compile();
  for (OpCase& c : cases) {
    const auto count = static_cast<int64_t>(c.operands[0].count());
    Column expected(c.result);
    Column actual(c.result);
    expected.bytes.resize(static_cast<size_t>(count) * size_of(c.result));
    actual.bytes.resize(expected.bytes.size());
    std::vector<void*> buffers;
    for (Column& column : c.operands)
      buffers.push_back(column.bytes.data());
    buffers.push_back(expected.bytes.data());
    interpret(c.kernel.kernel(), buffers.data(), c.kernel.params().data(), 0, 1, 0, count);
    buffers.back() = actual.bytes.data();

    emulated.run(c.kernel.kernel(), c.kernel.params(), buffers);

    expect_columns_agree(c.op, c.operands, actual, expected);
  }
}

TEST(CudaOps, AgreeWithTheInterpreterInEveryDType) {
  expect_agreement(all_ops());
}

TEST(CudaOps, CastsAgreeBetweenAllDTypes) {
  expect_agreement(all_casts());
}

/// random_bits of elements `first`, `first` + 1, ...
KernelBuilder random_kernel(int64_t first, int64_t count) {
  KernelBuilder k("random");
  const int key = k.buffer(DType::i64);
  const int out = k.buffer(DType::i32, true);
  k.vector(k.outer(count));
  k.straight();
  const int key_value = k.load(key, k.at({0}));
  const int offset = k.load(key, k.at({0}, 1));
  k.store(out, k.at({1}), k.random_bits(key_value, offset, k.index(k.at({1}, first))));
  return k;
}

TEST(CudaOps, RandomBitsAreTheInterpretersBits) {
  constexpr int64_t kCount = 333;
  constexpr int64_t kFirsts[] = {0, 1, 16, 77};
  EmulatedKernels emulated;
  for (const int64_t first : kFirsts) {
    KernelBuilder k = random_kernel(first, kCount);
    emulated.add(std::make_shared<Kernel>(k.kernel()), k.params());
  }
  emulated.compile();
  for (const int64_t first : kFirsts) {
    KernelBuilder k = random_kernel(first, kCount);
    int64_t keys[] = {0x123456789ABCDEF0, 0xFFFFFFF0};
    std::vector<int32_t> expected(kCount);
    std::vector<int32_t> actual(kCount);
    std::vector<void*> buffers = {keys, expected.data()};
    interpret(k.kernel(), buffers.data(), k.params().data(), 0, 1, 0, kCount);
    buffers[1] = actual.data();

    emulated.run(k.kernel(), k.params(), buffers);

    EXPECT_EQ(actual, expected) << first;
  }
}

}  // namespace
}  // namespace wick::codegen::cuda::test
