// Lanes that lie backwards or a few elements apart: loaded as vectors, of which shuffles make them.

#include <algorithm>
#include <numeric>

#include "wick/codegen/llvm/kernel_emitter.h"

namespace wick::codegen::llvm_jit {

/// Whether the lanes are consecutive elements, the first one last, which a load takes at once.
bool KernelEmitter::reads_backwards(const Instr& at) const {
  const bool has_guards = at.predicate >= 0 && s_.varies(at.predicate);
  return at.kind == InstrKind::load && vector_stride(at) == Stride::dynamic &&
         s_.vector_term(at).known == -1 && (at.dynamic_index < 0 || !s_.varies(at.dynamic_index)) &&
         !(has_guards && s_.lacks_masks(at));
}

/// A gather would take a cycle or more for each element.
llvm::Value* KernelEmitter::load_backwards(const Instr& at, int number, int copy) {
  auto& b = e_.b;
  // Lanes that the mask leaves out may lie before the buffer.
  llvm::Value* lowest = b.CreateGEP(
      e_.storage_type(at.dtype), address_of(at, number, copy), b.getInt64(1 - e_.lanes));
  llvm::Value* loaded = load_wanted_lanes(at, copy, lowest, /*backwards=*/true);
  return e_.to_register(at.dtype, b.CreateVectorReverse(loaded));
}

/// Whether lanes are a few elements apart, so that few vectors hold them, and wanted or not
/// together.
bool KernelEmitter::reads_few_apart(const Instr& at) const {
  return at.kind == InstrKind::load && at.dynamic_index < 0 &&
         (at.predicate < 0 || !s_.varies(at.predicate)) && vector_stride(at) == Stride::dynamic &&
         s_.vector_term(at).known > 0;
}

/// Vectors that hold all that loads beside this one read as well, so that these are the same.
llvm::Value* KernelEmitter::load_few_apart(const Instr& at, int number, int copy) {
  auto& b = e_.b;
  const int64_t step = s_.vector_term(at).known;
  const auto [first, last] = s_.known_offsets_beside(at);
  const int64_t end = (e_.lanes - 1) * step + last + 1;
  const int64_t width = std::min<int64_t>(e_.lanes, end - first);
  llvm::Value* address = address_of(at, number, copy);
  if (at.predicate >= 0) address = address_if(operand(at.predicate, copy, false), address);
  llvm::Type* element = e_.storage_type(at.dtype);
  auto* vector = llvm::FixedVectorType::get(element, static_cast<unsigned>(width));
  llvm::Value* result = llvm::Constant::getNullValue(e_.vector_of(element));
  for (int64_t start = first; start < end; start += e_.lanes) {
    const int64_t from = std::min(start, end - width);
    // Of the result, or behind it of the loaded vector.
    llvm::SmallVector<int, 16> sources(static_cast<size_t>(e_.lanes));
    std::iota(sources.begin(), sources.end(), 0);
    bool is_wanted = false;
    for (int64_t lane = 0; lane < e_.lanes; ++lane) {
      const int64_t place = lane * step + at.address.known_offset;
      if (place < start || place >= start + e_.lanes) continue;
      sources[static_cast<size_t>(lane)] = static_cast<int>(e_.lanes + place - from);
      is_wanted = true;
    }
    if (!is_wanted) continue;
    llvm::Value* here =
        b.CreateInBoundsGEP(element, address, b.getInt64(static_cast<uint64_t>(from)));
    const llvm::Align align(size_of(at.dtype));
    llvm::Instruction* loaded = nullptr;
    if (llvm::Value* mask = mask_of_copy(copy)) {
      llvm::SmallVector<int, 16> lanes;  // whose loads read the elements; behind all: none does
      for (int64_t place = from - first; place < from - first + width; ++place)
        lanes.push_back(place % step > last - first ? e_.lanes : static_cast<int>(place / step));
      llvm::Value* none = llvm::Constant::getNullValue(mask->getType());
      llvm::Value* zeros = llvm::Constant::getNullValue(vector);
      mask = b.CreateShuffleVector(mask, none, lanes);
      loaded = b.CreateMaskedLoad(vector, here, align, mask, zeros);
    } else {
      loaded = b.CreateAlignedLoad(vector, here, align);
    }
    result = b.CreateShuffleVector(result, widened(tag(loaded, at.buffer)), sources);
  }
  return e_.to_register(at.dtype, result);
}

}  // namespace wick::codegen::llvm_jit
