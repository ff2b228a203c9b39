#include "wick/codegen/lower.h"

#include <algorithm>

#include "wick/codegen/body_emitter.h"
#include "wick/codegen/fused_body.h"
#include "wick/ir/check.h"
#include "wick/passes/reduction_split.h"

namespace wick::codegen {

namespace {

using Level = ir::Domain::Level;

constexpr size_t kAlignment = 64;

KernelDraft::Finished finish(BodyEmitter& emitter) {
  emitter.finish_stores();
  KernelDraft::Finished finished = emitter.draft().finish();
  if (const auto broken = verify(*finished.launch.kernel)) check(false, *broken);
  return finished;
}

/// All results but those of columns, and what reductions over rows reduce.
void emit_rows(BodyEmitter& emitter, const ir::Node& fusion, const FusedBody& body) {
  std::vector<int> results;
  for (int i = 0; i < fusion.num_results(); ++i) {
    if (body.level_of(body.graph->results()[static_cast<size_t>(i)]) != Level::column) {
      results.push_back(i);
    }
  }
  const auto depth = [&](int i) {
    return body.depth_of(*body.graph->results()[static_cast<size_t>(i)].node);
  };
  std::ranges::stable_sort(results, {}, depth);
  const std::vector<RowScratch> scratches =
      plan_row_scratch(body, fusion.attributes().integers("in_place"));
  auto scratch = scratches.begin();
  for (const int i : results) {
    for (; scratch != scratches.end() && scratch->depth <= depth(i); ++scratch) {
      emitter.store_scratch(*scratch);
    }
    emitter.store_result(i);
  }
  for (; scratch != scratches.end(); ++scratch)
    emitter.store_scratch(*scratch);
}

KernelLaunch lower_whole(const ir::Node& fusion, const FusedBody& body) {
  BodyEmitter emitter(fusion, body, body.domain);
  emit_rows(emitter, fusion, body);
  return finish(emitter).launch;
}

/// Results that no reduction decides, at every position: the first launch stores them.
bool is_stored_first(const FusedBody& body, int result) {
  const ir::Value value = body.graph->results()[static_cast<size_t>(result)];
  return body.depth_of(*value.node) == 0 && body.level_of(value) == Level::full;
}

bool can_split(const FusedBody& body) {
  if (body.max_depth != 1) return false;
  for (const ir::Node* reduction : body.reductions) {
    if (!passes::splits_in_blocks(reduction->op())) return false;
  }
  return std::ranges::all_of(body.graph->results(), [&](const ir::Value& result) {
    return body.depth_of(*result.node) == 0 || body.level_of(result) == Level::row;
  });
}

/// Places behind each other for so many partial results of each reduction.
PartialPlaces place_partials(const std::vector<const ir::Node*>& reductions,
                             int64_t count,
                             size_t& workspace_bytes) {
  PartialPlaces places;
  for (const ir::Node* reduction : reductions) {
    places[reduction] = workspace_bytes;
    const size_t bytes =
        static_cast<size_t>(count) * size_of(compute_dtype(reduction->type().dtype));
    workspace_bytes += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  return places;
}

/// The launch that combines partial results of so many blocks, and stores the results for which
/// `stores` is true. A block has partial results for each row or each column.
template <class Stores>
KernelLaunch lower_combination(const ir::Node& fusion,
                               const FusedBody& body,
                               PartialPlaces places,
                               int64_t num_blocks,
                               Level level,
                               const Stores& stores) {
  ir::Domain combined;
  combined.extents = {num_blocks};
  combined.reduced = {true};
  for (size_t d = 0; d < body.domain.extents.size(); ++d) {
    if (body.domain.reduced[d] != (level == Level::column)) continue;
    combined.extents.push_back(body.domain.extents[d]);
    combined.reduced.push_back(false);
  }
  BodyEmitter emitter(fusion, body, std::move(combined));
  emitter.read_partials(std::move(places));
  for (int i = 0; i < fusion.num_results(); ++i) {
    if (stores(i)) emitter.store_result(i);
  }
  return finish(emitter).launch;
}

/// Two launches: partial results for each block into the workspace, then their combination.
LoweredFusion lower_split(const ir::Node& fusion, const FusedBody& body, int64_t blocks) {
  LoweredFusion lowered;
  const int64_t rows = body.domain.numel(Level::row);
  PartialPlaces places = place_partials(body.reductions, rows * blocks, lowered.workspace_bytes);

  BodyEmitter first(fusion, body, body.domain);
  for (int i = 0; i < fusion.num_results(); ++i) {
    if (is_stored_first(body, i)) first.store_result(i);
  }
  first.store_partials(places);
  first.draft().set_blocks(blocks);
  KernelDraft::Finished partial = finish(first);
  lowered.launches.push_back(std::move(partial.launch));
  lowered.launches.push_back(lower_combination(
      fusion, body, std::move(places), partial.num_blocks, Level::row, [&](int result) {
        return !is_stored_first(body, result);
      }));
  return lowered;
}

/// Two launches: whole rows, which add to partial results of their columns, and the combination of
/// those.
LoweredFusion lower_with_columns(const ir::Node& fusion, const FusedBody& body) {
  check(passes::can_take_columns(body.domain), "rows that are walked one by one, each whole");
  for (const ir::Node* reduction : body.column_reductions)
    check(passes::splits_in_blocks(reduction->op()), "reductions of columns combine");
  LoweredFusion lowered;
  const int64_t rows_of_block = passes::rows_of_block(body.domain);
  const int64_t rows = body.domain.numel(Level::row);
  const int64_t blocks = (rows + rows_of_block - 1) / rows_of_block;
  PartialPlaces places = place_partials(
      body.column_reductions, blocks * body.domain.numel(Level::column), lowered.workspace_bytes);

  BodyEmitter first(fusion, body, body.domain);
  emit_rows(first, fusion, body);
  first.add_to_columns(places, rows_of_block);
  KernelLaunch launch = finish(first).launch;
  check(launch.task_extent == rows, "each row is a task");
  launch.tasks_in_order = rows_of_block;
  lowered.launches.push_back(std::move(launch));
  lowered.launches.push_back(
      lower_combination(fusion, body, std::move(places), blocks, Level::column, [&](int result) {
        const ir::Value value = body.graph->results()[static_cast<size_t>(result)];
        return body.level_of(value) == Level::column;
      }));
  return lowered;
}

}  // namespace

LoweredFusion lower(const ir::Node& fusion) {
  check(fusion.body() != nullptr, "only a fusion is lowered");
  const FusedBody body = analyze_body(*fusion.body());
  if (!body.column_reductions.empty()) return lower_with_columns(fusion, body);
  const int64_t blocks = std::max(passes::num_reduction_blocks(body.domain),
                                  passes::num_blocks_in_memory_order(body.domain));
  if (blocks > 1 && can_split(body)) return lower_split(fusion, body, blocks);
  LoweredFusion lowered;
  lowered.launches.push_back(lower_whole(fusion, body));
  return lowered;
}

}  // namespace wick::codegen
