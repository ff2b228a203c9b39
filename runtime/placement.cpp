#include "wick/runtime/placement.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "wick/ir/printer.h"

namespace wick::runtime {
namespace {

constexpr size_t kAlignment = 64;

std::optional<size_t> number_after(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Place parse_place(const ir::Node& node, std::string_view text) {
  using Kind = Place::Kind;
  if (const auto offset = number_after(text, "arena+")) return {Kind::arena, 0, *offset};
  if (const auto k = number_after(text, "result:")) return {Kind::result, static_cast<int>(*k), 0};
  if (const auto p = number_after(text, "param:")) return {Kind::param, static_cast<int>(*p), 0};
  throw std::logic_error(
      fmt::format("unknown place '{}' in attribute buffers of: {}", text, ir::to_string(node)));
}

class Placer {
 public:
  explicit Placer(const ir::Graph& graph) : graph_(graph) {
    placement_.places.resize(static_cast<size_t>(graph.id_bound()));
    leave_unplanned_arena_free();
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
      } else if (node->op() == ir::OpKind::reshape) {
        places = {placement_.of(node->operand(0))};
      } else {
        places = places_of_made(*node);
      }
    }
    return std::move(placement_);
  }

 private:
  std::vector<Place> places_of_made(ir::Node& node) {
    std::vector<Place> places;
    const std::vector<std::string>& texts = node.attributes().texts("buffers");
    for (int i = 0; i < node.num_results(); ++i) {
      const bool planned = !texts.empty();
      places.push_back(planned ? parse_place(node, texts.at(static_cast<size_t>(i)))
                               : own_place({&node, i}));
      cover(places.back(), node.type(i).num_bytes());
    }
    return places;
  }

  void cover(const Place& place, size_t bytes) {
    if (place.kind != Place::Kind::arena) return;
    placement_.arena_bytes = std::max(placement_.arena_bytes, place.offset + bytes);
  }

  /// Values without a planned place go behind those with one.
  void leave_unplanned_arena_free() {
    for (ir::Node* node = graph_.first(); node != nullptr; node = node->next()) {
      const std::vector<std::string>& texts = node->attributes().texts("buffers");
      if (texts.empty() || node->op() == ir::OpKind::reshape) continue;
      for (int i = 0; i < node->num_results(); ++i) {
        if (static_cast<size_t>(i) >= texts.size()) break;
        const auto offset = number_after(texts[static_cast<size_t>(i)], "arena+");
        if (offset) cover({Place::Kind::arena, 0, *offset}, node->type(i).num_bytes());
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
