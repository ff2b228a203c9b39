#pragma once

// Ops by hand-written kernels, run on the host and compared with the interpreter.

#include <string>
#include <vector>

#include "support/all_dtypes.h"

#include "wick/ir/literal.h"
#include "wick/runtime/cuda/native/native_program.h"

namespace wick::runtime::cuda {

struct NativeCase {
  ir::OpKind op = ir::OpKind::scan;
  ir::Attributes attributes;
  std::vector<Literal> operands;
};

/// With the result's type inferred.
LibraryOp library_op_of(const NativeCase& c);

/// Errors that roundings explain, by dtype.
struct FloatTolerance {
  double f64 = 0;
  double f32 = 0;
  double f16 = 0;
  double bf16 = 0;

  [[nodiscard]] constexpr double of(DType dtype) const {
    if (dtype == DType::f64) return f64;
    if (dtype == DType::f32) return f32;
    return dtype == DType::f16 ? f16 : bf16;
  }
};

struct NativeRun {
  NativeLimits limits;
  bool in_place = false;  // the result takes the first operand's memory
};

/// Runs the launches by emulation.h. Memory around operands, result and workspace is watched.
Literal run_on_host(const NativeCase& c, const NativeRun& run = {});

/// `result` is as interpret_op has it, within `tolerance` times the largest finite value; NaN where
/// that has NaN.
void expect_interpreted(const NativeCase& c, const Literal& result, double tolerance = 0);
/// The same for what run_on_host gives.
void expect_as_interpreted(const NativeCase& c, double tolerance = 0, const NativeRun& run = {});

/// The text becomes a cubin whose kernels keep everything in registers. Skips where NVRTC is
/// absent.
void expect_compiles(const NativeCase& c, const NativeLimits& limits = {});

/// Whole numbers from -range to range, which collide often, as far as the dtype has them.
Literal small_numbers(const Type& type, uint64_t seed, int range);
/// Of any size; one in ten is NaN, an infinity or a zero of either sign, for floats.
Literal special_numbers(const Type& type, uint64_t seed);
/// Between -1 and 1, or any integers.
Literal plain_numbers(const Type& type, uint64_t seed);

}  // namespace wick::runtime::cuda
