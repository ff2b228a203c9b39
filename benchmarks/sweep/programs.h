#pragma once

// Small programs written twice, for Wick and for libtorch, to be timed in turns.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace sweep {

using Step = std::function<void()>;
/// By name, what makes the inputs of a program and gives a step that computes its results anew.
using Programs = std::map<std::string, std::function<Step()>>;

Programs wick_programs();
Programs torch_programs();

/// So many of shapes drawn at random.
Programs drawn_wick_programs(uint64_t seed, size_t count);
Programs drawn_torch_programs(uint64_t seed, size_t count);

}  // namespace sweep
