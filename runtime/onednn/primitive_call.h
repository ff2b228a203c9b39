#pragma once

// A oneDNN primitive as a library call: reorders in, the primitive, a reorder out. Private to
// runtime/onednn: the only headers that show oneDNN.

#include <limits>
#include <string>
#include <vector>

#include <dnnl.hpp>

#include "wick/runtime/library_call.h"

namespace wick::runtime::onednn {

const dnnl::engine& engine();
/// One a thread: streams are no place for two threads at a time.
dnnl::stream& stream();

/// Whether oneDNN's kernels for AVX-512 run here.
bool has_avx512();

dnnl::memory::dims to_dims(std::span<const int64_t> extents);
dnnl::memory::dims row_major_strides(const Shape& shape);

/// An operand or result: how Wick stores it and how the primitive wants it.
struct PrimitiveArg {
  int id = 0;  // DNNL_ARG_*
  dnnl::memory::desc plain;
  dnnl::memory::desc wanted;
};

struct PrimitiveSpec {
  std::string implementation;
  dnnl::primitive primitive;
  std::vector<PrimitiveArg> operands;
  PrimitiveArg result;
  dnnl::memory::desc scratchpad;
  /// Of so few no threads are woken.
  int64_t multiplications = std::numeric_limits<int64_t>::max();
};

/// Attributes every primitive of ours is made with: the scratchpad comes from the plan's arena.
dnnl::primitive_attr user_scratchpad();

std::unique_ptr<HostCall> make_primitive_call(PrimitiveSpec spec);

std::unique_ptr<HostCall> make_reorder(const dnnl::memory::desc& from,
                                       const dnnl::memory::desc& to);

}  // namespace wick::runtime::onednn
