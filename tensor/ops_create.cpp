#include <cstring>

#include <fmt/format.h>

#include "wick/tensor/op_arguments.h"
#include "wick/tensor/recording.h"

namespace wick {

using detail::Node;
using detail::record_binary;
using detail::record_nodes;
using ir::OpKind;

namespace {

/// A value that fills `shape`. Rank-0 values get a node of their own: autograd may mark it, and
/// `value` may be shared by the process.
Tensor filled(const Ref<Node>& value, const Shape& shape, Where where) {
  return record_nodes(
      OpKind::broadcast, {&value, 1}, detail::share({{"shape", shape.extents()}}), where);
}

Tensor copied(std::string_view op, const void* data, Type type, Where where) {
  const size_t bytes = type.num_bytes();
  Ref<runtime::Buffer> buffer =
      runtime::Buffer::allocate(bytes, {.purpose = "leaf", .op = op, .where = where});
  if (bytes != 0) std::memcpy(buffer->data(), data, bytes);
  return Tensor(Node::imported_leaf(std::move(type), std::move(buffer), where));
}

Tensor counting(std::string_view op, const Shape& shape, int64_t axis, DType dtype, Where where) {
  detail::require_shape(op, shape, where);
  return record_nodes(OpKind::iota,
                      {},
                      detail::share({{"axis", axis}, {"dtype", dtype}, {"shape", shape.extents()}}),
                      where);
}

}  // namespace

Tensor zeros(Shape shape, DType dtype, Where where) {
  detail::require_shape("zeros", shape, where);
  return filled(detail::shared_constant(dtype, int64_t{0}), shape, where);
}

Tensor ones(Shape shape, DType dtype, Where where) {
  detail::require_shape("ones", shape, where);
  return filled(detail::shared_constant(dtype, int64_t{1}), shape, where);
}

Tensor full(Shape shape, double value, DType dtype, Where where) {
  detail::require_shape("full", shape, where);
  const Tensor one = scalar(value, dtype, where);
  return filled(one.node(), shape, where);
}

Tensor arange(int64_t count, DType dtype, Where where) {
  return counting("arange", {count}, 0, dtype, where);
}

Tensor linspace(double start, double stop, int64_t count, DType dtype, Where where) {
  const Tensor position = counting("linspace", {count}, 0, DType::f64, where);
  const double step = count > 1 ? (stop - start) / static_cast<double>(count - 1) : 0.0;
  // From both ends inward, so that both are exact.
  const auto half = [&](double end, const Tensor& from_end, double direction) {
    const Tensor offset = record_binary(OpKind::mul, {from_end, where}, {direction, where}, where);
    return record_binary(OpKind::add, {offset, where}, {end, where}, where);
  };
  const auto last = static_cast<double>(count - 1);
  const Tensor to_last = record_binary(OpKind::sub, {last, where}, {position, where}, where);
  const Tensor is_low = record_binary(OpKind::le, {position, where}, {to_last, where}, where);
  const Tensor low = half(start, position, step);
  const Tensor high = half(stop, to_last, -step);
  return cast(detail::record_where(is_low, {low, where}, {high, where}, where), dtype, where);
}

Tensor eye(int64_t n, DType dtype, Where where) {
  detail::require_shape("eye", {n, n}, where);
  const Tensor row = counting("eye", {n, 1}, 0, DType::i64, where);
  const Tensor column = counting("eye", {1, n}, 1, DType::i64, where);
  return cast(record_binary(OpKind::eq, {row, where}, {column, where}, where), dtype, where);
}

Tensor scalar(double value, DType dtype, Where where) {
  const std::optional<uint64_t> bits = detail::bits_of(value, dtype);
  if (!bits) {
    throw Error(
        where, "scalar", fmt::format("the number {} does not fit {}", value, to_string(dtype)));
  }
  return Tensor(Node::scalar(dtype, *bits, where));
}

Tensor tensor(std::initializer_list<float> values, Where where) {
  const Shape shape{static_cast<int64_t>(values.size())};
  return copied("tensor", values.begin(), {DType::f32, shape}, where);
}

Tensor tensor(std::initializer_list<std::initializer_list<float>> rows, Where where) {
  std::vector<float> values;
  const size_t columns = rows.size() == 0 ? 0 : rows.begin()->size();
  for (const auto& row : rows) {
    if (row.size() != columns) {
      constexpr auto kText = "rows of {} and of {} elements";
      throw Error(where, "tensor", fmt::format(kText, columns, row.size()));
    }
    values.insert(values.end(), row.begin(), row.end());
  }
  const Shape shape{static_cast<int64_t>(rows.size()), static_cast<int64_t>(columns)};
  return copied("tensor", values.data(), {DType::f32, shape}, where);
}

template <typename T>
Tensor from_span(std::span<const T> values, Shape shape, Where where) {
  detail::require_shape("from_span", shape, where);
  Type type{dtype_of<T>(), std::move(shape)};
  if (static_cast<int64_t>(values.size()) != type.numel()) {
    constexpr auto kText = "{} elements do not fill {}";
    throw Error(where, "from_span", fmt::format(kText, values.size(), to_string(type)));
  }
  return copied("from_span", values.data(), std::move(type), where);
}

template Tensor from_span(std::span<const float>, Shape, Where);
template Tensor from_span(std::span<const double>, Shape, Where);
template Tensor from_span(std::span<const Half>, Shape, Where);
template Tensor from_span(std::span<const BFloat16>, Shape, Where);
template Tensor from_span(std::span<const int8_t>, Shape, Where);
template Tensor from_span(std::span<const int16_t>, Shape, Where);
template Tensor from_span(std::span<const int32_t>, Shape, Where);
template Tensor from_span(std::span<const long>, Shape, Where);
template Tensor from_span(std::span<const long long>, Shape, Where);
template Tensor from_span(std::span<const uint8_t>, Shape, Where);
template Tensor from_span(std::span<const bool>, Shape, Where);

Tensor from_buffer(void* data, Type type, std::function<void()> deleter, Where where) {
  detail::require_shape("from_buffer", type.shape, where);
  const size_t bytes = type.num_bytes();
  if (data == nullptr && bytes != 0) {
    throw Error(where, "from_buffer", fmt::format("null data for {}", to_string(type)));
  }
  if (reinterpret_cast<uintptr_t>(data) % size_of(type.dtype) != 0) {
    constexpr auto kText = "the data at {} is not aligned for {}";
    throw Error(where, "from_buffer", fmt::format(kText, data, to_string(type)));
  }
  Ref<runtime::Buffer> buffer =
      runtime::Buffer::wrap(data, bytes, std::move(deleter), /*writable=*/false);
  return Tensor(Node::imported_leaf(std::move(type), std::move(buffer), where));
}

}  // namespace wick
