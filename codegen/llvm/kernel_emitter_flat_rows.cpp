// Short rows, walked as one. Of rows shorter than a vector the main loop begins where a row does
// and takes whole rows, so that each of its copies sees the same columns in every round, and the
// same of the body's rows: what has a value for each column is loaded once, in front of the loop,
// and what has one for each row is spread from one vector. Of an operand that is stored transposed,
// column by column, short rows are put together in registers.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "wick/codegen/llvm/kernel_emitter.h"

namespace wick::codegen::llvm_jit {

/// Walks up to where a row begins that is a line's as well if the first one is, and returns that.
llvm::Value* KernelEmitter::emit_head_of_flat_rows(llvm::Value* begin,
                                                   llvm::Value* end,
                                                   const std::function<void()>& body) {
  constexpr int64_t kLine = 16;  // elements
  auto& b = e_.b;
  const auto step = static_cast<uint64_t>(kLine * kernel_.row_length);
  llvm::Value* steps = b.CreateUDiv(b.CreateAdd(begin, b.getInt64(step - 1)), b.getInt64(step));
  llvm::Value* head_end =
      b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, b.CreateMul(steps, b.getInt64(step)));
  emit_masked_loop({begin, head_end}, 1, body);
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, begin, head_end);
}

void KernelEmitter::start_flat_rows(llvm::Value* begin) {
  at_row_start_ = true;
  for (size_t i = 0; i < kernel_.instrs.size(); ++i) {
    const Instr& at = kernel_.instrs[i];
    const auto number = static_cast<int>(i);
    if (!s_.is_of_flat_rows(at) || !s_.repeats_in_rows(at) || at.predicate >= 0) continue;
    if (s_.depends_on_inner(number)) continue;
    Values values;
    for (int copy = 0; copy < unroll_; ++copy)
      values.push_back(gather_of_flat_rows(at, number, begin, copy));
    columns_of_rows_[number] = std::move(values);
  }
}

llvm::Value* KernelEmitter::load_of_flat_rows(const Instr& at, int number, int copy) {
  if (kernel_.row_length_param >= 0) return load_of_long_rows(number, copy);
  auto& b = e_.b;
  llvm::Value* position = positions_[static_cast<size_t>(kernel_.vector_dim)];
  if (!at_row_start_) return gather_of_flat_rows(at, number, position, copy);
  const auto columns = columns_of_rows_.find(number);
  if (columns != columns_of_rows_.end()) return columns->second[static_cast<size_t>(copy)];
  if (s_.vector_term(at).row_param >= 0) return load_scattered_rows(at, number, position, copy);
  if (s_.vector_term(at).stride == Stride::transposed)
    return load_transposed_rows(at, number, position, copy);
  if (s_.vector_term(at).stride == Stride::block || s_.repeats_in_rows(at) || at.predicate >= 0)
    return load_of_blocks(at, number, position, copy);

  const int64_t length = kernel_.row_length;
  llvm::Value*& rows = values_of_rows_[number];
  if (copy == 0) {
    const Access& access = access_at(number);
    llvm::Type* element = e_.storage_type(at.dtype);
    llvm::Value* row = b.CreateUDiv(position, b.getInt64(static_cast<uint64_t>(length)));
    auto* vector =
        llvm::FixedVectorType::get(element, static_cast<unsigned>(e_.lanes * copies_ / length));
    rows = tag(b.CreateAlignedLoad(vector,
                                   b.CreateInBoundsGEP(element, access.partial, row),
                                   llvm::Align(size_of(at.dtype))),
               at.buffer);
  }
  llvm::SmallVector<int, 16> row_of_lane;
  for (int64_t lane = 0; lane < e_.lanes; ++lane)
    row_of_lane.push_back(static_cast<int>((int64_t{copy} * e_.lanes + lane) / length));
  return e_.to_register(at.dtype, b.CreateShuffleVector(rows, row_of_lane));
}

