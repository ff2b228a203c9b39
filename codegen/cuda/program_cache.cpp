#include "wick/codegen/cuda/program_cache.h"

#include <chrono>
#include <optional>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "wick/codegen/disk_cache.h"
#include "wick/ir/profile.h"

namespace wick::codegen::cuda {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kCubin = "cubin";
constexpr std::string_view kPtx = "ptx";

/// What a file of the cache holds: a line for the kind, one for each kernel's resources, an empty
/// one, the image.
std::string to_bytes(const CompiledProgram& program) {
  std::string out(program.kind == CompiledProgram::Kind::cubin ? kCubin : kPtx);
  for (const KernelResources& kernel : program.resources) {
    out += fmt::format("\n{} {} {} {} {}",
                       kernel.symbol,
                       kernel.registers,
                       kernel.stack_bytes,
                       kernel.spill_bytes,
                       kernel.static_shared_bytes);
  }
  out += "\n\n";
  out.append(reinterpret_cast<const char*>(program.image.data()), program.image.size());
  return out;
}

/// Empty for bytes that to_bytes did not make.
std::optional<CompiledProgram> from_bytes(std::span<const std::byte> bytes) {
  const std::string_view content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const size_t end = content.find("\n\n");
  if (end == std::string_view::npos) return std::nullopt;
  std::istringstream lines{std::string(content.substr(0, end))};
  std::string kind;
  std::getline(lines, kind);
  if (kind != kCubin && kind != kPtx) return std::nullopt;
  CompiledProgram program;
  program.kind = kind == kCubin ? CompiledProgram::Kind::cubin : CompiledProgram::Kind::ptx;
  KernelResources kernel;
  while (lines >> kernel.symbol >> kernel.registers >> kernel.stack_bytes >> kernel.spill_bytes >>
         kernel.static_shared_bytes) {
    program.resources.push_back(kernel);
  }
  program.image.assign(bytes.begin() + static_cast<std::ptrdiff_t>(end) + 2, bytes.end());
  return program;
}

}  // namespace

CompiledProgram compile_program(std::span<const ProgramKernel> kernels,
                                int compute_capability,
                                const std::string& directory,
                                KernelOrigin* origin) {
  const std::string_view name = kernels.empty() ? "" : kernels.front().kernel->name;
  return compile_text(name, program_text(kernels), compute_capability, directory, origin);
}

CompiledProgram compile_text(std::string_view name,
                             const std::string& text,
                             int compute_capability,
                             const std::string& directory,
                             KernelOrigin* origin) {
  profile::Slice slice("kernel", name);
  const Clock::time_point start = Clock::now();
  const auto finish = [&](KernelOrigin::Level level) {
    if (origin == nullptr) return;
    const std::chrono::duration<double, std::milli> elapsed = Clock::now() - start;
    *origin = {.level = level, .milliseconds = elapsed.count()};
  };
  const Nvrtc& nvrtc = Nvrtc::instance();
  if (!nvrtc.is_available()) throw std::runtime_error("cannot open NVRTC: " + nvrtc.problem());
  const Hash128 key = hash_bytes(text);
  const DiskCache disk(
      directory,
      fmt::format(
          "nvrtc {} {}", nvrtc.version(), fmt::join(nvrtc.options_for(compute_capability), " ")));
  const DiskCache::Found found = disk.find(key, text);
  if (found.object) {
    if (std::optional<CompiledProgram> program = from_bytes(*found.object)) {
      slice.arg("from", "disk");
      finish(KernelOrigin::Level::disk);
      return *std::move(program);
    }
  }
  slice.arg("from", "compiler");
  CompiledProgram program = nvrtc.compile(text, compute_capability);
  const std::string bytes = to_bytes(program);
  disk.store(key, text, std::as_bytes(std::span(bytes)));
  finish(KernelOrigin::Level::compiled);
  return program;
}

}  // namespace wick::codegen::cuda
