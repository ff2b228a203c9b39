// A plug-in in the forms that tests need: good, failing, for another API, for another ABI, and none
// at all.

#include <stdexcept>

#include "wick/passes/pass_registry.h"
#include "wick/passes/plugin.h"

#if defined(WICK_SAMPLE_GOOD)

WICK_PLUGIN("good", "1.2") {
  using namespace wick::passes;
  const PassInfo* dce = PassRegistry::instance().find("dce");
  PassRegistry::instance().add(
      {.name = "from-a-plugin", .summary = "what dce does", .options = {}, .create = dce->create});
}

#elif defined(WICK_SAMPLE_FAILING)

WICK_PLUGIN("failing", "1.0") {
  using namespace wick::passes;
  PassRegistry::instance().add({.name = "half-of-a-plugin",
                                .summary = "what dce does",
                                .options = {},
                                .create = PassRegistry::instance().find("dce")->create});
  throw std::runtime_error("registered by halves");
}

#elif !defined(WICK_SAMPLE_NONE)

extern "C" __attribute__((visibility("default"))) void wick_plugin_info(
    wick::passes::PluginInfo* info) {
  *info = {.api_version = wick::passes::kPluginApiVersion,
           .abi_hash = wick::passes::plugin_abi_hash(),
           .built_by = "another compiler",
           .name = "other",
           .version = "1.0",
           .install = [] {}};
#ifdef WICK_SAMPLE_OTHER_API
  info->api_version = 999;
#else
  info->abi_hash += 1;
#endif
}

#endif
