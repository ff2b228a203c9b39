// exp, sigmoid and tanh of f32. Coefficients are minimax polynomials of our own (Remez exchange in
// 40 digits, each coefficient rounded to f32 before the next is fitted).

#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "wick/codegen/llvm/math.h"

namespace wick::codegen::llvm_jit {

namespace {

// (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2: relative error of e^r 2^-28.2.
constexpr double kExp[] = {
    0x1.fffffcp-2, 0x1.55548cp-3, 0x1.55585ap-5, 0x1.123d76p-7, 0x1.6ab924p-10};
// The same for |r| <= ln(2) / 32 and ln(2) / 16: 2^-29 and 2^-25.2.
constexpr double kExpOfSixteenth[] = {0x1.000148p-1, 0x1.55565cp-3};
constexpr double kExpOfEighth[] = {0x1.000874p-1, 0x1.555698p-3};
// (2^r - 1) / r for |r| <= 1/32, 1/16 and 1/2: 2^-28.6, 2^-25.2 and 2^-26.7 of 2^r.
constexpr double kSlopeOfSixteenth[] = {0x1.62e43p-1, 0x1.ebff92p-3, 0x1.c6b29ap-5};
constexpr double kSlopeOfEighth[] = {0x1.62e432p-1, 0x1.ec0c22p-3, 0x1.c690ep-5};
constexpr double kSlope[] = {
    0x1.62e43p-1, 0x1.ebfbep-3, 0x1.c6af6cp-5, 0x1.3b2a54p-7, 0x1.5f089p-10, 0x1.44138ap-13};
// ln 2 in two parts; products of the upper one with n are exact.
constexpr double kLn2High = 0x1.62e4p-1;
constexpr double kLn2Low = 0x1.7f7d1cp-20;

// Adding and subtracting 1.5 * 2^23 rounds to a whole number, which is the last digits of the sum.
constexpr double kRounder = 0x1.8p23;
constexpr int kMantissaBits = 23;
// Of divisors of sigmoid.
constexpr int kScaleOfSigmoid = 64;
constexpr double kOneOfSigmoid = 0x1p-64;
constexpr int kExponentBias = 127;

// Of the table of powers that a register of AVX2 holds: 2^(i / 8).
constexpr size_t kParts = 8;
constexpr int kPartBits = 3;

/// Without AVX-512 powers of two are put together as bits.
llvm::Value* to_bits(EmitContext& e, llvm::Value* x) {
  return e.b.CreateBitCast(x, shaped(e.b.getInt32Ty(), x));
}

llvm::Value* of_bits(EmitContext& e, llvm::Value* bits) {
  return e.b.CreateBitCast(bits, shaped(e.b.getFloatTy(), bits));
}

/// The multiple n of `unit`, a power of two, nearest to x * log2(e), and x - n ln(2). For x so
/// small that n has 22 digits. `is_short`: |x| is at most 20. `bias` is added to what is rounded.
struct ReducedArgument {
  llvm::Value* rounded;  // n + bias + 1.5 * 2^23 * unit
  llvm::Value* n;
  llvm::Value* r;
};

ReducedArgument reduce_argument(
    EmitContext& e, llvm::Value* x, double unit, bool is_short, int bias) {
  auto& b = e.b;
  llvm::Value* rounder = real(x, kRounder * unit + bias);
  llvm::Value* rounded = e.fma(x, real(x, std::numbers::log2e), rounder);
  llvm::Value* n = b.CreateFSub(rounded, rounder);
  if (is_short && e.host.fma) return {rounded, n, e.fma(n, real(x, -std::numbers::ln2), x)};
  llvm::Value* r = e.fma(n, real(x, -kLn2High), x);
  return {rounded, n, e.fma(n, real(x, -kLn2Low), r)};
}

/// e^r - 1.
llvm::Value* power_less_one(EmitContext& e, llvm::Value* r, llvm::ArrayRef<double> coefficients) {
  return e.fma(e.b.CreateFMul(r, r), e.polynomial(r, coefficients), r);
}

float power_of_part(size_t part, size_t parts) {
  return static_cast<float>(std::exp2(static_cast<double>(part) / static_cast<double>(parts)));
}

/// 2^n for whole numbers n with the bias of exponents added; `by_table`, with AVX2, 2^(n / 8): the
/// lowest three digits of n choose from a table in a register.
llvm::Value* power_bits(EmitContext& e, llvm::Value* n, bool by_table) {
  auto& b = e.b;
  if (!by_table) return b.CreateShl(n, kMantissaBits);
  std::array<uint32_t, kParts> mantissas{};
  for (size_t i = 0; i < kParts; ++i) {
    // Less what the three digits add when all are shifted to where exponents are.
    mantissas[i] = std::bit_cast<uint32_t>(power_of_part(i, kParts)) -
                   std::bit_cast<uint32_t>(1.0F) -
                   (static_cast<uint32_t>(i) << (kMantissaBits - kPartBits));
  }
  llvm::Value* table = llvm::ConstantDataVector::get(b.getContext(), mantissas);
  llvm::Value* mantissa =
      e.by_register({n}, [&](llvm::ArrayRef<llvm::Value*> part) -> llvm::Value* {
        return b.CreateIntrinsic(llvm::Intrinsic::x86_avx2_permd, {}, {table, part[0]});
      });
  return b.CreateAdd(mantissa, b.CreateShl(n, kMantissaBits - kPartBits));
}

/// e^x = scale * (1 + rest), with |rest| < 0.42.
struct ShortPower {
  llvm::Value* scale;
  llvm::Value* rest;
};

/// Of |x| of at most 20.
ShortPower reduce_short(EmitContext& e, llvm::Value* x) {
  const auto [rounded, n, r] = reduce_argument(e, x, 1, true, kExponentBias);
  llvm::Value* scale = e.has_avx512_for(x) ? scale_by_instruction(e, real(x, 1), n)
                                           : of_bits(e, power_bits(e, to_bits(e, rounded), false));
  return {scale, power_less_one(e, r, kExp)};
}

/// 2^(i / 16) for the lowest four bits i of each index. For AVX-512.
llvm::Value* look_up_power(EmitContext& e, llvm::Value* index) {
  std::array<float, kTableSize> powers{};
  for (size_t i = 0; i < powers.size(); ++i)
    powers[i] = power_of_part(i, powers.size());
  return look_up(e, powers, index);
}

/// The larger of `low` and x; NaN is the second operand, which the machine's maximum gives back.
llvm::Value* at_least(EmitContext& e, llvm::Value* x, double low) {
  return e.b.CreateSelect(e.b.CreateFCmpOGT(real(x, low), x), real(x, low), x);
}

/// 1 / y to a few digits, for y in [1, 2]; with AVX-512 for any.
llvm::Value* rough_inverse(EmitContext& e, llvm::Value* y) {
  if (!e.has_avx512_for(y)) return e.fma(y, real(y, -0.5), real(y, 1.5));
  return e.by_register({y}, [&](llvm::ArrayRef<llvm::Value*> part) -> llvm::Value* {
    llvm::Value* zero = llvm::Constant::getNullValue(part[0]->getType());
    return e.b.CreateIntrinsic(
        llvm::Intrinsic::x86_avx512_rcp14_ps_512, {}, {part[0], zero, e.b.getInt16(0xFFFF)});
  });
}

/// x / (y + z), to little more than half an ulp, for y + z in [1, 2] and quotients of which y times
/// as much is between x / 2 and 2 x.
llvm::Value* divide_by_sum(EmitContext& e, llvm::Value* x, double y, llvm::Value* z) {
  auto& b = e.b;
  llvm::Value* sum = b.CreateFAdd(z, real(z, y));
  if (!e.host.fma) {
    llvm::Type* wide = shaped(b.getDoubleTy(), x);
    llvm::Value* exact = b.CreateFPExt(z, wide);
    exact = b.CreateFAdd(exact, real(exact, y));
    return b.CreateFPTrunc(b.CreateFDiv(b.CreateFPExt(x, wide), exact), x->getType());
  }
  // The machine has one slow unit for divisions: what rcp14 knows is enough to go on from.
  llvm::Value* inverse = rough_inverse(e, sum);
  llvm::Value* quotient = e.has_avx512_for(sum) ? b.CreateFMul(x, inverse) : b.CreateFDiv(x, sum);
  // What rounding took from the sum does not matter: the first difference is exact.
  llvm::Value* missing = e.fma(quotient, real(x, -y), x);
  missing = e.fma(b.CreateFNeg(quotient), z, missing);
  return e.fma(missing, inverse, quotient);
}

/// e^x for x between -170 and 89, and of no positive x if that is known. In two steps, so that
/// neither power leaves the range and only the last product rounds.
llvm::Value* exp_by_bits(EmitContext& e, llvm::Value* x, bool never_positive, bool by_table) {
  auto& b = e.b;
  const int bias = 2 * kExponentBias - (never_positive ? 1 : 0);
  const auto [rounded, n, r] = reduce_argument(e, x, by_table ? 1.0 / kParts : 1, false, bias);
  llvm::Value* whole = to_bits(e, rounded);
  llvm::Value* bits = power_bits(e, whole, by_table);
  llvm::Value* last = real(x, 0x1p-126);
  if (!never_positive) {
    llvm::Value* half =
        b.CreateShl(b.CreateLShr(whole, by_table ? kPartBits + 1 : 1), kMantissaBits);
    bits = b.CreateSub(bits, half);
    last = of_bits(e, half);
  }
  llvm::Value* scale = of_bits(e, bits);
  llvm::Value* rest = by_table ? power_less_one(e, r, kExpOfEighth) : power_less_one(e, r, kExp);
  return b.CreateFMul(e.fma(scale, rest, scale), last);
}

/// e^x for x of at most 89, and far below.
llvm::Value* exp_by_instruction(EmitContext& e, llvm::Value* x, bool by_table) {
  const double unit = by_table ? 1.0 / kTableSize : 1;
  const auto [rounded, n, r] = reduce_argument(e, x, unit, false, 0);
  llvm::Value* base = by_table ? look_up_power(e, rounded) : real(x, 1);
  llvm::Value* rest = by_table ? power_less_one(e, r, kExpOfSixteenth) : power_less_one(e, r, kExp);
  return scale_by_instruction(e, e.fma(base, rest, base), n);
}

/// By the table numbers are 1 ulp off where they are 0.7 by the polynomial, which makes 2.1 of
/// sigmoid's 1.5.
llvm::Value* exp_of(EmitContext& e, llvm::Value* x, bool never_positive, bool by_table) {
  auto& b = e.b;
  // Beyond these the result is infinite or 0 all the same. How far beyond decides the speed: powers
  // just below the smallest number take Intel's machines a hundred cycles, those far below none.
  llvm::Value* bounded = x;
  if (!never_positive) {
    llvm::Value* high = real(x, 89);
    bounded = b.CreateSelect(b.CreateFCmpOLT(high, x), high, x);
  }
  if (!e.has_avx512_for(x)) {
    return exp_by_bits(e, at_least(e, bounded, -170), never_positive, by_table);
  }
  if (e.host.zen) {
    bounded = at_least(e, bounded, -1000);
  } else {
    bounded = b.CreateSelect(b.CreateFCmpOLT(x, real(x, -104)), real(x, -1000), bounded);
  }
  return exp_by_instruction(e, bounded, by_table);
}

/// e^(-2x), between 2^-127 and 2^127.
llvm::Value* power_of_tanh(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  constexpr double kFar = 44;
  constexpr double kScale = -2 * std::numbers::log2e;
  llvm::Value* far = real(x, kFar);
  llvm::Value* bounded = b.CreateSelect(b.CreateFCmpOLT(far, x), far, x);
  bounded = at_least(e, bounded, -kFar);
  const bool wide = e.has_avx512_for(x);
  const bool by_table = e.has_table_for(x);
  const double unit = wide ? 1.0 / kTableSize : by_table ? 1.0 / kParts : 1;
  llvm::Value* rounder = real(x, kRounder * unit + kExponentBias);
  llvm::Value* rounded = e.fma(bounded, real(x, kScale), rounder);
  llvm::Value* n = b.CreateFSub(rounded, rounder);
  llvm::Value* r = e.fma(bounded, real(x, kScale), b.CreateFNeg(n));
  if (wide) {
    llvm::Value* base = look_up_power(e, rounded);
    llvm::Value* power = e.fma(b.CreateFMul(base, r), e.polynomial(r, kSlopeOfSixteenth), base);
    return scale_by_instruction(e, power, n);
  }
  llvm::Value* base = of_bits(e, power_bits(e, to_bits(e, rounded), by_table));
  llvm::Value* slope = by_table ? e.polynomial(r, kSlopeOfEighth) : e.polynomial(r, kSlope);
  return e.fma(b.CreateFMul(base, r), slope, base);
}

}  // namespace

llvm::Value* look_up(EmitContext& e, llvm::ArrayRef<float> table, llvm::Value* index) {
  auto& b = e.b;
  llvm::Value* numbers = llvm::ConstantDataVector::get(b.getContext(), table);
  return e.by_register({index}, [&](llvm::ArrayRef<llvm::Value*> part) -> llvm::Value* {
    llvm::Value* bits =
        b.CreateBitCast(part[0], llvm::FixedVectorType::get(b.getInt32Ty(), kTableSize));
    return b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_permvar_sf_512, {}, {numbers, bits});
  });
}

