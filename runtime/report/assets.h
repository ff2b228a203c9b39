#pragma once

// Files of this folder as text, embedded by cmake/EmbedText.cmake.

#include <string_view>

namespace wick::runtime::assets {

extern const std::string_view report_html;
extern const std::string_view report_css;
extern const std::string_view report_js;  // all scripts of the report, in order
extern const std::string_view index_html;
extern const std::string_view index_js;

}  // namespace wick::runtime::assets
