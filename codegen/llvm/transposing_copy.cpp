#include "wick/codegen/llvm/transposing_copy.h"

#include <functional>

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
  Emitter(EmitContext& e, size_t element_bytes, Transposing direction)
      : e_(e),
        b_(e.b),
        element_(b_.getIntNTy(static_cast<unsigned>(element_bytes * 8))),
        align_(element_bytes),
        wide_(wide_block(element_bytes, e.lanes)),
        direction_(direction) {}

  llvm::Function* emit() {
    llvm::Type* i64 = b_.getInt64Ty();
    llvm::Type* pointer = b_.getPtrTy();
    llvm::SmallVector<llvm::Type*, 8> arguments = {pointer, i64, pointer, i64, i64, i64};
    if (direction_ == Transposing::some_into_columns) arguments.append({i64, i64});
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), arguments, false);
    function_ = llvm::Function::Create(
        type, llvm::GlobalValue::InternalLinkage, "transposing_copy", &e_.module);
    rows_ = {function_->getArg(0), function_->getArg(1), function_->getArg(4)};
    columns_ = {function_->getArg(2), function_->getArg(3), function_->getArg(5)};
    auto* entry = llvm::BasicBlock::Create(b_.getContext(), "entry", function_);
    auto* blocks = llvm::BasicBlock::Create(b_.getContext(), "blocks", function_);
    auto* elements = llvm::BasicBlock::Create(b_.getContext(), "elements", function_);
    b_.SetInsertPoint(entry);
    b_.CreateCondBr(b_.CreateICmpSGE(rows_.count, int64(wide_.rows())), blocks, elements);
    b_.SetInsertPoint(blocks);
    emit_blocks();
    b_.CreateRetVoid();
    b_.SetInsertPoint(elements);
    emit_elements();
    b_.CreateRetVoid();
    return function_;
  }

 private:
  struct Side {
    llvm::Value* memory = nullptr;
    llvm::Value* stride = nullptr;
    llvm::Value* count = nullptr;
  };

  using Values = llvm::SmallVector<llvm::Value*, 16>;

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

  /// The first of the block at `position`: the last block ends where the side does, and may take
  /// again what the one before it took.
  llvm::Value* block_at(llvm::Value* position, const Side& side, int size) {
    return b_.CreateBinaryIntrinsic(
        llvm::Intrinsic::smin, position, b_.CreateSub(side.count, int64(size)));
  }

  /// Memory of fewer columns than a wide block has is walked in pairs, or in single ones.
  void emit_blocks() {
    llvm::Value* count = columns_.count;
    const auto if_else = [&](llvm::Value* condition, llvm::Value* yes, llvm::Value* no) {
      return b_.CreateSelect(condition, yes, no);
    };
    llvm::Value* is_wide = b_.CreateICmpSGE(count, int64(wide_.square));
    llvm::Value* has_pairs = b_.CreateICmpSGE(count, int64(2));
    llvm::Value* wide_end = if_else(is_wide, count, int64(0));
    llvm::Value* pair_end =
        if_else(b_.CreateAnd(b_.CreateNot(is_wide), has_pairs), count, int64(0));
    llvm::Value* single_end = if_else(b_.CreateOr(is_wide, has_pairs), int64(0), count);
    loop(rows_.count, wide_.rows(), [&](llvm::Value* position) {
      llvm::Value* row = block_at(position, rows_, wide_.rows());
      const Values rows = rows_from(row);
      llvm::Value* columns = move(columns_.memory, row);
      emit_row_of_blocks(wide_, wide_end, rows, columns);
      if (wide_.square > 2) emit_row_of_blocks(pair_block(wide_), pair_end, rows, columns);
      loop(single_end, 1, [&](llvm::Value* column) {
        emit_column(rows, move(columns, b_.CreateMul(column, columns_.stride)), column);
      });
    });
  }

  /// Where the rows of a block begin.
  Values rows_from(llvm::Value* row) {
    Values rows;
    if (direction_ == Transposing::some_into_columns) {
      llvm::Value* first = function_->getArg(6);
      llvm::Value* last = function_->getArg(7);
      while (std::ssize(rows) < wide_.rows()) {
        llvm::Value* number =
            b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, int64(std::ssize(rows)), first);
        number = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, number, last);
        rows.push_back(move(rows_.memory, b_.CreateMul(number, rows_.stride)));
      }
      return rows;
    }
    rows.push_back(move(rows_.memory, b_.CreateMul(row, rows_.stride)));
    while (std::ssize(rows) < wide_.rows())
      rows.push_back(move(rows.back(), rows_.stride));
    return rows;
  }

  void emit_row_of_blocks(const Block& block,
                          llvm::Value* end,
                          const Values& rows_begin,
                          llvm::Value* columns) {
    loop(end, block.square, [&](llvm::Value* at) {
      llvm::Value* column = block_at(at, columns_, block.square);
      Values rows;
      for (llvm::Value* begin : rows_begin)
        rows.push_back(move(begin, column));
      Values places = {move(columns, b_.CreateMul(column, columns_.stride))};
      while (std::ssize(places) < block.square)
        places.push_back(move(places.back(), columns_.stride));
      if (direction_ != Transposing::into_rows) {
        store(transpose(block, load_rows(block, rows)), places);
      } else {
        store_rows(block, transpose(block, load(block, places)), rows);
      }
    });
  }

  /// Of a block, element by element.
  void emit_column(const Values& rows, llvm::Value* place, llvm::Value* column) {
    for (size_t i = 0; i < rows.size(); ++i)
      copy_element(move(rows[i], column), move(place, int64(static_cast<int64_t>(i))));
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
    loop(columns_.count, 1, [&](llvm::Value* column) {
      loop(rows_.count, 1, [&](llvm::Value* row) {
        copy_element(move(move(rows_.memory, b_.CreateMul(row, rows_.stride)), column),
                     move(move(columns_.memory, b_.CreateMul(column, columns_.stride)), row));
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
  llvm::Function* function_ = nullptr;
  Side rows_;
  Side columns_;
};

}  // namespace

llvm::Function* make_transposing_copy(EmitContext& e, size_t element_bytes, Transposing direction) {
  const llvm::IRBuilderBase::InsertPointGuard guard(e.b);
  return Emitter(e, element_bytes, direction).emit();
}

}  // namespace wick::codegen::llvm_jit
