#include "wick/passes/pass_manager.h"

namespace wick::passes {

std::string_view default_pipeline() {
  // Folding makes new constants for the simplifier; both make equal expressions for cse; only what
  // is left should weigh in the decisions of fuse.
  return "@pipeline-start,canonicalize,constant-fold,canonicalize,cse,dce,"
         "@before-fusion,fuse,@after-fusion,@before-planning,plan-memory,@pipeline-end";
}

}  // namespace wick::passes
