// Bytes of safetensors files: tensors that lie inside the file, whose header written again reads
// the same, or an Error.

#include <span>

#include "expect.h"

#include "wick/ir/error.h"
#include "wick/ir/safetensors_header.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace wick;
  const FileUse use{.op = "fuzz"};
  const std::span bytes = std::as_bytes(std::span(data, size));
  ir::SafetensorsHeader header;
  try {
    header = ir::parse_safetensors_header(bytes, size, use);
    uint64_t total = 0;
    for (const ir::SafetensorsEntry& entry : header.tensors) {
      fuzz::expect(entry.offset <= size && entry.type.num_bytes() <= size - entry.offset,
                   "tensors lie inside the file");
      total += entry.type.num_bytes();
      ir::check_safetensors_data(entry, bytes.subspan(entry.offset, entry.type.num_bytes()), use);
    }
    const std::string written = ir::safetensors_header(header.tensors, header.metadata, use);
    const auto again = ir::parse_safetensors_header(
        std::as_bytes(std::span(written)), written.size() + total, use);
    fuzz::expect(again.tensors.size() == header.tensors.size() && again.metadata == header.metadata,
                 "what is written reads back");
  } catch (const Error&) {
    return 0;
  }
  return 0;
}
