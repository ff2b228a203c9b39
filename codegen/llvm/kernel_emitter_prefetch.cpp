// Asking for what will be read. What several loops over a row read comes from memory in the first
// of them: the machine prefetches along that loop and rests in the others. So the loop behind it
// asks for the same of the next row, which comes while exponentials are computed. Elementwise
// kernels that go past the caches ask for what they will read some pages on.

#include <algorithm>

#include <llvm/IR/Intrinsics.h>

#include "wick/codegen/llvm/kernel_emitter.h"

namespace wick::codegen::llvm_jit {

/// A load of vectors that are lines, from memory that is only read.
bool KernelEmitter::reads_vectors(const Instr& at) const {
  return at.kind == InstrKind::load && at.dynamic_index < 0 && size_of(at.dtype) >= sizeof(float) &&
         !kernel_.buffers[static_cast<size_t>(at.buffer)].written &&
         at.address.terms[static_cast<size_t>(kernel_.vector_dim)].stride == Stride::one;
}

/// What each loop is the first to read, the next loop asks for from the next task.
void KernelEmitter::find_prefetches() {
  if (!kernel_.vector_is_inner() || task_dims_.empty()) return;
  std::vector<Plan*> loops;
  for (Plan& plan : plans_) {
    if (plan.phase->loop) loops.push_back(&plan);
  }
  std::vector<int> buffers;  // read so far
  const auto next_task = static_cast<size_t>(task_dims_.back());
  for (size_t i = 0; i + 1 < loops.size(); ++i) {
    for (const int number : loops[i]->phase->instrs) {
      const Instr& at = instr(number);
      if (!reads_vectors(at) || std::ranges::find(buffers, at.buffer) != buffers.end()) continue;
      if (at.address.terms[next_task].stride != Stride::dynamic) continue;
      buffers.push_back(at.buffer);
      loops[i + 1]->prefetches.push_back(number);
    }
  }
}

/// To the next task, in elements; 0 where rows are so long that what was asked for would be gone.
llvm::Value* KernelEmitter::prefetch_distance(const Instr& at) {
  constexpr int64_t kLongestRow = 65536;
  auto& b = e_.b;
  llvm::Value* row = b.getInt64(1);
  for (const int dim : inner_dims_)
    row = b.CreateMul(row, param(kernel_.dims[static_cast<size_t>(dim)].extent_param));
  llvm::Value* stride = param(at.address.terms[static_cast<size_t>(task_dims_.back())].param);
  return b.CreateSelect(b.CreateICmpSLE(row, b.getInt64(kLongestRow)), stride, b.getInt64(0));
}

void KernelEmitter::emit_prefetches(const Plan& plan) {
  auto& b = e_.b;
  for (const int number : plan.prefetches) {
    const Instr& at = instr(number);
    llvm::Value*& distance = prefetch_distances_[number];
    if (distance == nullptr) {
      const llvm::IRBuilderBase::InsertPointGuard guard(b);
      b.SetInsertPoint(entry_->getTerminator());
      distance = prefetch_distance(at);
    }
    emit_prefetch(number, distance);
  }
}

void KernelEmitter::emit_prefetch(int number, llvm::Value* distance) {
  auto& b = e_.b;
  const Instr& at = instr(number);
  for (int copy = 0; copy < copies_; ++copy) {
    llvm::Value* address =
        b.CreateInBoundsGEP(e_.storage_type(at.dtype), address_of(at, number, copy), distance);
    constexpr int kToSecondLevel = 2;
    b.CreateIntrinsic(llvm::Intrinsic::prefetch,
                      {address->getType()},
                      {address, b.getInt32(0), b.getInt32(kToSecondLevel), b.getInt32(1)});
  }
}

/// What an elementwise kernel reads from memory, two pages ahead: where a page ends the machine
/// stops to prefetch.
void KernelEmitter::emit_prefetches_ahead() {
  constexpr int64_t kBytes = 8192;
  for (const int number : plans_[0].phase->instrs) {
    const Instr& at = instr(number);
    if (!reads_vectors(at)) continue;
    emit_prefetch(number, e_.b.getInt64(kBytes / size_of(at.dtype)));
  }
}

/// What columns read some rows on.
void KernelEmitter::emit_prefetches_of_rows() {
  constexpr int64_t kRows = 2;
  for (const int number : column_plan().phase->instrs) {
    const Instr& at = instr(number);
    const Affine::Term& row = at.address.terms[static_cast<size_t>(inner_dims_.back())];
    if (!reads_vectors(at) || row.stride != Stride::dynamic) continue;
    emit_prefetch(number, e_.b.CreateMul(param(row.param), e_.b.getInt64(kRows)));
  }
}

}  // namespace wick::codegen::llvm_jit
