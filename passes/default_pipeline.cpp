#include "wick/passes/pass_manager.h"

namespace wick::passes {

std::string_view default_pipeline() {
  // Folding makes new constants for the simplifier; both make equal expressions for cse; only what
  // is left should weigh in the decisions of fuse.
  return "canonicalize,constant-fold,canonicalize,cse,dce,fuse,plan-memory";
}

}  // namespace wick::passes
