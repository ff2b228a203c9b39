#include "wick/ir/error.h"

#include <fmt/format.h>

namespace wick {
namespace {

std::string message(const Location& where, std::string_view op, std::string_view text) {
  const std::string place = where.is_known() ? to_string(where) + ": " : "";
  if (op.empty()) return fmt::format("{}error: {}", place, text);
  return fmt::format("{}error: {}: {}", place, op, text);
}

}  // namespace

Error::Error(const Location& where, std::string_view op, std::string_view text)
    : std::runtime_error(message(where, op, text)),
      where_(where),
      op_(op),
      text_(text) {}

}  // namespace wick
