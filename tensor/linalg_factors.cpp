#include <algorithm>
#include <array>

#include "wick/tensor/linalg.h"
#include "wick/tensor/linalg_recording.h"

namespace wick::linalg {
namespace {

using detail::LinalgOp;

/// A flag that is set only where it changes the op, so that equal ops have equal attributes.
ir::Attributes flag(const char* name, bool value) {
  return value ? ir::Attributes{{name, true}} : ir::Attributes{};
}

}  // namespace

Tensor cholesky(const Tensor& a, bool upper, Where where) {
  const LinalgOp op("linalg.cholesky", {a}, where);
  return op.rounded(op.record(flag("upper", upper)));
}

QrResult qr(const Tensor& a, bool complete, Where where) {
  const LinalgOp op("linalg.qr", {a}, where);
  const Tensor packed = op.rounded(op.record(flag("complete", complete)));
  const int64_t m = a.size(-2);
  const int64_t n = a.size(-1);
  const int64_t k = complete ? m : std::min(m, n);
  const auto parts = detail::unpacked(packed, std::array<Axes, 2>{{{m, k}, {k, n}}}, where);
  return {parts[0], parts[1]};
}

SvdResult svd(const Tensor& a, bool full_matrices, Where where) {
  const LinalgOp op("linalg.svd", {a}, where);
  const Tensor packed = op.rounded(op.record(flag("full", full_matrices)));
  const int64_t m = a.size(-2);
  const int64_t n = a.size(-1);
  const int64_t k = std::min(m, n);
  const int64_t left = full_matrices ? m : k;
  const int64_t right = full_matrices ? n : k;
  const std::array<Axes, 3> extents{{{m, left}, {k}, {right, n}}};
  const auto parts = detail::unpacked(packed, extents, where);
  return {parts[0], parts[1], parts[2]};
}

Tensor svdvals(const Tensor& a, Where where) {
  const LinalgOp op("linalg.svdvals", {a}, where);
  return op.rounded(op.record());
}

EighResult eigh(const Tensor& a, bool upper, Where where) {
  const LinalgOp op("linalg.eigh", {a}, where);
  const Tensor packed = op.rounded(op.record(flag("upper", upper)));
  const int64_t n = a.size(-1);
  const auto parts = detail::unpacked(packed, std::array<Axes, 2>{{{n}, {n, n}}}, where);
  return {parts[0], parts[1]};
}

Tensor eigvalsh(const Tensor& a, bool upper, Where where) {
  const LinalgOp op("linalg.eigvalsh", {a}, where);
  return op.rounded(op.record(flag("upper", upper)));
}

}  // namespace wick::linalg