llvm::Value* scale_by_instruction(EmitContext& e, llvm::Value* value, llvm::Value* exponent) {
  auto& b = e.b;
  constexpr int kCurrentRounding = 4;
  const bool f64 = value->getType()->getScalarType()->isDoubleTy();
  const auto instruction = f64 ? llvm::Intrinsic::x86_avx512_mask_scalef_pd_512
                               : llvm::Intrinsic::x86_avx512_mask_scalef_ps_512;
  llvm::Value* all_lanes = f64 ? b.getInt8(0xFF) : b.getInt16(0xFFFF);
  return e.by_register({value, exponent}, [&](llvm::ArrayRef<llvm::Value*> part) -> llvm::Value* {
    llvm::Value* zero = llvm::Constant::getNullValue(part[0]->getType());
    return b.CreateIntrinsic(
        instruction, {}, {part[0], part[1], zero, all_lanes, b.getInt32(kCurrentRounding)});
  });
}

llvm::Value* emit_short_exp(EmitContext& e, llvm::Value* x) {
  const auto [scale, rest] = reduce_short(e, x);
  return e.fma(scale, rest, scale);
}

llvm::Value* emit_exp(EmitContext& e, llvm::Value* x, bool never_positive) {
  llvm::Value* wide = e.splat(x);
  if (is_vector(x) || !e.has_table_for(wide))
    return exp_of(e, x, never_positive, e.has_table_for(x));
  // As vectors compute it, to the last digit.
  return e.b.CreateExtractElement(emit_exp(e, wide, never_positive), uint64_t{0});
}

