#pragma once

// x[...] as in NumPy and PyTorch. One index stands alone, several go in braces:
//
//   x[0]   x[-1]   x[Slice{1, 5}]   x[Slice{.step = -1}]   x[{0, ellipsis, newaxis, Slice{}}]
//   x[rows]   x[{rows, columns}]   x[x > 0]      // i32 or i64 tensors, bool masks
//   x[{0, Slice{1, 3}}] = v;   x[x < 0] = 0;   x[rows] += 1;
//
// Values never change: assigning rebinds x to a new value, as `x += y` does, and other tensors that
// were made from x keep what they had.

#include <concepts>
#include <initializer_list>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "wick/tensor/ops.h"

namespace wick {

/// Positions start, start + step, ... before stop of one axis, by Python's rules: negative bounds
/// count from the end, bounds out of range clamp, absent ones (`{}`) mean the axis's end.
struct Slice {
  std::optional<int64_t> start = {};
  std::optional<int64_t> stop = {};
  int64_t step = 1;
};

/// As many full slices as there are axes that no other index speaks of.
struct Ellipsis {};

inline constexpr Ellipsis ellipsis;

/// A new axis of extent 1.
struct NewAxis {};

inline constexpr NewAxis newaxis;

/// What one entry of x[{...}] can be.
class Index {
 public:
  // NOLINTBEGIN(google-explicit-constructor): converting is this type's purpose.
  /// A position, which must exist; its axis goes. Negative ones count from the end.
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Index(T position) : entry_(static_cast<int64_t>(position)) {}

  Index(const Slice& slice) : entry_(slice) {}

  Index(Ellipsis all) : entry_(all) {}

  Index(NewAxis axis) : entry_(axis) {}

  /// Integers are positions, whose shape takes the place of the axis; several such tensors
  /// broadcast to one shape, which comes first if they stand apart. Negative ones count from the
  /// end. Which positions do not exist is only known at run time: reads clamp them, writes drop
  /// them. A bool tensor of rank r picks where it is true among the next r axes, which become one:
  /// its size is only known at run time, so reading through a mask materializes it.
  Index(Tensor positions) : entry_(std::move(positions)) {}

  Index(const IndexedTensor& positions);
  // NOLINTEND(google-explicit-constructor)

  using Entry = std::variant<int64_t, Slice, Ellipsis, NewAxis, Tensor>;

  [[nodiscard]] const Entry& entry() const { return entry_; }

 private:
  Entry entry_;
};

/// What stands in the brackets, and where in the program.
class Indices {
 public:
  // NOLINTBEGIN(google-explicit-constructor): converting is this type's purpose.
  Indices(std::initializer_list<Index> entries, Where where = Where::current())
      : entries_(entries),
        where_(where) {}

  template <std::convertible_to<Index> T>
  Indices(const T& entry, Where where = Where::current()) : entries_{Index(entry)},
                                                            where_(where) {}

  Indices(std::vector<Index> entries, Where where = Where::current())
      : entries_(std::move(entries)),
        where_(where) {}

  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] const std::vector<Index>& entries() const { return entries_; }

  [[nodiscard]] const Where& where() const { return where_; }

 private:
  std::vector<Index> entries_;
  Where where_;
};

/// What x[indices] means. Errors, which begin with `index: `: too many indices, two ellipses, a
/// position that does not exist, a mask whose shape is not that of its axes.
Tensor index(const Tensor& x, const Indices& indices);

/// x with `value`, cast to x's dtype and broadcast to the shape of x[indices], at the indices;
/// where an index tensor names a place twice, the last value wins. With `accumulate`, values are
/// added instead, all of them. Through a mask, a value per picked element needs no materialization
/// either; surplus values are ignored and missing ones repeat the last.
Tensor index_put(const Tensor& x,
                 const Indices& indices,
                 const Operand& value,
                 bool accumulate = false);

/// The result of x[indices] for an x that can be rebound: a tensor when read, a place when assigned
/// to. Meant to be used at once; one that is kept (`auto row = x[0]`) reads what x was then and
/// cannot be assigned to.
class [[nodiscard]] IndexedTensor {
 public:
  IndexedTensor(Tensor& x, Indices indices) : target_(&x), x_(x), indices_(std::move(indices)) {}

  IndexedTensor(const IndexedTensor&) = default;
  ~IndexedTensor() = default;

  // NOLINTNEXTLINE(google-explicit-constructor): it is a tensor to those who read it.
  operator Tensor() const { return value(); }

  /// What x[indices] is; found on first use.
  [[nodiscard]] const Tensor& value() const {
    if (!value_.defined()) value_ = index(x_, indices_);
    return value_;
  }

  // Rebinding x. As in NumPy, `x[rows] += v` adds once where rows names a place twice; index_put
  // with accumulate adds each time.
  void operator=(const Operand& v) && { put(v); }

  void operator=(const IndexedTensor& v) && { put(v); }

  void operator+=(const Operand& v) && { put(read() + v); }

  void operator-=(const Operand& v) && { put(read() - v); }

  void operator*=(const Operand& v) && { put(read() * v); }

  void operator/=(const Operand& v) && { put(read() / v); }

  // What is mostly asked of a tensor.
  const Tensor operator[](const Indices& indices) const { return index(value(), indices); }

  [[nodiscard]] const Shape& shape() const { return value().shape(); }

  [[nodiscard]] const Type& type() const { return value().type(); }

  [[nodiscard]] DType dtype() const { return value().dtype(); }

  [[nodiscard]] int ndim() const { return value().ndim(); }

  [[nodiscard]] int64_t numel() const { return value().numel(); }

  template <Arithmetic T>
  [[nodiscard]] T item(Where where = Where::current()) const {
    return value().item<T>(where);
  }

  template <Arithmetic T>
  [[nodiscard]] std::vector<T> to_vector(Where where = Where::current()) const {
    return value().to_vector<T>(where);
  }

  [[nodiscard]] Tensor to(DType dtype, Where where = Where::current()) const {
    return value().to(dtype, where);
  }

  [[nodiscard]] Tensor reshape(Shape shape, Where where = Where::current()) const {
    return value().reshape(std::move(shape), where);
  }

  [[nodiscard]] Tensor transpose(int a, int b, Where where = Where::current()) const {
    return value().transpose(a, b, where);
  }

  [[nodiscard]] Tensor sum(Axes axes = {},
                           bool keepdims = false,
                           Where where = Where::current()) const {
    return value().sum(std::move(axes), keepdims, where);
  }

  [[nodiscard]] Tensor mean(Axes axes = {},
                            bool keepdims = false,
                            Where where = Where::current()) const {
    return value().mean(std::move(axes), keepdims, where);
  }

  [[nodiscard]] Tensor detach() const { return value().detach(); }

 private:
  [[nodiscard]] Operand read() const { return {value(), indices_.where()}; }

  void put(const Operand& v) { *target_ = index_put(x_, indices_, v); }

  Tensor* target_;
  Tensor x_;
  Indices indices_;
  mutable Tensor value_;
};

}  // namespace wick
