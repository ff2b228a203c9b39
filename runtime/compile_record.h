#pragma once

// All there is to tell about one compile. explain(), the WICK_LOG switches, the dump folder and the
// HTML report show it; nothing runs twice for them.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "wick/codegen/kernel_provider.h"
#include "wick/passes/pipeline_run.h"
#include "wick/runtime/backend.h"
#include "wick/runtime/plan.h"

namespace wick::runtime {

/// Why there was something to compile.
struct CompileTrigger {
  std::string reason;      // "item", "step", "a long chain of pending ops"
  Location where;          // of the caller whose request it was
  std::string difference;  // from the nearest program that was compiled before; empty: unknown
};

/// One kernel; several steps may launch it.
struct KernelRecord {
  std::string name;   // unique in the record
  Location where;     // of the fusion that wanted it first
  std::string graph;  // that fusion as a program of its own, which parses and runs
  std::string kernel_ir;
  std::vector<codegen::CodeListing> listings;  // where CompileRecord::wants_code
  codegen::KernelOrigin origin;
};

/// The plan as data: what a memory chart draws.
struct PlanRecord {
  struct Value {
    std::string name;  // as the optimized graph prints it
    std::string type;
    std::string op;
    Location where;
    Place place;
    size_t bytes = 0;
    int defined_at = -1;  // steps, as in PlanValue
    int last_read = -1;
  };

  struct Step {
    std::string name;            // op, or name of the kernel
    std::string fusion;          // that a kernel computes, or a part of it
    std::string kind;            // "kernel", "library", "interpreter", "copy"
    std::string implementation;  // of a library call
    Location where;
    std::vector<int> reads;   // numbers of values
    std::vector<int> writes;  // empty for kernels that write scratch alone
    int kernel = -1;          // number in CompileRecord::kernels
    size_t scratch_offset = 0;
    size_t scratch_bytes = 0;
  };

  std::vector<Value> values;
  std::vector<Step> steps;
  size_t value_bytes = 0;
  size_t arena_bytes = 0;
};

/// What a compile depends on besides the graph.
struct CompileEnvironment {
  std::string version;  // of Wick
  std::string backend;
  std::string cpu;
  std::string target;  // of the code generator
  int threads = 0;
  std::vector<std::string> variables;     // WICK_X=value, sorted
  std::vector<std::string> command_line;  // of the process
  std::string directory;                  // it runs in
  int64_t process = 0;
  std::string time;  // 2026-11-21 18:40:07 UTC
};

/// In milliseconds, without what making the record took. `kernels` is what the caller waited;
/// kernels compile side by side.
struct CompileTimes {
  double import = 0;  // from recorded ops to a graph
  double passes = 0;
  double lowering = 0;  // from fusions to kernel IR
  double kernels = 0;
  double plan = 0;  // places of values, library calls

  [[nodiscard]] double total() const { return import + passes + lowering + kernels + plan; }
};

struct CompileRecord {
  /// Whether to ask the code generator for its texts, which costs about as much as compiling.
  bool wants_code = false;

  int64_t number = 0;  // of the process, from 1
  std::string graph_name;
  std::string hash;  // structural, of the graph as recorded
  CompileTrigger trigger;
  passes::PipelineRecord pipeline;
  std::vector<passes::Remark> remarks;
  std::map<std::string, int64_t, std::less<>> statistics;  // by "pass.statistic", none 0
  std::vector<KernelRecord> kernels;
  std::string plan_text;
  PlanRecord plan;
  ProgramSummary summary;
  CompileTimes times;
  CompileEnvironment environment;
  std::string error;  // what ended the compile, if anything did
};

/// The graph after the last pass, as text.
const std::string& optimized_text(const CompileRecord& record);

/// Begins the record of a compile of this graph, by this backend, in this process. The backend adds
/// what it does with the graph.
void describe(const ir::Graph& recorded, std::string_view backend, CompileRecord& record);

/// Kernels, plan and summary of a program whose graph has been through the pipeline. `provider`
/// made its kernels.
void record_plan(const ir::Graph& optimized,
                 const Plan& plan,
                 codegen::KernelProvider& provider,
                 CompileRecord& record);

}  // namespace wick::runtime