/// Of rows whose columns are stored behind each other: of each column the elements that meet a
/// vector are one load, and change places with those of the other columns in registers.
llvm::Value* KernelEmitter::load_transposed_rows(const Instr& at,
                                                 int number,
                                                 llvm::Value* position,
                                                 int copy) {
  auto& b = e_.b;
  const int64_t length = kernel_.row_length;
  const int64_t rows = e_.lanes * copies_ / length;  // of the body
  const int64_t width = std::min<int64_t>(e_.lanes, rows);
  const int64_t first = std::min(int64_t{copy} * e_.lanes / length, rows - width);
  const Access& access = access_at(number);
  llvm::Value* row = b.CreateAdd(b.CreateUDiv(position, b.getInt64(static_cast<uint64_t>(length))),
                                 b.getInt64(static_cast<uint64_t>(first)));
  llvm::Value* step = param(s_.vector_term(at).param);
  llvm::Type* element = e_.storage_type(at.dtype);
  auto* vector = llvm::FixedVectorType::get(element, static_cast<unsigned>(width));
  llvm::Value* result = llvm::PoisonValue::get(e_.vector_of(element));
  for (int64_t column = 0; column < length; ++column) {
    // Of the result, or behind it of the loaded vector.
    llvm::SmallVector<int, 16> sources(static_cast<size_t>(e_.lanes));
    std::iota(sources.begin(), sources.end(), 0);
    bool is_met = false;
    for (int64_t lane = 0; lane < e_.lanes; ++lane) {
      const int64_t place = int64_t{copy} * e_.lanes + lane;
      if (place % length != column) continue;
      sources[static_cast<size_t>(lane)] = static_cast<int>(e_.lanes + place / length - first);
      is_met = true;
    }
    if (!is_met) continue;
    llvm::Value* from =
        b.CreateAdd(row, b.CreateMul(step, b.getInt64(static_cast<uint64_t>(column))));
    auto* load = b.CreateAlignedLoad(
        vector, b.CreateInBoundsGEP(element, access.partial, from), llvm::Align(size_of(at.dtype)));
    llvm::Value* loaded = tag(load, at.buffer);
    result = b.CreateShuffleVector(result, widened(loaded), sources);
  }
  return e_.to_register(at.dtype, result);
}

/// A multiple of the parameter, computed once.
llvm::Value* KernelEmitter::multiple_of(int parameter, int64_t times) {
  llvm::Value*& product = multiples_[{parameter, times}];
  if (product == nullptr) {
    auto& b = e_.b;
    const llvm::IRBuilderBase::InsertPointGuard guard(b);
    b.SetInsertPoint(entry_->getTerminator());
    product = b.CreateMul(param(parameter), b.getInt64(static_cast<uint64_t>(times)));
  }
  return product;
}

/// Of rows that lie apart: element by element, as the machine takes gathers.
llvm::Value* KernelEmitter::load_scattered_rows(const Instr& at,
                                                int number,
                                                llvm::Value* position,
                                                int copy) {
  auto& b = e_.b;
  const auto length = static_cast<uint64_t>(kernel_.row_length);
  const Affine::Term& term = s_.vector_term(at);
  llvm::Type* element = e_.storage_type(at.dtype);
  llvm::Value* first =
      b.CreateMul(b.CreateUDiv(position, b.getInt64(length)), param(term.row_param));
  llvm::Value* rows = b.CreateInBoundsGEP(element, access_at(number).partial, first);
  llvm::Value* row = nullptr;
  Values addresses;
  for (int64_t lane = 0; lane < e_.lanes; ++lane) {
    const int64_t place = int64_t{copy} * e_.lanes + lane;
    const int64_t column = place % kernel_.row_length;
    if (row == nullptr || column == 0) {
      llvm::Value* before = multiple_of(term.row_param, place / kernel_.row_length);
      row = b.CreateInBoundsGEP(element, rows, before);
    }
    addresses.push_back(b.CreateInBoundsGEP(element, row, multiple_of(term.param, column)));
  }
  return load_each(at, addresses);
}

