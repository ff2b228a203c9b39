#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "wick/ir/check.h"
#include "wick/passes/arena_placement.h"
#include "wick/passes/buffer_place.h"
#include "wick/passes/plan_memory.h"
#include "wick/passes/storage_classes.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using Kind = BufferPlace::Kind;

/// The storage that result i was allowed to overwrite and that lies where the result lies, or -1.
int overwritten_storage(const StorageClasses& classes, const Node& node, int i) {
  const int number = operand_to_overwrite(node, i);
  if (number < 0) return -1;
  const ir::Value operand = node.operand(number);
  const int old = classes.of(operand);
  const Storage& storage = classes.storage(operand);
  const bool dies = storage.end == classes.position(node);
  BufferPlace place{.kind = Kind::param, .index = storage.parameter};
  if (storage.root == Storage::Root::constant) return -1;
  if (storage.root == Storage::Root::computed) {
    const Node* home = operand.node;
    place = place_of(*home, operand.index);
  }
  return dies && place == place_of(node, i) ? old : -1;
}

bool computes(const Node& node) {
  return node.op() != OpKind::parameter && node.op() != OpKind::constant && !is_alias(node);
}

/// Walks the nodes and keeps, for each moment, the bytes that hold a value still needed.
class PlanVerifier {
 public:
  explicit PlanVerifier(const ir::Graph& graph)
      : graph_(graph),
        classes_(graph),
        dying_(static_cast<size_t>(classes_.num_positions()) + 1),
        range_of_(classes_.storages().size(), busy_.end()) {}

  std::optional<std::string> verify() {
    occupy_parameters();
    for (Node* node = graph_.first(); node != nullptr; node = node->next()) {
      if (node->op() == OpKind::parameter) continue;
      check_annotation(*node);
      if (!flaw_ && computes(*node)) occupy_results(*node);
      if (flaw_) return flaw_;
      for (const int id : dying_[static_cast<size_t>(classes_.position(*node))]) {
        release(id);
      }
    }
    return flaw_;
  }

 private:
  /// Kind, index and offset of the first byte; the arena is one space, each buffer another.
  using Start = std::tuple<Kind, int, size_t>;

  struct Range {
    size_t bytes = 0;
    int storage = 0;
  };

  using Busy = std::map<Start, Range>;

  void occupy_parameters() {
    for (Node* parameter : graph_.parameters()) {
      const int id = classes_.of(parameter->result());
      const Storage& storage = classes_.storages()[static_cast<size_t>(id)];
      const bool writable =
          parameter->attributes().flag("donate") && !parameter->attributes().flag("scalar");
      occupy(id,
             {.kind = Kind::param, .index = storage.parameter},
             writable ? storage.end : classes_.num_positions(),
             *parameter);
    }
    for (const Node* parameter : graph_.parameters()) {
      for (const int id : dying_[static_cast<size_t>(classes_.position(*parameter))]) {
        release(id);
      }
    }
  }

  void check_annotation(const Node& node) {
    const std::vector<std::string>& buffers = node.attributes().texts("buffers");
    if (static_cast<int>(buffers.size()) != node.num_results()) {
      return fail(node,
                  fmt::format("has {} buffers, {} results", buffers.size(), node.num_results()));
    }
    for (const std::string& text : buffers) {
      const std::optional<BufferPlace> place = parse_buffer_place(text);
      if (!place) return fail(node, fmt::format("has buffer '{}', which is no place", text));
      if (place->kind == Kind::arena && place->offset % kArenaAlignment != 0) {
        return fail(node, fmt::format("has buffer '{}', which is not aligned", text));
      }
    }
    if (node.op() == OpKind::constant && place_of(node).kind != Kind::constant) {
      return fail(node, "is a constant elsewhere");
    }
    if (is_alias(node)) check_alias(node);
  }

  void check_alias(const Node& node) {
    const Node& source = *node.operand(0).node;
    const BufferPlace expected =
        source.op() == OpKind::parameter
            ? BufferPlace{.kind = Kind::param, .index = classes_.storage(node.operand(0)).parameter}
            : place_of(source, node.operand(0).index);
    if (place_of(node) != expected) {
      fail(node, fmt::format("does not lie at {}, where its operand lies", to_string(expected)));
    }
  }

