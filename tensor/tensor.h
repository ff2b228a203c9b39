#pragma once

// The tensor handle: a value that looks eager and is computed when somebody needs it.

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "wick/ir/error.h"
#include "wick/ir/ref.h"
#include "wick/ir/type.h"
#include "wick/tensor/node.h"

namespace wick {

/// Where the caller stands, for errors: the last parameter of every function of the API.
using Where = std::source_location;

template <typename T>
concept Arithmetic = std::is_arithmetic_v<T>;

class IndexedTensor;
class Indices;

/// A multi-dimensional array. Copying copies a pointer; values never change: `x += y` makes a new
/// value and rebinds x. Ops are recorded and run when a value is asked for. Const member functions
/// and all ops are safe from any thread.
class [[nodiscard]] Tensor {
 public:
  /// No tensor; using it in an op is an error.
  Tensor() = default;

  // What it is; known without running anything.
  [[nodiscard]] bool defined() const { return static_cast<bool>(node_); }

  [[nodiscard]] const Shape& shape() const;

  [[nodiscard]] int ndim() const { return shape().ndim(); }

  /// Extent of an axis; negative axes count from the end.
  [[nodiscard]] int64_t size(int axis,
                             std::source_location where = std::source_location::current()) const;

  [[nodiscard]] int64_t numel() const { return shape().numel(); }

  [[nodiscard]] DType dtype() const;
  [[nodiscard]] const Type& type() const;
  /// Where it is, or will be computed. What no tensor with a place takes part in (numbers, zeros,
  /// random values) is computed where it is used: on the device of the backend in force by itself,
  /// on that of a tensor it is combined with otherwise.
  [[nodiscard]] Device device() const;

  // Values; these materialize.

  /// The one element, converted to T. Error if there are several.
  template <Arithmetic T>
  [[nodiscard]] T item(std::source_location where = std::source_location::current()) const;
  /// All elements in row-major order, converted to T.
  template <Arithmetic T>
  [[nodiscard]] std::vector<T> to_vector(
      std::source_location where = std::source_location::current()) const;

  /// The elements, valid while this tensor lives: in place, or copied once from the device they are
  /// on. T must store dtype().
  template <typename T>
  [[nodiscard]] std::span<const T> data(
      std::source_location where = std::source_location::current()) const {
    return {static_cast<const T*>(raw_data(dtype_of<T>(), where)), static_cast<size_t>(numel())};
  }

  [[nodiscard]] bool is_materialized() const;
  /// The pending program of this tensor as graph IR, before any pass.
  [[nodiscard]] std::string ir() const;

  // Autograd.

  /// Marks a leaf: gradients for it are kept by backward(). Error for non-float dtypes.
  Tensor& requires_grad_(bool value = true,
                         std::source_location where = std::source_location::current());
  [[nodiscard]] bool requires_grad() const;
  /// Gradients of this scalar for every leaf that requires one are added to the leaves' grad().
  /// Frees the recorded history unless `retain_graph`. Error if not a scalar.
  void backward(bool retain_graph = false,
                std::source_location where = std::source_location::current()) const;
  /// The gradient kept at this leaf; undefined before any backward().
  [[nodiscard]] Tensor grad() const;
  void zero_grad();
  /// The same value with no history.
  [[nodiscard]] Tensor detach() const;

  // Method spellings of the functions in wick/tensor/ops.h.
  [[nodiscard]] Tensor to(DType dtype,
                          std::source_location where = std::source_location::current()) const;
  /// The same values on another device; this tensor where it is there. Materializes, and gradients
  /// flow back. Error naming what is missing where there is no such device.
  [[nodiscard]] Tensor to(Device device,
                          std::source_location where = std::source_location::current()) const;
  [[nodiscard]] Tensor reshape(Shape shape,
                               std::source_location where = std::source_location::current()) const;
  [[nodiscard]] Tensor permute(Axes axes,
                               std::source_location where = std::source_location::current()) const;
  [[nodiscard]] Tensor transpose(
      int a, int b, std::source_location where = std::source_location::current()) const;
  [[nodiscard]] Tensor sum(Axes axes = {},
                           bool keepdims = false,
                           std::source_location where = std::source_location::current()) const;
  [[nodiscard]] Tensor mean(Axes axes = {},
                            bool keepdims = false,
                            std::source_location where = std::source_location::current()) const;

