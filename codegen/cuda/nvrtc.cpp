#include "wick/codegen/cuda/nvrtc.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>
#include <nvrtc.h>

#include "wick/codegen/cuda/dynamic_library.h"

namespace wick::codegen::cuda {

struct Nvrtc::Functions {
  decltype(&nvrtcVersion) version = nullptr;
  decltype(&nvrtcGetErrorString) error_string = nullptr;
  decltype(&nvrtcGetNumSupportedArchs) num_architectures = nullptr;
  decltype(&nvrtcGetSupportedArchs) architectures = nullptr;
  decltype(&nvrtcCreateProgram) create = nullptr;
  decltype(&nvrtcDestroyProgram) destroy = nullptr;
  decltype(&nvrtcCompileProgram) compile = nullptr;
  decltype(&nvrtcGetProgramLogSize) log_size = nullptr;
  decltype(&nvrtcGetProgramLog) log = nullptr;
  decltype(&nvrtcGetCUBINSize) cubin_size = nullptr;
  decltype(&nvrtcGetCUBIN) cubin = nullptr;
  decltype(&nvrtcGetPTXSize) ptx_size = nullptr;
  decltype(&nvrtcGetPTX) ptx = nullptr;

  /// Name of the first function that the library lacks, "" if none.
  std::string fill(const DynamicLibrary& library) {
    std::string missing;
    const auto find = [&]<typename Function>(Function*& function, const char* name) {
      function = library.function<Function>(name);
      if (function == nullptr && missing.empty()) missing = name;
    };
    find(version, "nvrtcVersion");
    find(error_string, "nvrtcGetErrorString");
    find(num_architectures, "nvrtcGetNumSupportedArchs");
    find(architectures, "nvrtcGetSupportedArchs");
    find(create, "nvrtcCreateProgram");
    find(destroy, "nvrtcDestroyProgram");
    find(compile, "nvrtcCompileProgram");
    find(log_size, "nvrtcGetProgramLogSize");
    find(log, "nvrtcGetProgramLog");
    find(cubin_size, "nvrtcGetCUBINSize");
    find(cubin, "nvrtcGetCUBIN");
    find(ptx_size, "nvrtcGetPTXSize");
    find(ptx, "nvrtcGetPTX");
    return missing;
  }

  void require(nvrtcResult result, const char* what) const {
    if (result == NVRTC_SUCCESS) return;
    throw std::runtime_error(fmt::format("{}: {}", what, error_string(result)));
  }
};

namespace {

/// One program; its functions throw std::runtime_error.
template <typename Functions>
class Program {
 public:
  Program(const Functions& functions, const std::string& text) : f_(functions) {
    f_.require(f_.create(&program_, text.c_str(), "wick.cu", 0, nullptr, nullptr),
               "nvrtcCreateProgram");
  }

  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  ~Program() { f_.destroy(&program_); }

  void compile(const std::vector<std::string>& options) {
    std::vector<const char*> arguments;
    for (const std::string& option : options)
      arguments.push_back(option.c_str());
    const nvrtcResult result =
        f_.compile(program_, static_cast<int>(arguments.size()), arguments.data());
    if (result == NVRTC_SUCCESS) return;
    throw std::runtime_error(fmt::format("NVRTC: {}\n{}", f_.error_string(result), log()));
  }

  [[nodiscard]] std::string log() const {
    size_t size = 0;
    f_.require(f_.log_size(program_, &size), "nvrtcGetProgramLogSize");
    std::string text(size, '\0');
    f_.require(f_.log(program_, text.data()), "nvrtcGetProgramLog");
    text.resize(size == 0 ? 0 : size - 1);  // its zero
    return text;
  }

  [[nodiscard]] std::vector<std::byte> cubin() const {
    return image(f_.cubin_size, f_.cubin, "nvrtcGetCUBIN");
  }

  [[nodiscard]] std::vector<std::byte> ptx() const {
    return image(f_.ptx_size, f_.ptx, "nvrtcGetPTX");
  }

 private:
  template <typename Size, typename Get>
  std::vector<std::byte> image(Size size_of, Get get, const char* what) const {
    size_t size = 0;
    f_.require(size_of(program_, &size), what);
    std::vector<std::byte> bytes(size);
    f_.require(get(program_, reinterpret_cast<char*>(bytes.data())), what);
    return bytes;
  }

  const Functions& f_;
  nvrtcProgram program_ = nullptr;
};

/// The architecture to compile for: the device's own, or the newest before it.
int nearest_architecture(const std::vector<int>& known, int compute_capability) {
  const auto after = std::ranges::upper_bound(known, compute_capability);
  if (after != known.begin()) return *(after - 1);
  throw std::runtime_error(fmt::format("NVRTC compiles for compute capability {} and later, not {}",
                                       known.empty() ? 0 : known.front(),
                                       compute_capability));
}

}  // namespace

const Nvrtc& Nvrtc::instance() {
  static const auto* nvrtc = new Nvrtc;  // NOLINT: used until the very end of the process
  return *nvrtc;
}

Nvrtc::Nvrtc() {
  const DynamicLibrary library(
      {.variable = "WICK_LIBNVRTC", .files = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}});
  problem_ = library.problem();
  if (!library.is_open()) return;
  static Functions functions;
  if (const std::string missing = functions.fill(library); !missing.empty()) {
    problem_ = library.path() + ": lacks " + missing;
    return;
  }
  functions_ = &functions;
  int major = 0;
  int minor = 0;
  int count = 0;
  functions.version(&major, &minor);
  version_ = major * 1000 + minor * 10;
  functions.num_architectures(&count);
  architectures_.resize(static_cast<size_t>(count));
  functions.architectures(architectures_.data());
  std::ranges::sort(architectures_);
}

std::vector<std::string> Nvrtc::options_for(int compute_capability) const {
  const int architecture = nearest_architecture(architectures_, compute_capability);
  const bool is_exact = architecture == compute_capability;
  std::vector<std::string> options = {
      fmt::format("-arch={}{}", is_exact ? "sm_" : "compute_", architecture),
      "--std=c++17",
      "--device-as-default-execution-space",
      "--diag-suppress=177",  // declared and not used: positions that a kernel does not need
  };
  if (is_exact) options.emplace_back("--ptxas-options=-v");
  // Where there is a driver, this version keeps what it compiled, and has no log for what it kept.
  // Programs are kept with their resources by Wick's own cache.
  constexpr int kKeepsPrograms = 13000;
  if (version_ >= kKeepsPrograms) options.emplace_back("--no-cache");
  return options;
}

CompiledProgram Nvrtc::compile(const std::string& text, int compute_capability) const {
  if (!is_available()) throw std::runtime_error(problem_);
  const std::vector<std::string> options = options_for(compute_capability);
  Program<Functions> program(*functions_, text);
  program.compile(options);
  if (options[0].starts_with("-arch=compute_")) {
    return {.kind = CompiledProgram::Kind::ptx, .image = program.ptx(), .resources = {}};
  }
  return {.kind = CompiledProgram::Kind::cubin,
          .image = program.cubin(),
          .resources = parse_ptxas_log(program.log())};
}

}  // namespace wick::codegen::cuda
