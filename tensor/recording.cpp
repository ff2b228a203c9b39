#include "wick/tensor/recording.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "wick/tensor/op_arguments.h"
#include "wick/tensor/promotion.h"

namespace wick::detail {

namespace {

template <typename T>
uint64_t bits_from(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <typename T>
std::optional<uint64_t> integer_bits(const Number& number) {
  int64_t value = number.integer;
  if (!number.is_integer) {
    constexpr double kLimit = 9223372036854775808.0;  // 2^63
    if (!(number.real >= -kLimit && number.real < kLimit)) return std::nullopt;
    if (std::trunc(number.real) != number.real) return std::nullopt;
    value = static_cast<int64_t>(number.real);
  }
  if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max()) {
    return std::nullopt;
  }
  return bits_from(static_cast<T>(value));
}

/// Row of a number among those that simplifications look for, or -1.
int special_row(const Number& number, DType dtype) {
  constexpr double kSpecial[] = {0, 1, -1, 2, 0.5};
  for (int row = 0; row < 5; ++row) {
    if (number.real != kSpecial[row]) continue;
    if (std::signbit(number.real) != std::signbit(kSpecial[row])) return -1;  // -0 is not 0
    const bool fits = is_float(dtype) || (row < 4 && bits_of(number, dtype).has_value());
    return fits ? row : -1;
  }
  return -1;
}

std::string number_text(const Number& number) {
  return number.is_integer ? fmt::format("{}", number.integer) : fmt::format("{}", number.real);
}

using SharedConstants = std::array<std::array<Ref<Node>, 5>, kNumDTypes>;

SharedConstants make_shared_constants() {
  constexpr double kSpecial[] = {0, 1, -1, 2, 0.5};
  SharedConstants table;
  for (size_t dtype = 0; dtype < kNumDTypes; ++dtype) {
    for (size_t row = 0; row < 5; ++row) {
      table[dtype][row] =
          Node::constant(Literal::scalar(static_cast<DType>(dtype), kSpecial[row]), {});
    }
  }
  return table;
}

}  // namespace

std::optional<uint64_t> bits_of(const Number& number, DType dtype) {
  switch (dtype) {
    case DType::f32:
      return bits_from(static_cast<float>(number.real));
    case DType::f64:
      return bits_from(number.real);
    case DType::f16:
      return bits_from(Half(static_cast<float>(number.real)).bits);
    case DType::bf16:
      return bits_from(BFloat16(static_cast<float>(number.real)).bits);
    case DType::i8:
      return integer_bits<int8_t>(number);
    case DType::i16:
      return integer_bits<int16_t>(number);
    case DType::i32:
      return integer_bits<int32_t>(number);
    case DType::i64:
      return integer_bits<int64_t>(number);
    case DType::u8:
      return integer_bits<uint8_t>(number);
    case DType::bool_:
      if (number.real != 0 && number.real != 1) return std::nullopt;
      return number.real == 1 ? 1 : 0;
  }
  __builtin_unreachable();
}

Ref<Node> shared_constant(DType dtype, const Number& number) {
  const int row = special_row(number, dtype);
  if (row < 0) return nullptr;
  // Never destroyed: tensors with static storage may outlive any other static.
  static const auto* const table = new SharedConstants(make_shared_constants());  // NOLINT
  return (*table)[static_cast<size_t>(dtype)][static_cast<size_t>(row)];
}

Ref<Node> number_node(ir::OpKind op, const Number& number, const Type& partner, Where where) {
  if (Ref<Node> constant = shared_constant(partner.dtype, number)) return constant;
  const std::optional<uint64_t> bits = bits_of(number, partner.dtype);
  if (!bits) {
    constexpr auto kText = "the number {} does not fit {}; cast the tensor first";
    throw Error(where, to_string(op), fmt::format(kText, number_text(number), to_string(partner)));
  }
  return Node::scalar(partner.dtype, *bits, where);
}

Ref<Node> constant_node(DType dtype, const Number& number, Where where) {
  if (Ref<Node> constant = shared_constant(dtype, number)) return constant;
  return Node::constant(number.is_integer ? Literal::scalar_integer(dtype, number.integer)
                                          : Literal::scalar(dtype, number.real),
                        where);
}

Operand number_beside(const Tensor& x, double value, Where where) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  const bool is_whole = std::trunc(value) == value && value >= -kLimit && value < kLimit;
  const bool stays = is_whole && x.defined() && !is_float(x.dtype());
  return stays ? Operand(static_cast<int64_t>(value), where) : Operand(value, where);
}

const Ref<Node>& node_of(ir::OpKind op, const Tensor& tensor, int position, Where where) {
  if (!tensor.defined()) [[unlikely]] {
    throw Error(where, to_string(op), fmt::format("operand {} is an undefined tensor", position));
  }
  return tensor.node();
}

Tensor record_nodes(ir::OpKind op,
                    std::span<const Ref<Node>> operands,
                    Ref<const SharedAttributes> attributes,
                    Where where) {
  return Tensor(Node::record(op, operands, std::move(attributes), where));
}

Tensor record_unary(ir::OpKind op,
                    const Tensor& x,
                    Where where,
                    Ref<const SharedAttributes> attributes) {
  return record_nodes(op, {&node_of(op, x, 1, where), 1}, std::move(attributes), where);
}

