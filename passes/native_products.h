#pragma once

// What the library that multiplies matrices on the CPU does in a half type itself.

namespace wick::passes {

/// Whether it has matrix products of bf16 with sums in f32, by instructions of this machine.
bool has_native_bf16_products();

}  // namespace wick::passes
