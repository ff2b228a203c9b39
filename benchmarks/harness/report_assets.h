#pragma once

// The files of the HTML report, embedded by the build.

#include <string_view>

namespace wick::bench::assets {

extern const std::string_view report_html;
extern const std::string_view report_css;
extern const std::string_view report_js;

}  // namespace wick::bench::assets
