#include "wick/runtime/dump.h"

#include <atomic>
#include <cstdio>
#include <exception>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "wick/passes/options.h"
#include "wick/runtime/dump_files.h"
#include "wick/runtime/dump_folder.h"

namespace wick::runtime {

namespace {

/// One call, so that the lines of threads do not mix.
void print(const std::string& text) {
  std::fputs(text.c_str(), stderr);
}

void log_fusion(const CompileRecord& record) {
  std::string text;
  for (const passes::Remark& remark : record.remarks)
    text += fmt::format("wick: fusion: {}\n", to_string(remark));
  print(text);
}

void log_output_code(const CompileRecord& record) {
  std::string text;
  for (const KernelRecord& kernel : record.kernels) {
    text += fmt::format(
        "wick: output_code: {} {}\n{}", kernel.name, to_string(kernel.where), kernel.kernel_ir);
    for (const codegen::CodeListing& listing : kernel.listings) {
      if (listing.extension == "ll") text += listing.text;
    }
  }
  print(text);
}

/// An empty record, numbered, when the switches in force show compiles; otherwise nothing.
std::optional<CompileRecord> begin_record() {
  static std::atomic<int64_t> compiles{0};
  const int64_t number = ++compiles;
  const Options& options = wick::options();
  if (options.dump_to.empty() && !options.log.fusion && !options.log.output_code) return {};
  CompileRecord record;
  record.number = number;
  record.wants_code = !options.dump_to.empty() || options.log.output_code;
  return record;
}

/// What cannot be shown is said once: a compile does not fail because somebody looks on.
void show(const CompileRecord& record) noexcept {
  try {
    const Options& options = wick::options();
    if (options.log.fusion) log_fusion(record);
    if (options.log.output_code) log_output_code(record);
    if (options.dump_to.empty()) return;
    DumpFolder& folder = dump_folder(options.dump_to, options.dump_max);
    folder.add(record);
  } catch (const std::exception& failure) {
    static std::atomic<bool> is_said{false};
    if (is_said.exchange(true)) return;
    std::fprintf(stderr, "wick: cannot show a compile: %s; going on\n", failure.what());
  }
}

std::unique_ptr<Executable> compile(std::unique_ptr<ir::Graph> graph,
                                    const std::string& backend,
                                    CompileRecord& record) {
  try {
    return find_backend(backend).compile(std::move(graph), &record);
  } catch (const std::exception& failure) {
    record.error = failure.what();
    show(record);
    throw;
  }
}

}  // namespace

std::unique_ptr<Executable> compile_and_show(std::unique_ptr<ir::Graph> graph,
                                             const std::string& backend,
                                             const std::function<void(CompileRecord&)>& tell) {
  std::optional<CompileRecord> record = begin_record();
  if (!record) return find_backend(backend).compile(std::move(graph));
  tell(*record);
  describe(*graph, backend, *record);
  auto executable = compile(std::move(graph), backend, *record);
  show(*record);
  return executable;
}

}  // namespace wick::runtime
