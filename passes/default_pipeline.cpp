#include <string>

#include "wick/passes/options.h"
#include "wick/passes/pass_manager.h"

namespace wick::passes {
namespace {

// What an op from outside is made of should look like code written out to every other pass.
// Folding makes new constants for the simplifier; both make equal expressions for cse; only what
// is left should weigh in the decisions of fuse. What layout leaves behind is for canonicalize.
constexpr std::string_view kBegin =
    "@pipeline-start,expand-custom-ops,canonicalize,constant-fold,canonicalize,cse,dce,";
// Libraries of GPUs have no use for channels in blocks.
constexpr std::string_view kLayout = "layout,canonicalize,cse,dce,";
constexpr std::string_view kEnd =
    "@before-fusion,fuse,@after-fusion,@before-planning,plan-memory,@pipeline-end";

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts)
    text += part;
  return text;
}

}  // namespace

std::string_view default_pipeline() {
  static const std::string on_host = joined({kBegin, kLayout, kEnd});
  static const std::string on_gpu = joined({kBegin, kEnd});
  return options().backend.starts_with("cuda") ? on_gpu : on_host;
}

}  // namespace wick::passes
