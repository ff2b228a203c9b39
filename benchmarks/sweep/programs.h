#pragma once

// Small programs written twice, for Wick and for libtorch, to be timed in turns.

#include <functional>
#include <map>
#include <string>

namespace sweep {

using Step = std::function<void()>;
/// By name, what makes the inputs of a program and gives a step that computes its results anew.
using Programs = std::map<std::string, std::function<Step()>>;

Programs wick_programs();
Programs torch_programs();

}  // namespace sweep
