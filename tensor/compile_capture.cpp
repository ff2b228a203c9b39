#include "wick/tensor/compile_capture.h"

#include <chrono>
#include <exception>

#include "wick/ir/profile.h"
#include "wick/passes/options.h"
#include "wick/runtime/dump.h"
#include "wick/tensor/import.h"
#include "wick/tensor/plan_cache.h"

namespace wick::detail {

namespace {

std::unique_ptr<ir::Graph> imported(const Capture& capture) {
  const profile::Slice slice("compile", "import");
  return import_graph(capture);
}

}  // namespace

std::unique_ptr<runtime::Executable> compile_capture(const Capture& capture,
                                                     runtime::CompileRecord& record) {
  const std::string& backend = wick::options().backend;
  const auto start = std::chrono::steady_clock::now();
  std::unique_ptr<ir::Graph> graph = imported(capture);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  record.times.import = took.count();
  describe(*graph, backend, record);
  return runtime::find_backend(backend).compile(std::move(graph), &record);
}

std::unique_ptr<runtime::Executable> compile_capture(const Capture& capture,
                                                     std::string_view reason,
                                                     std::source_location where) {
  std::optional<runtime::CompileRecord> record = runtime::begin_compile_record();
  if (!record) {
    return runtime::find_backend(wick::options().backend).compile(imported(capture));
  }
  record->trigger = {std::string(reason), where, PlanCache::instance().explain_miss(capture)};
  try {
    auto executable = compile_capture(capture, *record);
    runtime::show(*record);
    return executable;
  } catch (const std::exception& failure) {
    record->error = failure.what();
    runtime::show(*record);
    throw;
  }
}

}  // namespace wick::detail
