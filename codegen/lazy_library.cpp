#include "wick/codegen/lazy_library.h"

#include <stdexcept>
#include <string>

#include <dlfcn.h>

#include "wick/codegen/open_library.h"

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
  const std::string paths[] = {
      folder + library.file, folder + library.build_folder + library.file, library.file};
  std::string problem;
  if (void* opened = open_first(paths, problem)) return opened;
  throw std::runtime_error(std::string("cannot open ") + library.what + ": " + problem);
}

}  // namespace

void* entry_of(const LazyLibrary& library, const char* entry) {
  void* address = dlsym(open(library), entry);
  if (address != nullptr) return address;
  throw std::runtime_error(std::string(library.file) + " lacks " + entry +
                           ": it is another version");
}

}  // namespace wick::codegen
