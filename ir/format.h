#pragma once

// Types, shapes, dtypes and ops in fmt::format. For .cpp files: public headers include no fmt.

#include <fmt/format.h>

#include "wick/ir/op.h"
#include "wick/ir/type.h"

namespace wick {

/// Formats through to_string.
template <typename T>
struct ToStringFormatter : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(const T& value, Context& context) const {
    return fmt::formatter<std::string_view>::format(to_string(value), context);
  }
};

}  // namespace wick

template <>
struct fmt::formatter<wick::Type> : wick::ToStringFormatter<wick::Type> {};

template <>
struct fmt::formatter<wick::Shape> : wick::ToStringFormatter<wick::Shape> {};

template <>
struct fmt::formatter<wick::DType> : wick::ToStringFormatter<wick::DType> {};

template <>
struct fmt::formatter<wick::ir::OpKind> : wick::ToStringFormatter<wick::ir::OpKind> {};
