#include "wick/runtime/placement.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "wick/ir/printer.h"
#include "wick/passes/buffer_place.h"

namespace wick::runtime {
namespace {

constexpr size_t kAlignment = 64;

std::optional<Place> runtime_place(const passes::BufferPlace& place) {
  switch (place.kind) {
    case passes::BufferPlace::Kind::arena:
      return Place{Place::Kind::arena, 0, place.offset};
    case passes::BufferPlace::Kind::result:
      return Place{Place::Kind::result, place.index, 0};
    case passes::BufferPlace::Kind::param:
      return Place{Place::Kind::param, place.index, 0};
    case passes::BufferPlace::Kind::constant:
      break;  // no step computes a constant
  }
  return std::nullopt;
}

/// Empty for a node that plan-memory has not seen.
std::vector<Place> planned_places(const ir::Node& node) {
  std::vector<Place> places;
  for (const std::string& text : node.attributes().texts("buffers")) {
    const std::optional<passes::BufferPlace> parsed = passes::parse_buffer_place(text);
    const std::optional<Place> place = parsed ? runtime_place(*parsed) : std::nullopt;
    if (!place) {
      throw std::logic_error(
          fmt::format("'{}' is no place for a result of: {}", text, ir::to_string(node)));
    }
    places.push_back(*place);
  }
  const bool complete = places.empty() || std::ssize(places) == node.num_results();
  check(complete, "plan-memory places every result of a node");
  return places;
}

bool is_computed(const ir::Node& node) {
  return node.op() != ir::OpKind::parameter && node.op() != ir::OpKind::constant &&
         !passes::is_alias(node);
}

class Placer {
 public:
  explicit Placer(const ir::Graph& graph) : graph_(graph) {
    placement_.places.resize(static_cast<size_t>(graph.id_bound()));
    cover_planned();
  }

  Placement run() {
    int num_parameters = 0;
    int num_constants = 0;
    for (ir::Node* node = graph_.first(); node != nullptr; node = node->next()) {
      std::vector<Place>& places = placement_.places[static_cast<size_t>(node->id())];
      if (node->op() == ir::OpKind::parameter) {
        places = {{Place::Kind::param, num_parameters++, 0}};
      } else if (node->op() == ir::OpKind::constant) {
        places = {{Place::Kind::constant, num_constants++, 0}};
      } else if (passes::is_alias(*node)) {
        places = {placement_.of(node->operand(0))};
      } else {
        places = places_of_computed(*node);
      }
    }
    return std::move(placement_);
  }

 private:
  std::vector<Place> places_of_computed(ir::Node& node) {
    std::vector<Place> places = planned_places(node);
    if (!places.empty()) return places;
    for (int i = 0; i < node.num_results(); ++i) {
      places.push_back(own_place({&node, i}));
      cover(places.back(), node.type(i).num_bytes());
    }
    return places;
  }

  void cover(const Place& place, size_t bytes) {
    if (place.kind != Place::Kind::arena) return;
    placement_.arena_bytes = std::max(placement_.arena_bytes, place.offset + bytes);
  }

  /// Values without a planned place go behind those with one.
  void cover_planned() {
    for (const ir::Node* node = graph_.first(); node != nullptr; node = node->next()) {
      if (!is_computed(*node)) continue;
      const std::vector<Place> places = planned_places(*node);
      for (size_t i = 0; i < places.size(); ++i) {
        cover(places[i], node->type(static_cast<int>(i)).num_bytes());
      }
    }
  }

  Place own_place(ir::Value value) {
    for (size_t k = 0; k < graph_.results().size(); ++k) {
      if (graph_.results()[k] == value) return {Place::Kind::result, static_cast<int>(k), 0};
    }
    const size_t offset = (placement_.arena_bytes + kAlignment - 1) / kAlignment * kAlignment;
    return {Place::Kind::arena, 0, offset};
  }

  const ir::Graph& graph_;
  Placement placement_;
};

}  // namespace

Placement place_values(const ir::Graph& graph) {
  return Placer(graph).run();
}

}  // namespace wick::runtime
