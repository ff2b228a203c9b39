#pragma once

// The libraries of CPUs compute in f32: contractions and pooling of half types are widened on the
// way in, which fuses with what makes them, and rounded once on the way out. Large products of bf16
// stay as they are for a library that has them.

#include "wick/passes/pass_registry.h"

namespace wick::passes {

PassInfo widen_half_pass_info();

}  // namespace wick::passes
