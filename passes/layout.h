#pragma once

// Layout assignment: convolutions and all that lies between them work on images with their channels
// in blocks, [n,c/b,...,b] (ir/channel_blocks.h), which vector units like best. What goes in and
// out of such a stretch is permuted at its edges alone.

#include "wick/passes/pass_registry.h"

namespace wick::passes {

PassInfo layout_pass_info();

}  // namespace wick::passes
