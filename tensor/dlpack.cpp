#include "wick/tensor/dlpack.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "wick/ir/infer_rules.h"
#include "wick/ir/strided_walk.h"
#include "wick/tensor/dlpack_abi.h"
#include "wick/tensor/ops.h"

namespace wick {

namespace {

struct DTypeCode {
  DType dtype;
  DLDataTypeCode code;
};

constexpr std::array<DTypeCode, kNumDTypes> kCodes = {{{DType::f32, kDLFloat},
                                                       {DType::f64, kDLFloat},
                                                       {DType::f16, kDLFloat},
                                                       {DType::bf16, kDLBfloat},
                                                       {DType::i8, kDLInt},
                                                       {DType::i16, kDLInt},
                                                       {DType::i32, kDLInt},
                                                       {DType::i64, kDLInt},
                                                       {DType::u8, kDLUInt},
                                                       {DType::bool_, kDLBool}}};

uint8_t bits_of(DType dtype) {
  return static_cast<uint8_t>(8 * size_of(dtype));
}

[[noreturn]] void fail(std::string_view text, Where where) {
  throw Error(where, "from_dlpack", text);
}

/// What an exported structure points to.
template <typename Managed>
struct Export {
  Ref<detail::Node> node;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  Managed managed{};
};

template <typename Managed>
Managed* export_as(const Tensor& tensor, std::string_view op, Where where) {
  if (!tensor.defined()) throw Error(where, op, "the tensor is undefined");
  materialize({tensor}, where);
  auto owner = std::make_unique<Export<Managed>>();
  const Type& type = tensor.type();
  owner->node = tensor.node();
  owner->shape.assign(type.shape.begin(), type.shape.end());
  owner->strides = row_major_strides(type.shape);
  Managed& managed = owner->managed;
  managed.manager_ctx = owner.get();
  managed.deleter = [](Managed* self) {
    const std::unique_ptr<Export<Managed>> gone(static_cast<Export<Managed>*>(self->manager_ctx));
  };
  const auto* const row = std::ranges::find(kCodes, type.dtype, &DTypeCode::dtype);
  managed.dl_tensor = {.data = const_cast<void*>(tensor.node()->data()),
                       .device = {.device_type = kDLCPU, .device_id = 0},
                       .ndim = type.shape.ndim(),
                       .dtype = {.code = row->code, .bits = bits_of(type.dtype), .lanes = 1},
                       .shape = owner->shape.data(),
                       .strides = owner->strides.data(),
                       .byte_offset = 0};
  return &owner.release()->managed;
}

DType dtype_of_code(const DLDataType& type, Where where) {
  if (type.lanes != 1) {
    fail(fmt::format("vectors of {} lanes are not supported", type.lanes), where);
  }
  const auto* const row = std::ranges::find_if(kCodes, [&](const DTypeCode& each) {
    return each.code == type.code && bits_of(each.dtype) == type.bits;
  });
  if (row == kCodes.end()) {
    constexpr auto kText = "no dtype of Wick has type code {} and {} bits";
    fail(fmt::format(kText, type.code, type.bits), where);
  }
  return row->dtype;
}

Shape shape_of(const DLTensor& tensor, Where where) {
  if (tensor.ndim < 0 || (tensor.ndim > 0 && tensor.shape == nullptr)) {
    fail(fmt::format("rank {} has no shape", tensor.ndim), where);
  }
  const Shape shape(std::span<const int64_t>(tensor.shape, static_cast<size_t>(tensor.ndim)));
  const bool is_negative = std::ranges::any_of(shape, [](int64_t extent) { return extent < 0; });
  if (is_negative || !ir::is_countable(shape)) {
    constexpr auto kText = "shape {} has a negative extent or too many elements";
    fail(fmt::format(kText, to_string(shape)), where);
  }
  return shape;
}

bool is_row_major(const DLTensor& tensor, const Shape& shape) {
  if (tensor.strides == nullptr) return true;
  const ir::Strides expected = row_major_strides(shape);
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    // The stride of an axis that is never stepped along says nothing.
    const auto at = static_cast<size_t>(axis);
    if (shape[axis] > 1 && tensor.strides[at] != expected[at]) return false;
  }
  return true;
}

ir::Strides strides_of(const DLTensor& tensor, const Shape& shape) {
  if (tensor.strides == nullptr) return row_major_strides(shape);
  return {tensor.strides, tensor.strides + shape.ndim()};
}

Ref<runtime::Buffer> copy_of(const std::byte* data,
                             const Type& type,
                             const ir::Strides& strides,
                             Where where) {
  Ref<runtime::Buffer> buffer = runtime::Buffer::allocate(
      type.num_bytes(), {.purpose = "leaf", .op = "from_dlpack", .where = where});
  auto* const to = static_cast<std::byte*>(buffer->data());
  const size_t size = size_of(type.dtype);
  ir::walk<1>(type.shape, {strides}, {0}, [&](int64_t position, auto offsets) {
    std::memcpy(to + static_cast<size_t>(position) * size,
                data + offsets[0] * static_cast<int64_t>(size),
                size);
  });
  return buffer;
}

void check_bools(const std::byte* data, const Type& type, const ir::Strides& strides, Where where) {
  if (type.dtype != DType::bool_) return;
  ir::walk<1>(type.shape, {strides}, {0}, [&](int64_t, auto offsets) {
    if (data[offsets[0]] > std::byte{1}) fail("a bool is neither 0 nor 1", where);
  });
}

template <typename Managed>
Tensor import(Managed* managed, Where where) {
  const DLTensor& tensor = managed->dl_tensor;
  if (tensor.device.device_type != kDLCPU && tensor.device.device_type != kDLCUDAHost) {
    constexpr auto kText = "the memory is of device type {}, not the CPU's";
    fail(fmt::format(kText, static_cast<int>(tensor.device.device_type)), where);
  }
  const Type type{dtype_of_code(tensor.dtype, where), shape_of(tensor, where)};
  if (tensor.data == nullptr && type.numel() > 0) {
    fail(fmt::format("null data for {}", to_string(type)), where);
  }
  std::byte* const data = static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  const ir::Strides strides = strides_of(tensor, type.shape);
  check_bools(data, type, strides, where);
  const auto let_go = [managed] {
    if (managed->deleter != nullptr) managed->deleter(managed);
  };
  const bool is_aligned = reinterpret_cast<uintptr_t>(data) % size_of(type.dtype) == 0;
  if (type.numel() > 0 && is_aligned && is_row_major(tensor, type.shape)) {
    // Somebody else may look at the memory: results must not be put there.
    Ref<runtime::Buffer> buffer =
        runtime::Buffer::wrap(data, type.num_bytes(), let_go, /*writable=*/false);
    return Tensor(detail::Node::imported_leaf(type, std::move(buffer), where));
  }
  Tensor copy(detail::Node::imported_leaf(type, copy_of(data, type, strides, where), where));
  let_go();
  return copy;
}

}  // namespace

DLManagedTensor* to_dlpack(const Tensor& tensor, Where where) {
  return export_as<DLManagedTensor>(tensor, "to_dlpack", where);
}

DLManagedTensorVersioned* to_dlpack_versioned(const Tensor& tensor, Where where) {
  auto* const managed = export_as<DLManagedTensorVersioned>(tensor, "to_dlpack_versioned", where);
  managed->version = {.major = 1, .minor = 0};
  managed->flags = kDLReadOnly;
  return managed;
}

Tensor from_dlpack(DLManagedTensor* managed, Where where) {
  if (managed == nullptr) fail("the managed tensor is null", where);
  return import(managed, where);
}

Tensor from_dlpack(DLManagedTensorVersioned* managed, Where where) {
  if (managed == nullptr) fail("the managed tensor is null", where);
  if (managed->version.major != 1) {
    constexpr auto kText = "version {}.{} of DLPack is not supported, which is 1";
    fail(fmt::format(kText, managed->version.major, managed->version.minor), where);
  }
  return import(managed, where);
}

}  // namespace wick
