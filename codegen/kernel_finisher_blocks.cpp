// Blocks of short axes, walked as one.

#include <algorithm>
#include <numeric>
#include <set>

#include "wick/codegen/kernel_finisher.h"
#include "wick/passes/host_lanes.h"
#include "wick/passes/options.h"

namespace wick::codegen {

using ir::AffineExpr;

/// Walks blocks of short axes, which operands have in another order or not all of, as one: what
/// meets a vector of the result is in few vectors of an operand, unless they `may_be_scattered`.
/// Blocks are many, unless they `may_be_few`. False where there is no such thing.
bool Finisher::flatten_blocks(bool may_be_scattered, bool may_be_few) {
  constexpr int64_t kLongestBlock = 256;
  constexpr int64_t kFewestBlocks = 16;
  if (vector_inner_ || !inner_.empty() || has_whole_vectors()) return false;
  const bool is_short = outer_.back().extent < kShortVector;
  if (may_be_scattered && (!is_short || targets_gpu() || has_tiles())) return false;
  std::vector<Run> blocks = outer_;
  int64_t length = 1;
  while (blocks.size() > 1 && length <= kLongestBlock) {
    const Run axis = blocks.back();
    blocks.pop_back();
    length *= axis.extent;
    block_axes_.push_back(axis);
    row_length_ = length;
    flat_rows_ = blocks.back().last;
    const int64_t count = blocks.back().extent;
    if (length > kLongestBlock || (count < kFewestBlocks && !(may_be_few && fill_bodies(count))) ||
        !suits_blocks(may_be_scattered) || leaves_many_rows(count)) {
      continue;
    }
    blocks.back() = {.extent = count * length, .last = outer_.back().last};
    outer_ = std::move(blocks);
    return true;
  }
  forget_blocks();
  return false;
}

/// Walks blocks of short axes as long rows where what operands have for some of the axes is the
/// same in all blocks: channels of few pixels, each times a number of its own. It is laid out once
/// in front of them. Rows of long axes are as good by themselves. False where there is no such
/// thing.
bool Finisher::flatten_repeats() {
  constexpr int64_t kFewestBlocks = 32;
  constexpr int64_t kLongAxis = 128;
  if (vector_inner_ || !inner_.empty() || targets_gpu()) return false;
  if (outer_.back().extent >= kLongAxis) return false;
  std::vector<Run> blocks = outer_;
  int64_t length = 1;
  while (blocks.size() > 1) {
    const Run axis = blocks.back();
    blocks.pop_back();
    block_axes_.push_back(axis);
    length *= axis.extent;
    if (length >= kLongestRepeat) break;
    flat_rows_ = blocks.back().last;
    const int64_t count = blocks.back().extent;
    if (length <= kShortVector || count < kFewestBlocks || !has_repeats(Stride::block)) continue;
    row_length_param_ = param(length);
    blocks.back() = {.extent = count * length, .last = outer_.back().last};
    outer_ = std::move(blocks);
    return true;
  }
  forget_blocks();
  return false;
}

/// Walks short rows of many tasks as long ones, of several rows each, where an operand is the same
/// in all rows of a task: points of many clouds less the middle of each. What it has is laid out
/// for a few vectors in front of each task, which takes as long as 64 elements: there are more, and
/// many, unless they `may_be_few` and rows leave half of a vector. False where there is no such
/// thing.
bool Finisher::flatten_repeated_rows(bool may_be_few) {
  constexpr int64_t kFewElements = 64;
  constexpr int64_t kManyElements = 256;
  constexpr int64_t kMostElements = 4096;
  if (vector_inner_ || !inner_.empty() || targets_gpu() || outer_.size() < 3) return false;
  const Run rows = outer_[outer_.size() - 2];
  const Run columns = outer_.back();
  const int64_t elements = rows.extent * columns.extent;
  if (columns.extent < 2 || columns.extent >= kShortVector || elements > kMostElements)
    return false;
  const bool are_few = may_be_few && columns.extent <= kShortVector / 2;
  if (elements < (are_few ? kFewElements : kManyElements)) return false;
  block_axes_ = {columns};
  flat_rows_ = rows.last;
  // flatten_rows() takes those.
  const bool are_held = rows.extent >= kFewestShortRows && fit_registers() &&
                        are_worth_flattening(columns.extent, /*transposes=*/false);
  if (are_held || !has_repeats(Stride::column)) {
    forget_blocks();
    return false;
  }
  repeats_ = kShortVector / columns.extent + 1;
  row_length_param_ = param(columns.extent * repeats_);
  outer_.erase(outer_.end() - 2);
  outer_.back().extent = elements;
  return true;
}

/// Whether a register of this machine holds any short row that is loaded: if it repeats, all
/// vectors come out of it, and none waits until the row is stored in front of the task, behind all
/// that the one before stores.
bool Finisher::fit_registers() const {
  return passes::host_lanes() == kShortVector &&
         std::ranges::all_of(instrs_, [&](const DraftInstr& draft) {
           const Instr& instr = draft.instr;
           return instr.kind != InstrKind::load || is_half(instr.dtype) ||
                  size_of(instr.dtype) == sizeof(float);
         });
}

/// As before a way was tried that does not fit.
void Finisher::forget_blocks() {
  block_axes_.clear();
  row_length_ = 0;
  flat_rows_ = -1;
}

/// Walks the few columns of many blocks as one where the rows of a block are reduced or, without
/// reductions, walked in order: lanes are the columns of several blocks, not of a single one. False
/// where there is no such thing.
bool Finisher::flatten_columns() {
  constexpr int64_t kMostColumns = 96;
  constexpr int64_t kMostVectors = 15;  // of a body
  constexpr int64_t kShortLoop = 16;
  constexpr int64_t kLittle = 16;
  const bool reduces = !inner_.empty();
  if (vector_inner_ || targets_gpu() || block_size_ > 0) return false;
  if (outer_.size() < (reduces ? 2 : 3)) return false;
  const Run columns = outer_.back();
  const Run rows = outer_[outer_.size() - 2];  // of elementwise kernels
  const Run blocks = outer_[outer_.size() - (reduces ? 2 : 3)];
  if (columns.extent < 2 || columns.extent > kMostColumns) return false;
  const int64_t in_order = reduces ? row_elements() : rows.extent;
  // Of whole vectors only short loops gain, by fewer beginnings and ends.
  const bool are_whole = columns.extent % (kShortVector / 2) == 0;
  if (are_whole && (!reduces || in_order > kShortLoop)) return false;
  const int64_t vectors = columns.extent / std::gcd(columns.extent, kShortVector);
  const int64_t elements = in_order * vectors * kShortVector;
  // Of a body's blocks: what the nearest cache holds, or the next one where there is time.
  const int64_t most_elements = instructions() > kLittle ? 16384 : 8192;
  if (vectors > kMostVectors || elements > most_elements) return false;
  if (blocks.extent * columns.extent < 2 * vectors * kShortVector) return false;
  block_axes_ = {columns};
  flat_rows_ = blocks.last;
  if (!suit_columns()) {
    forget_blocks();
    return false;
  }
  row_length_ = columns.extent;
  if (!reduces) {
    inner_ = {rows};
    outer_.pop_back();
  }
  outer_.pop_back();
  outer_.back() = {.extent = blocks.extent * columns.extent, .last = columns.last};
  return true;
}

/// Whether columns that lie apart from those of the next block lie side by side themselves.
bool Finisher::suit_columns() const {
  bool has_blocks = false;
  for (const DraftInstr& draft : instrs_) {
    const Instr& instr = draft.instr;
    if (instr.kind == InstrKind::random_bits) return false;
    if (!has_address(instr)) continue;
    const Affine::Term term = term_of_blocks(draft.address);
    if (instr.kind == InstrKind::index) {
      if (term.stride != Stride::zero) return false;
      continue;
    }
    if (instr.predicate >= 0 || instr.dynamic_index >= 0) return false;
    if (size_of(instr.dtype) < sizeof(float)) return false;
    if (term.stride == Stride::zero || term.stride == Stride::one) continue;
    const bool is_block = term.stride == Stride::block && term.axes[0].stride == 1;
    if (!is_block && (instr.kind == InstrKind::store || term.stride == Stride::block)) return false;
    has_blocks |= is_block;
  }
  return has_blocks;
}

/// Whether an operand is the same in all blocks, of which it has some axes alone, or all; others
/// have all in one piece.
bool Finisher::has_repeats(Stride stride) const {
  bool has_some = false;
  for (const DraftInstr& draft : instrs_) {
    const Instr& instr = draft.instr;
    if (instr.kind == InstrKind::random_bits || instr.kind == InstrKind::index) return false;
    if (!has_address(instr)) continue;
    const Affine::Term term = term_of_blocks(draft.address);
    if (instr.predicate >= 0) return false;
    if (term.stride == Stride::zero || term.stride == Stride::one) continue;
    if (!is_plain_load(instr)) return false;
    if (term.stride == Stride::row) {
      if (stride != Stride::block) return false;
      continue;
    }
    // Read in front of the blocks.
    const BufferArg& buffer = buffers_[static_cast<size_t>(instr.buffer)];
    if (term.row_step != 0 || !buffer.no_alias || buffer.written) return false;
    has_some |= term.stride == stride;
  }
  return has_some;
}

/// Whether few blocks leave none behind the last body, and their elements are read one by one
/// anyway.
bool Finisher::fill_bodies(int64_t blocks) const {
  const int64_t of_body = kShortVector / std::gcd(row_length_, kShortVector);
  return row_length_ >= kShortVector && blocks > 1 && blocks % of_body == 0 &&
         std::ranges::any_of(instrs_, [&](const DraftInstr& draft) {
           return draft.instr.kind == InstrKind::load &&
                  coefficient(draft.address, outer_.back().last) > 1;
         });
}

/// Whether the last run is vectors that lie in memory as they are, without guards.
bool Finisher::has_whole_vectors() const {
  const Run& last = outer_.back();
  return last.extent % kShortVector == 0 && std::ranges::all_of(instrs_, [&](const DraftInstr& at) {
           const int64_t step = coefficient(at.address, last.last);
           return at.instr.predicate < 0 && (!has_address(at.instr) || step == 0 || step == 1);
         });
}

bool Finisher::fits_blocks(const DraftInstr& draft) const {
  const Instr& instr = draft.instr;
  if (instr.kind == InstrKind::random_bits) return false;
  if (!has_address(instr)) return true;
  const Affine::Term term = term_of_blocks(draft.address);
  if (instr.predicate >= 0 && instr.kind == InstrKind::load) {
    return instr.dynamic_index < 0 && is_known_in_blocks(instr.predicate);
  }
  if (term.stride == Stride::zero || term.stride == Stride::one) return true;
  return is_plain_load(instr) || instr.kind == InstrKind::index;
}

/// Whether an instruction has the same values in all blocks.
bool Finisher::is_known_in_blocks(int number) const {
  const DraftInstr& draft = instrs_[static_cast<size_t>(number)];
  const Instr& instr = draft.instr;
  if (instr.kind == InstrKind::constant) return true;
  if (instr.kind == InstrKind::index) {
    return std::none_of(outer_.begin(),
                        outer_.end() - std::ssize(block_axes_),
                        [&](const Run& run) { return coefficient(draft.address, run.last) != 0; });
  }
  if (instr.kind != InstrKind::compute && instr.kind != InstrKind::cast) return false;
  return std::ranges::all_of(instr.operands,
                             [&](int operand) { return is_known_in_blocks(operand); });
}

/// Whether rows that only lie apart are so few that too many are left behind the last body: an
/// element of those takes as long as half a row of a body, or, of rows that fill no vector, as two.
/// The latter in each task of a few rows: of many, or without tasks, hardly any are left.
bool Finisher::leaves_many_rows(int64_t rows) const {
  constexpr int64_t kManyRows = 128;
  constexpr int64_t kOften = 32;
  if (targets_gpu() || block_axes_.size() > 1 || has_guards()) return false;
  const int64_t left = rows % (kShortVector / std::gcd(row_length_, kShortVector));
  if (row_length_ < kShortVector) {
    const bool is_often = kOften * left > rows || kShortVector % row_length_ == 0;
    return outer_.size() > 2 && rows <= kManyRows && is_often;
  }
  return row_length_ * left > 2 * (rows - left);
}

/// Whether something is in another order, in few vectors for each of the result, and the body
/// ends where a block does.
bool Finisher::suits_blocks(bool may_be_scattered) const {
  constexpr int64_t kMostInstructions = 256;
  constexpr int64_t kMostVectors = 4;
  constexpr int64_t kMostScattered = 96;  // of 16 loads each: 0.2 s to compile
  const int64_t vectors = row_length_ / std::gcd(row_length_, kShortVector);
  if (row_length_ < 2 || vectors * instructions() > kMostInstructions) return false;
  bool has_blocks = false;
  for (const DraftInstr& draft : instrs_) {
    if (!fits_blocks(draft)) return false;
    if (draft.instr.kind != InstrKind::load) continue;
    const Affine::Term term = term_of_blocks(draft.address);
    has_blocks |= draft.instr.predicate >= 0;  // some lanes, so of fewer vectors
    if (!is_plain_load(draft.instr) || term.stride != Stride::block || term.row_step == 0) continue;
    has_blocks = true;
    const bool is_scattered = vectors_of_blocks(term, vectors) > kMostVectors * vectors;
    if (is_scattered && (!may_be_scattered || vectors > kMostScattered)) return false;
  }
  return has_blocks;
}

/// How many vectors hold what so many of the result meet.
int64_t Finisher::vectors_of_blocks(const Affine::Term& term, int64_t vectors) const {
  int64_t count = 0;
  for (int64_t vector = 0; vector < vectors; ++vector) {
    std::set<int64_t> places;
    for (int64_t lane = 0; lane < kShortVector; ++lane)
      places.insert(place_in_rows(row_length_, term, vector * kShortVector + lane));
    for (; !places.empty(); ++count)
      places.erase(places.begin(), places.lower_bound(*places.begin() + kShortVector));
  }
  return count;
}

/// Along blocks that are walked as one.
Affine::Term Finisher::term_of_blocks(const AffineExpr& expr) const {
  Affine::Term term{.stride = Stride::block, .row_step = coefficient(expr, flat_rows_)};
  bool moves = term.row_step != 0;
  bool moves_by_rows = term.row_step == 1;
  bool moves_as_one = true;
  bool moves_in_rows = term.row_step == 0;
  int64_t below = 1;
  for (const Run& run : block_axes_) {
    const int64_t stride = coefficient(expr, run.last);
    term.axes.push_back({.extent = run.extent, .stride = stride});
    moves = moves || stride != 0;
    moves_by_rows = moves_by_rows && stride == 0;
    moves_in_rows = moves_in_rows && stride == below;
    moves_as_one = moves_as_one && stride == below;
    below *= run.extent;
  }
  moves_as_one = moves_as_one && term.row_step == below;
  if (!moves) return {};
  if (moves_as_one) return {.stride = Stride::one};
  if (moves_by_rows) return {.stride = Stride::row};
  if (moves_in_rows) return {.stride = Stride::column};
  return term;
}

}  // namespace wick::codegen
