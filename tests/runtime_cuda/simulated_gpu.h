#pragma once

// A GPU where there is none: the fakes of driver and libraries, with kernels that run on the host.
// Generated kernels run by the kernel interpreter or as their CUDA text, hand-written ones as text.

#include <map>
#include <memory>
#include <string>

#include "codegen_cuda/emulated_kernels.h"
#include "runtime_cuda/fake_cublaslt.h"
#include "runtime_cuda/fake_cudnn.h"
#include "runtime_cuda/fake_driver.h"

#include "wick/runtime/cuda/gpu.h"

namespace wick::runtime::cuda {

/// Takes programs instead of NVRTC and runs their launches.
class SimulatedMachine final : public ProgramCompiler, public FakeMachine {
 public:
  codegen::cuda::CompiledProgram compile(std::span<const codegen::cuda::ProgramKernel> kernels,
                                         int compute_capability) override;
  codegen::cuda::CompiledProgram compile(std::string_view name,
                                         const std::string& text,
                                         int compute_capability) override;
  void load(CUmodule module, const void* image) override;
  std::function<void()> launch(CUmodule module,
                               const std::string& kernel,
                               std::array<unsigned, 3> grid,
                               std::array<unsigned, 3> block,
                               void* const* arguments) override;

  /// The generated kernels that ran so far.
  [[nodiscard]] codegen::cuda::test::EmulatedKernels& texts() { return texts_; }

  /// From now on generated kernels run as text. texts() has to be compiled.
  void run_texts() { runs_texts_ = true; }

 private:
  struct Generated {
    std::shared_ptr<const codegen::Kernel> kernel;  // shared by the launches under way
    codegen::cuda::KernelForm form;
  };

  std::function<void()> launch_generated(const Generated& generated, void* const* arguments);

  std::map<std::string, Generated, std::less<>> generated_;                            // by symbol
  std::map<std::string, std::shared_ptr<codegen::cuda::test::EmulatedText>> written_;  // by image
  std::map<CUmodule, std::string> images_;
  codegen::cuda::test::EmulatedKernels texts_;
  bool runs_texts_ = false;
};

/// While it lives, `gpu()` is a simulated one, and backend "cuda" runs on it. Tensors on it end
/// before it does.
class SimulatedGpu {
 public:
  SimulatedGpu();
  SimulatedGpu(const SimulatedGpu&) = delete;
  SimulatedGpu& operator=(const SimulatedGpu&) = delete;
  ~SimulatedGpu();

  [[nodiscard]] FakeDriver& driver() { return driver_; }

  [[nodiscard]] FakeCublasLt& cublaslt() { return cublaslt_; }

  [[nodiscard]] FakeCudnn& cudnn() { return cudnn_; }

  [[nodiscard]] SimulatedMachine& machine() { return machine_; }

 private:
  SimulatedMachine machine_;
  FakeDriver driver_;
  FakeCublasLt cublaslt_{driver_};
  FakeCudnn cudnn_{driver_};
  ScopedDriver scoped_driver_{driver_.api(), machine_};
  ScopedApi<CublasLtApi> scoped_cublaslt_{cublaslt_.api()};
  ScopedApi<CudnnApi> scoped_cudnn_{cudnn_.api()};
};

}  // namespace wick::runtime::cuda
