#include "reducer.h"

#include <algorithm>
#include <utility>

#include "edit_copy.h"
#include "extract.h"
#include "measure.h"

#include "wick/ir/printer.h"
#include "wick/ir/verifier.h"

namespace wick::reduce {

namespace {

/// What makes all that follows faster.
constexpr Stage kFirst = {"collapsing extents", collapse_extents};

/// Cheap ways to large gains come first.
constexpr Stage kStages[] = {
    {"inlining fusions", inline_fusions},
    {"shrinking fusions", shrink_fusions},
    {"bypassing ops", bypass_ops},
    {"making constants", make_constant},
    {"making parameters", make_parameter},
    {"merging parameters", merge_leaves},
    {"dropping attributes", drop_attributes},
    {"shrinking extents", shrink_extents},
};

}  // namespace

Oracle one_by_one(std::function<bool(const ir::Graph&)> has_property) {
  return [has_property = std::move(has_property)](
             std::span<const std::unique_ptr<ir::Graph>> candidates) -> std::optional<size_t> {
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (has_property(*candidates[i])) return i;
    }
    return std::nullopt;
  };
}

Reducer::Reducer(std::unique_ptr<ir::Graph> graph, Oracle oracle, ReducerOptions options)
    : graph_(std::move(graph)),
      oracle_(std::move(oracle)),
      options_(std::move(options)) {}

bool Reducer::is_worth_trying(const ir::Graph& candidate) {
  if (candidate.results().empty() || ir::verify(candidate)) return false;
  if (measure(candidate) >= measure(*graph_)) return false;
  return seen_.insert(hash_bytes(ir::to_string(candidate))).second;
}

/// Candidates begin ... count-1, in batches; the first that has the property becomes the graph.
std::optional<size_t> Reducer::adopt_first(size_t begin, size_t count, const Make& make) {
  for (size_t next = begin; next < count;) {
    std::vector<std::unique_ptr<ir::Graph>> batch;
    std::vector<size_t> numbers;
    for (; next < count && batch.size() < options_.batch; ++next) {
      std::unique_ptr<ir::Graph> candidate = make(next);
      if (candidate == nullptr || !is_worth_trying(*candidate)) continue;
      batch.push_back(std::move(candidate));
      numbers.push_back(next);
    }
    if (batch.empty()) break;
    if (options_.on_progress) options_.on_progress(stage_, tried_);
    const auto found = oracle_(batch);
    tried_ += static_cast<int64_t>(found ? *found + 1 : batch.size());
    if (!found) continue;
    graph_ = std::move(batch[*found]);
    if (options_.on_smaller) options_.on_smaller(*graph_);
    return numbers[*found];
  }
  return std::nullopt;
}

std::unique_ptr<ir::Graph> Reducer::with_results(const Positions& kept) const {
  EditCopy copy(*graph_);
  std::vector<ir::Value> results;
  for (const size_t i : kept)
    results.push_back(copy.graph().results()[i]);
  copy.graph().set_results(std::move(results));
  erase_unused(copy.graph());
  return copy.take();
}

void Reducer::keep_results() {
  stage_ = "dropping results";
  // Positions count in the graph as it was; the kept ones move to the front.
  Positions current(graph_->results().size());
  for (size_t i = 0; i < current.size(); ++i)
    current[i] = i;
  minimize(current.size(), [&](std::span<const Positions> candidates) {
    const auto found = adopt_first(0, candidates.size(), [&](size_t c) {
      Positions kept;
      for (const size_t position : candidates[c]) {
        const auto at = std::ranges::lower_bound(current, position);
        kept.push_back(static_cast<size_t>(at - current.begin()));
      }
      return with_results(kept);
    });
    if (found) current = candidates[*found];
    return found;
  });
}

void Reducer::keep_ops() {
  stage_ = "cutting ops out";
  // Ops are named by their positions in this copy, whose nodes extract() reads.
  const std::unique_ptr<ir::Graph> original = graph_->clone();
  const std::vector<ir::Node*> ops = ops_of(*original);
  minimize(ops.size(), [&](std::span<const Positions> candidates) {
    return adopt_first(0, candidates.size(), [&](size_t c) {
      std::vector<ir::Node*> kept;
      for (const size_t position : candidates[c])
        kept.push_back(ops[position]);
      return extract(*original, kept).graph;
    });
  });
}

/// Goes on behind an edit that helped: what was refused before seldom helps now.
void Reducer::apply(const Stage& stage) {
  stage_ = stage.name;
  for (size_t next = 0;;) {
    const std::vector<Edit> edits = stage.propose(*graph_);
    const auto found = adopt_first(next, edits.size(), [&](size_t i) { return edits[i](); });
    if (!found) return;
    next = *found;
  }
}

const ir::Graph& Reducer::run() {
  apply(kFirst);
  Measure before;
  do {
    before = measure(*graph_);
    keep_results();
    keep_ops();
    for (const Stage& stage : kStages)
      apply(stage);
  } while (measure(*graph_) < before);
  return *graph_;
}

}  // namespace wick::reduce
