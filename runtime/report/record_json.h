#pragma once

// Records as JSON. Internal to report/.

#include <span>

#include <nlohmann/json.hpp>

#include "wick/runtime/report.h"

namespace wick::runtime {

/// All of it, as report.js reads it.
nlohmann::json to_json(const CompileRecord& record, std::span<const ReplayCommand> replay);

/// Text of a JSON value for a <script> element: no `<` can end it early. Bytes that are no UTF-8
/// become U+FFFD.
std::string script_text(const nlohmann::json& json);

}  // namespace wick::runtime
