// Rows of more than a vector that are walked as one: they end anywhere in one. What has a value for
// each column is copied to where it repeats behind its end, so that all vectors of the body are
// loads from one place on. What has one for each row is spread over the lanes before its end.

#include "wick/codegen/llvm/kernel_emitter.h"

namespace wick::codegen::llvm_jit {

/// The number of whole rows before a position: by the inverse of their length, exact up to 2^56.
llvm::Value* KernelEmitter::row_of(llvm::Value* position) {
  auto& b = e_.b;
  if (row_inverse_ == nullptr) {
    const llvm::IRBuilderBase::InsertPointGuard guard(b);
    llvm::Value* length = param(kernel_.row_length_param);
    b.SetInsertPoint(entry_->getTerminator());
    row_inverse_ = b.CreateAdd(b.CreateUDiv(b.getInt64(UINT64_MAX), length), b.getInt64(1));
  }
  llvm::Type* wide = b.getInt128Ty();
  llvm::Value* product =
      b.CreateMul(b.CreateZExt(position, wide), b.CreateZExt(row_inverse_, wide));
  return b.CreateTrunc(b.CreateLShr(product, 64), b.getInt64Ty());
}

llvm::Value* KernelEmitter::last_row() {
  if (last_row_ == nullptr) {
    auto& b = e_.b;
    llvm::Value* end = extent_of(kernel_.vector_dim);
    const llvm::IRBuilderBase::InsertPointGuard guard(b);
    b.SetInsertPoint(entry_->getTerminator());
    last_row_ = row_of(b.CreateSub(end, b.getInt64(1)));
  }
  return last_row_;
}

/// Where the body's first lane is.
const KernelEmitter::RowPlace& KernelEmitter::place_of_body() {
  auto& b = e_.b;
  llvm::Value* position = positions_[static_cast<size_t>(kernel_.vector_dim)];
  if (place_of_body_.position != position) {
    llvm::Value* row = row_of(position);
    llvm::Value* start = b.CreateMul(row, param(kernel_.row_length_param));
    place_of_body_ = {position, row, b.CreateSub(position, start)};
  }
  return place_of_body_;
}

/// In front of the rows of a task, what repeats in each of them. Behind their end it does so for as
/// many vectors as a body has.
void KernelEmitter::copy_columns_of_long_rows() {
  auto& b = e_.b;
  llvm::Value* length = param(kernel_.row_length_param);
  for (size_t i = 0; i < kernel_.instrs.size(); ++i) {
    const Instr& at = kernel_.instrs[i];
    if (!s_.is_of_flat_rows(at) || !s_.repeats_in_rows(at)) continue;
    const auto number = static_cast<int>(i);
    llvm::Type* element = e_.storage_type(at.dtype);
    llvm::Value*& memory = long_columns_[number];
    if (memory == nullptr)
      memory = make_own_memory(element, kLongestRepeat + int64_t{e_.lanes} * (unroll_ + 1));
    s_.vector_term(at).stride == Stride::column ? copy_row(number) : gather_row(number);
    for (int copy = 0; copy < unroll_; ++copy) {
      const llvm::Align align(size_of(at.dtype));
      const auto place = [&](llvm::Value* column) {
        return b.CreateInBoundsGEP(element, memory, column);
      };
      llvm::Value* column = b.getInt64(static_cast<uint64_t>(int64_t{e_.lanes} * copy));
      llvm::Value* columns = b.CreateAlignedLoad(e_.vector_of(element), place(column), align);
      b.CreateAlignedStore(columns, place(b.CreateAdd(length, column)), align);
    }
  }
}

/// Of what lies in memory as rows do.
void KernelEmitter::copy_row(int number) {
  auto& b = e_.b;
  const Instr& at = s_.instr(number);
  llvm::Value* length = param(kernel_.row_length_param);
  llvm::Type* element = e_.storage_type(at.dtype);
  llvm::Type* vector = e_.vector_of(element);
  const llvm::Align align(size_of(at.dtype));
  llvm::Value* from = access_at(number).partial;
  llvm::Value* to = long_columns_.lookup(number);
  loop(b.getInt64(0), length, e_.lanes, [&](llvm::Value* column) {
    llvm::Value* columns = b.CreateMaskedLoad(vector,
                                              b.CreateInBoundsGEP(element, from, column),
                                              align,
                                              lane_mask(b.CreateSub(length, column)),
                                              llvm::Constant::getNullValue(vector));
    tag(llvm::cast<llvm::Instruction>(columns), at.buffer);
    b.CreateAlignedStore(columns, b.CreateInBoundsGEP(element, to, column), align);
  });
}

/// Of what has some axes of a block alone: element by element, by a table of where they are.
void KernelEmitter::gather_row(int number) {
  auto& b = e_.b;
  const Instr& at = s_.instr(number);
  const Affine::Term& term = s_.vector_term(at);
  int64_t length = 1;
  for (const BlockAxis& axis : term.axes)
    length *= axis.extent;
  std::vector<int64_t> places;
  for (int64_t column = 0; column < length; ++column)
    places.push_back(place_in_rows(length, term, column));
  llvm::GlobalVariable* table =
      e_.constant_table(llvm::ConstantDataArray::get(b.getContext(), places), "places");
  llvm::Type* element = e_.storage_type(at.dtype);
  llvm::Value* from = access_at(number).partial;
  llvm::Value* to = long_columns_.lookup(number);
  const llvm::Align align(size_of(at.dtype));
  loop(b.getInt64(0), b.getInt64(places.size()), 1, [&](llvm::Value* column) {
    llvm::Type* i64 = b.getInt64Ty();
    llvm::Value* place = b.CreateLoad(i64, b.CreateInBoundsGEP(i64, table, column));
    auto* load = b.CreateAlignedLoad(element, b.CreateInBoundsGEP(element, from, place), align);
    b.CreateAlignedStore(tag(load, at.buffer), b.CreateInBoundsGEP(element, to, column), align);
  });
}

/// A copy of what repeats in each row.
llvm::Value* KernelEmitter::load_of_long_rows(int number, int copy) {
  auto& b = e_.b;
  const Instr& at = s_.instr(number);
  llvm::Type* element = e_.storage_type(at.dtype);
  llvm::Value* column = b.CreateAdd(place_of_body().column,
                                    b.getInt64(static_cast<uint64_t>(int64_t{e_.lanes} * copy)));
  llvm::Value* address = b.CreateInBoundsGEP(element, long_columns_.lookup(number), column);
  const llvm::Align align(size_of(at.dtype));
  return e_.to_register(at.dtype, b.CreateAlignedLoad(e_.vector_of(element), address, align));
}

bool KernelEmitter::is_spread_from_long_rows(const Instr& at) const {
  return kernel_.row_length_param >= 0 && s_.is_of_flat_rows(at) &&
         s_.vector_term(at).stride == Stride::row;
}

/// The copies of what has a value for each row, of a body in which so many rows end at most.
Values KernelEmitter::spread_rows(int number, int ends) {
  auto& b = e_.b;
  const Instr& at = s_.instr(number);
  const RowPlace place = place_of_body();
  llvm::Value* length = param(kernel_.row_length_param);
  llvm::Value* all = b.getInt64(static_cast<uint64_t>(int64_t{e_.lanes} * copies_));
  llvm::Value* end = b.CreateSub(length, place.column);
  llvm::Type* element = e_.storage_type(at.dtype);
  const auto value_of = [&](llvm::Value* row) {
    llvm::Value* address = b.CreateInBoundsGEP(element, access_at(number).partial, row);
    auto* load = b.CreateAlignedLoad(element, address, llvm::Align(size_of(at.dtype)));
    return e_.splat(e_.to_register(at.dtype, tag(load, at.buffer)));
  };
  Values of_rows{value_of(place.row)};
  Values lanes_before;  // the end of each but the last
  for (int row = 1; row <= ends; ++row) {
    llvm::Value* lanes = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, all);
    lanes_before.push_back(e_.splat(b.CreateTrunc(lanes, b.getInt32Ty())));
    end = b.CreateAdd(end, length);
    llvm::Value* next = b.CreateAdd(place.row, b.getInt64(static_cast<uint64_t>(row)));
    of_rows.push_back(value_of(b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, next, last_row())));
  }
  Values values;
  for (int copy = 0; copy < copies_; ++copy) {
    llvm::Value* lane = b.CreateAdd(e_.iota(b.getInt32Ty()),
                                    e_.splat(b.getInt32(static_cast<uint32_t>(e_.lanes * copy))));
    llvm::Value* value = of_rows.back();
    for (auto row = static_cast<size_t>(ends); row-- > 0;)
      value = e_.select(b.CreateICmpSLT(lane, lanes_before[row]), of_rows[row], value);
    values.push_back(value);
  }
  return values;
}

/// Few rows of the shortest kind end in a body, of those as long as it is one.
Values KernelEmitter::spread_long_rows(int number) {
  auto& b = e_.b;
  place_of_body();  // for both
  const int64_t elements = int64_t{e_.lanes} * copies_;
  const auto most_ends = static_cast<int>((elements + kShortVector - 2) / kShortVector);
  if (most_ends <= 1) return spread_rows(number, 1);
  llvm::Value* are_long =
      b.CreateICmpUGE(param(kernel_.row_length_param), b.getInt64(static_cast<uint64_t>(elements)));
  return emit_either(
      are_long,
      [&] { return spread_rows(number, 1); },
      [&] { return spread_rows(number, most_ends); });
}

}  // namespace wick::codegen::llvm_jit
