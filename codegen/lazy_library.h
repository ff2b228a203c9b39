#pragma once

// Parts of Wick in shared libraries of their own, opened at first use: a process that does not need
// LLVM or LAPACK does not pay for loading them.

namespace wick::codegen {

struct LazyLibrary {
  const char* file;          // `libwick-llvm.so`, beside libwick.so
  const char* build_folder;  // where it lies below libwick.so in the build tree: `codegen/llvm/`
  const char* what;          // for errors: `the LLVM compiler`
};

/// The address of the library's entry. Opens the library, which then stays open. Throws
/// std::runtime_error saying what is missing.
void* entry_of(const LazyLibrary& library, const char* entry);

}  // namespace wick::codegen
