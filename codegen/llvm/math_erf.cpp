#include <iterator>

#include <llvm/IR/Intrinsics.h>

#include "wick/codegen/llvm/math.h"

namespace wick::codegen::llvm_jit {

namespace {

// erf(x) / x - 1 in x^2, for |x| <= 1: relative error of erf 2^-29.4.
constexpr double kNear[] = {0x1.06eba8p-3,
                            -0x1.81273ep-2,
                            0x1.ce2ce6p-4,
                            -0x1.b7f71ap-6,
                            0x1.53f224p-8,
                            -0x1.a3515ep-11,
                            0x1.4771fep-14};
// -log(1 - erf(x)) for 1 <= x <= 4, errors weighted by 1 - erf: 2^-29.6.
constexpr double kFar[] = {0x1.66311ap-12,
                           0x1.2088e6p+0,
                           0x1.46bafap-1,
                           0x1.a652e8p-4,
                           -0x1.65cad8p-6,
                           0x1.8259e4p-9,
                           -0x1.86dc84p-13};

// erf(k / 4 + t) in t for |t| <= 1/8, column k; of erf(t) - t in column 0.
constexpr float kPieces[][kTableSize] = {{0x0.0p+0F,
                                          0x1.1af54ep-2F,
                                          0x1.0a7ef6p-1F,
                                          0x1.6c1c98p-1F,
                                          0x1.af767ap-1F,
                                          0x1.d8865ep-1F,
                                          0x1.eea556p-1F,
                                          0x1.f92d08p-1F,
                                          0x1.fd9ae2p-1F,
                                          0x1.ff4048p-1F,
                                          0x1.ffcaa8p-1F,
                                          0x1.fff2dp-1F,
                                          0x1.fffd1ap-1F,
                                          0x1.ffff7p-1F,
                                          0x1.ffffe8p-1F,
                                          0x1.fffffcp-1F},
                                         {0x1.06eba8p-3F,
                                          0x1.0f5d16p+0F,
                                          0x1.c1efcap-1F,
                                          0x1.492e42p-1F,
                                          0x1.a911fp-2F,
                                          0x1.e4653p-3F,
                                          0x1.e72372p-4F,
                                          0x1.b0553p-5F,
                                          0x1.529b9ep-6F,
                                          0x1.d4143ap-8F,
                                          0x1.1d8318p-9F,
                                          0x1.3360ccp-11F,
                                          0x1.2408eap-13F,
                                          0x1.e9b5e8p-16F,
                                          0x1.6a5972p-18F,
                                          0x1.d9371ep-21F},
                                         {0x1.a79d88p-23F,
                                          -0x1.0f5c48p-2F,
                                          -0x1.c1eeccp-2F,
                                          -0x1.edc4dap-2F,
                                          -0x1.a91208p-2F,
                                          -0x1.2ebfaap-2F,
                                          -0x1.6d5b5cp-3F,
                                          -0x1.7a4b42p-4F,
                                          -0x1.529bb2p-5F,
                                          -0x1.074a74p-6F,
                                          -0x1.64e04ap-8F,
                                          -0x1.a69c9cp-10F,
                                          -0x1.b5fe34p-12F,
                                          -0x1.8dce16p-14F,
                                          -0x1.3cf492p-16F,
                                          -0x1.bb7094p-19F},
                                         {-0x1.812a72p-2F,
                                          -0x1.3c96f2p-2F,
                                          -0x1.2bf568p-3F,
                                          0x1.b6e27ap-6F,
                                          0x1.1b60bp-3F,
                                          0x1.571cdcp-3F,
                                          0x1.1c2a32p-3F,
                                          0x1.71494p-4F,
                                          0x1.8b0b6ep-5F,
                                          0x1.63ef9ap-6F,
                                          0x1.119d48p-7F,
                                          0x1.69cdap-9F,
                                          0x1.9db34ap-11F,
                                          0x1.9a9d8ep-13F,
                                          0x1.62c356p-15F,
                                          0x1.0b5fbcp-17F},
                                         {0x1.00691cp-12F,
                                          0x1.027108p-3F,
                                          0x1.74f3aap-3F,
                                          0x1.33889p-3F,
                                          0x1.1bbe3ap-4F,
                                          -0x1.7882c4p-8F,
                                          -0x1.6a448p-5F,
                                          -0x1.889e0ep-5F,
                                          -0x1.1a1886p-5F,
                                          -0x1.399628p-6F,
                                          -0x1.1c539p-7F,
                                          -0x1.af4b34p-9F,
                                          -0x1.15927ap-10F,
                                          -0x1.31e9b6p-12F,
                                          -0x1.22711cp-14F,
                                          -0x1.dd2e0cp-17F},
                                         {0x1.c73bc6p-4F,
                                          0x1.469b96p-4F,
                                          0x1.e6ced4p-8F,
                                          -0x1.b13986p-5F,
                                          -0x1.1a2b88p-4F,
                                          -0x1.81ecbap-5F,
                                          -0x1.ea282ep-7F,
                                          0x1.aa6596p-8F,
                                          0x1.aabd88p-7F,
                                          0x1.5ccc4ep-7F,
                                          0x1.919888p-8F,
                                          0x1.6adc3ep-9F,
                                          0x1.0c7b8cp-10F,
                                          0x1.4c87aap-12F,
                                          0x1.5d351ap-14F,
                                          0x1.399408p-16F}};

/// Polynomials of pieces: a register holds a coefficient of all sixteen.
llvm::Value* erf_by_pieces(EmitContext& e, llvm::Value* x) {
  constexpr double kRounder = 0x1.8p21;  // adding it rounds to quarters
  auto& b = e.b;
  llvm::Value* magnitude = e.unary(llvm::Intrinsic::fabs, x);
  llvm::Value* rounded = b.CreateFAdd(magnitude, real(x, kRounder));
  llvm::Value* t = b.CreateFSub(magnitude, b.CreateFSub(rounded, real(x, kRounder)));
  llvm::Value* slope = look_up(e, kPieces[std::size(kPieces) - 1], rounded);
  for (size_t power = std::size(kPieces) - 1; power-- > 1;)
    slope = e.fma(slope, t, look_up(e, kPieces[power], rounded));
  llvm::Value* is_first = b.CreateFCmpOLE(magnitude, real(x, 0.125));
  llvm::Value* base = b.CreateSelect(is_first, t, look_up(e, kPieces[0], rounded));
  // Behind the last piece it is 1 to less than an ulp. Unordered is NaN, which passes through.
  llvm::Value* is_one = b.CreateFCmpOGE(magnitude, real(x, 3.875));
  llvm::Value* value = b.CreateSelect(is_one, real(x, 1), e.fma(slope, t, base));
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, value, x);
}

}  // namespace

llvm::Value* emit_erf(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  if (e.has_avx512_for(x)) return erf_by_pieces(e, x);
  llvm::Value* near = e.fma(x, e.split_polynomial(b.CreateFMul(x, x), kNear), x);
  llvm::Value* magnitude = e.unary(llvm::Intrinsic::fabs, x);
  llvm::Value* limit = real(x, 4);
  llvm::Value* bounded = b.CreateSelect(b.CreateFCmpOLT(magnitude, limit), magnitude, limit);
  llvm::Value* exponent = b.CreateFNeg(e.split_polynomial(bounded, kFar));
  llvm::Value* far = b.CreateFSub(real(x, 1), emit_short_exp(e, exponent));
  far = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, far, x);
  // Unordered is near, where NaN passes through.
  return b.CreateSelect(b.CreateFCmpOGT(magnitude, real(x, 1)), far, near);
}

}  // namespace wick::codegen::llvm_jit
