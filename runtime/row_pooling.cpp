// f32 pools of plain images, with vectors along the rows of the images. Windows are walked row by
// row, as in runtime/native_pooling.cpp, so that both give the same bits.

#include <algorithm>
#include <limits>
#include <vector>

#include "wick/runtime/library_call.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/pool_shape.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {
namespace {

constexpr float kLowest = -std::numeric_limits<float>::infinity();
constexpr int64_t kAnyStride = 0;

/// Elements a stride apart; those 2 apart in the order that takes a single shuffle.
template <int64_t kStride>
WICK_INLINE_VECTORS Floats load_apart(const float* from, int64_t stride) {
  if constexpr (kStride == 1) return load(from);
  if constexpr (kStride == 2)
    return __builtin_shufflevector(load(from), load(from + kLanes), 0, 2, 8, 10, 4, 6, 12, 14);
  return Floats{from[0 * stride],
                from[1 * stride],
                from[2 * stride],
                from[3 * stride],
                from[4 * stride],
                from[5 * stride],
                from[6 * stride],
                from[7 * stride]};
}

/// From the order of load_apart() to that of the columns, or back.
template <int64_t kStride, class Vector>
WICK_INLINE_VECTORS Vector reorder(Vector vector) {
  if constexpr (kStride != 2) return vector;
  return __builtin_shufflevector(vector, vector, 0, 1, 4, 5, 2, 3, 6, 7);
}

/// The columns of the outputs, filled up to whole vectors.
struct OutputColumns {
  PoolAxis axis;
  std::vector<float> counted;   // columns of a window that count for a mean
  std::vector<int32_t> inside;  // the first column of a window in the image
};

/// The windows of a row of outputs.
struct WindowRow {
  const float* source;  // element (first, 0) of the leftmost window
  int64_t pitch;        // between rows
  int64_t first;        // row of a window in the image
  int64_t last;         // the one behind the last row in the image
  float counted;        // rows of a window that count for a mean
};

// Of 8 windows side by side, whose elements are added one by one.

template <int64_t kStride>
class Maximum {
 public:
  using Element = float;

  WICK_INLINE_VECTORS Maximum(const OutputColumns& /*columns*/,
                              const WindowRow& /*row*/,
                              int64_t /*column*/)
      : best_(Floats{} + kLowest) {}

  WICK_INLINE_VECTORS void add(Floats value) {
    best_ = (value > best_) | (value != value) ? value : best_;
  }

  WICK_INLINE_VECTORS Floats result() const { return reorder<kStride>(best_); }

 private:
  Floats best_;
};

template <int64_t kStride>
class Mean {
 public:
  using Element = float;

  WICK_INLINE_VECTORS Mean(const OutputColumns& columns, const WindowRow& row, int64_t column)
      : counted_(load(columns.counted.data() + column) * row.counted) {}

  WICK_INLINE_VECTORS void add(Floats value) { sum_ += value; }

  WICK_INLINE_VECTORS Floats result() const { return reorder<kStride>(sum_) / counted_; }

 private:
  Floats sum_{};
  Floats counted_;
};

/// The number of the largest element.
template <int64_t kStride>
class Largest {
 public:
  using Element = uint8_t;

  WICK_INLINE_VECTORS Largest(const OutputColumns& columns, const WindowRow& row, int64_t column)
      : best_(Floats{} + kLowest),
        next_(Ints{} + static_cast<int32_t>(row.first * columns.axis.kernel)),
        number_(next_ + reorder<kStride>(load<Ints>(columns.inside.data() + column))) {}

  WICK_INLINE_VECTORS void add(Floats value) {
    const Ints wins = (value > best_) | ((value != value) & (best_ == best_));
    best_ = wins ? value : best_;
    number_ = wins ? next_ : number_;
    next_ += 1;
  }

  WICK_INLINE_VECTORS Bytes result() const {
    return __builtin_convertvector(reorder<kStride>(number_), Bytes);
  }

