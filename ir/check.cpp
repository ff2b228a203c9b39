#include "wick/ir/check.h"

#include <stdexcept>

#include <fmt/format.h>

namespace wick {

void check_failed(std::string_view what, std::source_location where) {
  throw std::logic_error(
      fmt::format("{}:{}: broken invariant: {}", where.file_name(), where.line(), what));
}

}  // namespace wick
