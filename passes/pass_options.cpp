#include "wick/passes/pass_options.h"

#include <charconv>
#include <stdexcept>

#include <fmt/format.h>

namespace wick::passes {

int64_t integer_option(const PassOptions& options,
                       std::string_view name,
                       int64_t fallback,
                       int64_t minimum) {
  const auto option = options.find(name);
  if (option == options.end()) return fallback;
  const std::string& text = option->second;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < minimum) {
    throw std::invalid_argument(fmt::format(
        "option '{}' is '{}', expected an integer of at least {}", name, text, minimum));
  }
  return value;
}

bool flag_option(const PassOptions& options, std::string_view name, bool fallback) {
  const auto option = options.find(name);
  if (option == options.end()) return fallback;
  const std::string& text = option->second;
  if (text.empty() || text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  throw std::invalid_argument(
      fmt::format("option '{}' is '{}', expected true or false", name, text));
}

}  // namespace wick::passes
