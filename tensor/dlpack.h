#pragma once

// Tensors to and from other libraries in the same process, by DLPack. Its structures come from the
// dlpack.h of the program; this header only names them.

#include "wick/tensor/tensor.h"

struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace wick {

/// The elements of the tensor for another library; materializes. Nothing is copied: the memory
/// stays until the receiver calls the deleter, once. Values of tensors never change, so the
/// receiver must not write to it; the versioned form says so in its flags.
[[nodiscard]] DLManagedTensor* to_dlpack(const Tensor& tensor, Where where = Where::current());
[[nodiscard]] DLManagedTensorVersioned* to_dlpack_versioned(const Tensor& tensor,
                                                            Where where = Where::current());

/// The elements that another library hands over. Where they are row-major without gaps and aligned
/// to their size the tensor uses them in place, and the deleter is called when nobody needs them
/// any more; until then nobody may change them. Otherwise they are copied and the deleter is called
/// at once. Error, with the deleter not called, for null, memory that is not the CPU's, a dtype
/// that Wick has not, vectors of several lanes, another major version, and bools that are neither 0
/// nor 1.
Tensor from_dlpack(DLManagedTensor* managed, Where where = Where::current());
Tensor from_dlpack(DLManagedTensorVersioned* managed, Where where = Where::current());

}  // namespace wick
