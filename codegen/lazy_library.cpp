#include "wick/codegen/lazy_library.h"

#include <stdexcept>
#include <string>

#include <dlfcn.h>

namespace wick::codegen {

namespace {

std::string folder_of_this_library() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&entry_of), &info) == 0) return "";
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

void* open(const LazyLibrary& library) {
  const std::string folder = folder_of_this_library();
  std::string first_problem;
  for (const std::string& path : {folder + library.file,
                                  folder + library.build_folder + library.file,
                                  std::string(library.file)}) {
    if (void* opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return opened;
    const std::string problem = dlerror();
    // A library that is there but does not load explains more than one that is missing.
    if (first_problem.empty() || first_problem.find("No such file") != std::string::npos) {
      first_problem = problem;
    }
  }
  throw std::runtime_error(std::string("cannot open ") + library.what + ": " + first_problem);
}

}  // namespace

void* entry_of(const LazyLibrary& library, const char* entry) {
  void* address = dlsym(open(library), entry);
  if (address != nullptr) return address;
  throw std::runtime_error(std::string(library.file) + " lacks " + entry +
                           ": it is another version");
}

}  // namespace wick::codegen
