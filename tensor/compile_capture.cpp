#include "wick/tensor/compile_capture.h"

#include <chrono>
#include <utility>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "wick/ir/profile.h"
#include "wick/passes/options.h"
#include "wick/runtime/anomaly.h"
#include "wick/runtime/dump.h"
#include "wick/tensor/import.h"
#include "wick/tensor/plan_cache.h"

namespace wick::detail {

namespace {

std::unique_ptr<ir::Graph> imported(const Capture& capture) {
  const profile::Slice slice("compile", "import");
  return import_graph(capture);
}

using Milliseconds = std::chrono::duration<double, std::milli>;

/// A compile frees many times what it keeps. Without a request the heap would hold that for as long
/// as the process runs. One that took little time freed little, and the next would only ask the
/// system for the same pages again.
void give_back_freed_memory(Milliseconds took) {
  constexpr Milliseconds kWorthwhile{25};
  if (took < kWorthwhile) return;
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace

std::unique_ptr<runtime::Executable> compile_capture(const Capture& capture,
                                                     std::string_view reason,
                                                     std::source_location where) {
  const auto start = std::chrono::steady_clock::now();
  const auto took = [&] { return Milliseconds(std::chrono::steady_clock::now() - start); };
  std::unique_ptr<ir::Graph> graph = imported(capture);
  const double milliseconds_of_import = took().count();
  const Options& options = wick::options();
  std::unique_ptr<ir::Graph> recorded = options.detect_anomaly ? graph->clone() : nullptr;
  auto executable = runtime::compile_and_show(
      std::move(graph), options.backend, [&](runtime::CompileRecord& record) {
        record.trigger = {std::string(reason), where, PlanCache::instance().explain_miss(capture)};
        record.times.import = milliseconds_of_import;
      });
  give_back_freed_memory(took());
  if (recorded == nullptr) return executable;
  return runtime::make_detecting_anomalies(std::move(executable), std::move(recorded));
}

}  // namespace wick::detail
