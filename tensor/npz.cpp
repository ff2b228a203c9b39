#include "wick/tensor/npz.h"

#include <array>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "wick/ir/npy.h"
#include "wick/ir/npz.h"

namespace wick {

std::map<std::string, Tensor> load_npz(const std::string& path, Where where) {
  InputFile file({.op = "load_npz", .path = path, .where = where});
  const ir::ByteSource source{
      file.size(), [&](uint64_t offset, std::span<std::byte> bytes) { file.read(offset, bytes); }};

  struct Loaded {
    Type type;
    Ref<runtime::Buffer> buffer;
  };

  std::map<std::string, Loaded> loaded;  // filled when read_npz returns
  ir::read_npz(source, file.use(), [&](std::string_view name, const Type& type) {
    Ref<runtime::Buffer> buffer = runtime::Buffer::allocate(
        type.num_bytes(), {.purpose = "leaf", .op = "load_npz", .where = where});
    auto* const data = static_cast<std::byte*>(buffer->data());
    loaded[std::string(name)] = {type, std::move(buffer)};
    return data;
  });
  std::map<std::string, Tensor> tensors;
  for (auto& [name, array] : loaded) {
    tensors[name] = Tensor(detail::Node::imported_leaf(array.type, std::move(array.buffer), where));
  }
  return tensors;
}

void save_npz(const std::string& path,
              const std::map<std::string, Tensor>& tensors,
              const NpzOptions& options,
              Where where) {
  const FileUse use{.op = "save_npz", .path = path, .where = where};

  struct Array {
    std::string entry;
    std::string header;
  };

  std::vector<Array> arrays;
  std::vector<Tensor> values;
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.defined()) use.fail(fmt::format("tensor {} is undefined", name));
    FileUse of_tensor = use;
    of_tensor.path = fmt::format("{}: tensor {}", path, name);
    arrays.push_back({ir::npz_entry_name(name, use), ir::npy_header(tensor.type(), of_tensor)});
    values.push_back(tensor);
  }
  materialize(values, where);
  PartialFile partial(use);
  ir::ZipWriter archive(partial.path(), use, options.compressed);
  for (size_t i = 0; i < arrays.size(); ++i) {
    const std::array parts = {std::as_bytes(std::span(arrays[i].header)),
                              std::span(static_cast<const std::byte*>(values[i].node()->data()),
                                        values[i].type().num_bytes())};
    archive.add(arrays[i].entry, parts);
  }
  archive.finish();
  partial.commit();
}

}  // namespace wick
