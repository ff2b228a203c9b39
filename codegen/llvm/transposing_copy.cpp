#include "wick/codegen/llvm/transposing_copy.h"

#include <functional>
#include <numeric>
#include <utility>

#include <llvm/IR/Intrinsics.h>

namespace wick::codegen::llvm_jit {

namespace {

/// Registers in parts, each of which transposes a square by itself: `square` columns of
/// `square * parts` rows.
struct Block {
  int square = 1;
  int parts = 1;

  [[nodiscard]] int rows() const { return square * parts; }
};

/// Parts of 16 bytes are what shuffles of wider registers keep apart.
Block wide_block(size_t element_bytes, int lanes) {
  return {.square = 16 / static_cast<int>(element_bytes), .parts = lanes / 4};
}

/// Of as many rows, two columns wide.
Block pair_block(const Block& wide) {
  return {.square = 2, .parts = wide.rows() / 2};
}

class Emitter {
 public:
  Emitter(EmitContext& e, const TransposingCopy& copy)
      : e_(e),
        b_(e.b),
        element_(b_.getIntNTy(static_cast<unsigned>(copy.element_bytes * 8))),
        align_(copy.element_bytes),
        wide_(wide_block(copy.element_bytes, e.lanes)),
        direction_(copy.direction),
        pitch_(copy.pitch),
        asked_bytes_(copy.asked_columns * static_cast<int64_t>(copy.element_bytes)),
        row_stride_(copy.row_stride) {}

  llvm::Function* emit() {
    llvm::Type* i64 = b_.getInt64Ty();
    llvm::Type* pointer = b_.getPtrTy();
    llvm::SmallVector<llvm::Type*, 8> arguments = {pointer, i64, pointer, i64, i64};
    if (takes_some_rows()) arguments.append({i64, i64});
    if (asked_bytes_ > 0) arguments.append({pointer, b_.getInt1Ty()});
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), arguments, false);
    function_ = llvm::Function::Create(
        type, llvm::GlobalValue::InternalLinkage, "transposing_copy", &e_.module);
    rows_ = function_->getArg(0);
    stride_ = function_->getArg(1);
    columns_ = function_->getArg(2);
    num_rows_ = function_->getArg(3);
    num_columns_ = function_->getArg(4);
    auto* entry = llvm::BasicBlock::Create(b_.getContext(), "entry", function_);
    auto* blocks = llvm::BasicBlock::Create(b_.getContext(), "blocks", function_);
    auto* elements = llvm::BasicBlock::Create(b_.getContext(), "elements", function_);
    b_.SetInsertPoint(entry);
    llvm::Value* has_blocks = b_.CreateICmpSGE(num_rows_, int64(wide_.rows()));
    if (row_stride_ > 0) emit_dense_rows(has_blocks);
    b_.CreateCondBr(has_blocks, blocks, elements);
    b_.SetInsertPoint(blocks);
    emit_blocks();
    b_.CreateRetVoid();
    b_.SetInsertPoint(elements);
    emit_elements();
    b_.CreateRetVoid();
    return function_;
  }

 private:
  using Values = llvm::SmallVector<llvm::Value*, 16>;

  [[nodiscard]] bool takes_some_rows() const {
    return direction_ == Transposing::some_into_columns;
  }

