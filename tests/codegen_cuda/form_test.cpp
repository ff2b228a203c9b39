// What a shape decides: the form of the text, the grid, the block.

#include "codegen_llvm/sample_kernels.h"
#include "emulated_kernels.h"
#include <gtest/gtest.h>

namespace wick::codegen::cuda::test {
namespace {

using codegen::test::KernelBuilder;

KernelForm form_of(KernelBuilder k) {
  return choose_form(k.kernel(), k.params());
}

LaunchGeometry geometry_of(KernelBuilder k) {
  return launch_geometry(k.kernel(), form_of(k), k.params());
}

/// y[i] = -x[i + offset] of one dtype.
KernelBuilder negation(DType dtype, int64_t count, int64_t offset) {
  KernelBuilder k("negation");
  k.buffer(dtype);
  k.buffer(dtype, true);
  k.vector(k.outer(count));
  k.straight();
  const int x = k.load(0, k.at({1}, offset));
  k.store(1, k.at({1}), k.compute(ir::OpKind::neg, dtype, {x}));
  return k;
}

TEST(CudaForms, VectorsTakeSixteenBytesWhereAllIsAligned) {
  EXPECT_EQ(form_of(negation(DType::f32, 1024, 0)).width, 4);
  EXPECT_EQ(form_of(negation(DType::f16, 1024, 0)).width, 8);
  EXPECT_EQ(form_of(negation(DType::i64, 1024, 0)).width, 2);
  EXPECT_EQ(form_of(negation(DType::i8, 1024, 0)).width, 8);
  EXPECT_EQ(form_of(negation(DType::f32, 1024, 3)).width, 1);
  EXPECT_EQ(form_of(negation(DType::f32, 1024, 2)).width, 2);
  EXPECT_EQ(form_of(negation(DType::f32, 1024, 8)).width, 4);
}

TEST(CudaForms, OneDimensionMayEndAnywhere) {
  EXPECT_FALSE(form_of(negation(DType::f32, 1024, 0)).has_rest);
  const KernelForm odd = form_of(negation(DType::f32, 1023, 0));
  EXPECT_EQ(odd.width, 4);
  EXPECT_TRUE(odd.has_rest);
  const KernelForm tiny = form_of(negation(DType::f32, 1, 0));
  EXPECT_EQ(tiny.width, 1);
  EXPECT_FALSE(tiny.has_rest);
}

/// y[r, c] = -x[r, c] of rows that lie `pitch` elements apart in x.
KernelBuilder pitched(int64_t rows, int64_t columns, int64_t pitch) {
  KernelBuilder k("pitched");
  k.buffer(DType::f32);
  k.buffer(DType::f32, true);
  k.outer(rows);
  k.vector(k.outer(columns));
  k.straight();
  const int x = k.load(0, k.at({pitch, 1}));
  k.store(1, k.at({columns, 1}), k.compute(ir::OpKind::neg, DType::f32, {x}));
  return k;
}

TEST(CudaForms, EveryRowHasToBeAligned) {
  EXPECT_EQ(form_of(pitched(10, 64, 100)).width, 4);
  EXPECT_EQ(form_of(pitched(10, 64, 102)).width, 2);
  EXPECT_EQ(form_of(pitched(10, 64, 101)).width, 1);
  EXPECT_EQ(form_of(pitched(10, 63, 100)).width, 1);
  EXPECT_EQ(form_of(pitched(1, 64, 101)).width, 4);  // there is no second row
}

TEST(CudaForms, PositionsTakeSixtyFourBitsWhereTheyHaveTo) {
  EXPECT_FALSE(form_of(negation(DType::f32, 1 << 29, 0)).wide_index);
  EXPECT_TRUE(form_of(negation(DType::f32, int64_t{1} << 31, 0)).wide_index);
  EXPECT_TRUE(form_of(codegen::test::softmax_kernel(1 << 20, 1 << 12)).wide_index);
}

TEST(CudaForms, RowsStayInRegistersUnlessTheyAreLong) {
  EXPECT_EQ(form_of(codegen::test::softmax_kernel(8, 32)).held, 1);
  EXPECT_EQ(form_of(codegen::test::softmax_kernel(8, 512)).held, 4);
  EXPECT_EQ(form_of(codegen::test::softmax_kernel(8, 8192)).held, 4);
  EXPECT_EQ(form_of(codegen::test::softmax_kernel(8, 20000)).held, 0);
  EXPECT_EQ(form_of(codegen::test::row_sum_kernel(8, 512)).held, 0);  // each is read once
}

TEST(CudaGeometry, PositionsAreCovered) {
  EXPECT_EQ(geometry_of(negation(DType::f32, 1024, 0)),
            (LaunchGeometry{.grid_x = 1, .block_x = 256}));
  EXPECT_EQ(geometry_of(negation(DType::f32, 1023, 0)),
            (LaunchGeometry{.grid_x = 1, .block_x = 256}));
  EXPECT_EQ(geometry_of(negation(DType::f32, 1025, 0)),
            (LaunchGeometry{.grid_x = 2, .block_x = 256}));
  EXPECT_EQ(geometry_of(negation(DType::f32, 0, 0)).grid_x, 0U);
}

TEST(CudaGeometry, ShortRowsTakeSomeLanesAndLongOnesABlock) {
  EXPECT_EQ(geometry_of(codegen::test::softmax_kernel(10, 128)),
            (LaunchGeometry{.grid_x = 1, .block_x = 8, .block_y = 16, .shared_bytes = 32}));
  EXPECT_EQ(geometry_of(codegen::test::softmax_kernel(10, 8192)),
            (LaunchGeometry{.grid_x = 10, .block_x = 512, .block_y = 1, .shared_bytes = 128}));
}

TEST(CudaGeometry, VeryShortRowsAreOneThreads) {
  EXPECT_EQ(form_of(codegen::test::softmax_kernel(1000, 10)).width, 2);
  const LaunchGeometry geometry = geometry_of(codegen::test::softmax_kernel(1000, 10));
  EXPECT_EQ(geometry.block_x, 1U);
  EXPECT_EQ(geometry.block_y, 128U);
  EXPECT_EQ(geometry_of(codegen::test::softmax_kernel(1000, 7)).block_x, 1U);
  EXPECT_EQ(geometry_of(codegen::test::softmax_kernel(1000, 9)).block_x, 8U);
}

TEST(CudaGeometry, FewLongColumnsAreShared) {
  EXPECT_EQ(geometry_of(codegen::test::column_sum_kernel(1000, 64)),
            (LaunchGeometry{.grid_x = 2, .block_x = 32, .block_y = 16, .shared_bytes = 2048}));
  EXPECT_EQ(geometry_of(codegen::test::column_sum_kernel(1000, 1 << 20)),
            (LaunchGeometry{.grid_x = 4096, .block_x = 256, .block_y = 1, .shared_bytes = 1024}));
}

/// y[r, c] = -x[c, r].
KernelBuilder transpose(int64_t rows, int64_t columns) {
  KernelBuilder k("transpose");
  k.buffer(DType::f32);
  k.buffer(DType::f32, true);
  k.outer(rows);
  k.vector(k.outer(columns));
  k.straight();
  const int x = k.load(0, k.at({1, rows}));
  k.store(1, k.at({columns, 1}), k.compute(ir::OpKind::neg, DType::f32, {x}));
  return k;
}

TEST(CudaForms, TransposesTakeTiles) {
  EXPECT_EQ(form_of(transpose(64, 100)), (KernelForm{.tiled_dim = 0}));
  EXPECT_EQ(form_of(transpose(8, 100)).tiled_dim, -1);
  EXPECT_EQ(geometry_of(transpose(64, 100)),
            (LaunchGeometry{.grid_x = 8, .block_x = 32, .block_y = 8, .shared_bytes = 4224}));
}

TEST(CudaForms, WideAndNarrowPositionsGiveTheSame) {
  KernelBuilder k = codegen::test::softmax_kernel(3, 1000);
  const KernelForm narrow = form_of(k);
  KernelForm wide = narrow;
  wide.wide_index = true;
  EmulatedKernels emulated;
  const auto kernel = std::make_shared<Kernel>(k.kernel());
  emulated.add(kernel, narrow);
  emulated.add(kernel, wide);
  emulated.compile();
  std::vector<float> x(3000);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i % 17);
  std::vector<float> of_narrow(x.size());
  std::vector<float> of_wide(x.size());

  emulated.run(*kernel, narrow, k.params(), std::vector<void*>{x.data(), of_narrow.data()});
  emulated.run(*kernel, wide, k.params(), std::vector<void*>{x.data(), of_wide.data()});

  EXPECT_EQ(of_narrow, of_wide);
  EXPECT_GT(of_wide[2999], 0);
}

}  // namespace
}  // namespace wick::codegen::cuda::test
