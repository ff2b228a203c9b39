// Sorts of which a part is read. The first few of an axis, and all of a short one, are picked one
// after the other: each is the greatest of what is left, by numbers that are in order as what is
// sorted is. A kernel does that for many rows at once, where a sort takes them one by one.

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "wick/passes/canonicalize_rules.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;
using Integers = std::vector<int64_t>;

/// What the keys of a dtype are, all of which are above `taken`; none has room below those of i64.
struct KeyForm {
  DType dtype = DType::i32;
  int64_t taken = std::numeric_limits<int32_t>::min();
  int64_t most = std::numeric_limits<int32_t>::max();
};

KeyForm key_form(DType dtype) {
  using Wide = std::numeric_limits<int64_t>;
  const bool is_wide = dtype == DType::f64 || dtype == DType::i32;
  return is_wide ? KeyForm{DType::i64, Wide::min(), Wide::max()} : KeyForm{};
}

class Picker {
 public:
  Picker(const Node& sort, RuleBuilder& build)
      : build_(build),
        x_(sort.operand(0)),
        axis_(sort.attributes().integer("axis", 0)),
        descends_(sort.attributes().flag("descending")),
        form_(key_form(x_.type().dtype)) {}

  /// Positions along the axis of the elements `first` to `end` of its order.
  Value pick(int64_t first, int64_t end) {
    Value keys = is_float(x_.type().dtype) ? keys_of_floats() : descend(cast(x_, form_.dtype));
    std::vector<Value> picked;
    for (int64_t i = 0; i < end; ++i) {
      const Value place =
          build_.op(OpKind::argmax, {keys}, {{"axes", Integers{axis_}}, {"keepdims", true}});
      if (i >= first) picked.push_back(place);
      if (i + 1 < end) keys = without(keys, place);
    }
    if (picked.size() == 1) return picked[0];
    return build_.op(OpKind::concat, std::move(picked), {{"axis", axis_}});
  }

 private:
  Value cast(Value x, DType dtype) {
    return x.type().dtype == dtype ? x : build_.op(OpKind::cast, {x}, {{"dtype", dtype}});
  }

  Value number(int64_t value) {
    return build_.constant(Literal::scalar_integer(form_.dtype, value));
  }

  /// Keys of which the greatest are first in the order.
  Value descend(Value keys) {
    return descends_ ? keys : build_.op(OpKind::bit_xor, {keys, number(-1)});
  }

  /// Bits of floats are in the order of their sizes: of negative ones in the reverse one. Zeros are
  /// equal, and so are all NaNs, which count as greater than other floats.
  Value keys_of_floats() {
    const Value x = x_.type().dtype == DType::f64 ? x_ : cast(x_, DType::f32);
    const DType dtype = x.type().dtype;
    const Value plain = build_.op(OpKind::add, {x, build_.scalar(dtype, 0)});
    const Value bits = build_.op(OpKind::bitcast, {plain}, {{"dtype", form_.dtype}});
    const auto last_bit = static_cast<int64_t>(8 * size_of(dtype) - 1);
    const Value sign = build_.op(OpKind::shift_right, {bits, number(last_bit)});
    const Value reversed = build_.op(OpKind::bit_and, {sign, number(form_.most)});
    const Value keys = descend(build_.op(OpKind::bit_xor, {bits, reversed}));
    const Value is_nan = build_.op(OpKind::ne, {x, x});
    const Value key_of_nan = number(descends_ ? form_.most : form_.taken + 1);
    return build_.op(OpKind::where, {is_nan, key_of_nan, keys});
  }

  Value without(Value keys, Value place) {
    const Shape& shape = x_.type().shape;
    const int64_t extent = shape[static_cast<int>(axis_)];
    Shape along = place.type().shape;
    for (int i = 0; i < along.ndim(); ++i)
      along.set(i, i == axis_ ? extent : 1);
    const Value numbers =
        build_.op(OpKind::iota,
                  {},
                  {{"axis", int64_t{0}}, {"dtype", DType::i32}, {"shape", Integers{extent}}});
    const Value is_taken =
        build_.op(OpKind::eq, {build_.reshape(numbers, along), cast(place, DType::i32)});
    return build_.op(OpKind::where, {is_taken, number(form_.taken), keys});
  }

  RuleBuilder& build_;
  Value x_;
  int64_t axis_;
  bool descends_;
  KeyForm form_;
};

/// Whether the slice is of neighbours in the order of all lanes.
bool is_window(const Node& slice, int axis) {
  Shape shape = slice.operand(0).type().shape;
  shape.set(axis, slice.type().shape[axis]);
  Integers starts = per_axis(slice, "starts", 0);
  starts[static_cast<size_t>(axis)] = 0;
  return shape == slice.type().shape && is_all(starts, 0) && is_all(per_axis(slice, "steps", 1), 1);
}

/// A sort of which few are read need not put the others in order.
Value slice_of_argsort(const Node& node, RuleBuilder& build) {
  const Node* inner = producer(node.operand(0), OpKind::argsort);
  if (inner == nullptr || inner->uses().size() > 1) return {};
  ir::Attributes attributes = inner->attributes();
  const auto axis = static_cast<int>(attributes.integer("axis", 0));
  if (!is_window(node, axis)) return {};
  const int64_t count = node.type().shape[axis];
  const int64_t start = per_axis(node, "starts", 0)[static_cast<size_t>(axis)];
  // An empty slice may start anywhere.
  attributes.set("start", count == 0 ? 0 : attributes.integer("start", 0) + start);
  attributes.set("count", count);
  return build.op(OpKind::argsort, {inner->operand(0)}, std::move(attributes));
}

/// Whether the rule above applies to it.
bool is_read_in_part(const Node& sort, int axis) {
  if (sort.uses().size() != 1 || sort.uses()[0].user == nullptr) return false;
  const Node& user = *sort.uses()[0].user;
  return user.op() == OpKind::slice && is_window(user, axis);
}

Value sort_by_picks(const Node& node, RuleBuilder& build) {
  constexpr int64_t kMostPicks = 8;
  constexpr int64_t kMostElements = 2048;  // that are looked at for a row
  const Type& x = node.operand(0).type();
  if (x.dtype == DType::i64) return {};
  const ir::Attributes& attributes = node.attributes();
  const auto axis = static_cast<int>(attributes.integer("axis", 0));
  const int64_t extent = x.shape[axis];
  const int64_t first = attributes.integer("start", 0);
  const int64_t end = first + node.type().shape[axis];
  if (x.numel() == 0 || end == first) return {};
  if (is_read_in_part(node, axis)) return {};
  if (end > kMostPicks || end * extent > kMostElements) return {};
  return Picker(node, build).pick(first, end);
}

const Rule kSortRules[] = {
    {"slice-of-argsort", OpKind::slice, slice_of_argsort},
    {"sort-by-picks", OpKind::argsort, sort_by_picks},
};

}  // namespace

std::span<const Rule> sort_rules() {
  return kSortRules;
}

}  // namespace wick::passes
