#pragma once

// The two kinds of changeable state a module has: parameters, which are trained, and buffers, which
// are only kept. Both are handles to a cell that holds an immutable tensor; changing one means
// putting another tensor into the cell, so that modules, optimizers and callers see the same state.

#include <memory>
#include <string>

#include "wick/tensor/ops.h"
#include "wick/tensor/tensor.h"

namespace wick::nn {

namespace detail {

struct Cell {
  Tensor value;
  /// Gradient of the values before this one that nobody cleared yet.
  Tensor carried_grad;
  /// Times it was put into the list of wick/nn/pending_state.h since that was last taken.
  int times_listed = 0;
};

}  // namespace detail

/// A trained tensor. Copies share one cell.
class Parameter {
 public:
  /// No parameter: modules built without a bias hold one.
  Parameter() = default;
  /// Starts as `initial`, as a leaf that requires a gradient. Error for non-float dtypes.
  explicit Parameter(Tensor initial, Where where = Where::current());

  [[nodiscard]] bool defined() const { return cell_ != nullptr; }

  [[nodiscard]] const Tensor& value() const { return cell_->value; }

  // NOLINTNEXTLINE(google-explicit-constructor): a parameter is used like the tensor it holds.
  operator const Tensor&() const { return cell_->value; }

  [[nodiscard]] const Shape& shape() const { return value().shape(); }

  [[nodiscard]] const Type& type() const { return value().type(); }

  /// Puts `value` into the cell, as a leaf that requires a gradient; grad() stays. Error if the
  /// type differs.
  void assign(const Tensor& value, Where where = Where::current());
  /// The sum of the gradients since zero_grad(); undefined when there were none.
  [[nodiscard]] Tensor grad() const;
  void zero_grad();

  /// Whether both are handles to one cell.
  friend bool operator==(const Parameter& a, const Parameter& b) { return a.cell_ == b.cell_; }

 private:
  std::shared_ptr<detail::Cell> cell_;  // shared by module, optimizer and callers
};

/// State that is saved with the module but not trained, as running statistics. Copies share one
/// cell.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(Tensor initial);

  [[nodiscard]] const Tensor& value() const { return cell_->value; }

  // NOLINTNEXTLINE(google-explicit-constructor): a buffer is used like the tensor it holds.
  operator const Tensor&() const { return cell_->value; }

  /// Puts `value`, which may be pending, into the cell: the next optimizer step computes it too.
  /// Error if the type differs.
  void assign(const Tensor& value, Where where = Where::current());

 private:
  std::shared_ptr<detail::Cell> cell_;  // shared by module, callers and the list of pending state
};

struct NamedParameter {
  std::string name;
  Parameter parameter;
};

struct NamedBuffer {
  std::string name;
  Buffer buffer;
};

}  // namespace wick::nn
