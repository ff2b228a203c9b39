#include "wick/tensor/npy.h"

#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "wick/ir/npy.h"
#include "wick/tensor/ops.h"

namespace wick {

Tensor load_npy(const std::string& path, std::source_location where) {
  InputFile file({.op = "load_npy", .path = path, .where = where});
  Ref<runtime::Buffer> buffer;
  Type type = ir::read_npy_into(file, [&](const Type& found) {
    buffer = runtime::Buffer::allocate(found.num_bytes(),
                                       {.purpose = "leaf", .op = "load_npy", .where = where});
    return static_cast<std::byte*>(buffer->data());
  });
  return Tensor(detail::Node::imported_leaf(std::move(type), std::move(buffer), where));
}

void save_npy(const std::string& path, const Tensor& tensor, std::source_location where) {
  const FileUse use{.op = "save_npy", .path = path, .where = where};
  if (!tensor.defined()) use.fail("the tensor is undefined");
  const std::string header = ir::npy_header(tensor.type(), use);
  materialize({tensor}, where);
  const std::array parts = {
      std::as_bytes(std::span(header)),
      std::span(static_cast<const std::byte*>(tensor.node()->data()), tensor.type().num_bytes())};
  write_file(use, parts);
}

}  // namespace wick
