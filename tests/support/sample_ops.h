#pragma once

// Ops registered from outside for tests, one for each way of saying what an op computes.
//
//   sample.hypot x, y {eps}   expand: sqrt(x * x + y * y + eps), broadcasting floats
//   sample.running_sum x      call: sums along the last axis, f32
//   sample.twice x            interpret: x + x, any float
//   sample.ratio x, y         all three, each right: x / y, f32 of one shape
//   sample.nested x           expand: sample.hypot of x and itself
//   sample.endless x          expand: itself
//   sample.wrong x            expand: the sum of x, which is not of the inferred type
//   sample.failing x          call: throws "the machine is on fire"

namespace wick {

/// At the first call; later ones do nothing.
void register_sample_ops();

}  // namespace wick
