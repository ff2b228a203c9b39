#include "resize.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "edits.h"
#include "measure.h"

#include "wick/ir/custom_op.h"
#include "wick/ir/error.h"

namespace wick::reduce {

namespace {

std::vector<int64_t> extents_of(const Shape& shape) {
  return {shape.begin(), shape.end()};
}

Shape shape_of(const std::vector<int64_t>& extents) {
  return Shape(std::span(extents));
}

int64_t product(const std::vector<int64_t>& extents) {
  return shape_of(extents).numel();
}

/// The first elements of a literal along each axis.
Literal cropped(const Literal& literal, const Shape& shape) {
  const Type type{literal.type().dtype, shape};
  Literal result(type);
  const size_t width = size_of(type.dtype);
  const std::vector<int64_t> strides = row_major_strides(literal.type().shape);
  std::vector<int64_t> position(static_cast<size_t>(shape.ndim()));
  for (int64_t i = 0; i < shape.numel(); ++i) {
    int64_t source = 0;
    for (size_t axis = 0; axis < position.size(); ++axis)
      source += position[axis] * strides[axis];
    std::memcpy(result.data() + static_cast<size_t>(i) * width,
                literal.data() + static_cast<size_t>(source) * width,
                width);
    for (size_t axis = position.size(); axis-- > 0;) {
      if (++position[axis] < shape[static_cast<int>(axis)]) break;
      position[axis] = 0;
    }
  }
  return result;
}

/// Builds the smaller program, node by node. Throws Error where an op does not fit.
class Resizer {
 public:
  Resizer(int64_t from, int64_t to) : from_(from), to_(to) {}

  using Extents = std::vector<int64_t>;
  /// The new type of a parameter, given with its number.
  using TypeOf = std::function<Type(size_t, const ir::Node&)>;

  std::unique_ptr<ir::Graph> rebuild(const ir::Graph& graph, const TypeOf& type_of);
  [[nodiscard]] Extents substituted(Extents extents) const;

 private:
  using Values = std::unordered_map<const ir::Node*, ir::Node*>;

  [[nodiscard]] Extents adapted(const Extents& extents) const;
  [[nodiscard]] ir::Attributes attributes_of(const ir::Node& node,
                                             const std::vector<ir::Value>& operands) const;
  [[nodiscard]] Extents reshape_to(const ir::Node& node, const Type& operand) const;
  [[nodiscard]] Extents broadcast_to(const ir::Node& node, const Type& operand) const;
  static Extents slice_sizes(const ir::Node& node, const Type& operand);
  ir::Node* copy(const ir::Node& node, std::vector<ir::Value> operands, ir::Graph& target);

  int64_t from_;
  int64_t to_;
  /// What shapes seen before have become: attributes name the shapes of earlier values.
  std::map<Extents, Extents> seen_;
};

Resizer::Extents Resizer::substituted(Extents extents) const {
  for (int64_t& extent : extents) {
    if (extent == from_) extent = to_;
  }
  return extents;
}

Resizer::Extents Resizer::adapted(const Extents& extents) const {
  const auto found = seen_.find(extents);
  return found == seen_.end() ? substituted(extents) : found->second;
}

/// Flattening multiplies extents, so one of the result's may be what the others leave.
Resizer::Extents Resizer::reshape_to(const ir::Node& node, const Type& operand) const {
  const Extents& old = node.attributes().integers("shape");
  const Extents wanted = adapted(old);
  if (product(wanted) == operand.numel()) return wanted;
  for (size_t axis = 0; axis < old.size(); ++axis) {
    Extents trial = substituted(old);
    trial[axis] = 1;
    const int64_t rest = product(trial);
    if (rest == 0 || operand.numel() % rest != 0) continue;
    trial[axis] = operand.numel() / rest;
    if (trial[axis] <= old[axis]) return trial;
  }
  return wanted;
}

Resizer::Extents Resizer::broadcast_to(const ir::Node& node, const Type& operand) const {
  const Extents& old = node.attributes().integers("shape");
  const Shape& old_operand = node.operand(0).type().shape;
  Extents wanted = adapted(old);
  for (int i = 1; i <= operand.shape.ndim(); ++i) {
    const size_t axis = old.size() - static_cast<size_t>(i);
    if (old_operand[old_operand.ndim() - i] == old[axis])
      wanted[axis] = operand.shape[operand.shape.ndim() - i];
  }
  return wanted;
}

/// Axes taken whole stay whole.
Resizer::Extents Resizer::slice_sizes(const ir::Node& node, const Type& operand) {
  Extents sizes = node.attributes().integers("sizes");
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    const auto i = static_cast<int>(axis);
    if (sizes[axis] == node.operand(0).type().shape[i]) sizes[axis] = operand.shape[i];
  }
  return sizes;
}

ir::Attributes Resizer::attributes_of(const ir::Node& node,
                                      const std::vector<ir::Value>& operands) const {
  ir::Attributes attributes = node.attributes();
  attributes.erase("buffers");
  switch (node.op()) {
    case ir::OpKind::reshape:
      attributes.set("shape", reshape_to(node, operands[0].type()));
      return attributes;
    case ir::OpKind::broadcast:
      attributes.set("shape", broadcast_to(node, operands[0].type()));
      return attributes;
    case ir::OpKind::slice:
      attributes.set("sizes", slice_sizes(node, operands[0].type()));
      return attributes;
    case ir::OpKind::constant: {
      const Literal& value = node.attributes().literal("value");
      const Extents extents = substituted(extents_of(value.type().shape));
      attributes.set("value", cropped(value, Shape(std::span(extents))));
      return attributes;
    }
    default:
      for (const char* name : {"shape", "input_shape", "weight_shape"}) {
        if (attributes.has(name)) attributes.set(name, adapted(node.attributes().integers(name)));
      }
      return attributes;
  }
}

// Recursive in the nesting of fusions only, which the verifier keeps at one.
ir::Node* Resizer::copy(const ir::Node& node, std::vector<ir::Value> operands, ir::Graph& target) {
  ir::Attributes attributes = attributes_of(node, operands);
  if (ir::is_unregistered(node))
    throw Error(node.location(), node.op_name(), "no rule for its type");
  if (node.op() != ir::OpKind::fusion) {
    return target.add(node.op(), std::move(operands), std::move(attributes), node.location());
  }
  auto body = rebuild(*node.body(), [&](size_t i, const ir::Node&) { return operands[i].type(); });
  return target.add_fusion(
      std::move(operands), std::move(body), std::move(attributes), node.location());
}

std::unique_ptr<ir::Graph> Resizer::rebuild(const ir::Graph& graph, const TypeOf& type_of) {
  auto result = std::make_unique<ir::Graph>(graph.name());
  Values values;
  const auto note = [&](const ir::Node& old, ir::Node* now) {
    values[&old] = now;
    for (int i = 0; i < old.num_results(); ++i) {
      if (!old.name(i).empty()) now->set_name(old.name(i), i);
      seen_.emplace(extents_of(old.type(i).shape), extents_of(now->type(i).shape));
    }
  };
  size_t index = 0;
  for (const ir::Node* parameter : graph.parameters()) {
    ir::Node* now = result->add_parameter(
        type_of(index++, *parameter), parameter->name(), parameter->attributes());
    now->set_location(parameter->location());
    note(*parameter, now);
  }
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (node->op() == ir::OpKind::parameter) continue;
    std::vector<ir::Value> operands;
    for (const ir::Value& operand : node->operands())
      operands.push_back({values.at(operand.node), operand.index});
    note(*node, copy(*node, std::move(operands), *result));
  }
  for (const ir::Value& value : graph.results())
    result->add_result({values.at(value.node), value.index});
  return result;
}

