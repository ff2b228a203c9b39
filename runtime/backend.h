#pragma once

// A backend turns a captured graph into something that runs.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wick/ir/graph.h"
#include "wick/runtime/buffer.h"

namespace wick::runtime {

/// Value of one graph parameter. Scalars are passed by address with a null buffer. A parameter
/// marked `donate` may be overwritten, and may come back as a result.
struct Argument {
  const void* data = nullptr;
  Ref<Buffer> buffer;
};

/// What became of a program, for `explain` and tests.
struct ProgramSummary {
  int num_ops = 0;      // recorded, before any pass
  int num_kernels = 0;  // kernel launches
  int num_library_calls = 0;
  int num_interpreted = 0;         // steps without a fast implementation
  int64_t arena_bytes = 0;         // planned for temporaries
  int64_t intermediate_bytes = 0;  // sum of all values that are not parameters, before fusion
  int64_t planned_peak_bytes = 0;  // arena and fresh results
};

class Executable {
 public:
  Executable() = default;
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;
  virtual ~Executable() = default;

  /// One buffer a graph result. Throws Error naming op and line when a step fails. Thread-safe.
  virtual std::vector<Ref<Buffer>> run(std::span<const Argument> arguments) = 0;
  [[nodiscard]] virtual ProgramSummary summary() const = 0;
  /// The plan as text: steps, buffers, offsets, live ranges, peak.
  [[nodiscard]] virtual std::string to_text() const = 0;
};

struct CompileRecord;
struct PlanOptions;

class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Into `record`, where one is wanted, goes what the backend can tell about the compile
  /// (wick/runtime/compile_record.h).
  virtual std::unique_ptr<Executable> compile(std::unique_ptr<ir::Graph> graph,
                                              CompileRecord* record = nullptr) = 0;
  /// How it makes plans, with nothing compiled: for tools that show them.
  [[nodiscard]] virtual PlanOptions planning() const;
};

/// Registers a backend under its name; throws std::invalid_argument when taken.
void register_backend(std::unique_ptr<Backend> backend);
/// Throws std::invalid_argument listing the known names. Built in: "llvm", "interpreter",
/// "cuda" with "cuda:1" for the second GPU and "cuda:sm_90" for plans that are only looked at;
/// throws Error naming what is missing where Wick was built without CUDA.
Backend& find_backend(std::string_view name);

}  // namespace wick::runtime
