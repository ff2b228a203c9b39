// scatter with mode add: deterministic, since each slice adds its updates in the order of the
// indices.

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "wick/runtime/library_call.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime {
namespace {

constexpr int64_t kWorkGrain = 32768;

/// x[outer, extent, inner] += updates[outer, count, inner] at indices[count].
struct ScatterShape {
  int64_t outer = 1;
  int64_t extent = 1;
  int64_t inner = 1;
  int64_t count = 1;
};

ScatterShape scatter_shape(const LibraryOp& op) {
  const Shape& x = op.result.shape;
  int axis = static_cast<int>(op.attributes.integer("axis", 0));
  if (axis < 0) axis += x.ndim();
  ScatterShape shape{.extent = x[axis], .count = op.operands[1].numel()};
  for (int i = 0; i < axis; ++i)
    shape.outer *= x[i];
  for (int i = axis + 1; i < x.ndim(); ++i)
    shape.inner *= x[i];
  return shape;
}

/// Signed overflow is undefined in C++; Wick's integers wrap.
template <typename T>
T wrapping_add(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
}

template <typename T, typename Index>
class NativeScatter final : public LibraryCall {
 public:
  explicit NativeScatter(const LibraryOp& op)
      : shape_(scatter_shape(op)),
        bytes_(op.result.num_bytes()) {}

  std::string_view implementation() const override { return "native scatter"; }

  void run(const void* const* operands, void* result, std::byte* /*scratch*/) const override {
    // Without elements the pointers may be null.
    if (result != operands[0] && bytes_ > 0) std::memcpy(result, operands[0], bytes_);
    const auto* indices = static_cast<const Index*>(operands[1]);
    const auto* updates = static_cast<const T*>(operands[2]);
    auto* out = static_cast<T*>(result);
    const int64_t lanes = shape_.outer * shape_.inner;
    const int64_t grain = kWorkGrain / std::max<int64_t>(1, shape_.count) + 1;
    parallel_ranges(lanes, grain, [&](int64_t begin, int64_t end) {
      while (begin < end) {  // a range may cross from one outer position to the next
        const int64_t outer = begin / shape_.inner;
        const int64_t stop = std::min(end, (outer + 1) * shape_.inner);
        add_lanes(out, indices, updates, outer, begin % shape_.inner, stop - begin);
        begin = stop;
      }
    });
  }

 private:
  void add_lanes(T* out,
                 const Index* indices,
                 const T* updates,
                 int64_t outer,
                 int64_t first,
                 int64_t count) const {
    for (int64_t i = 0; i < shape_.count; ++i) {
      const auto index = static_cast<int64_t>(indices[i]);
      if (index < 0 || index >= shape_.extent) continue;
      T* to = out + (outer * shape_.extent + index) * shape_.inner + first;
      const T* from = updates + (outer * shape_.count + i) * shape_.inner + first;
      for (int64_t j = 0; j < count; ++j)
        to[j] = wrapping_add(to[j], from[j]);
    }
  }

  ScatterShape shape_;
  size_t bytes_;
};

template <typename Index>
std::unique_ptr<LibraryCall> make_for_index(const LibraryOp& op) {
  switch (op.result.dtype) {
    case DType::f32:
      return std::make_unique<NativeScatter<float, Index>>(op);
    case DType::f64:
      return std::make_unique<NativeScatter<double, Index>>(op);
    case DType::i32:
      return std::make_unique<NativeScatter<int32_t, Index>>(op);
    case DType::i64:
      return std::make_unique<NativeScatter<int64_t, Index>>(op);
    case DType::f16:
    case DType::bf16:
    case DType::i8:
    case DType::i16:
    case DType::u8:
    case DType::bool_:
      return nullptr;
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<LibraryCall> make_native_scatter(const LibraryOp& op) {
  if (op.op != ir::OpKind::scatter) return nullptr;
  if (op.attributes.has("mode") && op.attributes.text("mode") != "add") return nullptr;
  return op.operands[1].dtype == DType::i32 ? make_for_index<int32_t>(op)
                                            : make_for_index<int64_t>(op);
}

}  // namespace wick::runtime
