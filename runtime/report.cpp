#include "wick/runtime/report.h"

#include <string>
#include <utility>

#include "wick/ir/check.h"
#include "wick/runtime/report/assets.h"
#include "wick/runtime/report/record_json.h"

namespace wick::runtime {

namespace {

using nlohmann::json;

/// The page with each mark `{{name}}` replaced by its text.
std::string filled(std::string_view page,
                   std::initializer_list<std::pair<std::string_view, std::string_view>> texts) {
  std::string result;
  for (const auto& [mark, text] : texts) {
    const size_t at = page.find(mark);
    check(at != std::string_view::npos, "a page has its marks in order");
    result += page.substr(0, at);
    result += text;
    page.remove_prefix(at + mark.size());
  }
  return result += page;
}

}  // namespace

std::string report_html(const CompileRecord& record, std::span<const ReplayCommand> replay) {
  return filled(assets::report_html,
                {{"{{style}}", assets::report_css},
                 {"{{data}}", script_text(to_json(record, replay))},
                 {"{{script}}", assets::report_js}});
}

std::string index_html(std::span<const CompileSummary> compiles) {
  json list = json::array();
  for (const CompileSummary& compile : compiles) {
    json timing = json::parse(compile.timing, nullptr, /*allow_exceptions=*/false);
    if (!timing.is_object()) continue;
    timing["folder"] = compile.folder;
    list.push_back(std::move(timing));
  }
  return filled(assets::index_html,
                {{"{{style}}", assets::report_css},
                 {"{{data}}", script_text(list)},
                 {"{{script}}", assets::index_js}});
}

}  // namespace wick::runtime
