#include "wick/tensor/contraction.h"

#include <algorithm>
#include <utility>

#include "wick/tensor/promotion.h"

namespace wick::detail {
namespace {

using Labels = std::vector<int>;

bool contains(std::span<const int> labels, int label) {
  return std::ranges::find(labels, label) != labels.end();
}

template <typename Predicate>
Labels filtered(std::span<const int> labels, Predicate&& keep) {
  Labels result;
  std::ranges::copy_if(labels, std::back_inserter(result), keep);
  return result;
}

Labels joined(std::initializer_list<std::span<const int>> lists) {
  Labels all;
  for (const std::span<const int> list : lists)
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

LabelledTensor permuted(const LabelledTensor& x, std::span<const int> labels, Where where) {
  Axes axes;
  for (const int label : labels)
    axes.push_back(x.axis_of(label));
  return {permute(x.tensor, axes, where), {labels.begin(), labels.end()}};
}

/// Sums out these labels, keeping the dtype.
LabelledTensor summed(const LabelledTensor& x, std::span<const int> labels, Where where) {
  if (labels.empty()) return x;
  Axes axes;
  for (const int label : labels)
    axes.push_back(x.axis_of(label));
  const Tensor total = sum(x.tensor, axes, false, where);
  return {cast(total, x.tensor.dtype(), where),
          filtered(x.labels, [&](int label) { return !contains(labels, label); })};
}

/// The axes of `labels` in their order, with extent 1 for a label that x lacks.
Tensor aligned(const LabelledTensor& x, std::span<const int> labels, Where where) {
  const Labels own = filtered(labels, [&](int label) { return x.has(label); });
  Axes extents;
  for (const int label : labels)
    extents.push_back(x.has(label) ? x.extent(label) : 1);
  return reshape(permuted(x, own, where).tensor, Shape(extents), where);
}

/// [batch..., rows, columns], each of the last two groups made one axis.
Tensor matrices(const LabelledTensor& x,
                std::span<const int> batch,
                std::span<const int> rows,
                std::span<const int> columns,
                Where where) {
  const LabelledTensor ordered = permuted(x, joined({batch, rows, columns}), where);
  Axes extents;
  for (const int label : batch)
    extents.push_back(x.extent(label));
  for (const std::span<const int> group : {rows, columns}) {
    extents.push_back(1);
    for (const int label : group)
      extents.back() *= x.extent(label);
  }
  return reshape(ordered.tensor, Shape(extents), where);
}

/// The labels of two operands by what their product does with them.
struct Roles {
  Labels batch;   // of both, kept
  Labels summed;  // of both, not kept
  Labels only_a;
  Labels only_b;
};

Roles roles_of(const LabelledTensor& a, const LabelledTensor& b, std::span<const int> kept) {
  return {
      .batch = filtered(kept, [&](int label) { return a.has(label) && b.has(label); }),
      .summed = filtered(a.labels, [&](int label) { return !contains(kept, label); }),
      .only_a = filtered(kept, [&](int label) { return a.has(label) && !b.has(label); }),
      .only_b = filtered(kept, [&](int label) { return b.has(label) && !a.has(label); }),
  };
}

/// A product of two vectors for each position of the batch: fuses as a row reduction.
LabelledTensor dot_products(const LabelledTensor& a,
                            const LabelledTensor& b,
                            const Roles& roles,
                            Where where) {
  const Labels labels = joined({roles.batch, roles.summed});
  Tensor x = aligned(a, labels, where);
  Tensor y = aligned(b, labels, where);
  const DType dtype = promote_types(x.dtype(), y.dtype());
  if (is_half(dtype)) {  // round once, after the sum
    x = cast(x, DType::f32, where);
    y = cast(y, DType::f32, where);
  }
  LabelledTensor result = summed({Operand(x, where) * y, labels}, roles.summed, where);
  result.tensor = cast(result.tensor, dtype, where);
  return result;
}

/// The product summed over the labels of both that `kept` lacks; of the labels of one alone it
/// lacks none.
LabelledTensor contract_pair(const LabelledTensor& a,
                             const LabelledTensor& b,
                             std::span<const int> kept,
                             Where where) {
  const Roles roles = roles_of(a, b, kept);
  if (roles.summed.empty()) {
    Labels labels = filtered(kept, [&](int label) { return a.has(label) || b.has(label); });
    const Tensor x = aligned(a, labels, where);
    return {Operand(x, where) * aligned(b, labels, where), std::move(labels)};
  }
  if (roles.only_a.empty() && roles.only_b.empty()) return dot_products(a, b, roles, where);
  Labels labels = joined({roles.batch, roles.only_a, roles.only_b});
  Axes extents;
  for (const int label : labels)
    extents.push_back(a.has(label) ? a.extent(label) : b.extent(label));
  const Tensor product = matmul(matrices(a, roles.batch, roles.only_a, roles.summed, where),
                                matrices(b, roles.batch, roles.summed, roles.only_b, where),
                                where);
  return {reshape(product, Shape(extents), where), std::move(labels)};
}

bool is_first(const LabelledTensor& a, const LabelledTensor& b, std::span<const int> kept) {
  const Roles roles = roles_of(a, b, kept);
  if (roles.only_a.empty() || roles.only_b.empty()) return true;
  return std::ranges::find(kept, roles.only_a.front()) <
         std::ranges::find(kept, roles.only_b.front());
}

/// Drops axes of extent 1 that broadcast, and sums out the labels that nobody shares.
void simplify(std::vector<LabelledTensor>& operands, std::span<const int> output, Where where) {
  const auto owners = [&](int label) {
    return std::ranges::count_if(operands, [&](const auto& x) { return x.has(label); });
  };
  for (LabelledTensor& x : operands) {
    const Labels own = filtered(x.labels, [&](int label) {
      const bool stretches = std::ranges::any_of(
          operands, [&](const auto& y) { return y.has(label) && y.extent(label) != 1; });
      return x.extent(label) != 1 || !stretches;
    });
    Axes extents;
    for (const int label : own)
      extents.push_back(x.extent(label));
    x = {reshape(x.tensor, Shape(extents), where), own};
  }
  for (LabelledTensor& x : operands) {
    const Labels alone = filtered(
        x.labels, [&](int label) { return !contains(output, label) && owners(label) == 1; });
    x = summed(x, alone, where);
  }
}

/// Labels that somebody needs after the operands i and j became one; those of the output first.
Labels needed_without(std::span<const LabelledTensor> operands,
                      size_t i,
                      size_t j,
                      std::span<const int> output) {
  Labels needed(output.begin(), output.end());
  for (size_t k = 0; k < operands.size(); ++k) {
    if (k == i || k == j) continue;
    for (const int label : operands[k].labels) {
      if (!contains(needed, label)) needed.push_back(label);
    }
  }
  return needed;
}

/// Elements that the product of two operands has more than they.
double growth(const LabelledTensor& a, const LabelledTensor& b, std::span<const int> kept) {
  double size = 1;
  for (const int label : kept) {
    if (a.has(label) || b.has(label)) {
      size *= static_cast<double>(a.has(label) ? a.extent(label) : b.extent(label));
    }
  }
  return size - static_cast<double>(a.tensor.numel()) - static_cast<double>(b.tensor.numel());
}

std::pair<size_t, size_t> best_pair(std::span<const LabelledTensor> operands,
                                    std::span<const int> output) {
  std::pair<size_t, size_t> best = {0, 1};
  double least = 0;
  for (size_t j = 1; j < operands.size(); ++j) {
    for (size_t i = 0; i < j; ++i) {
      const double cost = growth(operands[i], operands[j], needed_without(operands, i, j, output));
      if (j > 1 && cost >= least) continue;
      least = cost;
      best = {i, j};
    }
  }
  return best;
}

}  // namespace

int LabelledTensor::axis_of(int label) const {
  const auto found = std::ranges::find(labels, label);
  return found == labels.end() ? -1 : static_cast<int>(found - labels.begin());
}

int64_t LabelledTensor::extent(int label) const {
  return tensor.shape()[axis_of(label)];
}

Tensor contract(std::vector<LabelledTensor> operands, std::span<const int> output, Where where) {
  simplify(operands, output, where);
  while (operands.size() > 1) {
    const auto [i, j] = best_pair(operands, output);
    const Labels kept = needed_without(operands, i, j, output);
    // In the output's order, so that nothing need be permuted afterwards.
    const bool in_order = is_first(operands[i], operands[j], kept);
    const LabelledTensor& a = operands[in_order ? i : j];
    const LabelledTensor& b = operands[in_order ? j : i];
    operands[i] = contract_pair(a, b, kept, where);
    operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(j));
  }
  return permuted(operands.front(), output, where).tensor;
}

}  // namespace wick::detail
