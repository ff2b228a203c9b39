#include <numeric>

#include <llvm/IR/MDBuilder.h>

#include "wick/codegen/llvm/kernel_emitter.h"
#include "wick/ir/check.h"

namespace wick::codegen::llvm_jit {

/// One scope for each buffer that shares memory with no other.
void KernelEmitter::make_alias_scopes() {
  llvm::MDBuilder metadata(e_.b.getContext());
  llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain("kernel");
  const size_t count = kernel_.buffers.size();
  std::vector<llvm::Metadata*> scopes(count, nullptr);
  for (size_t i = 0; i < count; ++i) {
    if (kernel_.buffers[i].no_alias) scopes[i] = metadata.createAnonymousAliasScope(domain);
  }
  for (const auto& [own, lender] : s_.lenders())
    scopes[static_cast<size_t>(own)] = scopes[static_cast<size_t>(s_.instr(lender).buffer)];
  scope_of_.assign(count, nullptr);
  noalias_of_.assign(count, nullptr);
  for (size_t i = 0; i < count; ++i) {
    llvm::SmallVector<llvm::Metadata*, 8> others;
    for (size_t j = 0; j < count; ++j) {
      if (scopes[j] != scopes[i] && scopes[j] != nullptr) others.push_back(scopes[j]);
    }
    if (scopes[i] != nullptr) scope_of_[i] = llvm::MDNode::get(e_.b.getContext(), scopes[i]);
    if (!others.empty()) noalias_of_[i] = llvm::MDNode::get(e_.b.getContext(), others);
  }
}

llvm::Instruction* KernelEmitter::tag(llvm::Instruction* access, int buffer) {
  const auto at = static_cast<size_t>(buffer);
  if (scope_of_[at] != nullptr) {
    access->setMetadata(llvm::LLVMContext::MD_alias_scope, scope_of_[at]);
  }
  if (noalias_of_[at] != nullptr) {
    access->setMetadata(llvm::LLVMContext::MD_noalias, noalias_of_[at]);
  }
  return access;
}

llvm::Value* KernelEmitter::param(int index) {
  llvm::Value*& value = params_[index];
  if (value == nullptr) {
    const llvm::IRBuilderBase::InsertPointGuard guard(e_.b);
    e_.b.SetInsertPoint(entry_->getTerminator());
    llvm::Type* i64 = e_.b.getInt64Ty();
    llvm::Value* address =
        e_.b.CreateConstInBoundsGEP1_64(i64, function_->getArg(1), static_cast<uint64_t>(index));
    value = e_.b.CreateLoad(i64, address);
  }
  return value;
}

llvm::Value* KernelEmitter::extent_of(int dim) {
  return param(kernel_.dims[static_cast<size_t>(dim)].extent_param);
}

/// 0, s, 2s, ... for a stride known at launch.
llvm::Value* KernelEmitter::lane_offsets(int stride_param) {
  llvm::Value*& value = lane_offsets_[stride_param];
  if (value == nullptr) {
    llvm::Value* stride = param(stride_param);
    const llvm::IRBuilderBase::InsertPointGuard guard(e_.b);
    e_.b.SetInsertPoint(entry_->getTerminator());
    value = e_.b.CreateMul(e_.splat(stride), e_.iota(e_.b.getInt64Ty()));
  }
  return value;
}

/// How many positions of their dimension copy `copy` of the unrolled body is behind copy 0.
int64_t KernelEmitter::copy_distance(int copy) const {
  return s_.copy_dim() == kernel_.vector_dim ? int64_t{copy} * e_.lanes : copy;
}

/// How far that is with this stride, in elements.
llvm::Value* KernelEmitter::copy_offset(int stride_param, int copy) {
  llvm::Value*& value = copy_offsets_[{stride_param, copy}];
  if (value == nullptr) {
    llvm::Value* stride = param(stride_param);
    const llvm::IRBuilderBase::InsertPointGuard guard(e_.b);
    e_.b.SetInsertPoint(entry_->getTerminator());
    value = e_.b.CreateMul(stride, e_.b.getInt64(static_cast<uint64_t>(copy_distance(copy))));
  }
  return value;
}

llvm::Value* KernelEmitter::start_of_buffer(int buffer) {
  auto& b = e_.b;
  const BufferArg& arg = kernel_.buffers[static_cast<size_t>(buffer)];
  if (arg.own_elements == 0) {
    llvm::Value* place = b.CreateConstInBoundsGEP1_64(
        b.getPtrTy(), function_->getArg(0), static_cast<uint64_t>(buffer));
    return b.CreateLoad(b.getPtrTy(), place);
  }
  own_memory_.resize(kernel_.buffers.size());
  llvm::Value*& memory = own_memory_[static_cast<size_t>(buffer)];
  if (memory == nullptr) {
    // With room for a vector that begins with the last column.
    const int64_t room = s_.columns_in_memory() ? e_.lanes : 0;
    memory = make_own_memory(e_.storage_type(arg.dtype), arg.own_elements * s_.own_width() + room);
  }
  return memory;
}

llvm::Value* KernelEmitter::make_own_memory(llvm::Type* element, int64_t elements) {
  auto& b = e_.b;
  const llvm::IRBuilderBase::InsertPointGuard guard(b);
  b.SetInsertPoint(entry_->getTerminator());
  auto* memory = b.CreateAlloca(element, b.getInt64(static_cast<uint64_t>(elements)));
  memory->setAlignment(kCacheLine);
  // Touches page after page, so that a stack that is too small is noticed.
  function_->addFnAttr("probe-stack", "inline-asm");
  return memory;
}

const Access& KernelEmitter::access_at(int number) const {
  return accesses_[static_cast<size_t>(access_of_[static_cast<size_t>(number)])];
}

void KernelEmitter::start_accesses() {
  auto& b = e_.b;
  for (Access& access : accesses_) {
    if (s_.is_in_registers(access.buffer)) continue;
    llvm::Value* offset =
        access.address.offset_param < 0 ? nullptr : param(access.address.offset_param);
    if (access.buffer < 0) {
      const auto known = static_cast<uint64_t>(access.address.known_offset);
      access.partial = offset == nullptr ? b.getInt64(known) : offset;
      continue;
    }
    llvm::Value* base = start_of_buffer(access.buffer);
    const DType dtype = kernel_.buffers[static_cast<size_t>(access.buffer)].dtype;
    access.partial =
        offset == nullptr ? base : b.CreateInBoundsGEP(e_.storage_type(dtype), base, offset);
  }
}

/// Adds the terms of these dimensions, whose positions are set, to the accesses: to all, or to
/// those of one phase.
void KernelEmitter::enter_dims(llvm::ArrayRef<int> dims, const Plan* plan) {
  auto& b = e_.b;
  std::vector<bool> wanted(accesses_.size(), plan == nullptr);
  if (plan != nullptr) {
    const auto want = [&](int number) {
      const int access = access_of_[static_cast<size_t>(number)];
      if (access >= 0) wanted[static_cast<size_t>(access)] = true;
    };
    for (const int number : plan->phase->instrs)
      want(number);
    for (const Prefetch& prefetch : plan->prefetches)
      want(prefetch.number);
  }
  for (size_t i = 0; i < accesses_.size(); ++i) {
    if (!wanted[i] || s_.is_in_registers(accesses_[i].buffer)) continue;
    Access& access = accesses_[i];
    for (const int dim : dims) {
      const Affine::Term& term = access.address.terms[static_cast<size_t>(dim)];
      const bool is_own_column =
          s_.columns_in_memory() && dim == kernel_.vector_dim && s_.has_lanes_of_own(access.buffer);
      if (term.stride != Stride::one && term.stride != Stride::dynamic && !is_own_column) continue;
      llvm::Value* step = positions_[static_cast<size_t>(dim)];
      if (is_own_column) step = b.CreateSub(step, chunk_.begin);
      if (term.stride == Stride::dynamic) step = b.CreateMul(step, param(term.param));
      if (s_.has_lanes_of_own(access.buffer) && !is_own_column) {
        step = b.CreateMul(step, b.getInt64(static_cast<uint64_t>(s_.own_width())));
      }
      if (access.buffer < 0) {
        access.partial = b.CreateAdd(access.partial, step);
      } else {
        const DType dtype = kernel_.buffers[static_cast<size_t>(access.buffer)].dtype;
        access.partial = b.CreateInBoundsGEP(e_.storage_type(dtype), access.partial, step);
      }
    }
  }
}

Stride KernelEmitter::vector_stride(const Instr& at) const {
  if (in_vector_loop_ && s_.has_lanes_of_own(at.buffer)) return Stride::one;
  return in_vector_loop_ ? s_.vector_term(at).stride : Stride::zero;
}

/// What to add to the address of copy 0; null: nothing.
llvm::Value* KernelEmitter::offset_of_copy(const Instr& at, int copy) {
  auto& b = e_.b;
  if (copy == 0) return nullptr;
  llvm::Value* distance = b.getInt64(static_cast<uint64_t>(copy_distance(copy)));
  const bool is_own = s_.has_lanes_of_own(at.buffer);
  if (is_own && s_.copy_dim() == kernel_.vector_dim) return distance;
  const Affine::Term& term = at.address.terms[static_cast<size_t>(s_.copy_dim())];
  if (term.stride == Stride::zero) return nullptr;
  if (last_copy_begins_ != nullptr && copy + 1 == copies_) {
    distance = term.stride == Stride::dynamic ? b.CreateMul(param(term.param), last_copy_begins_)
                                              : last_copy_begins_;
  } else if (term.stride == Stride::dynamic) {
    distance = copy_offset(term.param, copy);
  }
  if (!is_own) return distance;
  return b.CreateMul(distance, b.getInt64(static_cast<uint64_t>(s_.own_width())));
}

llvm::Value* KernelEmitter::emit_index(const Instr& at, int number, int copy) {
  auto& b = e_.b;
  llvm::Value* base = access_at(number).partial;
  const Stride stride = vector_stride(at);
  if (stride == Stride::column || stride == Stride::row || stride == Stride::block)
    return index_of_rows(at, base, copy);
  if (s_.has_copies(number)) {
    if (llvm::Value* offset = offset_of_copy(at, copy)) base = b.CreateAdd(base, offset);
  }
  if (stride == Stride::zero || !s_.varies(number)) return base;
  if (stride == Stride::one) return b.CreateAdd(e_.splat(base), e_.iota(b.getInt64Ty()));
  const int stride_param = s_.vector_term(at).param;
  return b.CreateAdd(e_.splat(base), lane_offsets(stride_param));
}

/// A pointer to consecutive elements (or to one, when the address is uniform), or a vector of
/// pointers; to the first lane's element where they are read backwards, and to what its known
/// offset is counted from where they are few apart.
llvm::Value* KernelEmitter::address_of(const Instr& at, int number, int copy) {
  auto& b = e_.b;
  llvm::Type* element = e_.storage_type(at.dtype);
  const Access& access = access_at(number);
  llvm::Value* base = access.partial;
  llvm::Value* lanes = nullptr;  // offsets of the lanes, when not consecutive
  if (at.dynamic_index >= 0) {
    const bool by_lane = s_.varies(at.dynamic_index);
    llvm::Value* index = operand(at.dynamic_index, copy, by_lane);
    llvm::Value* stride = param(at.dynamic_stride_param);
    llvm::Value* offset = b.CreateMul(index, by_lane ? e_.splat(stride) : stride);
    if (by_lane) {
      lanes = offset;
    } else {
      base = b.CreateInBoundsGEP(element, base, offset);
    }
  }
  if (llvm::Value* offset = offset_of_copy(at, copy))
    base = b.CreateInBoundsGEP(element, base, offset);
  if (at.address.known_offset != 0 && !reads_few_apart(at)) {
    const auto known = static_cast<uint64_t>(at.address.known_offset);
    base = b.CreateInBoundsGEP(element, base, b.getInt64(known));
  }
  const Stride stride = vector_stride(at);
  if (stride == Stride::one) {
    if (lanes != nullptr) lanes = b.CreateAdd(lanes, e_.iota(b.getInt64Ty()));
  } else if (stride == Stride::dynamic && !reads_backwards(at) && !reads_few_apart(at)) {
    const int stride_param = s_.vector_term(at).param;
    llvm::Value* offsets = lane_offsets(stride_param);
    lanes = lanes == nullptr ? offsets : b.CreateAdd(lanes, offsets);
  }
  return lanes == nullptr ? base : b.CreateInBoundsGEP(element, base, lanes);
}

/// The lanes that an access may touch; null: all. A scalar bool for a uniform access.
llvm::Value* KernelEmitter::mask_of(const Instr& at, int copy, bool as_vector) {
  if (at.predicate < 0) return as_vector ? mask_of_copy(copy) : nullptr;
  llvm::Value* predicate = operand(at.predicate, copy, as_vector);
  return as_vector ? both(predicate, mask_of_copy(copy)) : predicate;
}

/// A uniform address under a predicate that varies: read once if any lane wants it.
llvm::Value* KernelEmitter::load_any_lane(const Instr& at, int number, int copy) {
  auto& b = e_.b;
  llvm::Value* mask = mask_of(at, copy, true);
  llvm::Type* one = llvm::FixedVectorType::get(e_.storage_type(at.dtype), 1);
  llvm::Value* any = b.CreateOrReduce(mask);
  llvm::Value* any_vector = b.CreateBitCast(any, llvm::FixedVectorType::get(b.getInt1Ty(), 1));
  auto* load = b.CreateMaskedLoad(one,
                                  address_of(at, number, copy),
                                  llvm::Align(size_of(at.dtype)),
                                  any_vector,
                                  llvm::Constant::getNullValue(one));
  tag(load, at.buffer);
  llvm::Value* value = e_.to_register(at.dtype, b.CreateExtractElement(load, uint64_t{0}));
  value = e_.splat(value);
  return e_.select(mask, value, llvm::Constant::getNullValue(value->getType()));
}

/// Where gathers are taken apart, a lane that is not wanted reads zeros elsewhere: a branch would
/// take longer, unless it is the same in all rows, as at their end.
llvm::Value* KernelEmitter::gather(const Instr& at, llvm::Value* addresses, llvm::Value* mask) {
  auto& b = e_.b;
  llvm::Type* vector = e_.vector_of(e_.storage_type(at.dtype));
  if (e_.host.zen && mask != nullptr) {
    addresses = b.CreateSelect(mask, addresses, e_.splat(zeros()));
    if (at.predicate < 0) return gather_wanted_lanes(at, addresses, mask);
    mask = nullptr;
  }
  auto* load = b.CreateMaskedGather(vector,
                                    addresses,
                                    llvm::Align(size_of(at.dtype)),
                                    mask,
                                    llvm::Constant::getNullValue(vector));
  return tag(load, at.buffer);
}

/// A few lanes at a time, where any of them is wanted.
llvm::Value* KernelEmitter::gather_wanted_lanes(const Instr& at,
                                                llvm::Value* addresses,
                                                llvm::Value* mask) {
  constexpr int kAtOnce = 4;
  auto& b = e_.b;
  llvm::Type* element = e_.storage_type(at.dtype);
  llvm::Value* gathered = llvm::Constant::getNullValue(e_.vector_of(element));
  auto* bits = b.getIntNTy(static_cast<unsigned>(e_.lanes));
  llvm::Value* wanted = b.CreateBitCast(mask, bits);
  for (int first = 0; first < e_.lanes; first += kAtOnce) {
    llvm::Value* before = gathered;
    auto* from = b.GetInsertBlock();
    const auto some = llvm::ConstantInt::get(bits, ((uint64_t{1} << kAtOnce) - 1) << first);
    emit_if(b.CreateIsNotNull(b.CreateAnd(wanted, some)), [&] {
      llvm::SmallVector<int, 16> all(static_cast<size_t>(e_.lanes));
      std::iota(all.begin(), all.end(), 0);
      const llvm::ArrayRef<int> few(all.data() + first, kAtOnce);
      auto* part = b.CreateMaskedGather(llvm::FixedVectorType::get(element, kAtOnce),
                                        b.CreateShuffleVector(addresses, few),
                                        llvm::Align(size_of(at.dtype)));
      llvm::SmallVector<int, 16> place(static_cast<size_t>(e_.lanes), llvm::PoisonMaskElem);
      std::iota(place.begin() + first, place.begin() + first + kAtOnce, 0);
      llvm::Value* placed = b.CreateShuffleVector(tag(part, at.buffer), place);
      std::iota(all.begin() + first, all.begin() + first + kAtOnce, e_.lanes + first);
      gathered = b.CreateShuffleVector(before, placed, all);
    });
    auto* const block = llvm::cast<llvm::Instruction>(gathered)->getParent();
    llvm::PHINode* either = b.CreatePHI(before->getType(), 2);
    either->addIncoming(gathered, block);
    either->addIncoming(before, from);
    gathered = either;
  }
  return gathered;
}

/// Where the part that is the same for all lanes is false, the address may be anywhere, and a
/// masked load takes the machine a hundred times as long.
KernelEmitter::GuardParts KernelEmitter::parts_of_guard(int predicate, int copy) {
  if (!s_.varies(predicate)) return {operand(predicate, copy, false), nullptr};
  const Instr& at = s_.instr(predicate);
  if (at.kind == InstrKind::compute && at.op == ir::OpKind::bit_and) {
    const GuardParts left = parts_of_guard(at.operands[0], copy);
    const GuardParts right = parts_of_guard(at.operands[1], copy);
    if (left.uniform != nullptr || right.uniform != nullptr)
      return {both(left.uniform, right.uniform), both(left.varying, right.varying)};
  }
  return {nullptr, operand(predicate, copy, true)};
}

/// Of conditions that may be null: always true.
llvm::Value* KernelEmitter::both(llvm::Value* left, llvm::Value* right) {
  if (left == nullptr || right == nullptr) return left == nullptr ? right : left;
  return e_.b.CreateAnd(left, right);
}

/// A vector of consecutive elements from the address on, where it has a mask or a guard of those
/// lanes alone; backwards, the first lane is the last element.
llvm::Value* KernelEmitter::load_wanted_lanes(const Instr& at,
                                              int copy,
                                              llvm::Value* address,
                                              bool backwards) {
  auto& b = e_.b;
  llvm::Value* mask = loads_past_rows_ && may_load_past_row(at) ? nullptr : mask_of(at, copy, true);
  if (at.predicate >= 0 && !s_.varies(at.predicate)) {
    address = address_if(operand(at.predicate, copy, false), address);
    mask = mask_of_copy(copy);
  } else if (at.predicate >= 0) {
    const bool keeps_masks = e_.host.avx512 || s_.walks_bound_rows();
    GuardParts guard;
    if (keeps_masks) guard = parts_of_guard(at.predicate, copy);
    llvm::Value* may_be_wanted = guard.uniform;
    if (may_be_wanted != nullptr) {
      // Where that is false the load gives zeros whatever the rest says.
      mask = both(guard.varying, mask_of_copy(copy));
    } else if (!keeps_masks || s_.depends_on_tasks(at.predicate)) {
      may_be_wanted = b.CreateOrReduce(mask);
    }
    if (may_be_wanted != nullptr) address = address_if(may_be_wanted, address);
  }
  llvm::Type* vector = e_.vector_of(e_.storage_type(at.dtype));
  const llvm::Align align(size_of(at.dtype));
  if (mask == nullptr) return tag(b.CreateAlignedLoad(vector, address, align), at.buffer);
  if (backwards) mask = b.CreateVectorReverse(mask);
  llvm::Value* zeros = llvm::Constant::getNullValue(vector);
  return tag(b.CreateMaskedLoad(vector, address, align, mask, zeros), at.buffer);
}

llvm::Value* KernelEmitter::emit_load(const Instr& at, int number, int copy) {
  auto& b = e_.b;
  if (s_.is_of_flat_rows(at)) return load_of_flat_rows(at, number, copy);
  const llvm::Align align(size_of(at.dtype));
  llvm::Type* element = e_.storage_type(at.dtype);
  const bool by_lane = at.dynamic_index >= 0 && in_vector_loop_ && s_.varies(at.dynamic_index);
  const Stride stride = vector_stride(at);
  if (stride == Stride::zero && !by_lane) {
    if (s_.varies(number)) return load_any_lane(at, number, copy);
    llvm::Value* address = address_of(at, number, copy);
    if (at.predicate >= 0) address = address_if(mask_of(at, copy, false), address);
    return e_.to_register(at.dtype, tag(b.CreateAlignedLoad(element, address, align), at.buffer));
  }
  if (reads_backwards(at)) return load_backwards(at, number, copy);
  if (reads_few_apart(at)) return load_few_apart(at, number, copy);
  llvm::Value* address = address_of(at, number, copy);
  if (is_vector(address))
    return e_.to_register(at.dtype, gather(at, address, mask_of(at, copy, true)));
  return e_.to_register(at.dtype, load_wanted_lanes(at, copy, address, /*backwards=*/false));
}

void KernelEmitter::emit_store(const Instr& at, int number, int copy) {
  auto& b = e_.b;
  const llvm::Align align(size_of(at.dtype));
  const bool as_vector = in_vector_loop_ && s_.varies(number);
  if (as_vector && s_.vector_term(at).stride == Stride::block)
    return store_of_blocks(at, number, copy);
  llvm::Value* value = e_.to_storage(at.dtype, operand(at.operands[0], copy, as_vector));
  llvm::Value* address = address_of(at, number, copy);
  llvm::Value* mask = mask_of(at, copy, as_vector);
  llvm::Instruction* store = nullptr;
  if (as_vector && vector_stride(at) == Stride::zero && !is_vector(address)) {
    address = e_.splat(address);  // the last lane wins
  }
  if (is_vector(address)) {
    store = b.CreateMaskedScatter(value, address, align, mask);
  } else if (mask == nullptr) {
    const bool streams = in_stream_loop_ && s_.is_stream(number);
    store =
        streams ? store_past_caches(value, address) : b.CreateAlignedStore(value, address, align);
  } else if (as_vector && at.predicate < 0 && avoids_masked_stores(value->getType())) {
    return store_short_row(at, copy, value, address);
  } else if (as_vector && s_.may_stream_blocks(number)) {
    return store_block(at, value, address, mask);
  } else if (as_vector) {
    store = b.CreateMaskedStore(value, address, align, mask);
  } else {
    llvm::Type* one = llvm::FixedVectorType::get(value->getType(), 1);
    value = b.CreateInsertElement(llvm::PoisonValue::get(one), value, uint64_t{0});
    mask = b.CreateBitCast(mask, llvm::FixedVectorType::get(b.getInt1Ty(), 1));
    store = b.CreateMaskedStore(value, address, align, mask);
  }
  tag(store, at.buffer);
}

}  // namespace wick::codegen::llvm_jit
