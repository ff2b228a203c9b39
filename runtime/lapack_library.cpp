#include <cstdlib>

#include "wick/codegen/lazy_library.h"
#include "wick/runtime/host_cpu.h"
#include "wick/runtime/library_ops.h"

namespace wick::runtime {
namespace {

/// OpenBLAS takes processors that are younger than it is for a Pentium 4, whose kernels reach a
/// seventh of the speed (0.3.21 on Emerald Rapids, f64 256^3: 9.5 GF/s, 69 as told here). It reads
/// the variable once, when it is loaded; what the user has set stays.
void tell_openblas_the_core() {
#if defined(__x86_64__)
  const bool has_skylake_kernels = __builtin_cpu_is("intel") && cpu_vector_bits() == 512;
  if (has_skylake_kernels) setenv("OPENBLAS_CORETYPE", "SkylakeX", /*overwrite=*/0);
#endif
}

}  // namespace

void* lapack_entry(const char* entry) {
  constexpr codegen::LazyLibrary kLibrary{"libwick-lapack.so", "runtime/lapack/", "LAPACK"};
  [[maybe_unused]] static const bool is_told = (tell_openblas_the_core(), true);
  return codegen::entry_of(kLibrary, entry);
}

}  // namespace wick::runtime
