#pragma once

// The passes that replace every add, and that check that none was forgotten.

namespace swap_add {

/// `swap-add` replaces adds; `close-books` finds those that are left and numbers ours.
void register_passes();

}  // namespace swap_add
