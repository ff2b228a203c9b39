#include "wick/passes/built_in_passes.h"

#include "wick/passes/canonicalize.h"
#include "wick/passes/constant_fold.h"
#include "wick/passes/cse.h"
#include "wick/passes/dce.h"
#include "wick/passes/epilogue.h"
#include "wick/passes/expand_custom_ops.h"
#include "wick/passes/fuse.h"
#include "wick/passes/layout.h"
#include "wick/passes/plan_memory.h"
#include "wick/passes/rematerialize.h"
#include "wick/passes/widen_half.h"

namespace wick::passes {

namespace {

constexpr PassInfo (*kBuiltIn[])() = {
    canonicalize_pass_info,
    constant_fold_pass_info,
    cse_pass_info,
    dce_pass_info,
    epilogue_pass_info,
    expand_custom_ops_pass_info,
    fuse_pass_info,
    layout_pass_info,
    plan_memory_pass_info,
    rematerialize_pass_info,
    widen_half_pass_info,
};

}  // namespace

std::vector<PassInfo> built_in_passes() {
  std::vector<PassInfo> infos;
  for (const auto make : kBuiltIn) {
    infos.push_back(make());
  }
  return infos;
}

}  // namespace wick::passes
