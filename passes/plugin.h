#pragma once

// Shared libraries that add to Wick: passes, ops, backends, memory managers, cost models.
//
//     WICK_PLUGIN("my-passes", "1.0") {
//       wick::passes::PassRegistry::instance().add(...);
//       wick::passes::extend_pipeline("before-fusion", "my-pass");
//     }
//
// WICK_PLUGINS=a.so:b.so loads them into any program that uses Wick, before its first compile.

#include <cstdint>
#include <string>
#include <vector>

#include "wick/ir/custom_op.h"
#include "wick/ir/graph.h"
#include "wick/passes/fusion_cost_model.h"
#include "wick/passes/options.h"
#include "wick/passes/pass_registry.h"
#include "wick/passes/rewrite.h"

namespace wick::passes {

/// Rises when the meaning of a declaration that plug-ins use changes.
inline constexpr uint32_t kPluginApiVersion = 2;

/// What a plug-in says of itself: the result of its `wick_plugin_info`.
struct PluginInfo {
  uint32_t api_version;
  uint64_t abi_hash;
  const char* built_by;  // the compiler
  const char* name;
  const char* version;
  void (*install)();  // makes the plug-in's registrations
};

/// Of what a compiler makes of Wick's headers: plug-ins and library share C++ objects, so they must
/// agree on the ops, the standard library's ABI and the layout of those objects.
constexpr uint64_t plugin_abi_hash() {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  constexpr const char* kOps[] = {
#define WICK_OP(name, min_operands, max_operands, infer, traits, summary) #name,
#include "wick/ir/ops.def"
#undef WICK_OP
  };
  for (const char* name : kOps) {
    for (; *name != '\0'; ++name)
      hash = (hash ^ static_cast<unsigned char>(*name)) * 0x100000001b3;
  }
  for (const uint64_t part : {uint64_t{_GLIBCXX_USE_CXX11_ABI},
                              uint64_t{__GXX_ABI_VERSION},
                              uint64_t{sizeof(Options)},
                              uint64_t{sizeof(Type)},
                              uint64_t{sizeof(ir::Attributes)},
                              uint64_t{sizeof(ir::Node)},
                              uint64_t{sizeof(ir::Graph)},
                              uint64_t{sizeof(Literal)},
                              uint64_t{sizeof(ir::CustomOp)},
                              uint64_t{sizeof(PassContext)},
                              uint64_t{sizeof(PassInfo)},
                              uint64_t{sizeof(RuleSet)},
                              uint64_t{sizeof(FusionLimits)},
                              uint64_t{sizeof(MergeCandidate)},
                              uint64_t{sizeof(Objection)}}) {
    hash = (hash ^ part) * 0x100000001b3;
  }
  return hash;
}

/// Loads a plug-in and makes its registrations; does nothing when it is loaded already. Throws
/// std::runtime_error when the file is none, was built for another Wick, or its registrations fail.
void load_plugin(const std::string& path);

struct LoadedPlugin {
  std::string name;
  std::string version;
  std::string path;
};

/// In the order of loading.
std::vector<LoadedPlugin> loaded_plugins();

}  // namespace wick::passes

/// Defines the entry of a plug-in; the braces that follow hold its registrations.
#define WICK_PLUGIN(plugin_name, plugin_version)                           \
  static void wick_plugin_install();                                       \
  extern "C" __attribute__((visibility("default"))) void wick_plugin_info( \
      wick::passes::PluginInfo* info) {                                    \
    *info = {.api_version = wick::passes::kPluginApiVersion,               \
             .abi_hash = wick::passes::plugin_abi_hash(),                  \
             .built_by = __VERSION__,                                      \
             .name = plugin_name,                                          \
             .version = plugin_version,                                    \
             .install = wick_plugin_install};                              \
  }                                                                        \
  static void wick_plugin_install()
