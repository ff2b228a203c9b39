// Bytes of .npz files: arrays whose elements are there, or an Error, without giant allocations.

#include <algorithm>
#include <vector>

#include "expect.h"

#include "wick/ir/error.h"
#include "wick/ir/literal.h"
#include "wick/ir/npz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace wick;
  const std::span bytes = std::as_bytes(std::span(data, size));
  const ir::ByteSource source{size, [&](uint64_t offset, std::span<std::byte> part) {
                                fuzz::expect(offset <= size && part.size() <= size - offset,
                                             "reads stay inside the file");
                                std::ranges::copy(bytes.subspan(offset, part.size()), part.begin());
                              }};
  std::vector<Literal> arrays;
  size_t allocated = 0;
  try {
    ir::read_npz(source, {.op = "fuzz"}, [&](std::string_view, const Type& type) {
      allocated += type.num_bytes();
      fuzz::expect(allocated <= 1100 * size, "no more is allocated than the file can hold");
      return arrays.emplace_back(type).data();
    });
  } catch (const Error&) {
    return 0;
  }
  return 0;
}
