#include "wick/tensor/tensor.h"

#include <type_traits>

#include <fmt/format.h>

#include "wick/passes/options.h"
#include "wick/runtime/device.h"
#include "wick/tensor/materialize.h"
#include "wick/tensor/ops.h"

namespace wick {

namespace {

const detail::Node& defined_node(const Tensor& tensor, std::string_view op, Where where) {
  if (!tensor.defined()) [[unlikely]] {
    throw Error(where, op, "the tensor is undefined");
  }
  return *tensor.node();
}

/// The node's elements, computed now if need be.
const void* elements(const Tensor& tensor, std::string_view reason, Where where) {
  const detail::Node& node = defined_node(tensor, reason, where);
  if (!node.is_materialized()) detail::materialize_nodes({&tensor.node(), 1}, {reason}, where);
  return node.data();
}

template <typename To, typename From>
To convert(const From& value) {
  if constexpr (std::is_same_v<From, Half> || std::is_same_v<From, BFloat16>) {
    return static_cast<To>(static_cast<float>(value));
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace

const Shape& Tensor::shape() const {
  return type().shape;
}

const Type& Tensor::type() const {
  return defined_node(*this, "type", {}).type();
}

DType Tensor::dtype() const {
  return type().dtype;
}

int64_t Tensor::size(int axis, Where where) const {
  const Shape& extents = defined_node(*this, "size", where).type().shape;
  if (axis < -extents.ndim() || axis >= extents.ndim()) {
    constexpr auto kText = "axis {} is out of range for {}";
    throw Error(where, "size", fmt::format(kText, axis, to_string(type())));
  }
  return extents[axis < 0 ? axis + extents.ndim() : axis];
}

template <Arithmetic T>
T Tensor::item(Where where) const {
  const Type& type = defined_node(*this, "item", where).type();
  if (type.numel() != 1) {
    constexpr auto kText = "{} has {} elements, not one";
    throw Error(where, "item", fmt::format(kText, to_string(type), type.numel()));
  }
  const void* data = elements(*this, "item", where);
  return visit_dtype(
      type.dtype, [data]<typename From>() { return convert<T>(*static_cast<const From*>(data)); });
}

template <Arithmetic T>
std::vector<T> Tensor::to_vector(Where where) const {
  const void* data = elements(*this, "to_vector", where);
  return visit_dtype(dtype(), [this, data]<typename From>() {
    const auto* first = static_cast<const From*>(data);
    std::vector<T> values;
    values.reserve(static_cast<size_t>(numel()));
    for (int64_t i = 0; i < numel(); ++i)
      values.push_back(convert<T>(first[i]));
    return values;
  });
}

const void* Tensor::raw_data(DType expected, Where where) const {
  const Type& type = defined_node(*this, "data", where).type();
  if (type.dtype != expected) {
    constexpr auto kText = "{} holds no {} elements";
    throw Error(where, "data", fmt::format(kText, to_string(type), to_string(expected)));
  }
  return elements(*this, "data", where);
}

bool Tensor::is_materialized() const {
  return defined_node(*this, "is_materialized", {}).is_materialized();
}

Tensor Tensor::to(DType dtype, Where where) const {
  return cast(*this, dtype, where);
}

Device Tensor::device() const {
  const detail::Node& node = defined_node(*this, "device", {});
  if (node.device()) return *node.device();
  const runtime::Buffer* const value = node.value();
  return value == nullptr ? runtime::device_of_backend(options().backend) : value->device();
}

Tensor Tensor::to(Device device, Where where) const {
  const detail::Node& node = defined_node(*this, "to", where);
  if (node.device() == device) return *this;
  try {
    if (!device.is_cpu()) (void)runtime::device_memory(device);
    // A barrier is its first operand's value, and its gradient rule finds the way back.
    const Tensor operands[] = {*this, *this};
    Tensor moved = record(ir::OpKind::barrier, operands, {}, where);
    moved.node()->set_device(device);
    if (!node.device()) return moved;  // will be computed there
    detail::materialize_nodes({&node_, 1}, {"to"}, where);
    const runtime::AllocationTag tag{.purpose = "copy", .op = "to", .where = where};
    moved.node()->set_value(runtime::copy_to(device, Ref<runtime::Buffer>(node.value()), tag));
    if (!moved.node()->keeps_history()) moved.node()->release_operands();
    return moved;
  } catch (const Error& error) {
    if (error.where().is_known()) throw;
    throw Error(where, "to", fmt::format("{}: {}", error.op(), error.text()));
  }
}

Tensor Tensor::reshape(Shape shape, Where where) const {
  return wick::reshape(*this, std::move(shape), where);
}

Tensor Tensor::permute(Axes axes, Where where) const {
  return wick::permute(*this, std::move(axes), where);
}

Tensor Tensor::transpose(int a, int b, Where where) const {
  return wick::transpose(*this, a, b, where);
}

Tensor Tensor::sum(Axes axes, bool keepdims, Where where) const {
  return wick::sum(*this, std::move(axes), keepdims, where);
}

Tensor Tensor::mean(Axes axes, bool keepdims, Where where) const {
  return wick::mean(*this, std::move(axes), keepdims, where);
}

void materialize(std::span<const Tensor> tensors, Where where) {
  std::vector<Ref<detail::Node>> nodes;
  nodes.reserve(tensors.size());
  for (const Tensor& tensor : tensors) {
    (void)defined_node(tensor, "materialize", where);
    nodes.push_back(tensor.node());
  }
  detail::materialize_nodes(nodes, {"materialize"}, where);
}

void materialize(std::initializer_list<Tensor> tensors, Where where) {
  materialize(std::span(tensors.begin(), tensors.size()), where);
}

// Reading values as any of C++'s arithmetic types.
template bool Tensor::item<bool>(Where) const;
template char Tensor::item<char>(Where) const;
template signed char Tensor::item<signed char>(Where) const;
template unsigned char Tensor::item<unsigned char>(Where) const;
template short Tensor::item<short>(Where) const;
template unsigned short Tensor::item<unsigned short>(Where) const;
template int Tensor::item<int>(Where) const;
template unsigned Tensor::item<unsigned>(Where) const;
template long Tensor::item<long>(Where) const;
template unsigned long Tensor::item<unsigned long>(Where) const;
template long long Tensor::item<long long>(Where) const;
template unsigned long long Tensor::item<unsigned long long>(Where) const;
template float Tensor::item<float>(Where) const;
template double Tensor::item<double>(Where) const;

template std::vector<bool> Tensor::to_vector<bool>(Where) const;
template std::vector<char> Tensor::to_vector<char>(Where) const;
template std::vector<signed char> Tensor::to_vector<signed char>(Where) const;
template std::vector<unsigned char> Tensor::to_vector<unsigned char>(Where) const;
template std::vector<short> Tensor::to_vector<short>(Where) const;
template std::vector<unsigned short> Tensor::to_vector<unsigned short>(Where) const;
template std::vector<int> Tensor::to_vector<int>(Where) const;
template std::vector<unsigned> Tensor::to_vector<unsigned>(Where) const;
template std::vector<long> Tensor::to_vector<long>(Where) const;
template std::vector<unsigned long> Tensor::to_vector<unsigned long>(Where) const;
template std::vector<long long> Tensor::to_vector<long long>(Where) const;
template std::vector<unsigned long long> Tensor::to_vector<unsigned long long>(Where) const;
template std::vector<float> Tensor::to_vector<float>(Where) const;
template std::vector<double> Tensor::to_vector<double>(Where) const;

}  // namespace wick
