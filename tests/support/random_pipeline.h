#pragma once

// Random pass pipelines, for differential tests.

#include <cstdint>
#include <string>

namespace wick::testing_support {

/// A pipeline of registered passes: a random choice in random order, now and then one twice, with
/// random values for options that are numbers or flags; `plan-memory` comes last or not at all.
/// The same for the same seed and passes.
std::string random_pipeline(uint64_t seed);

}  // namespace wick::testing_support
