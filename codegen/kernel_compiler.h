#pragma once

// Turns kernel IR into machine code, and keeps it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "wick/codegen/kernel_ir.h"
#include "wick/codegen/kernel_provider.h"

namespace wick::codegen {

/// A compiler of kernels to relocatable objects. The LLVM one lives in its own shared library,
/// opened at the first compile, so that programs that find all kernels on disk still need it only
/// for linking.
class KernelCompiler {
 public:
  KernelCompiler() = default;
  KernelCompiler(const KernelCompiler&) = delete;
  KernelCompiler& operator=(const KernelCompiler&) = delete;
  virtual ~KernelCompiler() = default;

  /// Everything besides the kernel that decides the object: CPU, features, LLVM version, options.
  [[nodiscard]] virtual std::string target_id() const = 0;
  /// An object file whose entry is `symbol`. Thread-safe.
  virtual std::vector<std::byte> compile(const Kernel& kernel, const std::string& symbol) = 0;
  /// Links an object into the process. Throws std::runtime_error when it is no valid object.
  virtual KernelFunction load(std::span<const std::byte> object, const std::string& symbol) = 0;

  /// Text forms, for dumps.
  virtual std::string llvm_ir(const Kernel& kernel) = 0;
  virtual std::string assembly(const Kernel& kernel) = 0;
};

/// The LLVM compiler, opened on first use. Throws std::runtime_error saying what is missing.
KernelCompiler& llvm_compiler();

struct KernelCacheStats {
  int64_t compiled = 0;  // by this process
  int64_t disk_hits = 0;
  int64_t memory_hits = 0;
  int64_t rejected_entries = 0;  // corrupt or foreign files that were replaced
  double compile_ms = 0;
};

/// Kernels by identity: in memory, then on disk (WICK_CACHE_DIR), then compiled and published.
/// Thread-safe.
class KernelCache {
 public:
  static KernelCache& instance();

  KernelFunction get(const Kernel& kernel, KernelOrigin* origin = nullptr);
  [[nodiscard]] KernelCacheStats stats() const;
  /// Drops the memory level and sets the disk level ("" turns it off): for tests and tools.
  void reset(std::string disk_directory);

 private:
  KernelCache();
  ~KernelCache();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wick::codegen
