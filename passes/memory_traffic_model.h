#pragma once

#include <memory>

#include "wick/passes/fusion_cost_model.h"

namespace wick::passes {

/// The built-in model, "memory-traffic": every merge that the rules allow saves memory traffic; a
/// value is recomputed when that moves fewer bytes and the work is cheap or not done twice.
std::unique_ptr<FusionCostModel> make_memory_traffic_model();

}  // namespace wick::passes