/// One element after the other, and 0 where a lane has no address.
llvm::Value* KernelEmitter::load_each(const Instr& at, llvm::ArrayRef<llvm::Value*> addresses) {
  auto& b = e_.b;
  llvm::Type* element = e_.storage_type(at.dtype);
  llvm::Value* result = llvm::Constant::getNullValue(e_.vector_of(element));
  for (size_t lane = 0; lane < addresses.size(); ++lane) {
    if (addresses[lane] == nullptr) continue;
    auto* load = b.CreateAlignedLoad(element, addresses[lane], llvm::Align(size_of(at.dtype)));
    result = b.CreateInsertElement(result, tag(load, at.buffer), lane);
  }
  return e_.to_register(at.dtype, result);
}

/// What a term adds for the rows before a position at which one begins.
llvm::Value* KernelEmitter::place_of_row(const Affine::Term& term, llvm::Value* position) {
  auto& b = e_.b;
  const int64_t step = term.stride == Stride::row ? 1 : term.row_step;
  if (step == 0) return b.getInt64(0);  // known, and so may be what is compared with it
  llvm::Value* row = b.CreateUDiv(position, b.getInt64(static_cast<uint64_t>(kernel_.row_length)));
  return b.CreateMul(row, b.getInt64(static_cast<uint64_t>(step)));
}

llvm::Value* KernelEmitter::load_of_blocks(const Instr& at,
                                           int number,
                                           llvm::Value* position,
                                           int copy) {
  auto& b = e_.b;
  const Affine::Term& term = s_.vector_term(at);
  llvm::Value* base = b.CreateInBoundsGEP(
      e_.storage_type(at.dtype), access_at(number).partial, place_of_row(term, position));
  Places places;
  for (int64_t lane = 0; lane < e_.lanes; ++lane)
    places.push_back(s_.place_of_lane(term, int64_t{copy} * e_.lanes + lane));
  if (at.predicate >= 0) {
    const auto* wanted = llvm::dyn_cast<llvm::Constant>(operand(at.predicate, copy, true));
    check(wanted != nullptr, "guards of blocks are known");
    for (size_t lane = 0; lane < places.size(); ++lane)
      if (wanted->getAggregateElement(lane)->isNullValue()) places[lane].reset();
    return load_places(at, base, places, {});
  }
  std::set<int64_t> read;  // by all copies
  for (int64_t lane = 0; lane < int64_t{e_.lanes} * copies_; ++lane)
    read.insert(s_.place_of_lane(term, lane));
  return load_places(at, base, places, std::pair(*read.begin(), *read.rbegin()));
}

/// Elements at these places behind an address, and 0 where a lane has none, picked from few
/// vectors, of which none reaches beyond two places that are read anyhow: the outermost of these
/// unless told.
llvm::Value* KernelEmitter::load_places(const Instr& at,
                                        llvm::Value* base,
                                        const Places& places,
                                        std::optional<std::pair<int64_t, int64_t>> bounds) {
  auto& b = e_.b;
  std::set<int64_t> wanted;
  for (const std::optional<int64_t>& place : places)
    if (place) wanted.insert(*place);
  llvm::Type* element = e_.storage_type(at.dtype);
  if (s_.are_far_apart(wanted) && !lie_in_runs(places)) {
    Values addresses(places.size(), nullptr);
    for (size_t lane = 0; lane < places.size(); ++lane)
      if (places[lane])
        addresses[lane] =
            b.CreateInBoundsGEP(element, base, b.getInt64(static_cast<uint64_t>(*places[lane])));
    return load_each(at, addresses);
  }
  llvm::Value* result = llvm::Constant::getNullValue(e_.vector_of(element));
  if (!wanted.empty() && !bounds) bounds = std::pair(*wanted.begin(), *wanted.rbegin());
  while (!wanted.empty()) {
    const int64_t width = std::min<int64_t>(e_.lanes, bounds->second - bounds->first + 1);
    const auto begin_at = [&](int64_t place) {
      return std::clamp(place, bounds->first, bounds->second + 1 - width);
    };
    int64_t start = begin_at(*wanted.begin());
    // Elements that are in their lanes already are only chosen.
    const auto lane = std::ranges::find(places, std::optional(*wanted.begin())) - places.begin();
    const int64_t aligned = begin_at(*wanted.begin() - lane);
    if (wanted.lower_bound(aligned + width) == wanted.lower_bound(start + width)) start = aligned;
    // Of the result, or behind it of the loaded vector.
    llvm::SmallVector<int, 16> sources(static_cast<size_t>(e_.lanes));
    std::iota(sources.begin(), sources.end(), 0);
    for (size_t lane = 0; lane < places.size(); ++lane) {
      if (!places[lane] || !wanted.contains(*places[lane])) continue;
      const int64_t source = *places[lane] - start;
      if (source < width) sources[lane] = static_cast<int>(e_.lanes + source);
    }
    wanted.erase(wanted.begin(), wanted.lower_bound(start + width));
    llvm::Value* address =
        b.CreateInBoundsGEP(element, base, b.getInt64(static_cast<uint64_t>(start)));
    auto* vector = llvm::FixedVectorType::get(element, static_cast<unsigned>(width));
    llvm::Value* loaded =
        tag(b.CreateAlignedLoad(vector, address, llvm::Align(size_of(at.dtype))), at.buffer);
    result = b.CreateShuffleVector(result, widened(loaded), sources);
  }
  return e_.to_register(at.dtype, result);
}

