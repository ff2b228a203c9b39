#include "wick/passes/plugin.h"

#include "counting_add.h"
#include "ledger.h"
#include "swap_passes.h"

WICK_PLUGIN("swap-add", "1.0") {
  swap_add::register_counting_add();
  swap_add::register_passes();
  swap_add::Ledger::instance();  // reports at exit, even when there was no add at all
}
