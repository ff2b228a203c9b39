#pragma once

// Shared libraries that the process opens while it runs. Internal to codegen/ and runtime/.

#include <span>
#include <string>

namespace wick::codegen {

/// Handle of the first of `paths` that opens; the library then stays open. nullptr if none does:
/// `problem` is then what dlopen said of one of them, rather of a library that is there but does
/// not load than of one that is missing.
void* open_first(std::span<const std::string> paths, std::string& problem);

}  // namespace wick::codegen
