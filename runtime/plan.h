#pragma once

// A compiled program: steps in order, with the place of every value. Immutable once built; what
// runs it is runtime/executor.h.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "wick/codegen/kernel_compiler.h"
#include "wick/runtime/backend.h"
#include "wick/runtime/library_call.h"

namespace wick::runtime {

/// Where a value's bytes are during a run.
struct Place {
  enum class Kind : uint8_t { arena, result, param, constant };
  Kind kind = Kind::arena;
  int index = 0;      // of the result, parameter or constant
  size_t offset = 0;  // into the arena

  friend bool operator==(const Place&, const Place&) = default;
};

/// Bytes from a place on.
struct PlacedBytes {
  Place place;
  size_t bytes = 0;
};

bool overlap(const PlacedBytes& a, const PlacedBytes& b);

/// `arena+1024`, `result:0`, `param:2`, `constant:1`.
std::string to_string(const Place& place);

/// A value that steps read or write. Steps count from 0; a value that is there from the start is
/// defined at -1, one that leaves the program is last read one past the last step.
struct PlanValue {
  std::string name;  // as the graph prints it
  Type type;
  Place place;
  int defined_at = -1;
  int last_read = -1;
  ir::OpKind op = ir::OpKind::parameter;  // that makes it: of a fusion's result, the op inside
  Location where;
};

/// One launch of a kernel of a fusion.
struct KernelStep {
  std::shared_ptr<const codegen::Kernel> kernel;  // shared by the launches that use it
  codegen::KernelFunction function = nullptr;     // null: the kernel interpreter runs it
  codegen::KernelOrigin origin;
  std::vector<Place> args;
  std::vector<int64_t> params;
  int64_t task_extent = 1;
  int64_t vector_extent = 1;
  int64_t work_per_task = 1;
  int64_t tasks_in_order = 1;  // see KernelLaunch
};

/// A call of library code.
struct LibraryStep {
  LibraryOp op;
  std::unique_ptr<LibraryCall> call;
  int threads = 1;  // the call was made for
  size_t scratch_offset = 0;
  size_t scratch_bytes = 0;
};

/// What has no faster implementation: the reference interpreter on one op or fusion body.
struct InterpretStep {
  ir::OpKind op = ir::OpKind::add;
  ir::Attributes attributes;
  std::unique_ptr<ir::Graph> body;  // of a fusion, else null
};

/// A result that has to leave the arena.
struct CopyStep {};

/// An op of a fusion and its line in the user's program.
struct StepOp {
  ir::OpKind op = ir::OpKind::add;
  Location where;
};

/// `reads` and `writes` are numbers of values. A fusion of several launches is several steps; the
/// later ones have the same reads and writes.
struct Step {
  std::string name;  // op, or kernel
  Location where;
  std::vector<StepOp> ops;  // of a fusion, in order; parameters and constants left out
  std::vector<int> reads;
  std::vector<int> writes;
  std::variant<KernelStep, LibraryStep, InterpretStep, CopyStep> action;
};

/// What becomes graph result k.
struct ResultSource {
  /// fresh: its own new buffer. result: the same buffer as an earlier result. param: the buffer of
  /// that argument. constant: the plan's own, not writable.
  enum class Kind : uint8_t { fresh, result, param, constant };
  Kind kind = Kind::fresh;
  int index = 0;
};

/// What a run tells the memory manager, made once.
struct AllocationTags {
  std::vector<ArenaItem> arena_items;
  AllocationTag arena;                     // shows arena_items
  std::vector<AllocationTag> overwritten;  // one for each entry of Plan::overwritten
  std::vector<AllocationTag> results;      // one a result
};

/// Milliseconds of making a plan.
struct PlanBuildTimes {
  double lowering = 0;
  double kernels = 0;  // until all were there
  double total = 0;
};

struct Plan {
  std::string name;
  std::vector<Type> parameters;
  std::vector<int> overwritten;  // parameters that a step writes over, sorted
  std::vector<Ref<Buffer>> constants;
  std::vector<PlanValue> values;  // results of the graph's nodes in order, then copies
  std::vector<Step> steps;
  std::vector<int> group_ends;  // by step, see runtime/launch_groups.h; none: one by one
  std::vector<Type> results;
  std::vector<ResultSource> sources;  // one a result
  size_t value_bytes = 0;             // of the arena, for values
  size_t arena_bytes = 0;             // and for the scratch of steps
  AllocationTags tags;
  ProgramSummary summary;
  PlanBuildTimes build_times;
};

/// Numbered steps with operands, places and live ranges, then the totals.
std::string to_string(const Plan& plan);

/// Empty when every step reads what it should: no value is overwritten, wholly or in part, while it
/// is still to be read. Otherwise the first clash.
std::optional<std::string> verify(const Plan& plan);

}  // namespace wick::runtime
