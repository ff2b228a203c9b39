#include "graphs_of_input.h"

#include <algorithm>
#include <string_view>

#include "support/sample_ops.h"

#include "wick/ir/parser.h"

namespace wick::fuzz {
namespace {

/// A bound of the product of the numbers in a text.
uint64_t product_of_numbers(std::string_view text) {
  constexpr uint64_t kEnough = uint64_t{1} << 32U;
  uint64_t product = 1;
  uint64_t number = 0;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      number = std::min(number * 10 + static_cast<uint64_t>(c - '0'), kEnough);
    } else if (number > 0) {
      product = std::min(product * number, kEnough);
      number = 0;
    }
  }
  return product;
}

/// `dense<f32[1000000]: splat 0>`: a few characters that ask for megabytes.
bool has_large_constant(std::string_view text) {
  constexpr uint64_t kLarge = uint64_t{1} << 14U;
  for (size_t at = text.find("splat"); at != std::string_view::npos;
       at = text.find("splat", at + 1)) {
    const size_t start = text.rfind("dense", at);
    if (start == std::string_view::npos) continue;
    if (product_of_numbers(text.substr(start, at - start)) > kLarge) return true;
  }
  return false;
}

}  // namespace

std::vector<std::unique_ptr<ir::Graph>> graphs_of_input(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (has_large_constant(text)) return {};
  register_sample_ops();
  try {
    return ir::parse_graphs(text);
  } catch (const ir::ParseError&) {
    return {};
  }
}

}  // namespace wick::fuzz
