#pragma once

// Profiles of whole programs as Chrome traces, which ui.perfetto.dev and chrome://tracing show.

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>

#include "wick/ir/location.h"
#include "wick/ir/profile.h"

namespace wick {

/// Collects events of all threads until stop_profile() or the end of the process and writes them to
/// `path` then; `%p` in it becomes the process id. The file appears complete or not at all. A
/// running profile is written first. Throws std::runtime_error when `path` cannot be written.
/// The working directory is that of the call. A fork has no part in its parent's profile.
///
/// Keeps the first half a million events (some 100 MB) and counts the rest, which the file tells.
void start_profile(std::string path);

/// Writes the running profile; does nothing without one. Throws std::runtime_error when writing
/// fails.
void stop_profile();

namespace profile {

/// Starts the profile that Options::profile (WICK_PROFILE) asks for; looks there once. Called by
/// the first materialization or Range. A file that cannot be written is said once on standard
/// error, and the program goes on.
void start_as_told();

/// Shows a part of the program in the profile, from here to the end of the scope:
///
///     wick::profile::Range range("load batch");
class Range {
 public:
  explicit Range(std::string_view name,
                 std::source_location where = std::source_location::current())
      : slice_((start_as_told(), "user"), name) {
    if (slice_.is_on()) slice_.arg("where", to_string(Location(where)));
  }

 private:
  Slice slice_;
};

}  // namespace profile
}  // namespace wick