  void occupy_results(Node& node) {
    for (int i = 0; i < node.num_results() && !flaw_; ++i) {
      const int id = classes_.of(node.result(i));
      const Storage& storage = classes_.storages()[static_cast<size_t>(id)];
      const BufferPlace place = place_of(node, i);
      const bool wrong_home = storage.result >= 0 && place.kind != Kind::param &&
                              place != BufferPlace{.kind = Kind::result, .index = storage.result};
      if (wrong_home || place.kind == Kind::constant) {
        return fail(node, fmt::format("lies at {}", to_string(place)));
      }
      const int overwritten = overwritten_storage(classes_, node, i);
      if (overwritten >= 0) release(overwritten);
      occupy(id, place, storage.end, node);
    }
  }

  void occupy(int id, const BufferPlace& place, int end, const Node& node) {
    const size_t bytes = classes_.storages()[static_cast<size_t>(id)].bytes;
    if (bytes == 0) return;
    const Start start{place.kind, place.index, place.offset};
    const auto after = busy_.lower_bound(start);
    if (after != busy_.end() && overlaps(start, bytes, after->first)) return clash(node, place);
    if (after != busy_.begin()) {
      const auto& [before, range] = *std::prev(after);
      if (overlaps(before, range.bytes, start)) return clash(node, place);
    }
    range_of_[static_cast<size_t>(id)] = busy_.emplace(start, Range{bytes, id}).first;
    dying_[static_cast<size_t>(end)].push_back(id);
  }

  /// Whether `bytes` from `start` reach the later `next`.
  static bool overlaps(const Start& start, size_t bytes, const Start& next) {
    const auto& [kind, index, offset] = start;
    const auto& [next_kind, next_index, next_offset] = next;
    return kind == next_kind && index == next_index && offset + bytes > next_offset;
  }

  void release(int id) {
    auto& range = range_of_[static_cast<size_t>(id)];
    if (range == busy_.end()) return;
    busy_.erase(range);
    range = busy_.end();
  }

  void clash(const Node& node, const BufferPlace& place) {
    fail(node, fmt::format("overwrites a value still needed at {}", to_string(place)));
  }

  void fail(const Node& node, std::string_view text) {
    flaw_ = fmt::format("{} at position {} {}", node.op_name(), classes_.position(node), text);
  }

  const ir::Graph& graph_;
  StorageClasses classes_;
  Busy busy_;
  std::vector<std::vector<int>> dying_;   // storages by position of their last reader
  std::vector<Busy::iterator> range_of_;  // by storage; end where it holds no bytes
  std::optional<std::string> flaw_;
};

}  // namespace

BufferPlace place_of(const ir::Node& node, int i) {
  const std::vector<std::string>& buffers = node.attributes().texts("buffers");
  check(static_cast<size_t>(i) < buffers.size(), "plan-memory has annotated the graph");
  const std::optional<BufferPlace> place = parse_buffer_place(buffers[static_cast<size_t>(i)]);
  check(place.has_value(), "buffers are places");
  return *place;
}

MemoryPlan memory_plan_of(const ir::Graph& graph) {
  const StorageClasses classes(graph);
  MemoryPlan plan;
  std::vector<int64_t> change(static_cast<size_t>(classes.num_positions()) + 2);
  for (ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (!computes(*node)) continue;
    for (int i = 0; i < node->num_results(); ++i) {
      const Storage& storage = classes.storage(node->result(i));
      plan.total_intermediate_bytes += storage.bytes;
      const BufferPlace place = place_of(*node, i);
      if (place.kind != Kind::arena) continue;
      const size_t bytes = align_up(storage.bytes);
      plan.arena_bytes = std::max(plan.arena_bytes, place.offset + bytes);
      // At its own node a result in place counts as the operand it overwrites.
      const int begin = storage.begin + (overwritten_storage(classes, *node, i) >= 0 ? 1 : 0);
      change[static_cast<size_t>(begin)] += static_cast<int64_t>(bytes);
      change[static_cast<size_t>(std::max(begin, storage.end + 1))] -= static_cast<int64_t>(bytes);
    }
  }
  int64_t live = 0;
  for (const int64_t amount : change) {
    live += amount;
    plan.peak_live_bytes = std::max(plan.peak_live_bytes, static_cast<size_t>(live));
  }
  return plan;
}

std::optional<std::string> verify_memory_plan(const ir::Graph& graph) {
  return PlanVerifier(graph).verify();
}

}  // namespace wick::passes
