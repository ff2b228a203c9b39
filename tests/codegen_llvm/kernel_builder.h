#pragma once

// Kernels written by hand, and buffers to run them on.

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "wick/codegen/kernel_compiler.h"
#include "wick/codegen/kernel_ir.h"

namespace wick::codegen::test {

/// Appends instructions to the phase that is open. Every stride but `zero` and `one` is dynamic,
/// and a parameter of its own holds it.
class KernelBuilder {
 public:
  explicit KernelBuilder(std::string name) { kernel_.name = std::move(name); }

  int buffer(DType dtype, bool written = false) {
    kernel_.buffers.push_back({.dtype = dtype, .written = written, .no_alias = true});
    return static_cast<int>(kernel_.buffers.size()) - 1;
  }

  int param(int64_t value) {
    params_.push_back(value);
    return kernel_.num_params++;
  }

  int outer(int64_t extent) { return dim(extent, false); }

  int inner(int64_t extent) { return dim(extent, true); }

  void vector(int dim) { kernel_.vector_dim = dim; }

  void blocks(int outer, int inner, int64_t size) {
    kernel_.blocking = Blocking{.outer = outer, .inner = inner, .size_param = param(size)};
  }

  void loop() { kernel_.phases.push_back({.loop = true, .instrs = {}}); }

  void straight() { kernel_.phases.push_back({.loop = false, .instrs = {}}); }

  /// One stride a dimension.
  Affine at(std::initializer_list<int64_t> strides, int64_t offset = 0) {
    Affine address;
    for (const int64_t stride : strides) {
      if (stride == 0) {
        address.terms.push_back({Stride::zero, -1});
      } else if (stride == 1) {
        address.terms.push_back({Stride::one, -1});
      } else {
        address.terms.push_back({Stride::dynamic, param(stride), stride == -1 ? -1 : 0});
      }
    }
    if (offset != 0) address.offset_param = param(offset);
    return address;
  }

  int load(int buffer, Affine address, int predicate = -1) {
    Instr instr = make(InstrKind::load, kernel_.buffers[static_cast<size_t>(buffer)].dtype, {});
    instr.buffer = buffer;
    instr.address = std::move(address);
    instr.predicate = predicate;
    return add(std::move(instr));
  }

  int gather(int buffer, Affine address, int index, int64_t stride, int predicate = -1) {
    Instr instr = make(InstrKind::load, kernel_.buffers[static_cast<size_t>(buffer)].dtype, {});
    instr.buffer = buffer;
    instr.address = std::move(address);
    instr.dynamic_index = index;
    instr.dynamic_stride_param = param(stride);
    instr.predicate = predicate;
    return add(std::move(instr));
  }

  void store(int buffer, Affine address, int value, int predicate = -1) {
    Instr instr =
        make(InstrKind::store, kernel_.buffers[static_cast<size_t>(buffer)].dtype, {value});
    instr.buffer = buffer;
    instr.address = std::move(address);
    instr.predicate = predicate;
    add(std::move(instr));
  }

  int constant(Literal value) {
    Instr instr = make(InstrKind::constant, value.type().dtype, {});
    instr.value = std::move(value);
    return add(std::move(instr));
  }

  int index(Affine address) {
    Instr instr = make(InstrKind::index, DType::i64, {});
    instr.address = std::move(address);
    return add(std::move(instr));
  }

  int compute(ir::OpKind op, DType dtype, std::vector<int> operands) {
    Instr instr = make(InstrKind::compute, dtype, std::move(operands));
    instr.op = op;
    return add(std::move(instr));
  }

  int cast(DType dtype, int operand) { return add(make(InstrKind::cast, dtype, {operand})); }

  int random_bits(int key, int offset, int element) {
    return add(make(InstrKind::random_bits, DType::i32, {key, offset, element}));
  }

  int accumulate(ir::OpKind op, DType dtype, std::vector<int> operands) {
    Instr instr = make(InstrKind::accumulate, dtype, std::move(operands));
    instr.op = op;
    return add(std::move(instr));
  }

  /// Lists an earlier instruction in the open phase as well: it is computed again.
  void again(int number) { kernel_.phases.back().instrs.push_back(number); }

  Kernel& kernel() { return kernel_; }

  std::vector<int64_t>& params() { return params_; }

 private:
  int dim(int64_t extent, bool inner) {
    kernel_.dims.push_back({.inner = inner, .extent_param = param(extent)});
    return static_cast<int>(kernel_.dims.size()) - 1;
  }

  static Instr make(InstrKind kind, DType dtype, std::vector<int> operands) {
    Instr instr;
    instr.kind = kind;
    instr.dtype = dtype;
    instr.operands = std::move(operands);
    return instr;
  }

  int add(Instr instr) {
    kernel_.instrs.push_back(std::move(instr));
    const int number = static_cast<int>(kernel_.instrs.size()) - 1;
    kernel_.phases.back().instrs.push_back(number);
    return number;
  }

  Kernel kernel_;
  std::vector<int64_t> params_;
};

/// Kernel::row_bound of rows of so many elements.
inline int64_t bound_of(int64_t length) {
  return (length + kRowStep - 1) / kRowStep * kRowStep;
}

/// Compiled once for each text, with no cache on disk: many cases differ in parameters alone.
inline KernelFunction compile(const Kernel& kernel) {
  static std::map<std::string, KernelFunction> compiled;
  KernelFunction& function = compiled[to_string(kernel)];
  if (function == nullptr) {
    KernelCompiler& compiler = llvm_compiler();
    function = compiler.load(compiler.compile(kernel, "test_kernel"), "test_kernel");
  }
  return function;
}

/// Whether kernels are compiled for it.
inline bool is_on_zen() {
  return llvm_compiler().target_id().find("znver") != std::string::npos;
}

inline bool is_on_zen5() {
  return llvm_compiler().target_id().find("znver5") != std::string::npos;
}

inline bool has_avx512() {
  return llvm_compiler().target_id().find("+avx512vl") != std::string::npos;
}

/// One operation on contiguous arrays: buffer k < operands.size() is operand k, the last is the
/// result.
inline KernelBuilder elementwise(ir::OpKind op,
                                 const std::vector<DType>& operands,
                                 DType result,
                                 int64_t count) {
  KernelBuilder k("elementwise");
  for (const DType dtype : operands)
    k.buffer(dtype);
  const int out = k.buffer(result, true);
  k.vector(k.outer(count));
  k.straight();
  std::vector<int> values;
  for (int i = 0; i < out; ++i)
    values.push_back(k.load(i, k.at({1})));
  const int value =
      op == ir::OpKind::cast ? k.cast(result, values[0]) : k.compute(op, result, std::move(values));
  k.store(out, k.at({1}), value);
  return k;
}

}  // namespace wick::codegen::test
