#include "wick/codegen/lower.h"

#include <algorithm>
#include <numeric>

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

KernelLaunch lower_whole(const ir::Node& fusion, const FusedBody& body) {
  BodyEmitter emitter(fusion, body, body.domain);
  std::vector<int> results(static_cast<size_t>(fusion.num_results()));
  std::iota(results.begin(), results.end(), 0);
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

/// Two launches: partial results for each block into the workspace, then their combination.
LoweredFusion lower_split(const ir::Node& fusion, const FusedBody& body, int64_t blocks) {
  LoweredFusion lowered;
  const int64_t rows = body.domain.numel(Level::row);
  std::vector<size_t> offsets;
  for (const ir::Node* reduction : body.reductions) {
    offsets.push_back(lowered.workspace_bytes);
    const size_t bytes =
        static_cast<size_t>(rows * blocks) * size_of(compute_dtype(reduction->type().dtype));
    lowered.workspace_bytes += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

  BodyEmitter first(fusion, body, body.domain);
  for (int i = 0; i < fusion.num_results(); ++i) {
    if (is_stored_first(body, i)) first.store_result(i);
  }
  first.store_partials(offsets);
  first.draft().set_blocks(blocks);
  KernelDraft::Finished partial = finish(first);
  lowered.launches.push_back(std::move(partial.launch));

  ir::Domain combined;
  combined.extents = {partial.num_blocks};
  combined.reduced = {true};
  for (size_t d = 0; d < body.domain.extents.size(); ++d) {
    if (body.domain.reduced[d]) continue;
    combined.extents.push_back(body.domain.extents[d]);
    combined.reduced.push_back(false);
  }
  BodyEmitter second(fusion, body, std::move(combined));
  second.read_partials(offsets);
  for (int i = 0; i < fusion.num_results(); ++i) {
    if (!is_stored_first(body, i)) second.store_result(i);
  }
  lowered.launches.push_back(finish(second).launch);
  return lowered;
}

}  // namespace

LoweredFusion lower(const ir::Node& fusion) {
  check(fusion.body() != nullptr, "only a fusion is lowered");
  const FusedBody body = analyze_body(*fusion.body());
  const int64_t blocks = passes::num_reduction_blocks(body.domain);
  if (blocks > 1 && can_split(body)) return lower_split(fusion, body, blocks);
  LoweredFusion lowered;
  lowered.launches.push_back(lower_whole(fusion, body));
  return lowered;
}

}  // namespace wick::codegen
