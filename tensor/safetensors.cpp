#include "wick/tensor/safetensors.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "wick/ir/data_file.h"
#include "wick/ir/safetensors_header.h"
#include "wick/tensor/ops.h"

namespace wick {
namespace {

ir::SafetensorsHeader read_header(InputFile& file) {
  std::vector<std::byte> start(std::min<uint64_t>(file.size(), ir::kSafetensorsLengthBytes));
  file.read(0, start);
  start.resize(ir::safetensors_header_bytes(start, file.size(), file.use()));
  file.read(0, start);
  return ir::parse_safetensors_header(start, file.size(), file.use());
}

Tensor read_tensor(InputFile& file, const ir::SafetensorsEntry& entry, std::source_location where) {
  Ref<runtime::Buffer> buffer = runtime::Buffer::allocate(
      entry.type.num_bytes(), {.purpose = "leaf", .op = "load_safetensors", .where = where});
  const std::span elements(static_cast<std::byte*>(buffer->data()), entry.type.num_bytes());
  file.read(entry.offset, elements);
  ir::check_safetensors_data(entry, elements, file.use());
  return Tensor(detail::Node::imported_leaf(entry.type, std::move(buffer), where));
}

}  // namespace

SafetensorsFile read_safetensors(const std::string& path, std::source_location where) {
  InputFile file({.op = "load_safetensors", .path = path, .where = where});
  ir::SafetensorsHeader header = read_header(file);
  SafetensorsFile result;
  result.metadata = std::move(header.metadata);
  for (const ir::SafetensorsEntry& entry : header.tensors) {
    result.tensors[entry.name] = read_tensor(file, entry, where);
  }
  return result;
}

std::map<std::string, Tensor> load_safetensors(const std::string& path,
                                               std::source_location where) {
  return read_safetensors(path, where).tensors;
}

void save_safetensors(const std::string& path,
                      const std::map<std::string, Tensor>& tensors,
                      const std::map<std::string, std::string>& metadata,
                      std::source_location where) {
  const FileUse use{.op = "save_safetensors", .path = path, .where = where};
  std::vector<ir::SafetensorsEntry> entries;
  std::vector<Tensor> values;
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.defined()) use.fail(fmt::format("tensor {} is undefined", name));
    entries.push_back({name, tensor.type()});
    values.push_back(tensor);
  }
  const std::string header = ir::safetensors_header(entries, metadata, use);
  materialize(values, where);
  std::vector<std::span<const std::byte>> parts = {std::as_bytes(std::span(header))};
  for (const Tensor& tensor : values) {
    parts.emplace_back(static_cast<const std::byte*>(tensor.node()->data()),
                       tensor.type().num_bytes());
  }
  write_file(use, parts);
}

}  // namespace wick