namespace {

/// Exponents for which pow has short forms: in the program they become products and roots. Of
/// others programs are the same.
bool is_short_exponent(const Number& number) {
  constexpr double kLargest = 64;
  constexpr double kLargestHalf = 1.5;
  const double size = std::fabs(number.real);
  if (std::trunc(size) == size) return size <= kLargest;
  return std::trunc(2 * size) == 2 * size && size <= kLargestHalf;
}

Ref<Node> operand_node(
    ir::OpKind op, const Operand& operand, int position, const Type* partner, Where where) {
  if (operand.tensor != nullptr) return node_of(op, *operand.tensor, position, where);
  const Number number(operand);
  if (partner == nullptr) {
    throw Error(where, to_string(op), "at least one operand must be a tensor");
  }
  if (op == ir::OpKind::pow && position == 2 && is_float(partner->dtype) &&
      is_short_exponent(number)) {
    return constant_node(partner->dtype, number, where);
  }
  return number_node(op, number, *partner, where);
}

const Type* type_of(const Operand& operand) {
  const bool known = operand.tensor != nullptr && operand.tensor->defined();
  return known ? &operand.tensor->type() : nullptr;
}

Ref<Node> cast_node(const Ref<Node>& node, DType dtype, Where where) {
  if (node->type().dtype == dtype) return node;
  return Node::record(ir::OpKind::cast, {&node, 1}, share({{"dtype", dtype}}), where);
}

/// The type that the tensor of two operands is cast to for the sake of the other, a number.
std::optional<Type> type_beside_number(const Operand& a, const Operand& b) {
  const Type* type = type_of(a);
  if (type == nullptr || b.tensor != nullptr) return std::nullopt;
  const DType dtype = dtype_beside_number(type->dtype, b);
  if (dtype == type->dtype) return std::nullopt;
  return Type{dtype, type->shape};
}

/// Brings two operands to one dtype.
void unify(Ref<Node>& a, Ref<Node>& b, Where where) {
  const DType dtype = promote_types(a->type().dtype, b->type().dtype);
  a = cast_node(a, dtype, where);
  b = cast_node(b, dtype, where);
}

/// The nodes of two operands, of one dtype.
void promoted_nodes(ir::OpKind op,
                    const Operand& a,
                    const Operand& b,
                    int first_position,
                    Ref<Node>* nodes,
                    Where where) {
  const std::optional<Type> cast_a = type_beside_number(a, b);
  const std::optional<Type> cast_b = type_beside_number(b, a);
  const Type* const a_type = cast_a ? &*cast_a : type_of(a);
  const Type* const b_type = cast_b ? &*cast_b : type_of(b);
  nodes[0] = operand_node(op, a, first_position, b_type, where);
  nodes[1] = operand_node(op, b, first_position + 1, a_type, where);
  if (nodes[0]->type().dtype != nodes[1]->type().dtype) [[unlikely]] {
    unify(nodes[0], nodes[1], where);
  }
}

/// Whether the operands are tensors that need no cast for each other.
bool agree(const Operand& a, const Operand& b) {
  if (a.tensor == nullptr || b.tensor == nullptr) return false;
  const Node* const x = a.tensor->node().get();
  const Node* const y = b.tensor->node().get();
  return x != nullptr && y != nullptr && x->type().dtype == y->type().dtype;
}

}  // namespace

Tensor record_binary(ir::OpKind op, const Operand& a, const Operand& b, Where where) {
  Ref<Node> operands[2];
  if (agree(a, b)) [[likely]] {
    operands[0] = a.tensor->node();
    operands[1] = b.tensor->node();
  } else {
    promoted_nodes(op, a, b, 1, operands, where);
  }
  return Tensor(Node::record_moving(op, operands, nullptr, where));
}

void record_update(ir::OpKind op, Tensor& a, const Operand& b) {
  if (b.tensor == &a || !agree(Operand(a, b.where), b)) {
    a = record_binary(op, Operand(a, b.where), b, b.where);
    return;
  }
  Ref<Node> operands[2] = {std::move(a).take_node(), b.tensor->node()};
  try {
    a = Tensor(Node::record_moving(op, operands, nullptr, b.where));
  } catch (...) {
    a = Tensor(std::move(operands[0]));
    throw;
  }
}

Tensor record_where(const Tensor& condition, const Operand& y, const Operand& z, Where where) {
  constexpr ir::OpKind kOp = ir::OpKind::where;
  Ref<Node> operands[3] = {node_of(kOp, condition, 1, where), nullptr, nullptr};
  if (y.tensor == nullptr && z.tensor == nullptr) {
    const Type numbers{y.is_integer && z.is_integer ? DType::i64 : DType::f32, {}};
    operands[1] = operand_node(kOp, y, 2, &numbers, where);
    operands[2] = operand_node(kOp, z, 3, &numbers, where);
  } else {
    promoted_nodes(kOp, y, z, 2, operands + 1, where);
  }
  return Tensor(Node::record_moving(kOp, operands, nullptr, where));
}

int normalize_axis(ir::OpKind op, int64_t axis, const Type& type, Where where) {
  return axis_of(to_string(op), axis, type, where);
}

Axes normalize_axes(ir::OpKind op, const Axes& axes, const Type& type, Where where) {
  return reduced_axes(to_string(op), axes, type, where);
}

}  // namespace wick::detail

namespace wick {

Tensor record(ir::OpKind op,
              std::span<const Tensor> operands,
              ir::Attributes attributes,
              Where where) {
  std::vector<Ref<detail::Node>> nodes;
  nodes.reserve(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    nodes.push_back(detail::node_of(op, operands[i], static_cast<int>(i) + 1, where));
  }
  return detail::record_nodes(
      op, nodes, attributes.empty() ? nullptr : detail::share(std::move(attributes)), where);
}

}  // namespace wick
