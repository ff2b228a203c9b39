// f32 matrix products, by the fastest way there is for a shape: loops of our own or oneDNN.

#include <cstring>

#include "wick/runtime/direct_matmul.h"
#include "wick/runtime/matmul_shape.h"
#include "wick/runtime/onednn/ways.h"
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

}  // namespace

std::unique_ptr<HostCall> make_f32_matmul(const LibraryOp& op) {
  if (op.op != ir::OpKind::matmul || op.result.dtype != DType::f32 || has_epilogue(op))
    return nullptr;
  const bool sums_nothing = op.operands[0].numel() == 0;
  if (op.result.numel() == 0 || sums_nothing) {
    return std::make_unique<ZeroFill>(op.result.num_bytes());
  }
  const std::vector<Candidate> ways = ways_of(op);
  return ways.empty() ? nullptr : fastest_call(op, op, onednn::description(), ways);
}

}  // namespace wick::runtime
