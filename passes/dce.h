#pragma once

// Dead code elimination: erases nodes whose results nobody reads. Parameters stay.

#include "wick/passes/pass_registry.h"

namespace wick::passes {

PassInfo dce_pass_info();

}  // namespace wick::passes
