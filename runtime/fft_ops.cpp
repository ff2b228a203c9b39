// The ops named fft.*: their types, and how they reach libwick-fftw.so. What they compute is in
// runtime/fftw/. A complex number is an axis of two, the last one, which axes do not count.

#include <stdexcept>

#include <fmt/format.h>

#include "wick/codegen/lazy_library.h"
#include "wick/ir/custom_op.h"
#include "wick/ir/format.h"
#include "wick/runtime/library_ops.h"

namespace wick::runtime {
namespace {

using ir::Attributes;
using ir::OperandTypes;

void call_fftw(const void* const* operands, void* result, const ir::CustomCallInfo& info) {
  constexpr codegen::LazyLibrary kLibrary{"libwick-fftw.so", "runtime/fftw/", "FFTW"};
  static const auto find =
      reinterpret_cast<FindLibraryCall*>(codegen::entry_of(kLibrary, "wick_find_fftw_call"));
  find(info.attributes.text("op").c_str())(operands, result, info);
}

/// The rank without the axis of two.
int complex_rank(const Type& x) {
  const int rank = x.shape.ndim();
  const bool is_pair = rank >= 2 && x.shape[rank - 1] == 2;
  if (!is_pair || (x.dtype != DType::f32 && x.dtype != DType::f64)) {
    constexpr auto kText = "needs complex numbers, f32 or f64 with a last axis of 2, got {}";
    throw std::invalid_argument(fmt::format(kText, x));
  }
  return rank - 1;
}

void require_axis(int64_t axis, int rank, const Type& x) {
  if (axis < 0 || axis >= rank) {
    throw std::invalid_argument(fmt::format("axis {} is out of range for {}", axis, x));
  }
  if (x.shape[static_cast<int>(axis)] == 0) {
    throw std::invalid_argument(fmt::format("axis {} of {} is empty", axis, x));
  }
}

Type infer_c2c(OperandTypes operands, const Attributes& attributes, const Location& /*where*/) {
  const Type& x = *operands[0];
  const int rank = complex_rank(x);
  int64_t previous = -1;
  for (const int64_t axis : attributes.integers("axes")) {
    require_axis(axis, rank, x);
    if (axis <= previous) throw std::invalid_argument("axes are not in ascending order");
    previous = axis;
  }
  return x;
}

Type infer_r2c(OperandTypes operands, const Attributes& attributes, const Location& /*where*/) {
  const Type& x = *operands[0];
  const int64_t axis = attributes.integer("axis", 0);
  if (x.dtype != DType::f32 && x.dtype != DType::f64) {
    throw std::invalid_argument(fmt::format("needs f32 or f64, got {}", x));
  }
  require_axis(axis, x.shape.ndim(), x);
  Axes extents(x.shape.begin(), x.shape.end());
  int64_t& extent = extents[static_cast<size_t>(axis)];
  extent = extent / 2 + 1;
  extents.push_back(2);
  return {x.dtype, Shape(extents)};
}

Type infer_c2r(OperandTypes operands, const Attributes& attributes, const Location& /*where*/) {
  const Type& x = *operands[0];
  const int64_t axis = attributes.integer("axis", 0);
  const int64_t n = attributes.integer("n", 0);
  require_axis(axis, complex_rank(x), x);
  if (n < 1 || x.shape[static_cast<int>(axis)] != n / 2 + 1) {
    throw std::invalid_argument(fmt::format("axis {} of {} is not half of {} values", axis, x, n));
  }
  Axes extents(x.shape.begin(), x.shape.end() - 1);
  extents[static_cast<size_t>(axis)] = n;
  return {x.dtype, Shape(extents)};
}

using Infer = Type(OperandTypes, const Attributes&, const Location&);

struct Row {
  const char* name;
  Infer* infer;
  const char* summary;
};

constexpr Row kRows[] = {
    {"fft.c2c",
     infer_c2c,
     "discrete Fourier transform of complex numbers over `axes`, `inverse` with positive "
     "exponents; "
     "never scaled"},
    {"fft.c2r",
     infer_c2r,
     "`n` real numbers along `axis` from the first n / 2 + 1 of their transform; not scaled"},
    {"fft.r2c", infer_r2c, "the first n / 2 + 1 numbers of the transform of n real ones on `axis`"},
};

bool register_rows() {
  for (const Row& row : kRows) {
    ir::register_custom_op(
        {.name = row.name, .summary = row.summary, .infer = row.infer, .call = call_fftw});
  }
  return true;
}

// As libwick.so is loaded: graphs in files name these ops too.
[[maybe_unused]] const bool kRegistered = register_rows();

}  // namespace
}  // namespace wick::runtime