  llvm::Value* int64(int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); }

  llvm::Value* move(llvm::Value* address, llvm::Value* elements) {
    return b_.CreateInBoundsGEP(element_, address, elements);
  }

  void loop(llvm::Value* end, int64_t step, const std::function<void(llvm::Value*)>& body) {
    auto* before = b_.GetInsertBlock();
    auto* block = llvm::BasicBlock::Create(b_.getContext(), "loop", function_);
    auto* after = llvm::BasicBlock::Create(b_.getContext(), "done", function_);
    b_.CreateCondBr(b_.CreateICmpSLT(int64(0), end), block, after);
    b_.SetInsertPoint(block);
    llvm::PHINode* position = b_.CreatePHI(b_.getInt64Ty(), 2);
    position->addIncoming(int64(0), before);
    body(position);
    llvm::Value* next = b_.CreateNSWAdd(position, int64(step));
    position->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpSLT(next, end), block, after);
    b_.SetInsertPoint(after);
  }

  /// The last block ends where the rows do, and may take again what the one before it took.
  llvm::Value* first_of_block(llvm::Value* position) {
    return b_.CreateBinaryIntrinsic(
        llvm::Intrinsic::smin, position, b_.CreateSub(num_rows_, int64(wide_.rows())));
  }

  /// Memory of fewer columns than a wide block has is walked in pairs, or in single ones.
  void emit_blocks() {
    const auto if_else = [&](llvm::Value* condition, llvm::Value* yes, llvm::Value* no) {
      return b_.CreateSelect(condition, yes, no);
    };
    llvm::Value* is_wide = b_.CreateICmpSGE(num_columns_, int64(wide_.square));
    llvm::Value* has_pairs = b_.CreateICmpSGE(num_columns_, int64(2));
    llvm::Value* wide_end = if_else(is_wide, num_columns_, int64(0));
    llvm::Value* pair_end =
        if_else(b_.CreateAnd(b_.CreateNot(is_wide), has_pairs), num_columns_, int64(0));
    llvm::Value* single_end = if_else(b_.CreateOr(is_wide, has_pairs), int64(0), num_columns_);
    const Rows first = first_rows();
    loop(num_rows_, wide_.rows(), [&](llvm::Value* position) {
      llvm::Value* row = first_of_block(position);
      Rows rows = first;
      llvm::Value* distance = b_.CreateMul(row, stride_);
      rows.begin = move(rows.begin, distance);
      if (rows.asked != nullptr) rows.asked = move(rows.asked, distance);
      llvm::Value* columns = move(columns_, row);
      emit_row_of_blocks(wide_, wide_end, rows, columns);
      if (wide_.square > 2) emit_row_of_blocks(pair_block(wide_), pair_end, rows, columns);
      emit_column(rows, columns, single_end);
    });
  }

  /// Rows of a block: where the first one begins and how far from there the others do, by fours,
  /// which addresses of the machine add up.
  struct Rows {
    llvm::Value* begin = nullptr;
    Values distances;  // of the first four; of some rows, of all
    llvm::Value* four = nullptr;
    llvm::Value* asked = nullptr;  // where the first of those begins that are asked for
  };

  Rows first_rows() {
    Rows rows{.begin = rows_, .distances = {}, .four = nullptr, .asked = nullptr};
    if (asked_bytes_ > 0) rows.asked = function_->getArg(5);
    if (takes_some_rows()) {
      llvm::Value* first = function_->getArg(5);
      llvm::Value* last = function_->getArg(6);
      while (std::ssize(rows.distances) < wide_.rows()) {
        llvm::Value* number = b_.CreateBinaryIntrinsic(
            llvm::Intrinsic::smax, int64(std::ssize(rows.distances)), first);
        number = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, number, last);
        rows.distances.push_back(b_.CreateMul(number, stride_));
      }
      return rows;
    }
    for (int64_t i = 0; i < 4; ++i)
      rows.distances.push_back(b_.CreateMul(int64(i), stride_));
    rows.four = b_.CreateMul(int64(4), stride_);
    return rows;
  }

  /// The same column of each row.
  Values places_in(const Rows& rows, llvm::Value* begin) {
    Values places;
    while (std::ssize(places) < wide_.rows()) {
      const auto row = places.size() % rows.distances.size();
      if (row == 0 && !places.empty()) begin = move(begin, rows.four);
      places.push_back(move(begin, rows.distances[row]));
    }
    return places;
  }

  /// One after the other, the last of which ends where the columns do. What moves from one to the
  /// next are pointers: of a position LLVM would keep a sum with the beginning of each row, for
  /// which there are not enough registers.
  void emit_row_of_blocks(const Block& block,
                          llvm::Value* end,
                          const Rows& rows,
                          llvm::Value* columns) {
    llvm::BasicBlock* before = b_.GetInsertBlock();
    auto* body = llvm::BasicBlock::Create(b_.getContext(), "blocks", function_);
    auto* after = llvm::BasicBlock::Create(b_.getContext(), "done", function_);
    llvm::Value* first_left = b_.CreateSub(end, int64(block.square));
    const bool asks = rows.asked != nullptr && block.square == wide_.square;
    llvm::Value* first_unasked = nullptr;  // rows
    if (asks) first_unasked = b_.CreateSelect(function_->getArg(6), int64(block.rows()), int64(0));
    b_.CreateCondBr(b_.CreateICmpSLE(int64(0), first_left), body, after);
    b_.SetInsertPoint(body);
    const auto moving = [&](llvm::Value* first) {
      llvm::PHINode* value = b_.CreatePHI(first->getType(), 2);
      value->addIncoming(first, before);
      return value;
    };
    llvm::PHINode* left = moving(first_left);  // columns behind this block
    llvm::PHINode* in_rows = moving(rows.begin);
    llvm::PHINode* in_columns = moving(columns);
    llvm::PHINode* asked = asks ? moving(rows.asked) : nullptr;
    llvm::PHINode* unasked = asks ? moving(first_unasked) : nullptr;
    Values places;
    for (int i = 0; i < block.square; ++i)
      places.push_back(move(in_columns, int64(i * pitch_)));
    if (direction_ != Transposing::into_rows) {
      store(transpose(block, load_rows(block, places_in(rows, in_rows))), places);
    } else {
      store_rows(block, transpose(block, load(block, places)), places_in(rows, in_rows));
    }
    llvm::Value* step = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, left, int64(block.square));
    if (asks) emit_asking(asked, unasked);
    const auto advance = [&](llvm::PHINode* value, llvm::Value* next) {
      value->addIncoming(next, b_.GetInsertBlock());
    };
    if (asks) {
      advance(asked, move(asked, stride_));
      advance(unasked, b_.CreateSub(unasked, int64(1)));
    }
    advance(left, b_.CreateSub(left, step));
    advance(in_rows, move(in_rows, step));
    advance(in_columns, move(in_columns, b_.CreateMul(step, int64(pitch_))));
    b_.CreateCondBr(b_.CreateICmpSGT(step, int64(0)), body, after);
    b_.SetInsertPoint(after);
  }

  /// With each block for one row, as long as there are any: all of them at once would wait for each
  /// other.
  void emit_asking(llvm::Value* row, llvm::Value* unasked) {
    auto* ask = llvm::BasicBlock::Create(b_.getContext(), "ask", function_);
    auto* asked = llvm::BasicBlock::Create(b_.getContext(), "asked", function_);
    b_.CreateCondBr(b_.CreateICmpSGT(unasked, int64(0)), ask, asked);
    b_.SetInsertPoint(ask);
    constexpr int64_t kLine = 64;
    // The first line may be one that is read now.
    for (int64_t end = kLine; end <= asked_bytes_; end += kLine)
      e_.prefetch(b_.CreateGEP(b_.getInt8Ty(), row, int64(end - 1)));
    b_.CreateBr(asked);
    b_.SetInsertPoint(asked);
  }

  /// Rows that lie behind each other in memory, all of whose elements are wanted: as many vectors
  /// as there are columns.
  void emit_dense_rows(llvm::Value* has_blocks) {
    auto* dense = llvm::BasicBlock::Create(b_.getContext(), "dense", function_);
    auto* apart = llvm::BasicBlock::Create(b_.getContext(), "apart", function_);
    llvm::Value* is_dense = b_.CreateICmpEQ(num_columns_, int64(row_stride_));
    b_.CreateCondBr(b_.CreateAnd(is_dense, has_blocks), dense, apart);
    b_.SetInsertPoint(dense);
    loop(num_rows_, wide_.rows(), [&](llvm::Value* position) {
      llvm::Value* row = first_of_block(position);
      Values in_rows;
      Values in_columns;
      for (int64_t i = 0; i < row_stride_; ++i) {
        llvm::Value* first = b_.CreateMul(row, int64(row_stride_));
        in_rows.push_back(move(rows_, b_.CreateAdd(first, int64(i * wide_.rows()))));
        in_columns.push_back(move(columns_, b_.CreateAdd(row, int64(i * pitch_))));
      }
      const bool forth = direction_ != Transposing::into_rows;
      const Values from = load(wide_, forth ? in_rows : in_columns);
      Values to;
      for (int64_t i = 0; i < row_stride_; ++i)
        to.push_back(forth ? column_of(from, i) : part_of_rows(from, i));
      store(to, forth ? in_columns : in_rows);
    });
    b_.CreateRetVoid();
    b_.SetInsertPoint(apart);
  }

  /// Out of vectors that hold rows one after the other.
  llvm::Value* column_of(const Values& vectors, int64_t column) {
    return merge(vectors, [&](int64_t lane) {
      const int64_t element = lane * row_stride_ + column;
      return std::pair(element / wide_.rows(), element % wide_.rows());
    });
  }

  /// The vector of so many of rows one after the other, out of columns.
  llvm::Value* part_of_rows(const Values& columns, int64_t part) {
    return merge(columns, [&](int64_t lane) {
      const int64_t element = part * wide_.rows() + lane;
      return std::pair(element % row_stride_, element / row_stride_);
    });
  }

  /// For each lane the lane of the vector that `source` tells.
  template <typename Source>
  llvm::Value* merge(const Values& vectors, Source source) {
    const int lanes = wide_.rows();
    llvm::Value* merged = nullptr;
    for (size_t i = 0; i < vectors.size(); ++i) {
      llvm::SmallVector<int, 32> sources(static_cast<size_t>(lanes));
      std::iota(sources.begin(), sources.end(), 0);  // of what was merged so far
      for (int lane = 0; lane < lanes; ++lane) {
        const auto [vector, place] = source(lane);
        if (vector != static_cast<int64_t>(i)) continue;
        sources[static_cast<size_t>(lane)] =
            static_cast<int>(merged == nullptr ? place : lanes + place);
      }
      merged = b_.CreateShuffleVector(merged == nullptr ? vectors[i] : merged, vectors[i], sources);
    }
    return merged;
  }

  /// Of a block, element by element.
  void emit_column(const Rows& rows, llvm::Value* columns, llvm::Value* end) {
    loop(end, 1, [&](llvm::Value* column) {
      const Values places = places_in(rows, move(rows.begin, column));
      llvm::Value* in_column = move(columns, b_.CreateMul(column, int64(pitch_)));
      for (size_t i = 0; i < places.size(); ++i)
        copy_element(places[i], move(in_column, int64(static_cast<int64_t>(i))));
    });
  }

  void copy_element(llvm::Value* in_row, llvm::Value* in_column) {
    const bool forth = direction_ != Transposing::into_rows;
    llvm::Value* value = b_.CreateAlignedLoad(element_, forth ? in_row : in_column, align_);
    b_.CreateAlignedStore(value, forth ? in_column : in_row, align_);
  }

  /// Part k of register i holds row k * square + i.
  Values load_rows(const Block& block, const Values& addresses) {
    auto* part = llvm::FixedVectorType::get(element_, static_cast<unsigned>(block.square));
    Values registers;
    for (int i = 0; i < block.square; ++i) {
      Values parts;
      for (int k = 0; k < block.parts; ++k)
        parts.push_back(b_.CreateAlignedLoad(part, addresses[index(block, k, i)], align_));
      registers.push_back(e_.join(parts));
    }
    return registers;
  }

  void store_rows(const Block& block, const Values& registers, const Values& addresses) {
    for (int i = 0; i < block.square; ++i) {
      for (int k = 0; k < block.parts; ++k) {
        llvm::SmallVector<int, 16> lanes;
        for (int lane = 0; lane < block.square; ++lane)
          lanes.push_back(k * block.square + lane);
        llvm::Value* part = b_.CreateShuffleVector(registers[static_cast<size_t>(i)], lanes);
        b_.CreateAlignedStore(part, addresses[index(block, k, i)], align_);
      }
    }
  }

  Values load(const Block& block, const Values& addresses) {
    auto* type =
        llvm::FixedVectorType::get(element_, static_cast<unsigned>(block.square * block.parts));
    Values values;
    for (llvm::Value* address : addresses)
      values.push_back(b_.CreateAlignedLoad(type, address, align_));
    return values;
  }

  void store(const Values& values, const Values& addresses) {
    for (size_t i = 0; i < values.size(); ++i)
      b_.CreateAlignedStore(values[i], addresses[i], align_);
  }

  /// Each part by itself: shuffling the first half of the rows into the second as often as a row
  /// has bits of its number.
  Values transpose(const Block& block, Values rows) {
    const size_t half = rows.size() / 2;
    for (int step = 1; step < block.square; step *= 2) {
      Values next;
      for (size_t i = 0; i < half; ++i) {
        next.push_back(interleave(block, rows[i], rows[i + half], 0));
        next.push_back(interleave(block, rows[i], rows[i + half], block.square / 2));
      }
      rows = std::move(next);
    }
    return rows;
  }

  llvm::Value* interleave(const Block& block, llvm::Value* x, llvm::Value* y, int first) {
    llvm::SmallVector<int, 64> lanes;
    for (int k = 0; k < block.parts; ++k) {
      for (int i = 0; i < block.square / 2; ++i) {
        lanes.push_back(k * block.square + first + i);
        lanes.push_back(block.square * block.parts + k * block.square + first + i);
      }
    }
    return b_.CreateShuffleVector(x, y, lanes);
  }

  /// Less than a block of rows.
  void emit_elements() {
    loop(num_columns_, 1, [&](llvm::Value* column) {
      loop(num_rows_, 1, [&](llvm::Value* row) {
        copy_element(move(move(rows_, b_.CreateMul(row, stride_)), column),
                     move(move(columns_, b_.CreateMul(column, int64(pitch_))), row));
      });
    });
  }

  [[nodiscard]] static size_t index(const Block& block, int part, int i) {
    return static_cast<size_t>(part * block.square + i);
  }

  EmitContext& e_;
  llvm::IRBuilder<>& b_;
  llvm::Type* element_;
  llvm::Align align_;
  Block wide_;
  Transposing direction_;
  int64_t pitch_;
  int64_t asked_bytes_;
  int64_t row_stride_;
  llvm::Function* function_ = nullptr;
  llvm::Value* rows_ = nullptr;
  llvm::Value* stride_ = nullptr;  // from a row to the next one
  llvm::Value* columns_ = nullptr;
  llvm::Value* num_rows_ = nullptr;
  llvm::Value* num_columns_ = nullptr;
};

}  // namespace

llvm::Function* make_transposing_copy(EmitContext& e, const TransposingCopy& copy) {
  const llvm::IRBuilderBase::InsertPointGuard guard(e.b);
  return Emitter(e, copy).emit();
}

}  // namespace wick::codegen::llvm_jit
