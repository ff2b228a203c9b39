#include "wick/passes/buffer_place.h"

#include <charconv>

#include <fmt/format.h>

namespace wick::passes {

namespace {

/// The number that follows `prefix` and ends the text.
template <typename T>
std::optional<T> number_after(std::string_view prefix, std::string_view text) {
  if (!text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  T number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

}  // namespace

bool is_alias(const ir::Node& node) {
  return node.op() == ir::OpKind::reshape || node.op() == ir::OpKind::barrier;
}

std::string to_string(const BufferPlace& place) {
  switch (place.kind) {
    case BufferPlace::Kind::arena:
      return fmt::format("arena+{}", place.offset);
    case BufferPlace::Kind::result:
      return fmt::format("result:{}", place.index);
    case BufferPlace::Kind::param:
      return fmt::format("param:{}", place.index);
    case BufferPlace::Kind::constant:
      return "constant";
  }
  return {};
}

std::optional<BufferPlace> parse_buffer_place(std::string_view text) {
  using Kind = BufferPlace::Kind;
  if (text == "constant") return BufferPlace{.kind = Kind::constant};
  if (const auto offset = number_after<size_t>("arena+", text)) {
    return BufferPlace{.kind = Kind::arena, .offset = *offset};
  }
  if (const auto index = number_after<int>("result:", text)) {
    return BufferPlace{.kind = Kind::result, .index = *index};
  }
  if (const auto index = number_after<int>("param:", text)) {
    return BufferPlace{.kind = Kind::param, .index = *index};
  }
  return std::nullopt;
}

}  // namespace wick::passes
