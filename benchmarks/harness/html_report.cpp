#include "harness/html_report.h"

#include <ctime>
#include <fstream>
#include <stdexcept>

#include "harness/report_assets.h"
#include "harness/turns.h"
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wick::bench {

namespace {

using Json = nlohmann::json;

Json json_of(const Series& series) {
  return {{"name", series.name},
          {"ms", series.ms},
          {"median", median(series.ms)},
          {"first_ms", series.first_ms},
          {"peak_mib", series.peak_mib}};
}

Json json_of(const Facts& facts) {
  return {{"flops", facts.flops},
          {"programs", facts.programs},
          {"ops", facts.ops},
          {"kernels", facts.kernels},
          {"library_calls", facts.library_calls},
          {"interpreted", facts.interpreted},
          {"arena_bytes", facts.arena_bytes},
          {"peak_live_bytes", facts.peak_live_bytes},
          {"intermediate_bytes", facts.intermediate_bytes}};
}

Json json_of(const Measurement& m) {
  Json peers = Json::array();
  for (const Series& peer : m.peers) {
    Json each = json_of(peer);
    each["ratio"] = median_ratio(peer.ms, m.wick.ms);
    peers.push_back(std::move(each));
  }
  return {{"family", m.family},
          {"name", m.row.name},
          {"what", m.row.what},
          {"goal", m.row.goal},
          {"error", m.error},
          {"wick", json_of(m.wick)},
          {"floor", m.floor_ms},
          {"floor_median", median(m.floor_ms)},
          {"fraction", fraction_of_floor(m)},
          {"rate", rate_text(m)},
          {"others", m.others},
          {"facts", json_of(m.facts)},
          {"warm_first_ms", m.warm_first_ms ? Json(*m.warm_first_ms) : Json()},
          {"peers", std::move(peers)}};
}

std::string replaced(std::string text, const std::string& mark, const std::string& by) {
  const size_t at = text.find(mark);
  if (at != std::string::npos) text.replace(at, mark.size(), by);
  return text;
}

/// `</script>` in a text would end the script that holds it.
std::string script_literal(const Json& json) {
  std::string text = json.dump();
  for (size_t at = text.find("</"); at != std::string::npos; at = text.find("</", at + 1))
    text.insert(at + 1, 1, '\\');
  return text;
}

Json json_of(const std::string& command, std::span<const Measurement> all) {
  Json rows = Json::array();
  for (const Measurement& m : all)
    rows.push_back(json_of(m));
  return {{"command", command},
          {"when", fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(std::time(nullptr)))},
          {"rows", std::move(rows)}};
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(fmt::format("cannot write {}", path));
}

}  // namespace

void write_html(const std::string& path,
                const std::string& command,
                std::span<const Measurement> all) {
  std::string page(assets::report_html);
  page = replaced(std::move(page), "/*style*/", std::string(assets::report_css));
  page = replaced(std::move(page), "/*script*/", std::string(assets::report_js));
  page = replaced(std::move(page), "/*data*/", script_literal(json_of(command, all)));
  write_file(path, page);
}

void write_json(const std::string& path,
                const std::string& command,
                std::span<const Measurement> all) {
  write_file(path, json_of(command, all).dump(1) + "\n");
}

}  // namespace wick::bench
