#pragma once

// State that a training step changes beside its parameters: running statistics, counts of meters.
// It waits here until the optimizer's step computes it in the same program as everything else.

#include <memory>
#include <vector>

#include "wick/nn/parameter.h"

namespace wick::nn::detail {

/// Adds a cell whose value may be pending to this thread's list. The list holds no cell alive. When
/// nobody takes it while a cell changes many times, its values are computed.
void list_pending(const std::shared_ptr<Cell>& cell);

/// The pending values of this thread's list, which is empty afterwards.
std::vector<Tensor> take_pending_state();

}  // namespace wick::nn::detail
