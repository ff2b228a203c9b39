#include "wick/runtime/options.h"

#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

namespace wick::runtime {
namespace {

/// Empty when unset.
std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

void read_count(const char* name, int& count) {
  const std::string_view text = variable(name);
  if (text.empty()) return;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    throw std::invalid_argument(
        fmt::format("{}: expected a count such as 4, got '{}'", name, text));
  }
  count = value;
}

void read_log(std::string_view list, Options& options) {
  while (!list.empty()) {
    const size_t comma = list.find(',');
    const std::string_view name = list.substr(0, comma);
    if (name == "recompile") options.log_recompile = true;
    if (name == "sync") options.log_sync = true;
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
}

Options from_environment() {
  Options options;
  if (const auto backend = variable("WICK_BACKEND"); !backend.empty()) options.backend = backend;
  options.pipeline = variable("WICK_PIPELINE");
  read_count("WICK_NUM_THREADS", options.num_threads);
  read_count("WICK_MAX_PENDING", options.max_pending_depth);
  const std::string_view validate = variable("WICK_VALIDATE");
  options.validate = !validate.empty() && validate != "0";
  read_log(variable("WICK_LOG"), options);
  return options;
}

}  // namespace

Options& options() {
  static Options instance = from_environment();
  return instance;
}

}  // namespace wick::runtime