/// Null where an op does not fit.
std::unique_ptr<ir::Graph> built(const std::function<std::unique_ptr<ir::Graph>()>& build) {
  try {
    return build();
  } catch (const Error&) {  // of infer_type
    return nullptr;
  }
}

}  // namespace

std::vector<int64_t> leaf_extents(const ir::Graph& graph) {
  std::set<int64_t, std::greater<>> extents;
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (node->num_operands() > 0) continue;
    for (const int64_t extent : node->type().shape) {
      if (extent > 1) extents.insert(extent);
    }
  }
  return {extents.begin(), extents.end()};
}

std::unique_ptr<ir::Graph> resized(const ir::Graph& graph, int64_t from, int64_t to) {
  Resizer resizer(from, to);
  return built([&] {
    return resizer.rebuild(graph, [&](size_t, const ir::Node& parameter) {
      const Shape& shape = parameter.type().shape;
      return Type{parameter.type().dtype, shape_of(resizer.substituted(extents_of(shape)))};
    });
  });
}

std::unique_ptr<ir::Graph> resized_axis(const ir::Graph& graph,
                                        const ir::Node& parameter,
                                        int axis,
                                        int64_t to) {
  constexpr int64_t kNone = -1;
  Resizer resizer(kNone, kNone);
  return built([&] {
    return resizer.rebuild(graph, [&](size_t, const ir::Node& node) {
      Type type = node.type();
      if (&node == &parameter) type.shape.set(axis, to);
      return type;
    });
  });
}

namespace {

/// 1, then from a half to one less.
std::vector<int64_t> smaller_extents(int64_t extent) {
  std::set<int64_t> smaller{1};
  for (int64_t less = extent / 2; less > 0; less /= 2)
    smaller.insert(extent - less);
  return {smaller.begin(), smaller.end()};
}

}  // namespace

std::vector<Edit> collapse_extents(const ir::Graph& graph) {
  std::vector<std::pair<int64_t, int64_t>> by_size;  // elements that are left, extent
  for (const int64_t extent : leaf_extents(graph)) {
    const auto smaller = resized(graph, extent, 1);
    if (smaller != nullptr) by_size.emplace_back(measure(*smaller).elements, extent);
  }
  std::ranges::sort(by_size);
  std::vector<Edit> edits;
  for (const auto& [elements, extent] : by_size)
    edits.emplace_back([&graph, extent = extent] { return resized(graph, extent, 1); });
  return edits;
}

std::vector<Edit> shrink_extents(const ir::Graph& graph) {
  std::vector<Edit> edits;
  for (const int64_t extent : leaf_extents(graph)) {
    for (const int64_t to : smaller_extents(extent))
      edits.emplace_back([&graph, extent, to] { return resized(graph, extent, to); });
  }
  for (const ir::Node* parameter : graph.parameters()) {
    const Shape& shape = parameter->type().shape;
    for (int axis = 0; axis < shape.ndim(); ++axis) {
      if (shape[axis] <= 1) continue;
      for (const int64_t to : smaller_extents(shape[axis])) {
        edits.emplace_back(
            [&graph, parameter, axis, to] { return resized_axis(graph, *parameter, axis, to); });
      }
    }
  }
  return edits;
}

}  // namespace wick::reduce
