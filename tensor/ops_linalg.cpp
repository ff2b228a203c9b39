#include "wick/tensor/ops_linalg.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "wick/ir/format.h"
#include "wick/tensor/contraction.h"
#include "wick/tensor/recording.h"

namespace wick {
namespace {

const Shape& shape_of(std::string_view op, const Tensor& x, int position, Where where) {
  if (x.defined()) return x.shape();
  throw Error(where, op, fmt::format("operand {} is an undefined tensor", position));
}

void require_rank(std::string_view op, const Tensor& x, int position, int rank, Where where) {
  if (shape_of(op, x, position, where).ndim() == rank) return;
  constexpr auto kText = "operand {} needs {} axes, got {}";
  throw Error(where, op, fmt::format(kText, position, rank, x.type()));
}

void require_equal(
    std::string_view op, const Tensor& a, int axis_a, const Tensor& b, int axis_b, Where where) {
  if (a.size(axis_a) == b.size(axis_b)) return;
  constexpr auto kText = "extents differ: lhs {} has {}, rhs {} has {}";
  throw Error(where, op, fmt::format(kText, a.type(), a.size(axis_a), b.type(), b.size(axis_b)));
}

Tensor add_product(std::string_view op,
                   const Tensor& c,
                   const Tensor& product,
                   const AddProductOptions& options,
                   Where where) {
  const Shape& shape = shape_of(op, c, 1, where);
  if (broadcast_shapes(shape, product.shape()) != product.shape()) {
    constexpr auto kText = "{} does not broadcast to the product {}";
    throw Error(where, op, fmt::format(kText, c.type(), product.type()));
  }
  const Tensor scaled =
      options.alpha == 1
          ? product
          : Operand(product, where) * detail::number_beside(product, options.alpha, where);
  if (options.beta == 0) return scaled;
  return (options.beta == 1 ? c
                            : Operand(c, where) * detail::number_beside(c, options.beta, where)) +
         Operand(scaled, where);
}

/// Labels start, start + 1, ... of x's axes.
detail::LabelledTensor labelled(const Tensor& x, int start) {
  detail::LabelledTensor result{x, std::vector<int>(static_cast<size_t>(x.ndim()))};
  std::iota(result.labels.begin(), result.labels.end(), start);
  return result;
}

/// Axes counted from 0, each once.
Axes axes_of(const Tensor& x, Axes axes, Where where) {
  for (int64_t& axis : axes) {
    if (axis < -x.ndim() || axis >= x.ndim()) {
      constexpr auto kText = "axis {} is out of range for {}";
      throw Error(where, "tensordot", fmt::format(kText, axis, x.type()));
    }
    if (axis < 0) axis += x.ndim();
  }
  Axes sorted = axes;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) {
    constexpr auto kText = "axis {} of {} is named twice";
    throw Error(where, "tensordot", fmt::format(kText, *twice, x.type()));
  }
  return axes;
}

/// The elements of a vector of three moved one place down, the first to the end.
Tensor rotated(const Tensor& x, int axis, Where where) {
  return concat({slice(x, axis, 1, 3, 1, where), slice(x, axis, 0, 1, 1, where)}, axis, where);
}

/// The plan of a matrix chain: split(i, j) is where the product of factors i..j is cut.
class ChainOrder {
 public:
  /// Factor i is [extents[i], extents[i + 1]].
  explicit ChainOrder(std::span<const int64_t> extents)
      : count_(extents.size() - 1),
        split_(count_ * count_) {
    std::vector<double> cost(count_ * count_);
    for (size_t length = 2; length <= count_; ++length) {
      for (size_t i = 0; i + length <= count_; ++i) {
        const size_t j = i + length - 1;
        cost[i * count_ + j] = std::numeric_limits<double>::infinity();
        for (size_t k = i; k < j; ++k) {
          const double work = static_cast<double>(extents[i]) *
                              static_cast<double>(extents[k + 1]) *
                              static_cast<double>(extents[j + 1]);
          const double total = cost[i * count_ + k] + cost[(k + 1) * count_ + j] + work;
          if (total >= cost[i * count_ + j]) continue;
          cost[i * count_ + j] = total;
          split_[i * count_ + j] = k;
        }
      }
    }
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as there are factors, which the caller lists.
  [[nodiscard]] Tensor product(std::span<const Tensor> factors,
                               size_t first,
                               size_t last,
                               Where where) const {
    if (first == last) return factors[first];
    const size_t cut = split_[first * count_ + last];
    return matmul(
        product(factors, first, cut, where), product(factors, cut + 1, last, where), where);
  }

 private:
  size_t count_;
  std::vector<size_t> split_;
};

}  // namespace

Tensor mm(const Tensor& a, const Tensor& b, Where where) {
  require_rank("mm", a, 1, 2, where);
  require_rank("mm", b, 2, 2, where);
  require_equal("mm", a, 1, b, 0, where);
  return matmul(a, b, where);
}

Tensor mv(const Tensor& a, const Tensor& x, Where where) {
  require_rank("mv", a, 1, 2, where);
  require_rank("mv", x, 2, 1, where);
  require_equal("mv", a, 1, x, 0, where);
  return matmul(a, x, where);
}

Tensor bmm(const Tensor& a, const Tensor& b, Where where) {
  require_rank("bmm", a, 1, 3, where);
  require_rank("bmm", b, 2, 3, where);
  require_equal("bmm", a, 0, b, 0, where);
  require_equal("bmm", a, 2, b, 1, where);
  return matmul(a, b, where);
}

Tensor dot(const Tensor& a, const Tensor& b, Where where) {
  require_rank("dot", a, 1, 1, where);
  require_rank("dot", b, 2, 1, where);
  require_equal("dot", a, 0, b, 0, where);
  return detail::contract({labelled(a, 0), labelled(b, 0)}, {}, where);
}

Tensor vecdot(const Tensor& a, const Tensor& b, int axis, Where where) {
  const int rank =
      std::max(shape_of("vecdot", a, 1, where).ndim(), shape_of("vecdot", b, 2, where).ndim());
  const int from_end = axis < 0 ? axis : axis - rank;
  if (from_end >= 0 || -from_end > a.ndim() || -from_end > b.ndim()) {
    constexpr auto kText = "axis {} is out of range for {} and {}";
    throw Error(where, "vecdot", fmt::format(kText, axis, a.type(), b.type()));
  }
  require_equal("vecdot", a, from_end, b, from_end, where);
  // Labels count from the last axis, so that they line up.
  detail::LabelledTensor x = labelled(a, rank - a.ndim());
  detail::LabelledTensor y = labelled(b, rank - b.ndim());
  std::vector<int> output(static_cast<size_t>(rank));
  std::iota(output.begin(), output.end(), 0);
  output.erase(output.begin() + rank + from_end);
  return detail::contract({std::move(x), std::move(y)}, output, where);
}

Tensor vdot(const Tensor& a, const Tensor& b, Where where) {
  (void)shape_of("vdot", a, 1, where);
  (void)shape_of("vdot", b, 2, where);
  const Tensor x = reshape(a, {a.numel()}, where);
  const Tensor y = reshape(b, {b.numel()}, where);
  require_equal("vdot", x, 0, y, 0, where);
  return dot(x, y, where);
}

Tensor inner(const Tensor& a, const Tensor& b, Where where) {
  const int rank_a = shape_of("inner", a, 1, where).ndim();
  const int rank_b = shape_of("inner", b, 2, where).ndim();
  if (rank_a == 0 || rank_b == 0) return Operand(a, where) * b;
  require_equal("inner", a, -1, b, -1, where);
  return tensordot(a, b, {-1}, {-1}, where);
}

Tensor outer(const Tensor& a, const Tensor& b, Where where) {
  require_rank("outer", a, 1, 1, where);
  require_rank("outer", b, 2, 1, where);
  return Operand(unsqueeze(a, 1, where), where) * b;
}

Tensor addmm(const Tensor& c,
             const Tensor& a,
             const Tensor& b,
             const AddProductOptions& options,
             Where where) {
  return add_product("addmm", c, mm(a, b, where), options, where);
}

Tensor addmv(const Tensor& c,
             const Tensor& a,
             const Tensor& x,
             const AddProductOptions& options,
             Where where) {
  return add_product("addmv", c, mv(a, x, where), options, where);
}

Tensor addr(const Tensor& c,
            const Tensor& x,
            const Tensor& y,
            const AddProductOptions& options,
            Where where) {
  return add_product("addr", c, outer(x, y, where), options, where);
}

Tensor baddbmm(const Tensor& c,
               const Tensor& a,
               const Tensor& b,
               const AddProductOptions& options,
               Where where) {
  return add_product("baddbmm", c, bmm(a, b, where), options, where);
}

Tensor addbmm(const Tensor& c,
              const Tensor& a,
              const Tensor& b,
              const AddProductOptions& options,
              Where where) {
  require_rank("addbmm", a, 2, 3, where);
  require_rank("addbmm", b, 3, 3, where);
  require_equal("addbmm", a, 0, b, 0, where);
  require_equal("addbmm", a, 2, b, 1, where);
  return add_product("addbmm", c, tensordot(a, b, {0, 2}, {0, 1}, where), options, where);
}

Tensor linear(const Tensor& x, const Tensor& w, const Tensor& b, Where where) {
  const int rank = shape_of("linear", w, 2, where).ndim();
  if (shape_of("linear", x, 1, where).ndim() == 0 || rank == 0 || rank > 2) {
    constexpr auto kText = "x {} needs an axis, w {} one or two";
    throw Error(where, "linear", fmt::format(kText, x.type(), w.type()));
  }
  require_equal("linear", x, -1, w, -1, where);
  const Tensor product = matmul(x, rank == 2 ? transpose(w, 0, 1, where) : w, where);
  return b.defined() ? Operand(product, where) + b : product;
}

Tensor tensordot(const Tensor& a, const Tensor& b, int count, Where where) {
  const int rank_a = shape_of("tensordot", a, 1, where).ndim();
  const int rank_b = shape_of("tensordot", b, 2, where).ndim();
  if (count < 0 || count > rank_a || count > rank_b) {
    constexpr auto kText = "cannot sum over {} axes of {} and {}";
    throw Error(where, "tensordot", fmt::format(kText, count, a.type(), b.type()));
  }
  Axes last(static_cast<size_t>(count));
  Axes first(static_cast<size_t>(count));
  std::iota(last.begin(), last.end(), rank_a - count);
  std::iota(first.begin(), first.end(), 0);
  return tensordot(a, b, last, first, where);
}

Tensor tensordot(
    const Tensor& a, const Tensor& b, const Axes& axes_a, const Axes& axes_b, Where where) {
  (void)shape_of("tensordot", a, 1, where);
  (void)shape_of("tensordot", b, 2, where);
  const Axes pairs_a = axes_of(a, axes_a, where);
  const Axes pairs_b = axes_of(b, axes_b, where);
  if (pairs_a.size() != pairs_b.size()) {
    constexpr auto kText = "{} axes of lhs cannot be paired with {} of rhs";
    throw Error(where, "tensordot", fmt::format(kText, pairs_a.size(), pairs_b.size()));
  }
  detail::LabelledTensor x = labelled(a, 0);
  detail::LabelledTensor y = labelled(b, a.ndim());
  for (size_t i = 0; i < pairs_a.size(); ++i) {
    const int64_t extent_a = a.shape()[static_cast<int>(pairs_a[i])];
    const int64_t extent_b = b.shape()[static_cast<int>(pairs_b[i])];
    if (extent_a != extent_b && extent_a != 1 && extent_b != 1) {
      constexpr auto kText = "extents differ: axis {} of lhs {} and axis {} of rhs {}";
      throw Error(
          where, "tensordot", fmt::format(kText, pairs_a[i], a.type(), pairs_b[i], b.type()));
    }
    y.labels[static_cast<size_t>(pairs_b[i])] = static_cast<int>(pairs_a[i]);
  }
  std::vector<int> output;
  for (const int label : x.labels) {
    if (!y.has(label)) output.push_back(label);
  }
  for (const int label : y.labels) {
    if (!x.has(label)) output.push_back(label);
  }
  return detail::contract({std::move(x), std::move(y)}, output, where);
}

Tensor kron(const Tensor& a, const Tensor& b, Where where) {
  const Shape& shape_a = shape_of("kron", a, 1, where);
  const Shape& shape_b = shape_of("kron", b, 2, where);
  const int rank = std::max(shape_a.ndim(), shape_b.ndim());
  const auto extent = [rank](const Shape& shape, int axis) {
    const int own = axis - (rank - shape.ndim());
    return own < 0 ? 1 : shape[own];
  };
  Axes spread_a;
  Axes spread_b;
  Axes result;
  for (int axis = 0; axis < rank; ++axis) {
    spread_a.insert(spread_a.end(), {extent(shape_a, axis), 1});
    spread_b.insert(spread_b.end(), {1, extent(shape_b, axis)});
    result.push_back(extent(shape_a, axis) * extent(shape_b, axis));
  }
  const Tensor x = reshape(a, Shape(spread_a), where);
  return reshape(Operand(x, where) * reshape(b, Shape(spread_b), where), Shape(result), where);
}

Tensor cross(const Tensor& a, const Tensor& b, int axis, Where where) {
  const Shape& shape_a = shape_of("cross", a, 1, where);
  const Shape& shape_b = shape_of("cross", b, 2, where);
  const int rank = std::max(shape_a.ndim(), shape_b.ndim());
  const int from_end = axis < 0 ? axis : axis - rank;
  const auto has_three = [from_end](const Shape& shape) {
    const int own = shape.ndim() + from_end;
    return from_end < 0 && own >= 0 && shape[own] == 3;
  };
  if (!has_three(shape_a) || !has_three(shape_b)) {
    constexpr auto kText = "axis {} needs extent 3 in both operands, got {} and {}";
    throw Error(where, "cross", fmt::format(kText, axis, a.type(), b.type()));
  }
  // Element i of this difference is element i - 1 of the cross product.
  const Tensor ahead = Operand(a, where) * rotated(b, from_end, where);
  const Tensor behind = Operand(rotated(a, from_end, where), where) * b;
  return rotated(Operand(ahead, where) - behind, from_end, where);
}

Tensor multi_dot(std::span<const Tensor> matrices, Where where) {
  if (matrices.size() < 2) {
    throw Error(where, "multi_dot", fmt::format("needs two matrices, got {}", matrices.size()));
  }
  std::vector<Tensor> factors(matrices.begin(), matrices.end());
  const int last = static_cast<int>(factors.size()) - 1;
  const bool from_row = shape_of("multi_dot", factors.front(), 1, where).ndim() == 1;
  const bool to_column = shape_of("multi_dot", factors.back(), last + 1, where).ndim() == 1;
  if (from_row) factors.front() = unsqueeze(factors.front(), 0, where);
  if (to_column) factors.back() = unsqueeze(factors.back(), 1, where);
  std::vector<int64_t> extents;
  for (int i = 0; i <= last; ++i) {
    const Tensor& factor = factors[static_cast<size_t>(i)];
    require_rank("multi_dot", factor, i + 1, 2, where);
    if (i > 0) require_equal("multi_dot", factors[static_cast<size_t>(i - 1)], 1, factor, 0, where);
    extents.push_back(factor.size(0));
  }
  extents.push_back(factors.back().size(1));
  Tensor product = ChainOrder(extents).product(factors, 0, factors.size() - 1, where);
  if (to_column) product = squeeze(product, -1, where);
  if (from_row) product = squeeze(product, 0, where);
  return product;
}

Tensor multi_dot(std::initializer_list<Tensor> matrices, Where where) {
  return multi_dot(std::span(matrices.begin(), matrices.size()), where);
}

}  // namespace wick