/// (1 + e^-x) * 2^-64, as e^-x may be up to 2^151.
llvm::Value* scaled_divisor_of_sigmoid(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  llvm::Value* high = real(x, 43);
  llvm::Value* bounded = at_least(e, x, -105);
  bounded = b.CreateSelect(b.CreateFCmpOLT(high, bounded), high, bounded);
  const auto [rounded, n, r] =
      reduce_argument(e, b.CreateFNeg(bounded), 1, false, kExponentBias - kScaleOfSigmoid);
  llvm::Value* scale = of_bits(e, power_bits(e, to_bits(e, rounded), false));
  // The one first: beside a power of 2^24 it would be lost.
  llvm::Value* one = real(x, kOneOfSigmoid);
  return b.CreateFAdd(e.fma(scale, power_less_one(e, r, kExp), one), scale);
}

/// e^(-2 |x|) - 1, which is accurate near 0 as well.
llvm::Value* power_less_one_of_tanh(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  llvm::Value* half = at_least(e, b.CreateFNeg(e.unary(llvm::Intrinsic::fabs, x)), -10);
  const auto [scale, rest] = reduce_short(e, b.CreateFAdd(half, half));
  return e.fma(scale, rest, b.CreateFSub(scale, real(x, 1)));
}

llvm::Value* emit_sigmoid(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  // Within 2 ulp with fused multiply-adds.
  if (e.host.fma && e.host.divides_beside)
    return b.CreateFDiv(real(x, kOneOfSigmoid), scaled_divisor_of_sigmoid(e, x));
  // Of s = exp(-|x|), which does not overflow: 1 / (1 + s) above 0, s / (1 + s) below.
  llvm::Value* small = exp_of(e, b.CreateFNeg(e.unary(llvm::Intrinsic::fabs, x)), true, false);
  llvm::Value* top = b.CreateSelect(b.CreateFCmpOLT(x, real(x, 0)), small, real(x, 1));
  return divide_by_sum(e, top, 1, small);
}

