#pragma once

// Shrinks a graph while a property holds.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ddmin.h"
#include "edits.h"

#include "wick/ir/graph.h"
#include "wick/ir/hash.h"

namespace wick::reduce {

/// Says which graph of a few is the first that has the property; may look at them in parallel.
using Oracle =
    std::function<std::optional<size_t>(std::span<const std::unique_ptr<ir::Graph>> candidates)>;

/// An oracle that asks for one graph at a time.
Oracle one_by_one(std::function<bool(const ir::Graph&)> has_property);

struct ReducerOptions {
  size_t batch = 1;  // graphs that the oracle is given at a time
  /// Called when a smaller graph has the property.
  std::function<void(const ir::Graph&)> on_smaller;
  /// Called before each batch, with what is being tried.
  std::function<void(std::string_view stage, int64_t tried)> on_progress;
};

/// One way of editing, with its name for people.
struct Stage {
  std::string_view name;
  Proposal propose;
};

/// Tries the reductions in turn until none helps any more. The graph has the property; every graph
/// that the oracle sees verifies, is smaller than the smallest so far, and is seen once.
class Reducer {
 public:
  Reducer(std::unique_ptr<ir::Graph> graph, Oracle oracle, ReducerOptions options);

  /// The smallest graph found.
  const ir::Graph& run();

  /// Graphs that the oracle has seen.
  [[nodiscard]] int64_t num_tried() const { return tried_; }

 private:
  /// Makes candidate i; null when there is none.
  using Make = std::function<std::unique_ptr<ir::Graph>(size_t i)>;

  std::optional<size_t> adopt_first(size_t begin, size_t count, const Make& make);
  void keep_results();
  void keep_ops();
  void apply(const Stage& stage);
  [[nodiscard]] bool is_worth_trying(const ir::Graph& candidate);
  [[nodiscard]] std::unique_ptr<ir::Graph> with_results(const Positions& kept) const;

  std::unique_ptr<ir::Graph> graph_;
  Oracle oracle_;
  ReducerOptions options_;
  std::string_view stage_;
  int64_t tried_ = 0;
  std::unordered_set<Hash128, HashOfHash128> seen_;  // of the texts of graphs tried before
};

}  // namespace wick::reduce
