#pragma once

// The machine that kernels are compiled for: the one this process runs on.

#include <cstdint>
#include <string>

namespace wick::codegen::llvm_jit {

struct HostTarget {
  std::string triple;
  std::string cpu;
  std::string features;  // sorted, as LLVM spells them
  int lanes = 4;         // of 32 bits in the widest vector register
  bool avx512 = false;   // F, BW, DQ and VL: masks for every element type
  bool fma = false;
  bool zen = false;   // AMD's: takes gathers apart, slowly, and does not prefetch along them
  bool zen5 = false;  // of those: masked loads do not teach its prefetchers, and stores past
                      // the caches hold up what is computed meanwhile
  /// Among multiplications a division takes no longer than those that can stand for it. With
  /// AVX-512 not on Intel's machines, which multiply two such vectors a cycle.
  bool divides_beside = false;
  int64_t own_cache_bytes = 0;         // of the second level; 0: not known
  int64_t cache_bytes = 0;             // that one core can count on
  int64_t cache_bytes_of_threads = 0;  // up to which several cores store faster to caches
};

const HostTarget& host_target();

}  // namespace wick::codegen::llvm_jit
