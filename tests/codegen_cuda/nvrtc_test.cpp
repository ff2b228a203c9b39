// Texts through NVRTC to cubins: they compile, and fit in registers. Needs no device.

#include "wick/codegen/cuda/nvrtc.h"

#include <algorithm>
#include <cstdio>

#include "codegen/op_values.h"
#include "codegen/run_lowered.h"
#include "codegen_llvm/sample_kernels.h"
#include "emulated_kernels.h"
#include "graph_cases.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "wick/codegen/cuda/program_cache.h"

namespace wick::codegen::cuda::test {
namespace {

using codegen::test::KernelBuilder;
using ir::OpKind;

constexpr int kHopper = 90;

/// Division of i64, and of floats with huge or tiny operands, is a call that saves some registers.
constexpr int kSavedByCalls = 32;

class CudaNvrtc : public testing::Test {
 protected:
  void SetUp() override {
    const Nvrtc& nvrtc = Nvrtc::instance();
    if (!nvrtc.is_available()) GTEST_SKIP() << "no NVRTC: " << nvrtc.problem();
  }
};

/// Kernels of lowered fusions, each form once.
class Batch {
 public:
  void add(const KernelBuilder& made, std::span<const int64_t> params) {
    KernelBuilder k = made;
    emulated_.add(std::make_shared<Kernel>(k.kernel()), params);
  }

  void add(const GraphCase& c) {
    for (const ir::Node* fusion : wick::test::fusions_of(*c.fused))
      emulated_.add(lower(*fusion));
  }

  /// Compiles all to one cubin and expects kernels to stay in registers.
  void expect_compiles() {
    const CompiledProgram program =
        Nvrtc::instance().compile(program_text(emulated_.kernels()), kHopper);

    EXPECT_EQ(program.kind, CompiledProgram::Kind::cubin);
    EXPECT_GT(program.image.size(), 0U);
    EXPECT_EQ(program.resources.size(), emulated_.kernels().size());
    int most = 0;
    for (const KernelResources& kernel : program.resources) {
      EXPECT_LE(kernel.spill_bytes, kSavedByCalls) << text_of(kernel.symbol);
      EXPECT_LE(kernel.registers, 128) << text_of(kernel.symbol);
      most = std::max(most, kernel.registers);
    }
    std::printf("%zu kernels, at most %d registers\n", program.resources.size(), most);
  }

 private:
  std::string text_of(const std::string& symbol) {
    const auto& kernels = emulated_.kernels();
    const auto found = std::ranges::find(kernels, symbol, &ProgramKernel::symbol);
    return found == kernels.end() ? symbol : kernel_text(*found);
  }

