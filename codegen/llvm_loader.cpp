// Opens libwick-llvm.so, which lies beside libwick.so.

#include <stdexcept>
#include <string>

#include <dlfcn.h>

#include "wick/codegen/kernel_compiler.h"

namespace wick::codegen {

namespace {

constexpr const char* kLibrary = "libwick-llvm.so";
constexpr const char* kEntry = "wick_create_llvm_compiler";

std::string folder_of_this_library() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&llvm_compiler), &info) == 0) return "";
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

void* open_library() {
  // Installed they share a folder; in the build tree libwick-llvm.so is in codegen/llvm below it.
  const std::string folder = folder_of_this_library();
  std::string first_problem;
  for (const std::string& path :
       {folder + kLibrary, folder + "codegen/llvm/" + kLibrary, std::string(kLibrary)}) {
    if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    const std::string problem = dlerror();
    // A library that is there but does not load explains more than one that is missing.
    if (first_problem.empty() || first_problem.find("No such file") != std::string::npos) {
      first_problem = problem;
    }
  }
  throw std::runtime_error("cannot open the LLVM compiler: " + first_problem);
}

KernelCompiler& open_compiler() {
  void* library = open_library();
  using Create = KernelCompiler*();
  auto* create = reinterpret_cast<Create*>(dlsym(library, kEntry));
  if (create == nullptr) {
    throw std::runtime_error(std::string(kLibrary) + " lacks " + kEntry +
                             ": it is another version");
  }
  return *create();
}

}  // namespace

KernelCompiler& llvm_compiler() {
  // A failed attempt throws and is tried again at the next call.
  static KernelCompiler& compiler = open_compiler();
  return compiler;
}

}  // namespace wick::codegen
