#include "wick/passes/pass_manager.h"

namespace wick::passes {

std::string_view default_pipeline() {
  // What an op from outside is made of should look like code written out to every other pass.
  // Folding makes new constants for the simplifier; both make equal expressions for cse; only what
  // is left should weigh in the decisions of fuse. What layout leaves behind is for canonicalize.
  return "@pipeline-start,expand-custom-ops,canonicalize,constant-fold,canonicalize,cse,dce,"
         "layout,canonicalize,cse,dce,@before-fusion,fuse,@after-fusion,@before-planning,"
         "plan-memory,@pipeline-end";
}

}  // namespace wick::passes
