#pragma once

// NVRTC, NVIDIA's compiler of CUDA C++ text. It needs no driver and no device.

#include <cstddef>
#include <string>
#include <vector>

namespace wick::codegen::cuda {

/// What ptxas says of one kernel.
struct KernelResources {
  std::string symbol;
  int registers = 0;    // of a thread
  int stack_bytes = 0;  // of a thread; some elementary functions need it
  int spill_bytes = 0;  // registers that were written to memory and read back
  int static_shared_bytes = 0;
};

struct CompiledProgram {
  enum class Kind { cubin, ptx };
  Kind kind = Kind::cubin;
  std::vector<std::byte> image;            // for cuModuleLoadData; PTX ends with a zero
  std::vector<KernelResources> resources;  // of cubins
};

/// Kernels' resources out of what `ptxas -v` prints.
std::vector<KernelResources> parse_ptxas_log(const std::string& log);

/// The opened library. All members are safe from any thread.
class Nvrtc {
 public:
  /// Opens libnvrtc at the first call (WICK_LIBNVRTC names another).
  static const Nvrtc& instance();

  [[nodiscard]] bool is_available() const { return problem_.empty(); }

  /// Why it is not available; "" where it is.
  [[nodiscard]] const std::string& problem() const { return problem_; }

  /// 13000 for 13.0.
  [[nodiscard]] int version() const { return version_; }

  /// What compile makes for a device of this compute capability (90 for 9.0): a cubin where NVRTC
  /// knows the device, else PTX for the newest one before it, which the driver compiles. All that
  /// decides the image besides the text: the command line.
  [[nodiscard]] std::vector<std::string> options_for(int compute_capability) const;

  /// Throws std::runtime_error with the compiler's log when the text has an error, or saying why
  /// the library is not available.
  [[nodiscard]] CompiledProgram compile(const std::string& text, int compute_capability) const;

 private:
  struct Functions;
  Nvrtc();
  const Functions* functions_ = nullptr;
  std::string problem_;
  int version_ = 0;
  std::vector<int> architectures_;
};

}  // namespace wick::codegen::cuda
