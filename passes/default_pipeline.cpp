#include <string>

#include "wick/passes/options.h"
#include "wick/passes/pass_manager.h"

namespace wick::passes {
namespace {

// What an op from outside is made of should look like code written out to every other pass.
// Folding makes new constants for the simplifier; both make equal expressions for cse; only what
// is left should weigh in the decisions of fuse. What layout leaves behind is for canonicalize.
constexpr std::string_view kStart = "@pipeline-start,expand-custom-ops,";
constexpr std::string_view kSimplify = "canonicalize,constant-fold,canonicalize,cse,dce,";
// Libraries of CPUs compute in f32, but for what the host's multiplies itself, and best on images
// with their channels in blocks. Those of GPUs take half types, and add biases.
constexpr std::string_view kWiden = "widen-half{native-products=host},";
constexpr std::string_view kLayout = "layout,canonicalize,cse,dce,";
constexpr std::string_view kEpilogue = "epilogue,dce,";
constexpr std::string_view kFuse = "@before-fusion,fuse,";
// What copies joined tensors on CPUs is no library of a GPU.
constexpr std::string_view kFuseOnGpu =
    "@before-fusion,fuse{columns-with-rows=false,copied-row=1000000000000,max-concat=1000000},";
constexpr std::string_view kEnd =
    "@after-fusion,rematerialize,@before-planning,plan-memory,@pipeline-end";

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts)
    text += part;
  return text;
}

}  // namespace

std::string_view default_pipeline() {
  static const std::string on_host = joined({kStart, kWiden, kSimplify, kLayout, kFuse, kEnd});
  static const std::string on_gpu = joined({kStart, kSimplify, kEpilogue, kFuseOnGpu, kEnd});
  return targets_gpu() ? on_gpu : on_host;
}

}  // namespace wick::passes
