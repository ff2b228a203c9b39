#include "wick/codegen/open_library.h"

#include <dlfcn.h>

namespace wick::codegen {

void* open_first(std::span<const std::string> paths, std::string& problem) {
  problem.clear();
  for (const std::string& path : paths) {
    if (void* opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return opened;
    const std::string here = dlerror();
    if (problem.empty() || problem.find("No such file") != std::string::npos) problem = here;
  }
  return nullptr;
}

}  // namespace wick::codegen