 private:
  Floats best_;
  Ints next_;
  Ints number_;
};

/// Writes beyond the last column what the next row overwrites, but nothing from `end` on.
template <template <int64_t> class Windows, int64_t kStride>
WICK_VECTORS void pool_row(const OutputColumns& columns,
                           const WindowRow& row,
                           void* result,
                           const void* end) {
  using Element = typename Windows<kStride>::Element;
  auto* out = static_cast<Element*>(result);
  const int64_t stride = columns.axis.stride;
  for (int64_t column = 0; column < columns.axis.out; column += kLanes) {
    Windows<kStride> windows(columns, row, column);
    const float* from = row.source + column * stride;
    for (int64_t i = row.first; i < row.last; ++i, from += row.pitch) {
      for (int64_t j = 0; j < columns.axis.kernel; ++j)
        windows.add(load_apart<kStride>(from + j, stride));
    }
    store_before(static_cast<const Element*>(end), out + column, windows.result());
  }
}

using RowFunction = void (*)(const OutputColumns&, const WindowRow&, void*, const void*);

template <template <int64_t> class Windows>
RowFunction of_stride(int64_t stride) {
  if (stride == 1) return pool_row<Windows, 1>;
  return stride == 2 ? pool_row<Windows, 2> : pool_row<Windows, kAnyStride>;
}

RowFunction row_function(const LibraryOp& op, int64_t stride) {
  if (op.op == ir::OpKind::avg_pool2d) return of_stride<Mean>(stride);
  if (!is_argmax(op.attributes)) return of_stride<Maximum>(stride);
  return of_stride<Largest>(stride);
}

/// Elements from the leftmost window on that vectors may read.
int64_t reach_of(const PoolAxis& axis) {
  return whole_vectors(axis.out) * axis.stride + axis.kernel;
}

OutputColumns output_columns(const PoolShape& shape) {
  const PoolAxis& axis = shape.columns;
  OutputColumns columns;
  columns.axis = axis;
  for (int64_t x = 0; x < whole_vectors(axis.out); ++x) {
    columns.counted.push_back(static_cast<float>(axis.counted(x, shape.exclude_padding)));
    columns.inside.push_back(static_cast<int32_t>(axis.first_element(x)));
  }
  return columns;
}

class RowPooling final : public HostCall {
 public:
  RowPooling(const LibraryOp& op, const PoolShape& shape)
      : shape_(shape),
        columns_(output_columns(shape)),
        pool_row_(row_function(op, shape.columns.stride)),
        fill_(op.op == ir::OpKind::avg_pool2d ? 0.0F : kLowest),
        element_bytes_(static_cast<int64_t>(size_of(op.result.dtype))),
        reach_(reach_of(shape.columns)),
        strip_(strip_rows()),
        strips_((shape.rows.out + strip_ - 1) / strip_) {}

  std::string_view implementation() const override { return "pooling by rows"; }

  void run(const void* const* operands, void* result, std::byte* /*scratch*/) const override {
    const auto* in = static_cast<const float*>(operands[0]);
    auto* out = static_cast<std::byte*>(result);
    const int64_t reads = strip_ * shape_.columns.out * shape_.rows.kernel * shape_.columns.kernel;
    constexpr int64_t kReadGrain = 65536;  // worth a thread
    parallel_ranges(
        shape_.planes * strips_, 1 + kReadGrain / reads, [&](int64_t begin, int64_t end) {
          std::vector<float> copies(static_cast<size_t>(source_rows(strip_) * reach_), fill_);
          for (int64_t task = begin; task < end; ++task)
            pool_strip(task / strips_, task % strips_ * strip_, in, out, copies.data());
        });
  }

 private:
  /// Rows [begin, end) of an image.
  struct ImageRows {
    int64_t begin;
    int64_t end;
    const float* data;  // of the first
    int64_t pitch;
  };

