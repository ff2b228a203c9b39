#include "wick/passes/plugin.h"

#include "my_ops.h"

WICK_PLUGIN("my-ops", "1.0") {
  my_ops::register_geo_hypot();
  my_ops::register_signal_prefix_sum();
}
