#include "report_page.h"

#include <filesystem>
#include <utility>

#include "wick/passes/options.h"
#include "wick/runtime/backend.h"
#include "wick/runtime/dump.h"
#include "wick/runtime/report.h"

namespace wick::tools {

std::string report_page(std::unique_ptr<ir::Graph> graph, const std::string& input) {
  const std::string& backend = options().backend;
  const std::string file = input == "-" ? input : std::filesystem::absolute(input).string();
  runtime::CompileRecord record;
  record.wants_code = true;
  record.number = 1;
  record.trigger.reason = "wick-opt --emit=html " + input;
  runtime::describe(*graph, backend, record);
  (void)runtime::find_backend(backend).compile(std::move(graph), &record);
  return runtime::report_html(record, runtime::replay_commands(record, file));
}

void dump(const ir::Graph& graph, const std::string& input) {
  Options quiet;  // what else the switches ask for is shown of the run whose result is printed
  static_cast<CompileOptions&>(quiet) = options();
  quiet.dump_to = options().dump_to;
  quiet.dump_max = options().dump_max;
  const ScopedOptions scope(quiet);
  runtime::compile_and_show(graph.clone(), options().backend, [&](runtime::CompileRecord& record) {
    record.trigger.reason = "wick-opt " + input;
  });
}

}  // namespace wick::tools
