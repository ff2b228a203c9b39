#pragma once

// Links relocatable objects into the process.

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "wick/codegen/kernel_ir.h"

namespace llvm::orc {
class LLJIT;
}

namespace wick::codegen::llvm_jit {

class ObjectLinker {
 public:
  ObjectLinker();
  ~ObjectLinker();
  ObjectLinker(const ObjectLinker&) = delete;
  ObjectLinker& operator=(const ObjectLinker&) = delete;

  /// Throws std::runtime_error when the object is none or lacks the symbol. Thread-safe.
  KernelFunction load(std::span<const std::byte> object, const std::string& symbol);

 private:
  std::mutex mutex_;
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  int64_t num_loaded_ = 0;
};

}  // namespace wick::codegen::llvm_jit