  // Indexing as in NumPy and PyTorch: x[0], x[{Slice{1, -1}, ellipsis, 0}], x[mask]. See
  // wick/tensor/indexing.h, which a program that indexes includes.

  /// Const: values never change, so assigning to the result would be a mistake.
  const Tensor operator[](const Indices& indices) const&;
  IndexedTensor operator[](const Indices& indices) &;

  // For the layers above.
  explicit Tensor(Ref<detail::Node> node) : node_(std::move(node)) {}

  [[nodiscard]] const Ref<detail::Node>& node() const { return node_; }

  [[nodiscard]] Ref<detail::Node> take_node() && { return std::move(node_); }

 private:
  const void* raw_data(DType expected, std::source_location where) const;

  Ref<detail::Node> node_;
};

/// An operand of an operator: a tensor, or a C++ number that takes the other operand's dtype. Its
/// conversion notes the place where the operator was written.
struct Operand {
  // NOLINTBEGIN(google-explicit-constructor): converting is this type's purpose.
  Operand(const Tensor& t, std::source_location w = std::source_location::current())
      : tensor(&t),
        where(w) {}

  Operand(const IndexedTensor& t, std::source_location w = std::source_location::current());

  template <Arithmetic T>
  Operand(T number, std::source_location w = std::source_location::current())
      : is_integer(std::is_integral_v<T>),
        integer(static_cast<int64_t>(number)),
        real(static_cast<double>(number)),
        where(w) {}

  // NOLINTEND(google-explicit-constructor)

  const Tensor* tensor = nullptr;  // outlives the full expression that made the operand
  bool is_integer = false;
  int64_t integer = 0;
  double real = 0;
  std::source_location where;
};

Tensor operator+(const Operand& a, const Operand& b);
Tensor operator-(const Operand& a, const Operand& b);
Tensor operator*(const Operand& a, const Operand& b);
Tensor operator/(const Operand& a, const Operand& b);
Tensor operator%(const Operand& a, const Operand& b);
Tensor operator==(const Operand& a, const Operand& b);
Tensor operator!=(const Operand& a, const Operand& b);
Tensor operator<(const Operand& a, const Operand& b);
Tensor operator<=(const Operand& a, const Operand& b);
Tensor operator>(const Operand& a, const Operand& b);
Tensor operator>=(const Operand& a, const Operand& b);
Tensor operator&(const Operand& a, const Operand& b);
Tensor operator|(const Operand& a, const Operand& b);
Tensor operator^(const Operand& a, const Operand& b);
Tensor operator-(const Operand& a);
Tensor operator!(const Operand& a);
Tensor& operator+=(Tensor& a, const Operand& b);
Tensor& operator-=(Tensor& a, const Operand& b);
Tensor& operator*=(Tensor& a, const Operand& b);
Tensor& operator/=(Tensor& a, const Operand& b);

/// Computes these now, in one program. Ancestors that are shared run once.
void materialize(std::span<const Tensor> tensors,
                 std::source_location where = std::source_location::current());
void materialize(std::initializer_list<Tensor> tensors,
                 std::source_location where = std::source_location::current());

template <std::same_as<Tensor>... Ts>
void materialize(const Tensor& first, const Ts&... rest) {
  materialize({first, rest...});
}

/// What materializing these would run, and why: the graph as recorded and after the passes, the
/// remarks, the plan with its memory. Runs nothing.
std::string explain(std::span<const Tensor> tensors);
std::string explain(std::initializer_list<Tensor> tensors);

inline std::string explain(const Tensor& tensor) {
  return explain({tensor});
}

/// Prints values as NumPy does; materializes.
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

}  // namespace wick
