#pragma once

// Results as one HTML file with plots that needs nothing else, and as the data alone.

#include <span>
#include <string>

#include "harness/measure.h"

namespace wick::bench {

/// Throws std::runtime_error when the file cannot be written. `command` is shown on top.
void write_html(const std::string& path,
                const std::string& command,
                std::span<const Measurement> all);

/// The same figures as JSON.
void write_json(const std::string& path,
                const std::string& command,
                std::span<const Measurement> all);

}  // namespace wick::bench
