// Bytes of .npy files: an array whose elements are there, which written again has the same header
// and elements, or an Error.

#include <algorithm>
#include <vector>

#include "expect.h"

#include "wick/ir/error.h"
#include "wick/ir/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace wick;
  const FileUse use{.op = "fuzz"};
  const std::span bytes = std::as_bytes(std::span(data, size));
  Literal literal;
  try {
    literal = ir::parse_npy(bytes, use);
  } catch (const Error&) {
    return 0;
  }
  const std::string header = ir::npy_header(literal.type(), use);
  std::vector<std::byte> written(header.size() + literal.bytes().size());
  std::ranges::copy(std::as_bytes(std::span(header)), written.begin());
  std::ranges::copy(literal.bytes(), written.begin() + static_cast<ptrdiff_t>(header.size()));
  fuzz::expect(ir::parse_npy(written, use) == literal, "what is written reads back");
  return 0;
}
