#pragma once

// The ops of this plug-in.

namespace my_ops {

/// `geo.hypot x, y {eps}`: sqrt(x^2 + y^2 + eps) of two floats, which broadcast. Made of built-in
/// ops, so it fuses with what is around it.
void register_geo_hypot();

/// `signal.prefix_sum x {reverse}`: sums from the start of the last axis to each position, or from
/// each position to its end. A function that Wick calls.
void register_signal_prefix_sum();

}  // namespace my_ops
