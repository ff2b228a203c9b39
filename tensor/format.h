#pragma once

// Tensors in fmt::format: `{}` prints as `operator<<` does, `{:.3f}` writes each element by the
// format specification after the colon. For .cpp files: the other public headers include no fmt.

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "wick/tensor/print.h"

/// An element that its specification does not suit is a fmt::format_error; integers and bools are
/// written as floats where the specification ends with one of aAeEfFgG.
template <>
struct fmt::formatter<wick::Tensor> {
  template <typename ParseContext>
  constexpr auto parse(ParseContext& context) {
    auto at = context.begin();
    while (at != context.end() && *at != '}')
      ++at;
    spec_ = {context.begin(), static_cast<size_t>(at - context.begin())};
    return at;
  }

  template <typename Context>
  auto format(const wick::Tensor& tensor, Context& context) const {
    const std::string text =
        spec_.empty() ? wick::to_string(tensor)
                      : wick::detail::to_string(tensor, element_format(), wick::print_options());
    return fmt::format_to(context.out(), "{}", text);
  }

 private:
  [[nodiscard]] wick::detail::ElementFormat element_format() const {
    const std::string pattern = "{:" + std::string(spec_) + "}";
    const auto real = [pattern](double value) { return fmt::format(fmt::runtime(pattern), value); };
    const auto integer = [pattern](int64_t value) {
      return fmt::format(fmt::runtime(pattern), value);
    };
    constexpr std::string_view kFloatTypes = "aAeEfFgG";
    if (kFloatTypes.find(spec_.back()) == std::string_view::npos) return {real, integer};
    return {real, [real](int64_t value) { return real(static_cast<double>(value)); }};
  }

  std::string_view spec_;  // of the format string, which outlives the formatting
};
