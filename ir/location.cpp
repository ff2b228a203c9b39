#include "wick/ir/location.h"

#include <cstring>
#include <mutex>
#include <set>

#include <fmt/format.h>

namespace wick {

bool Location::operator==(const Location& other) const {
  return line == other.line && column == other.column &&
         (file == other.file || std::strcmp(file, other.file) == 0);
}

const char* intern_file(std::string_view name) {
  // Never destroyed: locations outlive every static object.
  static std::mutex mutex;
  static auto& names = *new std::set<std::string, std::less<>>;  // NOLINT(*-owning-memory)
  const std::lock_guard lock(mutex);
  auto found = names.find(name);
  if (found == names.end()) found = names.emplace(name).first;
  return found->c_str();
}

std::string to_string(const Location& where) {
  if (!where.is_known()) return "<unknown>";
  return fmt::format("{}:{}:{}", where.file, where.line, where.column);
}

}  // namespace wick
