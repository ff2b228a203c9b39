#pragma once

// In which loop over a row each reduction is accumulated, where several can.

namespace wick::codegen {

struct FusedBody;

/// Moves reductions behind the first loop that can accumulate them into one that reads what they
/// need anyway: `sum(g * w)` of a layer norm's gradient is wanted behind the loop of the variance,
/// which reads both, and in the one before nothing else does. True where any was moved; depths are
/// then to be measured again.
bool choose_loops(FusedBody& body);

}  // namespace wick::codegen
