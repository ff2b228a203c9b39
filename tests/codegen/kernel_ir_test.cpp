#include "wick/codegen/kernel_ir.h"

#include <vector>

#include <gtest/gtest.h>

namespace wick::codegen {
namespace {

/// Row maxima: out[i] = -max over j of in[i * p2 + j].
Kernel row_max() {
  Kernel kernel;
  kernel.name = "row_max";
  kernel.buffers = {{.dtype = DType::f32}, {.dtype = DType::f32, .written = true}};
  kernel.dims = {{.inner = false, .extent_param = 0}, {.inner = true, .extent_param = 1}};
  kernel.vector_dim = 1;
  kernel.num_params = 3;
  Instr load{.kind = InstrKind::load, .operands = {}, .buffer = 0, .address = {}, .value = {}};
  load.address.terms = {{.stride = Stride::dynamic, .param = 2}, {.stride = Stride::one}};
  Instr max{.kind = InstrKind::accumulate,
            .op = ir::OpKind::reduce_max,
            .operands = {0},
            .address = {},
            .value = {}};
  Instr neg{.kind = InstrKind::compute,
            .op = ir::OpKind::neg,
            .operands = {1},
            .address = {},
            .value = {}};
  Instr store{.kind = InstrKind::store, .operands = {2}, .buffer = 1, .address = {}, .value = {}};
  store.address.terms = {{.stride = Stride::one}, {}};
  kernel.instrs = {load, max, neg, store};
  kernel.phases = {{.loop = true, .instrs = {0, 1}}, {.loop = false, .instrs = {2, 3}}};
  return kernel;
}

TEST(KernelIr, Prints) {
  EXPECT_EQ(to_string(row_max()),
            R"(kernel @row_max(b0: f32 in, b1: f32 out) params(3) outer(d0<p0) inner(d1<p1 vector) {
  loop {
    %0 = load f32 b0[d0*p2 + d1]
    %1 = accumulate reduce_max f32 %0
  }
  %2 = neg f32 %1
  store f32 b1[d0] %2
}
)");
}

/// out[i] = in[place of i], over blocks of [2,3] that are stored as [3,2], a gap of 1 behind each.
Kernel blocks() {
  Kernel kernel;
  kernel.name = "blocks";
  kernel.buffers = {{.dtype = DType::f32}, {.dtype = DType::f32, .written = true}};
  kernel.dims = {{.inner = false, .extent_param = 0}};
  kernel.row_length = 6;
  kernel.num_params = 1;
  Instr load{.kind = InstrKind::load, .operands = {}, .buffer = 0, .address = {}, .value = {}};
  load.address.terms = {{.stride = Stride::block,
                         .row_step = 7,
                         .axes = {{.extent = 3, .stride = 2}, {.extent = 2, .stride = 1}}}};
  Instr store{.kind = InstrKind::store, .operands = {0}, .buffer = 1, .address = {}, .value = {}};
  store.address.terms = {{.stride = Stride::one}};
  kernel.instrs = {load, store};
  kernel.phases = {{.loop = false, .instrs = {0, 1}}};
  return kernel;
}

TEST(KernelIr, PrintsBlocks) {
  EXPECT_EQ(to_string(blocks()),
            R"(kernel @blocks(b0: f32 in, b1: f32 out) params(1) outer(d0<p0 vector) {
  %0 = load f32 b0[d0/6*7 + d0%3*2 + d0/3%2]
  store f32 b1[d0] %0
}
)");
  EXPECT_EQ(verify(blocks()), std::nullopt);
  Kernel kernel = blocks();
  kernel.row_length = 0;
  EXPECT_EQ(verify(kernel),
            "%0: what has rows is a plain access or an index along the vector dimension");
}

TEST(KernelIr, BlocksReadBackwardsAreOtherKernels) {
  Kernel backwards = blocks();
  backwards.instrs[0].address.terms[0].axes[1].stride = -1;
  EXPECT_NE(identity(backwards), identity(blocks()));
}

TEST(KernelIr, InterpretsBlocks) {
  float in[14];
  float out[12] = {};
  for (int i = 0; i < 14; ++i)
    in[i] = static_cast<float>(i);
  void* buffers[] = {in, out};
  const int64_t params[] = {12};
  interpret(blocks(), buffers, params, 0, 1, 0, 12);
  EXPECT_EQ(std::vector<float>(out, out + 12),
            (std::vector<float>{0, 2, 4, 1, 3, 5, 7, 9, 11, 8, 10, 12}));
}

TEST(KernelIr, IdentityLeavesTheNameOutAndNothingElse) {
  Kernel renamed = row_max();
  renamed.name = "other";
  Kernel changed = row_max();
  changed.instrs[2].op = ir::OpKind::abs;

  EXPECT_EQ(identity(row_max()), identity(renamed));
  EXPECT_NE(identity(row_max()), identity(changed));
}

TEST(KernelIr, VerifierFindsWhatIsBroken) {
  EXPECT_EQ(verify(row_max()), std::nullopt);

  Kernel kernel = row_max();
  kernel.phases[1].instrs = {3, 2};
  EXPECT_EQ(verify(kernel), "%3: %2 is not computed before it");

  kernel = row_max();
  kernel.phases[0].instrs.push_back(2);
  EXPECT_EQ(verify(kernel), "%2: %1 is not computed before it");

  kernel = row_max();
  kernel.phases[0].loop = false;
  EXPECT_EQ(verify(kernel), "%0: straight code does not move along inner dimensions");

  kernel = row_max();
  kernel.vector_dim = 0;
  EXPECT_EQ(verify(kernel), std::nullopt);
  kernel.dims[0].inner = true;
  kernel.dims[1].inner = false;
  EXPECT_EQ(verify(kernel), "d1: outer dimensions come first");

  kernel = row_max();
  kernel.buffers[1].written = false;
  EXPECT_EQ(verify(kernel), "%3: a stored buffer is written");

  kernel = row_max();
  kernel.buffers[1].own_elements = 3;
  EXPECT_EQ(verify(kernel), "%3: a kernel's own memory moves along inner dimensions alone");

  kernel = row_max();
  kernel.short_extent = 8;
  EXPECT_EQ(verify(kernel), "only short vector dimensions are compiled for their extent");

  kernel = row_max();
  kernel.row_bound = 24;
  EXPECT_EQ(verify(kernel), "rows are bound in steps");
  kernel.row_bound = 32;
  EXPECT_EQ(verify(kernel), std::nullopt);
  kernel.vector_dim = 0;
  EXPECT_EQ(verify(kernel),
            "bound rows are the one inner dimension, or the last one of elementwise kernels");

  kernel = row_max();
  kernel.num_params = 2;
  EXPECT_EQ(verify(kernel), "%0: a dynamic stride is a parameter");
}

TEST(KernelInterpreter, RunsTheAskedTasksOnly) {
  std::vector<float> in{1, 5, 2, 7, 3, 4, 0, 9, 8};
  std::vector<float> out(3, 100);
  void* buffers[] = {in.data(), out.data()};
  const int64_t params[] = {3, 3, 3};

  interpret(row_max(), buffers, params, 1, 3, 0, 1);

  EXPECT_EQ(out, (std::vector<float>{100, -7, -9}));
}

}  // namespace
}  // namespace wick::codegen
