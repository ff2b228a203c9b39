#include "wick/codegen/open_library.h"

#include <dlfcn.h>

namespace wick::codegen {
namespace {

bool is_missing(const std::string& problem) {
  return problem.find("No such file") != std::string::npos;
}

}  // namespace

void* open_first(std::span<const std::string> paths, std::string& problem) {
  problem.clear();
  for (const std::string& path : paths) {
    if (void* opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return opened;
    const std::string here = dlerror();
    if (problem.empty() || (is_missing(problem) && !is_missing(here))) problem = here;
  }
  return nullptr;
}

}  // namespace wick::codegen
