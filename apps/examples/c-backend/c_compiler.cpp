#include "c_compiler.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "c_emitter.h"
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

namespace c_backend {
namespace {

using wick::codegen::Kernel;
using wick::codegen::KernelFunction;
using wick::codegen::ProvidedKernel;
namespace fs = std::filesystem;

// wrapv: integers wrap around. No errno: sqrtf is one instruction then.
constexpr const char* kFlags = "-std=c11 -O2 -fwrapv -fno-math-errno -shared -fPIC";

/// A folder that goes when it is not needed any more.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = fs::temp_directory_path() / "wick-c-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) {
      throw std::runtime_error(fmt::format("cannot make a folder like {}", pattern));
    }
    path_ = pattern;
  }

  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string read(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string symbol_of(size_t number) {
  return fmt::format("k{}", number);
}

std::string program_text(const std::vector<const Kernel*>& kernels) {
  std::string text(prelude());
  for (size_t i = 0; i < kernels.size(); ++i)
    text += "\n" + c_function(*kernels[i], symbol_of(i));
  return text;
}

/// In quotes for the shell.
std::string quoted(const fs::path& path) {
  std::string out = "'";
  for (const char c : path.string())
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// The compiler's file for this C file.
fs::path run_compiler(const fs::path& source, const fs::path& folder) {
  const fs::path library = folder / "kernels.so";
  const fs::path log = folder / "log";
  // CC may be several words, as in "ccache gcc": the shell reads it.
  const std::string command = fmt::format("${{CC:-cc}} {} $CFLAGS -o {} {} -lm >{} 2>&1",
                                          kFlags,
                                          quoted(library),
                                          quoted(source),
                                          quoted(log));
  if (std::system(command.c_str()) != 0) {
    throw std::runtime_error(fmt::format("the C compiler failed: {}\n{}", command, read(log)));
  }
  return library;
}

}  // namespace

void CKernels::compile(const std::vector<const Kernel*>& kernels) {
  const ScratchFolder scratch;
  const char* keep = std::getenv("WICK_C_KEEP");
  const fs::path folder = keep == nullptr ? scratch.path() : fs::path(keep);
  fs::create_directories(folder);
  const fs::path source = folder / fmt::format("program-{}-{}.c", getpid(), num_files_++);
  std::ofstream(source) << program_text(kernels);
  const fs::path library = run_compiler(source, scratch.path());
  // Stays open: plans keep the functions. The file may go.
  void* opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) throw std::runtime_error(dlerror());
  for (size_t i = 0; i < kernels.size(); ++i) {
    void* address = dlsym(opened, symbol_of(i).c_str());
    if (address == nullptr) throw std::runtime_error(dlerror());
    functions_[to_string(*kernels[i], false)] = reinterpret_cast<KernelFunction>(address);
  }
}

std::vector<ProvidedKernel> CKernels::provide(std::span<const Kernel* const> kernels) {
  const std::lock_guard lock(mutex_);
  std::vector<const Kernel*> missing;
  for (const Kernel* kernel : kernels) {
    if (!functions_.contains(to_string(*kernel, false))) missing.push_back(kernel);
  }
  if (!missing.empty()) compile(missing);
  std::vector<ProvidedKernel> provided;
  for (const Kernel* kernel : kernels)
    provided.push_back({.function = functions_.at(to_string(*kernel, false))});
  return provided;
}

}  // namespace c_backend
