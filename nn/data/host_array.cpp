#include "wick/nn/data/host_array.h"

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "wick/ir/check.h"
#include "wick/ir/error.h"

namespace wick::data {

HostArray::HostArray(Type type, Where where)
    : type_(std::move(type)),
      buffer_(runtime::Buffer::allocate(type_.num_bytes(),
                                        {.purpose = "data", .op = "host_array", .where = where})),
      begin_(static_cast<std::byte*>(buffer_->data())) {}

HostArray HostArray::copy_bytes(std::span<const std::byte> bytes, Type type, Where where) {
  if (bytes.size() != type.num_bytes()) {
    throw Error(
        where, "host_array", fmt::format("{} bytes given for {}", bytes.size(), to_string(type)));
  }
  HostArray array(std::move(type), where);
  if (!bytes.empty()) std::memcpy(array.begin_, bytes.data(), bytes.size());
  return array;
}

HostArray HostArray::row(int64_t index) const {
  check(type_.shape.ndim() > 0 && index >= 0 && index < type_.shape[0], "no such row");
  HostArray part;
  part.type_ = {type_.dtype, Shape(type_.shape.extents().subspan(1))};
  part.buffer_ = buffer_;
  part.begin_ = begin_ + static_cast<size_t>(index) * part.type_.num_bytes();
  return part;
}

Tensor HostArray::to_tensor(Where where) const {
  // Other arrays may share the memory, so a plan must not write its results there.
  auto keep = [buffer = buffer_] {};
  Ref<runtime::Buffer> view =
      runtime::Buffer::wrap(begin_, type_.num_bytes(), std::move(keep), false);
  return Tensor(detail::Node::imported_leaf(type_, std::move(view), where));
}

void HostArray::check_dtype(DType wanted) const {
  check(type_.dtype == wanted, "the array holds another dtype");
}

std::vector<Tensor> to_tensors(const Sample& sample, Where where) {
  std::vector<Tensor> tensors;
  tensors.reserve(sample.size());
  for (const HostArray& field : sample) {
    tensors.push_back(field.to_tensor(where));
  }
  return tensors;
}

}  // namespace wick::data
