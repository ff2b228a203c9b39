#include "wick/runtime/dump_files.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

#include "wick/ir/dot.h"
#include "wick/ir/parser.h"
#include "wick/ir/value_names.h"
#include "wick/runtime/report.h"

namespace wick::runtime {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRecorded = "00.recorded.wick";

void write_file(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) {
    throw std::runtime_error(fmt::format("{}: {}", path.string(), std::strerror(errno)));
  }
}

/// Passes that changed nothing leave no file, but keep their number.
void write_stages(const CompileRecord& record, const fs::path& folder) {
  write_file(folder / kRecorded, record.pipeline.recorded);
  for (size_t i = 0; i < record.pipeline.stages.size(); ++i) {
    const auto& stage = record.pipeline.stages[i];
    if (!stage.changed) continue;
    write_file(folder / fmt::format("{:02}.{}.wick", i + 1, ir::printable_name(stage.pass)),
               stage.ir);
  }
}

void write_kernels(const CompileRecord& record, const fs::path& folder) {
  if (record.kernels.empty()) return;
  fs::create_directory(folder);
  for (const KernelRecord& kernel : record.kernels) {
    const std::string name = ir::printable_name(kernel.name);
    write_file(folder / (name + ".wick"), kernel.graph);
    write_file(folder / (name + ".kernel"), kernel.kernel_ir);
    for (const codegen::CodeListing& listing : kernel.listings)
      write_file(folder / (name + "." + listing.extension), listing.text);
  }
}

std::string remarks_text(const CompileRecord& record) {
  std::string text;
  for (const passes::Remark& remark : record.remarks)
    text += to_string(remark) + "\n";
  return text;
}

}  // namespace

void write_dump_files(const CompileRecord& record, const fs::path& folder) {
  write_stages(record, folder);
  write_kernels(record, folder / "kernels");
  write_file(folder / "plan.txt", record.plan_text);
  write_file(folder / "remarks.txt", remarks_text(record));
  const std::string& final_ir = optimized_text(record);
  if (!final_ir.empty()) {
    write_file(folder / "graph.dot", ir::to_dot(*ir::parse_graph(final_ir)));
  }
  const fs::path recorded = fs::absolute(folder) / kRecorded;
  write_file(folder / "report.html",
             report_html(record, replay_commands(record, recorded.string())));
  write_whole_file(folder / "timing.json", timing_json(record));  // last: the compile is whole
}

void write_whole_file(const fs::path& path, std::string_view text) {
  fs::path draft = path;
  draft += ".draft";
  write_file(draft, text);
  fs::rename(draft, path);
}

}  // namespace wick::runtime
