// Drawing of values and the table of op families; see random_graph.h.

#include <algorithm>
#include <array>
#include <cmath>

#include "random_graph_generator.h"

#include "wick/ir/error.h"

namespace wick::testing_support {

using ir::OpKind;

namespace {

std::optional<double> largest_small_integer(DType dtype) {
  switch (dtype) {
    case DType::i8:
      return 128;
    case DType::u8:
      return 255;
    case DType::i16:
      return 32768;
    default:
      return std::nullopt;
  }
}

}  // namespace

Shape Generator::random_shape() {
  static const std::vector<int64_t> kShort = {1, 1, 2, 3, 4, 5, 7, 8, 16, 17, 33};
  static const std::vector<int64_t> kLong = {1, 2, 3, 7, 16, 33, 64, 65, 130, 257, 1024, 1031};
  const std::vector<int64_t>& choice = options_.long_axes ? kLong : kShort;
  std::vector<int64_t> extents(random_.below(5));
  int64_t elements = 1;
  for (int64_t& extent : extents) {
    extent = random_.chance(0.02) ? 0 : random_.pick(choice);
    while (elements * extent > options_.max_elements / 2)
      extent /= 2;
    elements *= std::max<int64_t>(extent, 1);
  }
  return Shape(std::span<const int64_t>(extents));
}

DType Generator::random_dtype() {
  static const std::vector<DType> kDTypes = {DType::f32,
                                             DType::f32,
                                             DType::f32,
                                             DType::f32,
                                             DType::f32,
                                             DType::f32,
                                             DType::f64,
                                             DType::f16,
                                             DType::bf16,
                                             DType::i8,
                                             DType::i16,
                                             DType::i32,
                                             DType::i64,
                                             DType::u8,
                                             DType::bool_};
  return random_.pick(kDTypes);
}

void Generator::add_parameter() {
  parameter({random_dtype(), random_shape()});
}

Entry Generator::parameter(const Type& type) {
  ir::Attributes attributes;
  if (options_.donate && random_.chance(0.3)) attributes.set("donate", true);
  if (type.shape.ndim() == 0 && random_.chance(0.5)) {
    attributes = {{"scalar", true}};
  }
  ir::Node* node = graph_.add_parameter(type, "", std::move(attributes));
  const double bound = is_float(type.dtype) ? kInputBound : type.dtype == DType::bool_ ? 1 : 20;
  pool_.push_back({node->result(), {.bound = bound}});
  return pool_.back();
}

Entry Generator::scalar(DType dtype, double value) {
  ir::Node* node = graph_.add_constant(Literal::scalar(dtype, value));
  return {node->result(), {.bound = std::abs(value)}};
}

std::optional<Entry> Generator::pick(const Filter& filter) {
  std::vector<size_t> fitting;
  std::vector<size_t> unread;  // reading them makes graphs deep, and keeps them from being erased
  for (size_t i = 0; i < pool_.size(); ++i) {
    if (!filter(pool_[i])) continue;
    fitting.push_back(i);
    const ir::Node& node = *pool_[i].value.node;
    if (!node.has_uses() && node.op() != OpKind::parameter) unread.push_back(i);
  }
  if (fitting.empty()) return std::nullopt;
  if (!unread.empty() && random_.chance(0.75)) return pool_[random_.pick(unread)];
  return pool_[random_.pick(fitting)];
}

std::optional<Entry> Generator::pick_float() {
  return pick(
      [](const Entry& e) { return is_float(e.value.type().dtype) && std::isfinite(e.fact.bound); });
}

std::optional<Entry> Generator::pick_exact() {
  return pick([](const Entry& e) { return e.fact.exact; });
}

Entry Generator::partner(const Entry& x, bool exact_only) {
  const Type type = x.value.type();
  if (random_.chance(0.15)) {
    static const std::vector<double> kConstants = {0, 1, -1, 2, 3, 0.5};
    return scalar(type.dtype, random_.pick(kConstants));
  }
  if (random_.chance(0.8)) {
    const auto found = pick([&](const Entry& e) {
      return e.value.type().dtype == type.dtype && (!exact_only || e.fact.exact) &&
             std::isfinite(e.fact.bound) &&
             broadcast_shapes(type.shape, e.value.type().shape).has_value();
    });
    if (found) return *found;
  }
  std::vector<int64_t> extents(type.shape.begin(), type.shape.end());
  extents.erase(extents.begin(),
                extents.begin() + static_cast<ptrdiff_t>(random_.below(extents.size() + 1)));
  for (int64_t& extent : extents) {
    if (random_.chance(0.3)) extent = 1;
  }
  return parameter({type.dtype, Shape(std::span<const int64_t>(extents))});
}

double Generator::epsilon(DType dtype) {
  // A few units in the last place: functions may err by 2, sums by more, which their rows add.
  return dtype == DType::f64    ? 1e-15
         : dtype == DType::f16  ? 2e-3
         : dtype == DType::bf16 ? 1.6e-2
                                : 5e-7;
}

Fact Generator::rounded(double bound, double error, DType dtype) {
  return {.bound = bound, .error = error + epsilon(dtype) * bound, .exact = false};
}

std::optional<Entry> Generator::add(OpKind op,
                                    const std::vector<Entry>& operands,
                                    const Fact& fact,
                                    ir::Attributes attributes) {
  std::vector<ir::Value> values;
  std::vector<const Type*> types;
  for (const Entry& operand : operands) {
    values.push_back(operand.value);
    types.push_back(&operand.value.type());
  }
  try {
    const Type type = ir::infer_type(op, types, attributes, {});
    // Half of the tolerance of first_difference: a result far below its bound gets less of it.
    const double limit = 0.5 * result_tolerance(type.dtype);
    if (type.numel() > options_.max_elements || fact.error > limit) return std::nullopt;
    ir::Node* node = graph_.add(op, std::move(values), std::move(attributes));
    pool_.push_back({node->result(), fact});
    // Small integers wrap, so arithmetic on bounds says nothing about them.
    if (const auto largest = largest_small_integer(type.dtype)) pool_.back().fact.bound = *largest;
    return pool_.back();
  } catch (const Error&) {  // what does not fit is not added
    return std::nullopt;
  }
}

std::optional<Entry> Generator::positive(const Entry& x) {
  const std::optional<Entry> magnitude = add(OpKind::abs, {x}, x.fact);
  if (!magnitude) return std::nullopt;
  const DType dtype = x.value.type().dtype;
  return add(OpKind::add,
             {*magnitude, scalar(dtype, 0.5)},
             rounded(x.fact.bound + 0.5, x.fact.error, dtype));
}

Axes Generator::random_axes(int rank) {
  Axes axes;
  for (int axis = 0; axis < rank; ++axis) {
    if (random_.chance(0.5)) axes.push_back(axis);
  }
  if (axes.empty() && rank > 0 && random_.chance(0.8)) {
    axes.push_back(static_cast<int64_t>(random_.below(static_cast<size_t>(rank))));
  }
  return axes;
}

bool Generator::add_op() {
  struct Family {
    bool (Generator::*add)();
    int weight;
    bool contraction;
  };

  static constexpr std::array kFamilies = {
      Family{&Generator::float_unary, 8, false},   Family{&Generator::jumping_unary, 2, false},
      Family{&Generator::integer_unary, 2, false}, Family{&Generator::cast, 3, false},
      Family{&Generator::bitcast, 1, false},       Family{&Generator::float_binary, 10, false},
      Family{&Generator::division, 3, false},      Family{&Generator::power, 3, false},
      Family{&Generator::exact_binary, 3, false},  Family{&Generator::integer_binary, 5, false},
      Family{&Generator::bool_op, 3, false},       Family{&Generator::compare, 3, false},
      Family{&Generator::where, 3, false},         Family{&Generator::reduce_float, 6, false},
      Family{&Generator::reduce_exact, 2, false},  Family{&Generator::arg_reduce, 2, false},
      Family{&Generator::broadcast, 3, false},     Family{&Generator::reshape, 4, false},
      Family{&Generator::permute, 4, false},       Family{&Generator::slice, 4, false},
      Family{&Generator::concat, 3, false},        Family{&Generator::pad, 3, false},
      Family{&Generator::gather, 3, false},        Family{&Generator::scatter, 2, false},
      Family{&Generator::scan, 2, false},          Family{&Generator::argsort, 1, false},
      Family{&Generator::barrier, 1, false},       Family{&Generator::source, 2, false},
      Family{&Generator::random_bits, 1, false},   Family{&Generator::matmul, 3, true},
      Family{&Generator::conv, 2, true},           Family{&Generator::conv_grad, 2, true},
      Family{&Generator::pool2d, 2, true},         Family{&Generator::pool2d_grad, 2, true}};
  int total = 0;
  for (const Family& family : kFamilies) {
    total += family.weight;
  }
  auto draw = static_cast<int>(random_.below(static_cast<size_t>(total)));
  for (const Family& family : kFamilies) {
    draw -= family.weight;
    if (draw < 0) return (options_.contractions || !family.contraction) && (this->*family.add)();
  }
  return false;
}

}  // namespace wick::testing_support
