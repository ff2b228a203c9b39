#pragma once

// A CUDA library (driver, NVRTC, cuBLASLt, cuDNN, NCCL) opened at first use and never linked, so
// that one binary runs on machines with and without it.

#include <string>
#include <vector>

namespace wick::codegen::cuda {

struct LibraryNames {
  /// Environment variable whose value, a path, is tried instead of `files` where it is set:
  /// `WICK_LIBNVRTC`.
  const char* variable = nullptr;
  /// In order of preference: `{"libnvrtc.so.13", "libnvrtc.so.12"}`. Each is looked for where the
  /// dynamic loader looks, then in lib64 of $CUDA_HOME and of /usr/local/cuda.
  std::vector<std::string> files;
};

/// Opens the library when constructed, and never closes it: what it started may run until the
/// process ends. All members are safe from any thread; meant to be a static of the function that
/// fills a table of its symbols.
class DynamicLibrary {
 public:
  explicit DynamicLibrary(const LibraryNames& names);

  [[nodiscard]] bool is_open() const { return handle_ != nullptr; }

  /// Why it is not open: "libnvrtc.so.13: cannot open shared object file: No such file or
  /// directory". "" where it is.
  [[nodiscard]] const std::string& problem() const { return problem_; }

  /// The path that the loader chose, "" where the library is not open.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// nullptr where the library is not open or lacks the symbol.
  [[nodiscard]] void* symbol(const char* name) const;

  /// A symbol as pointer to function: `function<decltype(nvrtcVersion)>("nvrtcVersion")`.
  template <typename Signature>
  [[nodiscard]] Signature* function(const char* name) const {
    return reinterpret_cast<Signature*>(symbol(name));
  }

 private:
  void* handle_ = nullptr;
  std::string problem_;
  std::string path_;
};

}  // namespace wick::codegen::cuda
