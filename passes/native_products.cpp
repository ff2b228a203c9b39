#include "wick/passes/native_products.h"

#include <dnnl.hpp>

namespace wick::passes {

bool has_native_bf16_products() {
  constexpr auto kWanted = static_cast<unsigned>(dnnl::cpu_isa::avx512_core_bf16);  // AMX's has it
  return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & kWanted) == kWanted;
}

}  // namespace wick::passes
