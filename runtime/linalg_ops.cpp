// The ops named linalg.*: their types, and how they reach libwick-lapack.so. What they compute is
// in runtime/lapack/. An op has one result: several are packed one after the other in its last
// axis.

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "wick/ir/custom_op.h"
#include "wick/ir/format.h"
#include "wick/runtime/library_ops.h"

namespace wick::runtime {
namespace {

using ir::Attributes;
using ir::OperandTypes;

void call_lapack(const void* const* operands, void* result, const ir::CustomCallInfo& info) {
  static const auto find =
      reinterpret_cast<FindLibraryCall*>(lapack_entry("wick_find_lapack_call"));
  find(info.attributes.text("op").c_str())(operands, result, info);
}

/// A matrix operand, or a batch of them along leading axes.
struct Matrices {
  explicit Matrices(const Type& type) : dtype(type.dtype), batch(type.shape) {
    const int rank = type.shape.ndim();
    if (rank < 2 || (dtype != DType::f32 && dtype != DType::f64)) {
      throw std::invalid_argument(fmt::format("needs matrices of f32 or f64, got {}", type));
    }
    rows = type.shape[rank - 2];
    columns = type.shape[rank - 1];
    batch = Shape(type.shape.extents().first(static_cast<size_t>(rank) - 2));
  }

  /// The type with other axes after those of the batch.
  [[nodiscard]] Type with(std::initializer_list<int64_t> extents) const {
    Axes all(batch.begin(), batch.end());
    all.insert(all.end(), extents);
    return {dtype, Shape(all)};
  }

  DType dtype;
  Shape batch;
  int64_t rows = 0;
  int64_t columns = 0;
};

Matrices square(const Type& type) {
  Matrices a(type);
  if (a.rows == a.columns) return a;
  throw std::invalid_argument(fmt::format("needs square matrices, got {}", type));
}

Type infer_square(OperandTypes operands, const Attributes& /*own*/, const Location& /*where*/) {
  (void)square(*operands[0]);
  return *operands[0];
}

Type infer_number(OperandTypes operands, const Attributes& /*own*/, const Location& /*where*/) {
  return square(*operands[0]).with({});
}

Type infer_slogdet(OperandTypes operands, const Attributes& /*own*/, const Location& /*where*/) {
  return square(*operands[0]).with({2});
}

Type infer_qr(OperandTypes operands, const Attributes& attributes, const Location& /*where*/) {
  const Matrices a(*operands[0]);
  const int64_t inner = attributes.flag("complete") ? a.rows : std::min(a.rows, a.columns);
  return a.with({a.rows * inner + inner * a.columns});
}

Type infer_svd(OperandTypes operands, const Attributes& attributes, const Location& /*where*/) {
  const Matrices a(*operands[0]);
  const int64_t least = std::min(a.rows, a.columns);
  const bool full = attributes.flag("full");
  const int64_t left = full ? a.rows : least;
  const int64_t right = full ? a.columns : least;
  return a.with({a.rows * left + least + right * a.columns});
}

Type infer_svdvals(OperandTypes operands, const Attributes& /*own*/, const Location& /*where*/) {
  const Matrices a(*operands[0]);
  return a.with({std::min(a.rows, a.columns)});
}

Type infer_eigh(OperandTypes operands, const Attributes& /*own*/, const Location& /*where*/) {
  const Matrices a = square(*operands[0]);
  return a.with({a.rows + a.rows * a.rows});
}

Type infer_eigvalsh(OperandTypes operands, const Attributes& /*own*/, const Location& /*where*/) {
  const Matrices a = square(*operands[0]);
  return a.with({a.rows});
}

Type infer_pinv(OperandTypes operands, const Attributes& /*own*/, const Location& /*where*/) {
  const Matrices a(*operands[0]);
  return a.with({a.columns, a.rows});
}

/// Both operands' batches and dtypes are equal, and so are `a_extent` and b's rows or columns.
void require_fit(const Type& a, const Type& b, int64_t a_extent, int64_t b_extent) {
  if (a_extent == b_extent && a.dtype == b.dtype && Matrices(a).batch == Matrices(b).batch) return;
  throw std::invalid_argument(fmt::format("{} does not fit {}", b, a));
}

Type infer_solve(OperandTypes operands, const Attributes& attributes, const Location& /*where*/) {
  const Matrices a = square(*operands[0]);
  const Matrices b(*operands[1]);
  const bool right = attributes.flag("right");
  require_fit(*operands[0], *operands[1], a.rows, right ? b.columns : b.rows);
  return *operands[1];
}

Type infer_lstsq(OperandTypes operands, const Attributes& /*own*/, const Location& /*where*/) {
  const Matrices a(*operands[0]);
  const Matrices b(*operands[1]);
  require_fit(*operands[0], *operands[1], a.rows, b.rows);
  return a.with({a.columns, b.columns});
}

using Infer = Type(OperandTypes, const Attributes&, const Location&);

struct Row {
  const char* name;
  int operands;
  Infer* infer;
  const char* summary;
};

constexpr Row kRows[] = {
    {"linalg.cholesky", 1, infer_square, "L of A = L L^T, from A's lower half; with `upper` L^T"},
    {"linalg.cofactors", 1, infer_square, "the gradient of the determinant"},
    {"linalg.det", 1, infer_number, "determinant"},
    {"linalg.eigh",
     1,
     infer_eigh,
     "eigenvalues in ascending order, then eigenvectors as columns, of the symmetric matrix whose "
     "lower half is A's; with `upper` its upper half"},
    {"linalg.eigvalsh", 1, infer_eigvalsh, "the eigenvalues of linalg.eigh"},
    {"linalg.inv", 1, infer_square, "inverse"},
    {"linalg.lstsq", 2, infer_lstsq, "X of least norm among those of least |A X - B|; `rcond`"},
    {"linalg.pinv", 1, infer_pinv, "Moore and Penrose's inverse; `rcond`"},
    {"linalg.qr", 1, infer_qr, "Q, then R, of A = Q R; Q is square if `complete`"},
    {"linalg.slogdet", 1, infer_slogdet, "sign and logarithm of the size of the determinant"},
    {"linalg.solve", 2, infer_solve, "X of A X = B"},
    {"linalg.solve_triangular",
     2,
     infer_solve,
     "X of A X = B, or X A = B if `right`, for A's lower half, or `upper`; `unit_diagonal`"},
    {"linalg.svd", 1, infer_svd, "U, S, V^T of A = U diag(S) V^T; U and V square if `full`"},
    {"linalg.svdvals", 1, infer_svdvals, "the singular values in descending order"},
};

bool register_rows() {
  for (const Row& row : kRows) {
    ir::register_custom_op({.name = row.name,
                            .summary = row.summary,
                            .min_operands = row.operands,
                            .max_operands = row.operands,
                            .infer = row.infer,
                            .call = call_lapack});
  }
  return true;
}

// As libwick.so is loaded: graphs in files name these ops too.
[[maybe_unused]] const bool kRegistered = register_rows();

}  // namespace
}  // namespace wick::runtime
