// Matrix products in the dtypes that no library covers: integers, as far as the canonicalizer has
// not made kernels of them, and floats in builds without one.

#include <algorithm>
#include <type_traits>
#include <vector>

#include "wick/runtime/library_call.h"
#include "wick/runtime/matmul_shape.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime {
namespace {

constexpr int64_t kRowBlock = 4;       // rows of A that share one pass over B
constexpr int64_t kColumnBlock = 256;  // accumulators of a block stay in the first-level cache
constexpr int64_t kWorkGrain = 32768;  // multiplications worth a thread

/// Integers wrap, which only unsigned arithmetic may do; i64 sums hold i32 products exactly.
template <typename T>
using Accumulator = std::conditional_t<std::is_floating_point_v<T>, T, uint64_t>;

template <typename T>
class NativeMatmul final : public HostCall {
 public:
  explicit NativeMatmul(MatmulShape shape) : shape_(std::move(shape)) {}

  std::string_view implementation() const override { return "native matmul"; }

  /// A transposed rhs is copied straight first: its columns would be walked with a stride.
  size_t scratch_bytes() const override {
    if (!shape_.transpose_rhs) return 0;
    return static_cast<size_t>(shape_.n * shape_.k) * sizeof(T);
  }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    const auto* lhs = static_cast<const T*>(operands[0]);
    const auto* rhs = static_cast<const T*>(operands[1]);
    auto* out = static_cast<T*>(result);
    auto* straight = reinterpret_cast<T*>(scratch);
    for (int64_t b = 0; b < shape_.batch(); ++b) {
      const auto at = static_cast<size_t>(b);
      const T* matrix = rhs + shape_.rhs_offsets[at];
      if (shape_.transpose_rhs) {
        const bool same_as_before = b > 0 && shape_.rhs_offsets[at] == shape_.rhs_offsets[at - 1];
        if (!same_as_before) transpose(matrix, straight);
        matrix = straight;
      }
      multiply(lhs + shape_.lhs_offsets[at], matrix, out + b * shape_.m * shape_.n);
    }
  }

 private:
  void transpose(const T* rhs, T* straight) const {
    for (int64_t j = 0; j < shape_.n; ++j) {
      for (int64_t p = 0; p < shape_.k; ++p)
        straight[p * shape_.n + j] = rhs[j * shape_.k + p];
    }
  }

  void multiply(const T* lhs, const T* rhs, T* out) const {
    const int64_t row_blocks = (shape_.m + kRowBlock - 1) / kRowBlock;
    const int64_t work = std::max<int64_t>(1, kRowBlock * shape_.n * shape_.k);
    const auto rows = [&](int64_t begin, int64_t end) {
      for (int64_t block = begin; block < end; ++block) {
        const int64_t first = block * kRowBlock;
        const int64_t count = std::min(kRowBlock, shape_.m - first);
        for (int64_t column = 0; column < shape_.n; column += kColumnBlock) {
          tile(lhs, rhs, out, first, count, column);
        }
      }
    };
    parallel_ranges(row_blocks, std::max<int64_t>(1, kWorkGrain / work), rows);
  }

  void tile(
      const T* lhs, const T* rhs, T* out, int64_t first, int64_t count, int64_t column) const {
    const int64_t width = std::min(kColumnBlock, shape_.n - column);
    const int64_t row_stride = shape_.transpose_lhs ? 1 : shape_.k;
    const int64_t k_stride = shape_.transpose_lhs ? shape_.m : 1;
    Accumulator<T> sums[kRowBlock][kColumnBlock] = {};
    for (int64_t p = 0; p < shape_.k; ++p) {
      const T* row = rhs + p * shape_.n + column;
      for (int64_t i = 0; i < count; ++i) {
        const auto factor =
            static_cast<Accumulator<T>>(lhs[(first + i) * row_stride + p * k_stride]);
        for (int64_t j = 0; j < width; ++j) {
          sums[i][j] += factor * static_cast<Accumulator<T>>(row[j]);
        }
      }
    }
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t j = 0; j < width; ++j) {
        out[(first + i) * shape_.n + column + j] = static_cast<T>(sums[i][j]);
      }
    }
  }

  MatmulShape shape_;
};

}  // namespace

std::unique_ptr<HostCall> make_native_matmul(const LibraryOp& op) {
  if (op.op != ir::OpKind::matmul || has_epilogue(op)) return nullptr;
  MatmulShape shape = matmul_shape(op);
  const auto make = [&]<typename T>() -> std::unique_ptr<HostCall> {
    return std::make_unique<NativeMatmul<T>>(std::move(shape));
  };
  switch (op.result.dtype) {
    case DType::f32:
      return make.operator()<float>();
    case DType::f64:
      return make.operator()<double>();
    case DType::i8:
      return make.operator()<int8_t>();
    case DType::i16:
      return make.operator()<int16_t>();
    case DType::i32:
      return make.operator()<int32_t>();
    case DType::i64:
      return make.operator()<int64_t>();
    case DType::u8:
      return make.operator()<uint8_t>();
    case DType::f16:
    case DType::bf16:
    case DType::bool_:
      return nullptr;
  }
  return nullptr;
}

}  // namespace wick::runtime
