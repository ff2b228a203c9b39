// Families that reduce, move, index and contract; see random_graph.h.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "random_graph_generator.h"

#include "wick/ir/error.h"

namespace wick::testing_support {

using ir::OpKind;

namespace {

bool is_finite(const Entry& e) {
  return std::isfinite(e.fact.bound);
}

bool always(const Entry& /*e*/) {
  return true;
}

Shape shape_of(const std::vector<int64_t>& extents) {
  return Shape(std::span<const int64_t>(extents));
}

std::vector<int64_t> extents_of(const Entry& e) {
  const Shape& shape = e.value.type().shape;
  return {shape.begin(), shape.end()};
}

/// Fact of a sum of n products of the two factors' elements.
Fact contraction(const Fact& a, const Fact& b, double n, double epsilon) {
  const double bound = a.bound * b.bound * n;
  const double error = n * (a.error * b.bound + b.error * a.bound) + epsilon * bound;
  return {.bound = bound, .error = error, .exact = false};
}

}  // namespace

bool Generator::reduce_float() {
  const auto x = pick(is_finite_float);
  if (!x) return false;
  const Type& type = x->value.type();
  ir::Attributes attributes = {{"axes", random_axes(type.shape.ndim())}};
  double n = 1;
  for (const int64_t axis : attributes.integers("axes")) {
    n *= static_cast<double>(type.shape[static_cast<int>(axis)]);
  }
  if (random_.chance(0.4)) attributes.set("keepdims", true);
  static const std::vector<OpKind> kOps = {OpKind::reduce_sum,
                                           OpKind::reduce_sum,
                                           OpKind::reduce_max,
                                           OpKind::reduce_min,
                                           OpKind::reduce_prod};
  const OpKind op = random_.pick(kOps);
  Fact fact = x->fact;
  if (op == OpKind::reduce_sum) {
    fact = rounded(std::max(n, 1.0) * fact.bound, n * fact.error, type.dtype);
  } else if (op == OpKind::reduce_prod) {
    if (n > 12) return false;
    const double bound = std::pow(std::max(fact.bound, 1.0), n);
    fact = rounded(bound, n * (fact.error + epsilon(type.dtype)) * bound, type.dtype);
  }
  return fact.bound <= 2000 && add(op, {*x}, fact, std::move(attributes)).has_value();
}

bool Generator::reduce_exact() {
  const auto x = pick([](const Entry& e) { return !is_float(e.value.type().dtype); });
  if (!x) return false;
  ir::Attributes attributes = {{"axes", random_axes(x->value.type().shape.ndim())}};
  if (random_.chance(0.4)) attributes.set("keepdims", true);
  static const std::vector<OpKind> kOps = {
      OpKind::reduce_sum, OpKind::reduce_prod, OpKind::reduce_max, OpKind::reduce_min};
  const OpKind op = random_.pick(kOps);
  Fact fact = x->fact;
  if (op == OpKind::reduce_sum || op == OpKind::reduce_prod) {
    fact.bound = x->value.type().dtype == DType::bool_ ? 1 : HUGE_VAL;
  }
  return add(op, {*x}, fact, std::move(attributes)).has_value();
}

bool Generator::arg_reduce() {
  const auto x =
      pick([](const Entry& e) { return e.fact.exact && e.value.type().dtype != DType::bool_; });
  if (!x) return false;
  ir::Attributes attributes = {{"axes", random_axes(x->value.type().shape.ndim())}};
  if (random_.chance(0.4)) attributes.set("keepdims", true);
  const Fact fact{.bound = static_cast<double>(x->value.type().numel())};
  return add(OpKind::argmax, {*x}, fact, std::move(attributes)).has_value();
}

bool Generator::broadcast() {
  const auto x = pick(always);
  std::vector<int64_t> extents = extents_of(*x);
  for (int64_t& extent : extents) {
    if (extent == 1 && random_.chance(0.6)) extent = random_.between(1, 9);
  }
  if (extents.size() < 4 && random_.chance(0.6)) {
    extents.insert(extents.begin(), random_.between(1, 6));
  }
  return add(OpKind::broadcast, {*x}, x->fact, {{"shape", extents}}).has_value();
}

bool Generator::reshape() {
  const auto x = pick(always);
  // Moves factors between the axes of a random number of them.
  std::vector<int64_t> extents(static_cast<size_t>(random_.between(1, 4)), 1);
  int64_t left = x->value.type().numel();
  for (int64_t factor = 2; left > 1; ++factor) {
    while (left % factor == 0) {
      extents[random_.below(extents.size())] *= factor;
      left /= factor;
    }
  }
  if (left == 0) extents[0] = 0;
  if (x->value.type().numel() == 1 && random_.chance(0.5)) extents.clear();
  return add(OpKind::reshape, {*x}, x->fact, {{"shape", extents}}).has_value();
}

bool Generator::permute() {
  const auto x = pick([](const Entry& e) { return e.value.type().shape.ndim() >= 2; });
  if (!x) return false;
  Axes axes(static_cast<size_t>(x->value.type().shape.ndim()));
  std::iota(axes.begin(), axes.end(), 0);
  for (size_t i = axes.size(); i > 1; --i) {
    std::swap(axes[i - 1], axes[random_.below(i)]);
  }
  return add(OpKind::permute, {*x}, x->fact, {{"axes", axes}}).has_value();
}

bool Generator::slice() {
  const auto x = pick([](const Entry& e) { return e.value.type().shape.ndim() >= 1; });
  if (!x) return false;
  std::vector<int64_t> starts;
  std::vector<int64_t> sizes;
  std::vector<int64_t> steps;
  for (const int64_t extent : extents_of(*x)) {
    int64_t step = random_.chance(0.6) ? 1 : random_.between(1, 3);
    int64_t start = extent == 0 || random_.chance(0.4) ? 0 : random_.between(0, extent - 1);
    const int64_t most = extent == 0 ? 0 : (extent - 1 - start) / step + 1;
    const int64_t size = random_.chance(0.03) ? 0 : random_.between(most == 0 ? 0 : 1, most);
    if (size > 0 && random_.chance(0.25)) {  // the same elements from the other end
      start += (size - 1) * step;
      step = -step;
    }
    starts.push_back(start);
    sizes.push_back(size);
    steps.push_back(step);
  }
  ir::Attributes attributes = {{"sizes", sizes}, {"starts", starts}, {"steps", steps}};
  return add(OpKind::slice, {*x}, x->fact, std::move(attributes)).has_value();
}

bool Generator::concat() {
  const auto x = pick([](const Entry& e) { return e.value.type().shape.ndim() >= 1; });
  if (!x) return false;
  const Type type = x->value.type();
  const auto axis = static_cast<int>(random_.below(static_cast<size_t>(type.shape.ndim())));
  std::vector<Entry> operands = {*x};
  Fact fact = x->fact;
  for (int64_t more = random_.between(0, 2); more > 0; --more) {
    const auto other = pick([&](const Entry& e) {
      Type wanted = type;
      if (e.value.type().shape.ndim() != type.shape.ndim()) return false;
      wanted.shape.set(axis, e.value.type().shape[axis]);
      return e.value.type() == wanted;
    });
    operands.push_back(*other);  // x itself passes
    fact = {.bound = std::max(fact.bound, other->fact.bound),
            .error = std::max(fact.error, other->fact.error),
            .exact = fact.exact && other->fact.exact};
  }
  std::swap(operands.front(), operands[random_.below(operands.size())]);
  return add(OpKind::concat, operands, fact, {{"axis", int64_t{axis}}}).has_value();
}

bool Generator::pad() {
  const auto x = pick([](const Entry& e) { return e.value.type().shape.ndim() >= 1; });
  if (!x) return false;
  std::vector<int64_t> low;
  std::vector<int64_t> high;
  std::vector<int64_t> interior;
  for (int axis = 0; axis < x->value.type().shape.ndim(); ++axis) {
    low.push_back(random_.chance(0.5) ? 0 : random_.between(-1, 2));
    high.push_back(random_.chance(0.5) ? 0 : random_.between(-1, 2));
    interior.push_back(random_.chance(0.8) ? 0 : random_.between(1, 2));
  }
  const DType dtype = x->value.type().dtype;
  const Entry value = random_.chance(0.7) ? scalar(dtype, static_cast<double>(random_.below(2)))
                                          : parameter({dtype, {}});
  Fact fact = x->fact;
  fact.bound = std::max(fact.bound, value.fact.bound);
  return add(OpKind::pad, {*x, value}, fact, {{"low", low}, {"high", high}, {"interior", interior}})
      .has_value();
}

bool Generator::gather() {
  const auto x = pick([](const Entry& e) { return e.value.type().shape.ndim() >= 1; });
  if (!x) return false;
  const auto found = pick([](const Entry& e) {
    const Type& type = e.value.type();
    return (type.dtype == DType::i32 || type.dtype == DType::i64) && type.shape.ndim() <= 2;
  });
  const DType dtype = random_.chance(0.5) ? DType::i32 : DType::i64;
  const Entry indices =
      found && random_.chance(0.6) ? *found : parameter({dtype, {random_.between(1, 6)}});
  const auto axis =
      static_cast<int64_t>(random_.below(static_cast<size_t>(x->value.type().shape.ndim())));
  if (!random_.chance(0.4)) {
    return add(OpKind::gather, {*x, indices}, x->fact, {{"axis", axis}}).has_value();
  }
  std::vector<int64_t> places = extents_of(*x);
  places[static_cast<size_t>(axis)] = random_.between(1, 6);
  const Entry beside = parameter({dtype, shape_of(places)});
  return add(OpKind::gather, {*x, beside}, x->fact, {{"along", true}, {"axis", axis}}).has_value();
}

bool Generator::scatter() {
  const auto x = pick([](const Entry& e) {
    return e.value.type().shape.ndim() >= 1 && e.value.type().dtype != DType::bool_ &&
           is_finite(e) && e.value.type().numel() > 0;
  });
  if (!x) return false;
  const Type type = x->value.type();
  const auto axis = random_.below(static_cast<size_t>(type.shape.ndim()));
  const int64_t count = random_.between(0, 6);
  std::vector<int64_t> extents = extents_of(*x);
  extents[axis] = count;
  const bool along = random_.chance(0.5);
  const Entry indices = parameter(
      {random_.chance(0.5) ? DType::i32 : DType::i64, along ? shape_of(extents) : Shape{count}});
  const Entry updates = parameter({type.dtype, shape_of(extents)});
  const double n = static_cast<double>(count);
  Fact fact = rounded(
      x->fact.bound + n * updates.fact.bound, x->fact.error + n * updates.fact.error, type.dtype);
  if (!is_float(type.dtype)) fact = {.bound = fact.bound};
  ir::Attributes attributes{{"axis", static_cast<int64_t>(axis)}};
  if (along) attributes.set("along", true);
  return add(OpKind::scatter, {*x, indices, updates}, fact, std::move(attributes)).has_value();
}

bool Generator::scan() {
  const auto x = pick([](const Entry& e) {
    return e.value.type().shape.ndim() >= 1 && e.value.type().dtype != DType::bool_ && is_finite(e);
  });
  if (!x) return false;
  const Type type = x->value.type();
  const auto axis = random_.below(static_cast<size_t>(type.shape.ndim()));
  const bool sums = random_.chance(0.5);
  const auto n = static_cast<double>(type.shape[static_cast<int>(axis)]);
  Fact fact = sums ? rounded(n * x->fact.bound, n * x->fact.error, type.dtype) : x->fact;
  if (!is_float(type.dtype)) fact = {.bound = fact.bound};
  ir::Attributes attributes = {{"axis", static_cast<int64_t>(axis)},
                               {"kind", std::string(sums ? "sum" : "max")}};
  if (random_.chance(0.5)) attributes.set("reverse", true);
  return add(OpKind::scan, {*x}, fact, std::move(attributes)).has_value();
}

bool Generator::argsort() {
  const auto x =
      pick([](const Entry& e) { return e.fact.exact && e.value.type().shape.ndim() >= 1; });
  if (!x) return false;
  const Shape& shape = x->value.type().shape;
  const auto axis = static_cast<int64_t>(random_.below(static_cast<size_t>(shape.ndim())));
  ir::Attributes attributes = {{"axis", axis}};
  if (random_.chance(0.5)) attributes.set("descending", true);
  const int64_t extent = shape[static_cast<int>(axis)];
  if (random_.chance(0.5)) {
    const auto start = static_cast<int64_t>(random_.below(static_cast<size_t>(extent) + 1));
    const auto most = static_cast<size_t>(extent - start);
    attributes.set("start", start);
    attributes.set("count", static_cast<int64_t>(random_.below(most + 1)));
  }
  const Fact fact{.bound = static_cast<double>(extent)};
  return add(OpKind::argsort, {*x}, fact, std::move(attributes)).has_value();
}

bool Generator::barrier() {
  const auto x = pick([](const Entry&) { return true; });
  const auto after = pick([](const Entry&) { return true; });
  return x && after && add(OpKind::barrier, {*x, *after}, x->fact).has_value();
}

bool Generator::source() {
  const Type type{random_dtype(), random_shape()};
  if (random_.chance(0.5) && type.shape.ndim() > 0 && type.dtype != DType::bool_) {
    const auto axis = static_cast<int64_t>(random_.below(static_cast<size_t>(type.shape.ndim())));
    return add(OpKind::iota,
               {},
               {.bound = static_cast<double>(type.shape[static_cast<int>(axis)])},
               {{"axis", axis},
                {"dtype", type.dtype},
                {"shape", Axes(type.shape.begin(), type.shape.end())}})
        .has_value();
  }
  Literal literal(type);
  visit_dtype(type.dtype, [&]<typename T>() {
    for (T& element : literal.mutable_values<T>()) {
      element = static_cast<T>(static_cast<float>(random_.between(0, 8)) / 4);
    }
  });
  return add(OpKind::constant, {}, {.bound = 2}, {{"value", literal}}).has_value();
}

bool Generator::random_bits() {
  const Entry key = random_.chance(0.5) ? scalar(DType::i64, 7) : parameter({DType::i64, {}});
  const Entry offset = parameter({DType::i64, {}});
  const Shape shape = random_shape();
  return add(OpKind::random_bits,
             {key, offset},
             {.bound = HUGE_VAL},
             {{"shape", Axes(shape.begin(), shape.end())}})
      .has_value();
}

bool Generator::matmul() {
  const auto x = pick([](const Entry& e) {
    return e.value.type().shape.ndim() >= 2 && e.value.type().dtype != DType::bool_ && is_finite(e);
  });
  if (!x) return false;
  const Type type = x->value.type();
  const bool transposes[2] = {random_.chance(0.3), random_.chance(0.3)};
  const int64_t k = type.shape[type.shape.ndim() - (transposes[0] ? 2 : 1)];
  std::vector<int64_t> extents = {k, random_.between(1, 17)};
  if (transposes[1]) std::swap(extents[0], extents[1]);
  if (type.shape.ndim() == 3 && random_.chance(0.5)) {
    extents.insert(extents.begin(), random_.chance(0.3) ? 1 : type.shape[0]);
  }
  const Type wanted{type.dtype, shape_of(extents)};
  const auto found = pick([&](const Entry& e) { return e.value.type() == wanted && is_finite(e); });
  const Entry y = found ? *found : parameter(wanted);
  ir::Attributes attributes;
  if (transposes[0]) attributes.set("transpose_lhs", true);
  if (transposes[1]) attributes.set("transpose_rhs", true);
  Fact fact = contraction(
      x->fact, y.fact, static_cast<double>(std::max<int64_t>(k, 1)), epsilon(type.dtype));
  if (!is_float(type.dtype)) fact = {.bound = fact.bound};
  return add(OpKind::matmul, {*x, y}, fact, std::move(attributes)).has_value();
}

std::optional<Entry> Generator::pick_image(bool exact_only) {
  const auto found = pick([&](const Entry& e) {
    return is_finite_float(e) && e.value.type().shape.ndim() == 4 && (!exact_only || e.fact.exact);
  });
  if (found && random_.chance(0.6)) return found;
  const DType dtype = random_.chance(0.9) ? DType::f32 : DType::f64;
  return parameter({dtype,
                    {random_.between(1, 3),
                     random_.between(1, 4),
                     random_.between(3, 9),
                     random_.between(3, 9)}});
}

bool Generator::conv() {
  const auto x = pick_image(false);
  const Type type = x->value.type();
  const int64_t channels = type.shape[1];
  const int64_t groups = channels > 0 && channels % 2 == 0 && random_.chance(0.3) ? 2 : 1;
  const Entry w = parameter({type.dtype,
                             {groups * random_.between(1, 3),
                              channels / groups,
                              random_.between(1, 3),
                              random_.between(1, 3)}});
  const double n = static_cast<double>(channels / groups * 9);
  return add(OpKind::conv,
             {*x, w},
             contraction(x->fact, w.fact, std::max(n, 1.0), epsilon(type.dtype)),
             {{"stride", Axes{random_.between(1, 2), random_.between(1, 2)}},
              {"padding", Axes{random_.between(0, 2), random_.between(0, 1)}},
              {"dilation", Axes{random_.chance(0.8) ? 1 : 2, 1}},
              {"groups", groups}})
      .has_value();
}

/// The gradients of the convolution of an image with a filter, for a new cotangent.
bool Generator::conv_grad() {
  const auto x = pick_image(false);
  const Type type = x->value.type();
  const Entry w =
      parameter({type.dtype, {random_.between(1, 4), type.shape[1], random_.between(1, 3), 2}});
  const ir::Attributes window = {{"stride", Axes{random_.between(1, 2), 1}},
                                 {"padding", Axes{random_.between(0, 1), random_.between(0, 1)}}};
  Type result;
  try {
    const Type* types[] = {&type, &w.value.type()};
    result = ir::infer_type(OpKind::conv, types, window, {});
  } catch (const Error&) {
    return false;
  }
  const Entry cotangent = parameter(result);
  ir::Attributes attributes = window;
  const bool for_input = random_.chance(0.5);
  const Entry& other = for_input ? w : *x;
  const Entry shaped = for_input ? *x : w;
  attributes.set(for_input ? "input_shape" : "weight_shape", extents_of(shaped));
  const double n =
      for_input ? static_cast<double>(w.value.type().numel()) : static_cast<double>(result.numel());
  const Fact fact = contraction(other.fact, cotangent.fact, std::max(n, 1.0), epsilon(type.dtype));
  return (for_input ? add(OpKind::conv_input_grad, {cotangent, w}, fact, std::move(attributes))
                    : add(OpKind::conv_weight_grad, {*x, cotangent}, fact, std::move(attributes)))
      .has_value();
}

ir::Attributes Generator::pool_attributes() {
  const Axes kernel = {random_.between(1, 3), random_.between(1, 3)};
  ir::Attributes attributes = {
      {"kernel", kernel},
      {"stride", random_.chance(0.5) ? kernel : Axes{1, 2}},
      {"padding", Axes{random_.between(0, kernel[0] - 1), random_.between(0, kernel[1] / 2)}}};
  return attributes;
}

bool Generator::pool2d() {
  const auto x = pick_image(false);
  const DType dtype = x->value.type().dtype;
  ir::Attributes attributes = pool_attributes();
  if (random_.chance(0.5)) {
    return add(OpKind::max_pool2d, {*x}, x->fact, std::move(attributes)).has_value();
  }
  if (random_.chance(0.5)) attributes.set("exclude_padding", true);
  return add(OpKind::avg_pool2d,
             {*x},
             rounded(x->fact.bound, x->fact.error, dtype),
             std::move(attributes))
      .has_value();
}

bool Generator::pool2d_grad() {
  const auto x = pick_image(true);  // the place of the largest element jumps
  const Type type = x->value.type();
  ir::Attributes attributes = pool_attributes();
  Type result;
  try {
    const Type* types[] = {&type};
    result = ir::infer_type(OpKind::max_pool2d, types, attributes, {});
  } catch (const Error&) {
    return false;
  }
  const Entry cotangent = parameter(result);
  const Fact fact = rounded(9 * kInputBound, 0, type.dtype);
  if (random_.chance(0.5)) {
    const Fact number{.bound = 9};
    ir::Attributes of_numbers = attributes;
    of_numbers.set("argmax", true);
    const auto argmax = add(OpKind::max_pool2d, {*x}, number, std::move(of_numbers));
    if (!argmax) return false;
    attributes.set("input_shape", extents_of(*x));
    return add(OpKind::max_pool2d_grad, {*argmax, cotangent}, fact, std::move(attributes))
        .has_value();
  }
  if (random_.chance(0.5)) attributes.set("exclude_padding", true);
  attributes.set("input_shape", extents_of(*x));
  return add(OpKind::avg_pool2d_grad, {cotangent}, fact, std::move(attributes)).has_value();
}

}  // namespace wick::testing_support
