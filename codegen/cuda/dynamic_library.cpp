#include "wick/codegen/cuda/dynamic_library.h"

#include <cstdlib>

#include <dlfcn.h>
#include <link.h>

#include "wick/codegen/open_library.h"

namespace wick::codegen::cuda {

namespace {

std::vector<std::string> candidates(const std::vector<std::string>& files) {
  std::vector<std::string> folders{""};  // the loader's own search
  if (const char* home = std::getenv("CUDA_HOME")) folders.push_back(std::string(home) + "/lib64/");
  folders.emplace_back("/usr/local/cuda/lib64/");
  std::vector<std::string> paths;
  for (const std::string& file : files) {
    for (const std::string& folder : folders)
      paths.push_back(folder + file);
  }
  return paths;
}

std::string path_of(void* handle) {
  link_map* map = nullptr;
  return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : "";
}

}  // namespace

DynamicLibrary::DynamicLibrary(const LibraryNames& names) {
  const char* chosen = names.variable == nullptr ? nullptr : std::getenv(names.variable);
  if (chosen != nullptr && *chosen != '\0') {
    const std::string only[] = {chosen};
    handle_ = open_first(only, problem_);
    if (handle_ == nullptr) problem_ = std::string(names.variable) + ": " + problem_;
  } else {
    handle_ = open_first(candidates(names.files), problem_);
  }
  if (handle_ == nullptr) return;
  problem_.clear();
  path_ = path_of(handle_);
}

void* DynamicLibrary::symbol(const char* name) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

}  // namespace wick::codegen::cuda
