#include "list_devices.h"

#include <fmt/format.h>

#include "wick/runtime/gpu_report.h"
#include "wick/runtime/host_cpu.h"
#include "wick/runtime/parallel.h"

namespace wick::run {

std::string devices_text() {
  std::string text = fmt::format("cpu: {}, {} threads, {}-bit vectors\n",
                                 runtime::cpu_name(),
                                 runtime::max_threads(),
                                 runtime::cpu_vector_bits());
  const runtime::GpuReport report = runtime::gpu_report();
  for (const std::string& gpu : report.gpus)
    text += gpu + '\n';
  if (report.gpus.empty()) text += fmt::format("cuda: none: {}\n", report.problem);
  for (const runtime::GpuLibrary& library : report.libraries) {
    text += library.version.empty() ? fmt::format("  {}\n", library.problem)
                                    : fmt::format("  {} {}\n", library.name, library.version);
  }
  return text;
}

}  // namespace wick::run
