#pragma once

// Where in the user's program an op was written.

#include <compare>
#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>

namespace wick {

/// A place in a source file. `file` points to storage that lives as long as the process: a
/// std::source_location's, or one returned by `intern_file`.
struct Location {
  const char* file = "";
  uint32_t line = 0;
  uint32_t column = 0;

  constexpr Location() = default;

  constexpr Location(const char* file_name, uint32_t line_number, uint32_t column_number)
      : file(file_name),
        line(line_number),
        column(column_number) {}

  // NOLINTNEXTLINE(google-explicit-constructor): callers pass their std::source_location.
  constexpr Location(const std::source_location& where)
      : file(where.file_name()),
        line(where.line()),
        column(where.column()) {}

  [[nodiscard]] bool is_known() const { return line != 0; }

  bool operator==(const Location& other) const;
};

/// A copy of `name` that lives as long as the process; equal names give the same pointer.
const char* intern_file(std::string_view name);

/// `train.cpp:41:12`, or `<unknown>`.
std::string to_string(const Location& where);

}  // namespace wick