  [[nodiscard]] int64_t source_rows(int64_t rows) const {
    return (rows - 1) * shape_.rows.stride + shape_.rows.kernel;
  }

  /// Rows of outputs that are pooled at a time, since their sources fit in the first-level cache.
  [[nodiscard]] int64_t strip_rows() const {
    constexpr int64_t kElements = 4096;
    const int64_t more = kElements / reach_ - shape_.rows.kernel;
    return std::clamp<int64_t>(more / shape_.rows.stride + 1, 1, shape_.rows.out);
  }

  void pool_strip(
      int64_t plane, int64_t first, const float* in, std::byte* out, float* copies) const {
    const PoolAxis& rows = shape_.rows;
    const int64_t last = std::min(rows.out, first + strip_);
    const int64_t begin = std::clamp<int64_t>(rows.position(first, 0), 0, rows.in);
    const int64_t end = std::clamp(rows.position(last - 1, rows.kernel), begin, rows.in);
    const int64_t width = shape_.columns.in;
    const ImageRows image = {.begin = begin,
                             .end = end,
                             .data = in + plane * shape_.in_plane() + begin * width,
                             .pitch = width};
    const ImageRows source = may_be_read(image, in) ? image : copied(image, copies);
    const int64_t row_bytes = shape_.columns.out * element_bytes_;
    out += plane * rows.out * row_bytes;
    for (int64_t row = first; row < last; ++row) {
      const int64_t top = rows.first_element(row);
      const int64_t bottom = rows.last_element(row);
      const WindowRow windows = {
          .source = source.data + (rows.position(row, top) - source.begin) * source.pitch,
          .pitch = source.pitch,
          .first = top,
          .last = bottom,
          .counted = static_cast<float>(rows.counted(row, shape_.exclude_padding))};
      pool_row_(columns_, windows, out + row * row_bytes, out + last * row_bytes);
    }
  }

  /// All that vectors reach is there, if not of the rows themselves.
  [[nodiscard]] bool may_be_read(const ImageRows& rows, const float* in) const {
    const float* last = rows.data + (rows.end - rows.begin - 1) * rows.pitch;
    return shape_.columns.padding == 0 && last + reach_ <= in + shape_.planes * shape_.in_plane();
  }

  /// With the padding, which is in `to` already.
  [[nodiscard]] ImageRows copied(const ImageRows& rows, float* to) const {
    const float* from = rows.data;
    for (int64_t i = 0; i < rows.end - rows.begin; ++i, from += rows.pitch)
      std::copy_n(from, shape_.columns.in, to + i * reach_ + shape_.columns.padding);
    return {.begin = rows.begin, .end = rows.end, .data = to, .pitch = reach_};
  }

  PoolShape shape_;
  OutputColumns columns_;
  RowFunction pool_row_;
  float fill_;  // the padding
  int64_t element_bytes_;
  int64_t reach_;   // of a row that is copied
  int64_t strip_;   // rows of outputs that are pooled at a time
  int64_t strips_;  // of a plane
};

/// Plain images; not the rare windows of so many elements that their numbers are no bytes, or whose
/// copies would take much memory.
bool may_go_by_rows(const LibraryOp& op, const PoolShape& shape) {
  constexpr int64_t kMostCopied = 1 << 20;  // elements
  return have_vectors() && op.operands[0].dtype == DType::f32 && op.result.dtype != DType::i32 &&
         shape.lanes == 1 && shape.rows.kernel * reach_of(shape.columns) <= kMostCopied &&
         op.result.numel() > 0;
}

}  // namespace

std::unique_ptr<HostCall> make_row_pooling(const LibraryOp& op) {
  if (op.op != ir::OpKind::max_pool2d && op.op != ir::OpKind::avg_pool2d) return nullptr;
  const PoolShape shape = pool_shape(op.attributes, op.operands[0].shape, op.result.shape);
  return may_go_by_rows(op, shape) ? std::make_unique<RowPooling>(op, shape) : nullptr;
}

}  // namespace wick::runtime
