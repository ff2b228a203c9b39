#pragma once

// A profile as text: the JSON object form of the Chrome trace event format.

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "wick/ir/profile.h"

namespace wick::runtime {

/// What one thread did, in the order in which it ended.
struct ThreadEvents {
  int64_t thread_id = 0;
  std::string name;
  std::vector<profile::Event> events;
};

struct Profile {
  std::string program;
  int64_t process_id = 0;
  int num_threads = 0;
  std::string backend;
  int64_t start = 0;  // profile::now(); times are shown from here
  int64_t dropped_events = 0;
  std::vector<ThreadEvents> threads;
};

/// Sorts each thread's events by start, enclosing ones first.
void write_chrome_trace(std::ostream& out, Profile& profile);

}  // namespace wick::runtime
