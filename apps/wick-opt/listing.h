#pragma once

// What Wick knows, as the Markdown pages of docs/.

#include <string>

namespace wick::tools {

std::string ops_page();        // docs/ops.md
std::string functions_page();  // docs/functions.md
std::string passes_page();     // docs/passes.md
std::string switches_page();   // docs/flags.md

}  // namespace wick::tools
