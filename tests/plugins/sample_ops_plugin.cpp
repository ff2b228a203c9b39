#include "support/sample_ops.h"

#include "wick/passes/plugin.h"

WICK_PLUGIN("sample-ops", "1.0") {
  wick::register_sample_ops();
}