/// Whether neighbours lie side by side, two and more.
bool KernelEmitter::lie_in_runs(const Places& places) {
  int64_t runs = 0;
  int64_t count = 0;
  for (size_t lane = 0; lane < places.size(); ++lane) {
    if (!places[lane]) continue;
    ++count;
    if (lane == 0 || !places[lane - 1] || *places[lane - 1] + 1 != *places[lane]) ++runs;
  }
  return 2 * runs <= count;
}

/// With lanes of no value behind its own.
llvm::Value* KernelEmitter::widened(llvm::Value* vector) {
  const auto width = llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
  if (static_cast<int>(width) == e_.lanes) return vector;
  llvm::SmallVector<int, 16> lanes(static_cast<size_t>(e_.lanes), llvm::PoisonMaskElem);
  std::iota(lanes.begin(), lanes.begin() + width, 0);
  return e_.b.CreateShuffleVector(vector, lanes);
}

/// Positions in rows, counted as an address is: known but for the rows before them.
llvm::Value* KernelEmitter::index_of_rows(const Instr& at, llvm::Value* base, int copy) {
  auto& b = e_.b;
  llvm::Value* position = positions_[static_cast<size_t>(kernel_.vector_dim)];
  const Affine::Term& term = s_.vector_term(at);
  if (!at_row_start_) {
    return b.CreateAdd(e_.splat(base), places_in_rows_of(term, position, copy));
  }
  llvm::SmallVector<uint64_t, 16> places;
  for (int64_t lane = 0; lane < e_.lanes; ++lane)
    places.push_back(
        static_cast<uint64_t>(s_.place_of_lane(term, int64_t{copy} * e_.lanes + lane)));
  base = b.CreateAdd(base, place_of_row(term, position));
  return b.CreateAdd(e_.splat(base), llvm::ConstantDataVector::get(b.getContext(), places));
}

/// What the lanes of a copy add to an address where copy 0 begins at `position`: anywhere in a row.
llvm::Value* KernelEmitter::places_in_rows_of(const Affine::Term& term,
                                              llvm::Value* position,
                                              int copy) {
  auto& b = e_.b;
  const auto number = [&](int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); };
  llvm::Value* length = number(kernel_.row_length);
  position = b.CreateAdd(position, number(int64_t{e_.lanes} * copy));
  llvm::Value* columns =
      b.CreateAdd(e_.splat(b.CreateURem(position, length)), e_.iota(b.getInt64Ty()));
  llvm::Value* rows = b.CreateAdd(e_.splat(b.CreateUDiv(position, length)),
                                  b.CreateUDiv(columns, e_.splat(length)));
  columns = b.CreateURem(columns, e_.splat(length));
  switch (term.stride) {
    case Stride::column:
      return columns;
    case Stride::row:
      return rows;
    case Stride::transposed:
      if (term.row_param >= 0) rows = b.CreateMul(rows, e_.splat(param(term.row_param)));
      return b.CreateAdd(rows, b.CreateMul(columns, e_.splat(param(term.param))));
    default:
      break;
  }
  llvm::Value* places = b.CreateMul(rows, e_.splat(number(term.row_step)));
  for (const BlockAxis& axis : term.axes) {
    llvm::Value* extents = e_.splat(number(axis.extent));
    llvm::Value* digits = b.CreateURem(columns, extents);
    places = b.CreateAdd(places, b.CreateMul(digits, e_.splat(number(axis.stride))));
    columns = b.CreateUDiv(columns, extents);
  }
  return places;
}

