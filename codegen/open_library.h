#pragma once

// Shared libraries that the process opens while it runs. Internal to codegen/ and runtime/.

#include <span>
#include <string>

namespace wick::codegen {

/// Handle of the first of `paths` that opens; the library then stays open. nullptr if none does:
/// `problem` is then what dlopen said of the first that is there but does not load, or else of the
/// first path.
void* open_first(std::span<const std::string> paths, std::string& problem);

}  // namespace wick::codegen