  EmulatedKernels emulated_;
};

TEST_F(CudaNvrtc, EveryOpCompilesInEveryDType) {
  Batch batch;
  for (const int number : codegen::test::elementwise_ops()) {
    const auto op = static_cast<OpKind>(number);
    for (const DType dtype : kAllDTypes) {
      if (!codegen::test::accepts(op, dtype)) continue;
      std::vector<DType> operands(static_cast<size_t>(ir::op_info(op).min_operands), dtype);
      if (op == OpKind::where) operands[0] = DType::bool_;
      KernelBuilder k = codegen::test::elementwise(
          op, operands, codegen::test::compares(op) ? DType::bool_ : dtype, 1024);
      batch.add(k, k.params());
    }
  }
  batch.expect_compiles();
}

TEST_F(CudaNvrtc, EveryCastCompiles) {
  Batch batch;
  for (const DType from : kAllDTypes) {
    for (const DType to : kAllDTypes) {
      KernelBuilder k = codegen::test::elementwise(OpKind::cast, {from}, to, 1024);
      batch.add(k, k.params());
    }
  }
  batch.expect_compiles();
}

TEST_F(CudaNvrtc, RowsAndColumnsCompile) {
  Batch batch;
  for (const int64_t columns : {40, 257, 1024, 5000, 30000})
    batch.add(from_text(softmax(5, columns, "f32")));
  for (const int64_t columns : {768, 769})
    batch.add(from_text(layer_norm(6, columns)));
  for (const std::string& text : layout_texts())
    batch.add(from_text(text));
  batch.expect_compiles();
}

TEST_F(CudaNvrtc, RandomGraphsCompile) {
  Batch batch;
  for (uint64_t seed = 1; seed <= 30; ++seed)
    batch.add(from_seed(seed, false));
  batch.expect_compiles();
}

TEST_F(CudaNvrtc, AProgramIsFoundOnDiskTheSecondTime) {
  using Level = KernelOrigin::Level;
  const TemporaryFolder folder;
  KernelBuilder k = codegen::test::chain_kernel(1024);
  const KernelForm form = choose_form(k.kernel(), k.params());
  const ProgramKernel kernel{&k.kernel(), form, symbol_of(k.kernel(), form)};
  const auto compile = [&](int compute_capability, KernelOrigin& origin) {
    return compile_program(
        std::span(&kernel, 1), compute_capability, folder.path().string(), &origin);
  };
  KernelOrigin origin;

  const CompiledProgram first = compile(kHopper, origin);
  EXPECT_EQ(origin.level, Level::compiled);
  const CompiledProgram second = compile(kHopper, origin);
  EXPECT_EQ(origin.level, Level::disk);
  (void)compile(80, origin);
  EXPECT_EQ(origin.level, Level::compiled);

  EXPECT_EQ(first.image, second.image);
  ASSERT_EQ(second.resources.size(), 1U);
  EXPECT_EQ(second.resources[0].symbol, kernel.symbol);
  EXPECT_EQ(second.resources[0].registers, first.resources[0].registers);
}

TEST_F(CudaNvrtc, AnErrorCarriesTheLog) {
  try {
    (void)Nvrtc::instance().compile("__global__ void broken() { undeclared = 1; }", kHopper);
    FAIL() << "compiled";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("\"undeclared\" is undefined"), std::string::npos)
        << error.what();
  }
}

TEST_F(CudaNvrtc, DevicesItDoesNotKnowGetPtx) {
  KernelBuilder k = codegen::test::chain_kernel(1024);
  const ProgramKernel kernel{
      .kernel = &k.kernel(), .form = choose_form(k.kernel(), k.params()), .symbol = "chain"};

  const CompiledProgram program =
      Nvrtc::instance().compile(program_text(std::span(&kernel, 1)), 999);

  EXPECT_EQ(program.kind, CompiledProgram::Kind::ptx);
  const std::string text(reinterpret_cast<const char*>(program.image.data()));
  EXPECT_NE(text.find(".entry chain"), std::string::npos);
  EXPECT_NE(text.find("ld.global.nc.v4"), std::string::npos);
  EXPECT_NE(text.find("st.global.v4"), std::string::npos);
}

TEST_F(CudaNvrtc, DevicesTooOldAreAnError) {
  EXPECT_THROW((void)Nvrtc::instance().compile("", 35), std::runtime_error);
}

TEST(PtxasLog, NumbersOfEachKernelAreRead) {
  const auto kernels = parse_ptxas_log(
      "ptxas info    : 11 bytes gmem\n"
      "ptxas info    : Compiling entry function 'a' for 'sm_90'\n"
      "ptxas info    : Function properties for a\n"
      "ptxas         .     16 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads\n"
      "ptxas info    : Used 64 registers, used 1 barriers, 128 bytes smem\n"
      "ptxas info    : Compiling entry function 'b' for 'sm_90'\n"
      "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 7 registers, used 0 barriers\n");

  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].symbol, "a");
  EXPECT_EQ(kernels[0].registers, 64);
  EXPECT_EQ(kernels[0].stack_bytes, 16);
  EXPECT_EQ(kernels[0].spill_bytes, 32);
  EXPECT_EQ(kernels[0].static_shared_bytes, 128);
  EXPECT_EQ(kernels[1].symbol, "b");
  EXPECT_EQ(kernels[1].registers, 7);
  EXPECT_EQ(kernels[1].spill_bytes, 0);
}

}  // namespace
}  // namespace wick::codegen::cuda::test
