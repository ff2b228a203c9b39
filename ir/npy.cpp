#include "wick/ir/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "wick/ir/strided_walk.h"

namespace wick {
namespace ir {
namespace {

static_assert(std::endian::native == std::endian::little, "files are written as memory is");

void swap_bytes(std::span<std::byte> elements, size_t size) {
  for (size_t at = 0; at < elements.size(); at += size) {
    std::ranges::reverse(elements.subspan(at, size));
  }
}

/// Strides of an array whose first axis runs fastest.
Strides fortran_strides(const Shape& shape) {
  Strides strides;
  int64_t stride = 1;
  for (const int64_t extent : shape) {
    strides.push_back(stride);
    stride *= extent;
  }
  return strides;
}

void to_row_major(const Type& type, std::span<std::byte> elements) {
  const std::vector<std::byte> source(elements.begin(), elements.end());
  const size_t size = size_of(type.dtype);
  walk<1>(type.shape, {fortran_strides(type.shape)}, {0}, [&](int64_t position, auto offsets) {
    std::memcpy(elements.data() + static_cast<size_t>(position) * size,
                source.data() + static_cast<size_t>(offsets[0]) * size,
                size);
  });
}

}  // namespace

void decode_npy(const NpyHeader& header, std::span<std::byte> elements, const FileUse& use) {
  if (header.type.dtype == DType::bool_ &&
      std::ranges::any_of(elements, [](std::byte byte) { return byte > std::byte{1}; })) {
    use.fail("a bool is neither 0 nor 1");
  }
  if (header.big_endian) swap_bytes(elements, size_of(header.type.dtype));
  if (header.fortran_order && header.type.shape.ndim() > 1) to_row_major(header.type, elements);
}

Literal parse_npy(std::span<const std::byte> bytes, const FileUse& use) {
  const NpyHeader header = parse_npy_header(bytes, bytes.size(), use);
  Literal literal(header.type, bytes.subspan(header.data_offset));
  decode_npy(header, {literal.data(), literal.bytes().size()}, use);
  return literal;
}

Type read_npy_into(InputFile& file, const std::function<std::byte*(const Type&)>& allocate) {
  std::vector<std::byte> start(std::min<uint64_t>(file.size(), kMaxNpyHeader));
  file.read(0, start);
  const NpyHeader header = parse_npy_header(start, file.size(), file.use());
  const std::span<std::byte> elements(allocate(header.type), header.type.num_bytes());
  file.read(header.data_offset, elements);
  decode_npy(header, elements, file.use());
  return header.type;
}

}  // namespace ir

Literal read_npy(const std::string& path, std::source_location where) {
  InputFile file({.op = "read_npy", .path = path, .where = where});
  Literal literal;
  ir::read_npy_into(file, [&](const Type& type) {
    literal = Literal(type);
    return literal.data();
  });
  return literal;
}

void write_npy(const std::string& path, const Literal& value, std::source_location where) {
  const FileUse use{.op = "write_npy", .path = path, .where = where};
  const std::string header = ir::npy_header(value.type(), use);
  const std::array parts = {std::as_bytes(std::span(header)), value.bytes()};
  write_file(use, parts);
}

}  // namespace wick
