#pragma once

// The order in which the kernels and library calls of a program run. Internal to passes/.

#include <cstdint>
#include <vector>

namespace wick::passes {

/// Something that runs as a whole: a kernel, a library call, a view of memory.
struct ScheduleUnit {
  int place = 0;            // in the program as it was written
  std::vector<int> after;   // units that run before this one, each once
  std::vector<int> reads;   // buffers, each once
  std::vector<int> writes;  // buffers that are in use from here on
};

struct ScheduleBuffer {
  int64_t bytes = 0;
  bool kept = false;  // beyond its last reader: a result, or memory of somebody else's
};

struct Schedule {
  std::vector<int> order;
  int64_t peak_bytes = 0;  // the most bytes of buffers in use, beyond those from before the start
};

/// The units in the order of the program, as far as what each one waits for allows. Units of a
/// circle, and those behind it, are missing.
Schedule program_schedule(const std::vector<ScheduleUnit>& units,
                          const std::vector<ScheduleBuffer>& buffers);

/// The same, but a unit that leaves no more bytes in use than it found runs as soon as it can:
/// so the gradients of weights do not hold activations and cotangents until a backward pass ends.
Schedule lean_schedule(const std::vector<ScheduleUnit>& units,
                       const std::vector<ScheduleBuffer>& buffers);

/// The one with the lower peak; the order of the program if they are equal.
Schedule best_schedule(const std::vector<ScheduleUnit>& units,
                       const std::vector<ScheduleBuffer>& buffers);

}  // namespace wick::passes
