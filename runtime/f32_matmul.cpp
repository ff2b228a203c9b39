// f32 matrix products, by the fastest way there is for a shape: loops of our own or oneDNN.

#include <algorithm>
#include <cstring>
#include <utility>

#include "wick/runtime/direct_matmul.h"
#include "wick/runtime/matmul_shape.h"
#include "wick/runtime/onednn/ways.h"
#include "wick/runtime/step_labels.h"
#include "wick/runtime/tiled_matmul.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {
namespace {

/// A product with nothing in it, or a sum over nothing.
class ZeroFill final : public HostCall {
 public:
  explicit ZeroFill(size_t bytes) : bytes_(bytes) {}

  std::string_view implementation() const override { return "zero fill"; }

  void run(const void* const* /*operands*/, void* result, std::byte* /*scratch*/) const override {
    if (bytes_ > 0) std::memset(result, 0, bytes_);
  }

 private:
  size_t bytes_;
};

/// The first is taken where nothing is timed: of small products our own in place, of others
/// oneDNN's with AVX-512, tiles of our own without.
std::vector<Candidate> ways_of(const LibraryOp& op) {
  std::vector<Candidate> ways = onednn::matmul_ways(op);
  const MatmulShape shape = matmul_shape(op);
  if (may_tile(shape)) {
    constexpr int64_t kAvx512 = 16;
    ways.insert(vector_lanes() == kAvx512 ? ways.end() : ways.begin(),
                {"tiled", [](const LibraryOp& op) { return make_tiled_matmul(matmul_shape(op)); }});
  }
  if (may_be_direct(shape)) {
    ways.insert(
        is_best_direct(shape) ? ways.begin() : ways.end(),
        {"direct", [](const LibraryOp& op) { return make_direct_matmul(matmul_shape(op)); }});
  }
  return ways;
}

/// A part of a large product that takes some milliseconds: what is fastest for it is for all.
/// The longest axis is cut, so that what is copied for how many multiplications stays what it is.
LibraryOp sample_of(const LibraryOp& op) {
  constexpr double kEnough = 3e8;  // floating-point operations
  constexpr int64_t kShortest = 512;
  const bool is_plain = op.operands[0].shape.ndim() == 2 && op.operands[1].shape.ndim() == 2;
  const MatmulShape shape = matmul_shape(op);
  const int64_t longest = std::max({shape.m, shape.n, shape.k});
  const int64_t parts = std::min(static_cast<int64_t>(flops(op) / kEnough), longest / kShortest);
  if (!is_plain || parts < 2) return op;
  constexpr int64_t kLine = 16;  // the part ends where a vector does if the whole does
  int64_t part = longest / parts;
  part += (longest - part) % kLine;
  LibraryOp sample = op;
  const auto cut = [&](Type& type, int axis) { type.shape.set(axis, part); };
  const auto [lhs_rows, lhs_sums] = shape.transpose_lhs ? std::pair(1, 0) : std::pair(0, 1);
  const auto [rhs_columns, rhs_sums] = shape.transpose_rhs ? std::pair(0, 1) : std::pair(1, 0);
  if (longest == shape.k) {
    cut(sample.operands[0], lhs_sums);
    cut(sample.operands[1], rhs_sums);
  } else if (longest == shape.m) {
    cut(sample.operands[0], lhs_rows);
    cut(sample.result, 0);
  } else {
    cut(sample.operands[1], rhs_columns);
    cut(sample.result, 1);
  }
  return sample;
}

}  // namespace

std::unique_ptr<HostCall> make_f32_matmul(const LibraryOp& op) {
  if (op.op != ir::OpKind::matmul || op.result.dtype != DType::f32 || has_epilogue(op))
    return nullptr;
  const bool sums_nothing = op.operands[0].numel() == 0;
  if (op.result.numel() == 0 || sums_nothing) {
    return std::make_unique<ZeroFill>(op.result.num_bytes());
  }
  const std::vector<Candidate> ways = ways_of(op);
  return ways.empty() ? nullptr : fastest_call(op, sample_of(op), onednn::description(), ways);
}

}  // namespace wick::runtime