/// Whether what repeats in each row fits one register, of 32 bits a lane, out of which any vector
/// is one permutation of AVX-512.
bool KernelEmitter::is_row_in_register(const Instr& at) const {
  return e_.host.avx512 && e_.lanes == kShortVector && kernel_.row_length <= kShortVector &&
         s_.vector_term(at).stride == Stride::column && at.predicate < 0 &&
         (size_of(at.dtype) == sizeof(float) || is_half(at.dtype));
}

/// The columns of any vector of rows that are walked as one begin somewhere in it.
llvm::GlobalVariable* KernelEmitter::columns_of_row() {
  if (columns_of_row_ == nullptr) {
    std::vector<uint32_t> columns;
    for (int64_t lane = 0; lane < e_.lanes + kernel_.row_length - 1; ++lane)
      columns.push_back(static_cast<uint32_t>(lane % kernel_.row_length));
    columns_of_row_ =
        e_.constant_table(llvm::ConstantDataArray::get(e_.b.getContext(), columns), "columns");
  }
  return columns_of_row_;
}

/// The elements of one copy where copy 0 begins at `position`, of a row in a register.
llvm::Value* KernelEmitter::permute_row(const Instr& at,
                                        int number,
                                        llvm::Value* position,
                                        int copy) {
  auto& b = e_.b;
  llvm::Value* length = b.getInt64(static_cast<uint64_t>(kernel_.row_length));
  llvm::Value* first = b.getInt64(static_cast<uint64_t>(int64_t{e_.lanes} * copy));
  llvm::Value* begin = b.CreateURem(b.CreateAdd(position, first), length);
  llvm::Type* integers = e_.vector_of(b.getInt32Ty());
  llvm::Value* address = b.CreateInBoundsGEP(b.getInt32Ty(), columns_of_row(), begin);
  llvm::Value* columns = b.CreateAlignedLoad(integers, address, llvm::Align(sizeof(uint32_t)));
  llvm::Type* elements = e_.vector_of(e_.storage_type(at.dtype));
  llvm::Value* row = b.CreateMaskedLoad(elements,
                                        access_at(number).partial,
                                        llvm::Align(size_of(at.dtype)),
                                        lane_mask(length),
                                        llvm::Constant::getNullValue(elements));
  row = e_.to_register(at.dtype, tag(llvm::cast<llvm::Instruction>(row), at.buffer));
  llvm::Value* permuted = b.CreateIntrinsic(
      llvm::Intrinsic::x86_avx512_permvar_si_512, {}, {b.CreateBitCast(row, integers), columns});
  return b.CreateBitCast(permuted, row->getType());
}

/// The elements of one copy where copy 0 begins at `position`.
llvm::Value* KernelEmitter::gather_of_flat_rows(const Instr& at,
                                                int number,
                                                llvm::Value* position,
                                                int copy) {
  if (is_row_in_register(at)) return permute_row(at, number, position, copy);
  auto& b = e_.b;
  const Affine::Term& term = s_.vector_term(at);
  const Access& access = access_at(number);
  llvm::Value* places = places_in_rows_of(term, position, copy);
  llvm::Value* addresses = b.CreateInBoundsGEP(e_.storage_type(at.dtype), access.partial, places);
  return e_.to_register(at.dtype, gather(at, addresses, mask_of(at, copy, true)));
}

}  // namespace wick::codegen::llvm_jit
