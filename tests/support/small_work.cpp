// Programs are too small in tests to be worth waking threads that wait asleep, as OMP_WAIT_POLICY
// says they do: OpenMP has read that by now, and Wick shall not.

#include <cstdlib>

namespace {

[[maybe_unused]] const int kForgotten = unsetenv("OMP_WAIT_POLICY");

}  // namespace