llvm::Value* emit_tanh(EmitContext& e, llvm::Value* x) {
  // -m / (2 + m); from 10 on that is 1.
  llvm::Value* m = power_less_one_of_tanh(e, x);
  return e.b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, divide_by_sum(e, m, 2, m), x);
}

llvm::Value* emit_gated_tanh(EmitContext& e, llvm::Value* x, llvm::Value* gate) {
  auto& b = e.b;
  if (!e.host.fma) return b.CreateFMul(emit_tanh(e, x), emit_sigmoid(e, gate));
  llvm::Value* m = power_less_one_of_tanh(e, x);
  llvm::Value* sum = scaled_divisor_of_sigmoid(e, gate);
  llvm::Value* divisor = e.fma(m, sum, b.CreateFAdd(sum, sum));
  // The scale last: m may be as small as numbers get.
  llvm::Value* product = b.CreateFMul(b.CreateFDiv(m, divisor), real(x, kOneOfSigmoid));
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, product, x);
}

llvm::Value* emit_divisor_of_tanh(EmitContext& e, llvm::Value* x) {
  const llvm::IRBuilderBase::FastMathFlagGuard guard(e.b);
  e.b.clearFastMathFlags();
  return e.b.CreateFAdd(power_of_tanh(e, x), real(x, 1));
}

llvm::Value* emit_one_plus_tanh(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  if (e.host.divides_beside) return b.CreateFDiv(real(x, 2), emit_divisor_of_tanh(e, x));
  const llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  llvm::Value* half = e.fma(power_of_tanh(e, x), real(x, 0.5), real(x, 0.5));
  if (!e.has_avx512_for(x)) return b.CreateFDiv(real(x, 1), half);
  llvm::Value* inverse = rough_inverse(e, half);
  llvm::Value* missing = e.fma(b.CreateFNeg(half), inverse, real(x, 1));
  return e.fma(missing, inverse, inverse);
}

}  // namespace wick::codegen::llvm_jit
