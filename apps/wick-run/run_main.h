#pragma once

// wick-run as a function: wick-reduce calls it in forked processes.

#include <string>
#include <vector>

namespace wick::run {

/// `arguments[0]` is the program's name. The exit code: 0, 1 after an error or a mismatch, 2 after
/// wrong usage.
int run_main(std::vector<std::string> arguments);

/// Opens the compiler, which takes longer than all else that a small program needs: processes
/// forked afterwards find it open. Starts no thread.
void open_compiler();

}  // namespace wick::run
