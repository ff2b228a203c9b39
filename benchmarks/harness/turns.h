#pragma once

// The side of a measurement that does the work. Contestants run in processes of their own and do a
// step when they are told to, so that what is compared takes turns in one run: whatever else the
// machine does hits both. Also compiled into the programs of peers, so plain C++17.

#include <functional>
#include <string>
#include <vector>

namespace wick::bench {

/// What a contestant can be asked for.
struct Turns {
  std::function<void()> step;
  std::function<double()> floor;       // milliseconds of the least that the step could take
  std::function<std::string()> facts;  // about the step, as one line of JSON
};

/// Makes the inputs, then answers the lines of standard input until it ends:
///
///   step MS   runs steps for so long, at least one: the median of their milliseconds
///   floor MS  the same with the floor
///   peak      MiB that were resident at the most, above those when the inputs were there
///   facts
///
/// An answer is one line on what was standard output; meanwhile standard output goes to standard
/// error. What fails is answered by `error: ...`, and the process ends with status 1.
int serve_turns(const std::function<Turns()>& make);

/// Milliseconds of one call: of the clock on the wall, or with WICK_BENCH_CLOCK=cpu of CPU time,
/// which tells more of a single thread where other processes take the CPU away.
double time_ms(const std::function<void()>& work);

double median(std::vector<double> values);

}  // namespace wick::bench
