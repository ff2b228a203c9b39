#include "report_page.h"

#include <filesystem>
#include <utility>

#include "wick/passes/options.h"
#include "wick/runtime/backend.h"
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

}  // namespace wick::tools
