#pragma once

// Elementary functions: polynomials, branch-free but for huge arguments of sin and cos, huge
// quotients of fmod and special operands of pow. Operands are scalars or vectors.

#include "wick/codegen/llvm/emit_context.h"
#include "wick/ir/op.h"

namespace wick::codegen::llvm_jit {

/// exp, log, sin, cos, atan, tanh, erf, sigmoid of floats or doubles. `never_positive`: x is at
/// most 0, or NaN, for which exp needs a little less.
llvm::Value* emit_math(EmitContext& e, ir::OpKind op, llvm::Value* x, bool never_positive = false);
/// 1 + tanh(x) of floats, within 1.6 ulp where x is not negative. Below it keeps its digits, of
/// which the sum would lose all: within 2.5 + |x|, and 2.5 + 3 |x| without fused multiply-adds.
llvm::Value* emit_one_plus_tanh(EmitContext& e, llvm::Value* x);
/// 1 + e^(-2x) of floats, by which 2 is divided for that; of an x below -44 as of -44.
llvm::Value* emit_divisor_of_tanh(EmitContext& e, llvm::Value* x);
/// tanh(x) * sigmoid(gate) of floats, by one quotient: within 3.5 ulp.
llvm::Value* emit_gated_tanh(EmitContext& e, llvm::Value* x, llvm::Value* gate);
/// log(x) * scale of floats, for a scale between 1e-6 and 1e6: within 1 ulp, 1.6 without fused
/// multiply-adds, and exact where x is a power of the base.
llvm::Value* emit_scaled_log(EmitContext& e, llvm::Value* x, double scale);
/// Of floats, within 1.6 ulp.
llvm::Value* emit_tan(EmitContext& e, llvm::Value* x);
/// C's pow of floats or doubles. Calls the C library lane by lane where the machine has no fused
/// multiply-add.
llvm::Value* emit_pow(EmitContext& e, llvm::Value* x, llvm::Value* y);
/// C's fmod, of the sign of x: exact.
llvm::Value* emit_fmod(EmitContext& e, llvm::Value* x, llvm::Value* y);

/// f32. At most 2 ulp from the exact value everywhere; denormals included.
llvm::Value* emit_exp(EmitContext& e, llvm::Value* x, bool never_positive);
llvm::Value* emit_log(EmitContext& e, llvm::Value* x);
llvm::Value* emit_tanh(EmitContext& e, llvm::Value* x);
llvm::Value* emit_sigmoid(EmitContext& e, llvm::Value* x);
llvm::Value* emit_erf(EmitContext& e, llvm::Value* x);
llvm::Value* emit_sin(EmitContext& e, llvm::Value* x);
llvm::Value* emit_cos(EmitContext& e, llvm::Value* x);
llvm::Value* emit_atan(EmitContext& e, llvm::Value* x);

/// f64. At most 1 ulp from the exact value everywhere, atan and tanh 2, erf 1.5,
/// sigmoid 2.4; denormals included.
llvm::Value* emit_exp_f64(EmitContext& e, llvm::Value* x);
llvm::Value* emit_log_f64(EmitContext& e, llvm::Value* x);
llvm::Value* emit_tanh_f64(EmitContext& e, llvm::Value* x);
llvm::Value* emit_sigmoid_f64(EmitContext& e, llvm::Value* x);
llvm::Value* emit_erf_f64(EmitContext& e, llvm::Value* x);
llvm::Value* emit_sin_f64(EmitContext& e, llvm::Value* x);
llvm::Value* emit_cos_f64(EmitContext& e, llvm::Value* x);
llvm::Value* emit_atan_f64(EmitContext& e, llvm::Value* x);

/// x = 2^exponent * mantissa with the mantissa in [sqrt(1/2), sqrt(2)), all of one type.
struct BinaryParts {
  llvm::Value* exponent;
  llvm::Value* mantissa;
};

/// Of positive finite floats or doubles, denormals included.
BinaryParts binary_parts_f32(EmitContext& e, llvm::Value* x);
BinaryParts binary_parts_f64(EmitContext& e, llvm::Value* x);

/// The sine of n pi/2 + r, given those of n's lowest two bits (integers as wide as the floats) and
/// sine and cosine of r.
llvm::Value* sine_in_quadrant(EmitContext& e,
                              llvm::Value* quadrant,
                              llvm::Value* sine,
                              llvm::Value* cosine);

/// e^x for |x| of at most 20; NaN may become anything.
llvm::Value* emit_short_exp(EmitContext& e, llvm::Value* x);

/// Calls `function` (of one or two operands, all of one type) of the C library for each lane.
llvm::Value* call_by_lane(EmitContext& e,
                          llvm::StringRef function,
                          llvm::ArrayRef<llvm::Value*> operands);

/// `fast` unless the condition holds for a lane: then what `emit_exact` makes for all lanes.
llvm::Value* unless_any(EmitContext& e,
                        llvm::Value* condition,
                        llvm::Value* fast,
                        llvm::function_ref<llvm::Value*()> emit_exact);

/// `fast`, an elementary function of x, unless a lane of |x| is above `largest`: then all lanes are
/// what `function` of the C library gives.
llvm::Value* by_lane_above(
    EmitContext& e, double largest, llvm::StringRef function, llvm::Value* x, llvm::Value* fast);

/// Of a table in a register. For AVX-512.
inline constexpr size_t kTableSize = 16;
/// The numbers in `table` at the lowest four bits of each index, a float.
llvm::Value* look_up(EmitContext& e, llvm::ArrayRef<float> table, llvm::Value* index);

/// value * 2^exponent where has_avx512_for(value): floats or doubles, and any integral exponent.
llvm::Value* scale_by_instruction(EmitContext& e, llvm::Value* value, llvm::Value* exponent);

/// The integers, as wide, of integral floats of less than 23 bits or doubles of less than 52.
llvm::Value* to_whole(EmitContext& e, llvm::Value* n);
/// 2^exponent in that type, whose exponents it is one of.
llvm::Value* two_to(EmitContext& e, llvm::Value* exponent, llvm::Type* type);

/// value * 2^exponent, rounded once: of floats for an exponent between -200 and 200, of doubles
/// between -2000 and 2000.
llvm::Value* scale_by_power(EmitContext& e, llvm::Value* value, llvm::Value* exponent);

}  // namespace wick::codegen::llvm_jit
