#include "wick/codegen/kernel_finisher.h"

#include <algorithm>

#include "wick/codegen/row_walk.h"
#include "wick/codegen/sink.h"
#include "wick/ir/check.h"
#include "wick/passes/host_lanes.h"
#include "wick/passes/options.h"

namespace wick::codegen {

using ir::AffineExpr;

namespace {

/// Elements of a block that ends where a cache line does, or a page if it is of many: one that
/// begins within a line reads two for each vector.
int64_t in_whole_lines(int64_t elements) {
  constexpr int64_t kOfPages = 1024;
  constexpr int64_t kOfLines = 64;
  constexpr int64_t kSmallPart = 16;  // of the elements, by which there may be more
  for (const int64_t whole : {kOfPages, kOfLines}) {
    if (elements >= kSmallPart * whole) return (elements + whole - 1) / whole * whole;
  }
  return elements;
}

}  // namespace

void Finisher::make_dims(bool has_loop) {
  bool reduced_last = domain_.extents.empty() ? has_loop : domain_.reduced.back();
  for (size_t d = 0; d < domain_.extents.size(); ++d) {
    std::vector<Run>& runs = domain_.reduced[d] ? inner_ : outer_;
    add(runs, {.extent = domain_.extents[d], .last = static_cast<int>(d)});
  }
  if (has_loop && inner_.empty()) inner_.push_back({});
  if (!has_loop && outer_.empty()) outer_.push_back({});
  if (outer_.empty()) reduced_last = true;
  longest_row_ = reduced_last ? longest_row() : 0;
  vector_inner_ = reduced_last && longest_row_ == 0;
}

/// Of more elements than two vectors hold side by side: those are laid out once for many tasks.
bool Finisher::has_rows_of_many_tasks() const {
  return inner_.size() == 1 && inner_[0].extent > 2 && are_shared_by_tasks();
}

/// Number of blocks made: of whole rows where there are half as many or more, so that memory is
/// read in its order, else of the longest dimension. They become dimension `place`.
int64_t Finisher::make_blocks(int64_t wanted, size_t place) {
  auto cut = std::ranges::find_if(inner_, [&](const Run& run) { return 2 * run.extent >= wanted; });
  if (cut == inner_.end()) cut = std::ranges::max_element(inner_, {}, &Run::extent);
  blocked_ = static_cast<int>(cut - inner_.begin());
  block_size_ = std::max<int64_t>(1, (cut->extent + wanted - 1) / wanted);
  if (vector_inner_ && cut + 1 == inner_.end()) block_size_ = in_whole_lines(block_size_);
  const int64_t blocks = std::max<int64_t>(1, (cut->extent + block_size_ - 1) / block_size_);
  block_dim_ = place;
  outer_.insert(outer_.begin() + static_cast<std::ptrdiff_t>(place),
                {.extent = blocks, .last = static_cast<int>(domain_.extents.size())});
  return blocks;
}

/// Walks short rows that lie behind each other as one long one. False where there is no such
/// thing: rows of the channels in a block fill vectors as they are. Where an operand's rows lie
/// apart, and their elements as well, only if these `may_be_scattered`.
bool Finisher::flatten_rows(bool may_be_scattered) {
  if (vector_inner_ || !inner_.empty() || outer_.size() < 2) return false;
  const Run rows = outer_[outer_.size() - 2];
  const int64_t length = outer_.back().extent;
  const bool is_short = length < kShortVector;
  // Guards of single lanes take longer than to walk rows of half a vector and more one by one.
  const bool may_count = is_short && (!has_guards() || 2 * length < kShortVector);
  bool transposes = false;  // else the other ways take as long for few rows
  bool has_columns = false;
  const auto fits = [&](const DraftInstr& draft) {
    const Instr& instr = draft.instr;
    if (instr.kind == InstrKind::random_bits) return false;
    if (!has_address(instr)) return true;
    const int64_t step = coefficient(draft.address, outer_.back().last);
    const int64_t row_step = coefficient(draft.address, rows.last);
    if (row_step == length * step) return step == 0 || step == 1;
    const bool is_of_rows = step + row_step == 1 && step * row_step == 0;
    if (instr.kind == InstrKind::index) return may_count && is_of_rows;
    if (!is_plain_load(instr)) return false;
    const bool is_scattered = may_be_scattered && are_scattered(length, step, row_step);
    if (is_short && (row_step == 1 ? step != 0 : is_scattered)) {
      transposes = true;
      return true;
    }
    if (!is_of_rows) return false;
    has_columns |= step == 1;
    const BufferArg& buffer = buffers_[static_cast<size_t>(instr.buffer)];
    return is_short || (buffer.no_alias && !buffer.written);  // read in front of the rows
  };
  if (!std::ranges::all_of(instrs_, fits)) return false;
  const int64_t fewest_rows = transposes ? 16 : is_short ? kFewestShortRows : 8;
  if (rows.extent < fewest_rows || !are_worth_flattening(length, transposes)) return false;
  // One vector of some machines, and a block of channels.
  if (length == kShortVector && (has_columns || passes::host_lanes() == length)) return false;
  outer_.erase(outer_.end() - 2);
  outer_.back().extent *= rows.extent;
  if (is_short) {
    row_length_ = length;
  } else {
    row_length_param_ = param(length);
  }
  flat_rows_ = rows.last;
  return true;
}

/// A dimension along which an operand lies in memory that vectors cross.
bool Finisher::is_crossed(const Run& run) const {
  return std::ranges::any_of(instrs_, [&](const DraftInstr& draft) {
    return draft.instr.kind == InstrKind::load && coefficient(draft.address, run.last) == 1 &&
           coefficient(draft.address, outer_.back().last) != 0;
  });
}

/// Transposed operands of elementwise kernels are read in tiles of the last two dimensions: the
/// one along which such an operand lies in memory comes before the vector one.
void Finisher::move_crossed_dim() {
  if (outer_.size() < 3) return;
  const auto crosses = [&](const Run& run) { return is_crossed(run); };
  const auto before_vector = outer_.end() - 2;
  if (crosses(*before_vector)) return;
  const auto found = std::find_if(outer_.begin(), before_vector, crosses);
  if (found != before_vector) std::rotate(found, found + 1, outer_.end() - 1);
}

/// Whether these are long enough for what is transposed in registers.
bool Finisher::has_tiles() const {
  constexpr int64_t kHalfVector = kShortVector / 2;
  return outer_.back().extent >= kHalfVector && std::ranges::any_of(outer_, [&](const Run& run) {
           return run.extent >= kShortVector && is_crossed(run);
         });
}

/// Lets the positions of the dimension before a short vector dimension be walked in order,
/// several at once, instead of being tasks. False where there is no such thing.
bool Finisher::walk_rows() {
  constexpr int64_t kFewestRows = 16;
  constexpr int64_t kRowsPerTask = 512;
  if (vector_inner_ || !inner_.empty() || outer_.size() < 2) return false;
  const Run rows = outer_[outer_.size() - 2];
  if (outer_.back().extent > kShortVector || rows.extent < kFewestRows) return false;
  outer_.erase(outer_.end() - 2);
  inner_.push_back(rows);
  if (rows.extent > kRowsPerTask) {
    // Before the vector dimension: tasks walk memory in its order.
    make_blocks((rows.extent + kRowsPerTask - 1) / kRowsPerTask, outer_.size() - 1);
  }
  return true;
}

KernelLaunch Finisher::finish(Kernel start, std::vector<Phase> phases) {
  auto kernel = std::make_shared<Kernel>(std::move(start));
  for (const Run& run : outer_)
    add_dim(*kernel, run, false);
  for (const Run& run : inner_)
    add_dim(*kernel, run, true);
  const auto num_outer = static_cast<int>(outer_.size());
  kernel->vector_dim =
      vector_inner_ ? num_outer + static_cast<int>(inner_.size()) - 1 : num_outer - 1;
  if (!vector_inner_ && !inner_.empty() && row_length_ == 0) {
    const int64_t vectors = (outer_.back().extent + kShortVector - 1) / kShortVector;
    kernel->short_vector = vectors <= 1;
    const int64_t extent = outer_.back().extent;
    if (std::ranges::find(kWholeVectors, extent) != std::end(kWholeVectors))
      kernel->short_extent = extent;
    if (vectors > 1 && vectors <= kMostColumnVectors)
      kernel->column_vectors = static_cast<int>(vectors);
  }
  kernel->row_length = row_length_;
  kernel->row_length_param = row_length_param_;
  kernel->longest_row = longest_row_;
  kernel->row_bound = row_bound();
  kernel->lane_guarded = is_lane_guarded();
  if (block_size_ > 0) {
    kernel->blocking = Blocking{.outer = static_cast<int>(block_dim_),
                                .inner = num_outer + blocked_,
                                .size_param = param(block_size_)};
  }
  for (const DraftInstr& draft : instrs_)
    kernel->instrs.push_back(final_instr(draft));
  kernel->phases = std::move(phases);
  sink_straight_code(*kernel);
  std::erase_if(kernel->phases, [](const Phase& phase) { return phase.instrs.empty(); });
  kernel->num_params = static_cast<int>(launch_.params.size());
  set_extents();
  launch_.kernel = std::move(kernel);
  return std::move(launch_);
}

/// Appends a dimension, or lengthens the last run when every address moves along both as one.
void Finisher::add(std::vector<Run>& runs, Run next) {
  if (!runs.empty() && moves_as_one(runs.back(), next)) {
    runs.back().extent *= next.extent;
    runs.back().last = next.last;
  } else {
    runs.push_back(next);
  }
}

bool Finisher::moves_as_one(const Run& outer, const Run& inner) const {
  return std::ranges::all_of(instrs_, [&](const DraftInstr& draft) {
    return !has_address(draft.instr) || coefficient(draft.address, outer.last) ==
                                            coefficient(draft.address, inner.last) * inner.extent;
  });
}

bool Finisher::is_plain_load(const Instr& instr) {
  return instr.kind == InstrKind::load && instr.predicate < 0 && instr.dynamic_index < 0;
}

int64_t Finisher::row_elements() const {
  int64_t length = 1;
  for (const Run& run : inner_)
    length *= run.extent;
  return length;
}

/// Of rows side by side, one a lane. 0 where there is no such thing.
int64_t Finisher::longest_row() const {
  const int64_t length = row_elements();
  if (outer_.empty() || !are_wide_enough() || length == 0 || length > kSharedRow) return 0;
  if (is_faster_side_by_side(length)) return kShortRow;
  return are_shared_by_tasks() ? kSharedRow : 0;
}

/// Whether rows add to what is one for all of them, one row after the other.
bool Finisher::adds_columns() const {
  return std::ranges::any_of(instrs_, [&](const DraftInstr& draft) {
    return draft.instr.kind == InstrKind::store &&
           buffers_[static_cast<size_t>(draft.instr.buffer)].own_elements == 0 &&
           coefficient(draft.address, outer_.back().last) == 0;
  });
}

/// Rows of several dimensions are loops within loops in order, and those of a GPU its threads'.
bool Finisher::is_faster_side_by_side(int64_t length) const {
  constexpr int64_t kMuchShorter = 24;
  constexpr int64_t kFewElements = 32;
  const Run& rows = outer_.back();
  if (length > kShortRow || rows.extent < (length <= kMuchShorter ? 16 : 256)) return false;
  if (inner_.size() > 1 || targets_gpu()) return length <= kFewElements;
  return !adds_columns() && pays_side_by_side(instrs_, length, inner_.back().last, rows.last);
}

/// Of rows that are walked one by one and short; 0 where they are not. Of odd ones without guards
/// loops write whole lines, if they are longer than a vector.
int64_t Finisher::row_bound() const {
  const bool are_in_order = vector_inner_ && inner_.size() == 1 && block_size_ == 0;
  const bool has_flat_rows = row_length_ > 0 || row_length_param_ >= 0;
  const bool are_elements = has_short_rows_of_elements() && !has_flat_rows;
  if (targets_gpu() || !(are_in_order || are_elements)) return 0;
  const int64_t length = are_in_order ? row_elements() : outer_.back().extent;
  if (are_elements && !is_lane_guarded() && length % kRowStep != 0) return 0;
  if (length < kShortestBoundRow || (are_in_order && length > kLongestBoundRow)) return 0;
  return (length + kRowStep - 1) / kRowStep * kRowStep;
}

/// Whether rows are read by each task, and nothing else that crosses vectors, as where each of
/// many points meets each of many others.
bool Finisher::are_shared_by_tasks() const {
  constexpr int64_t kFewestTasks = 16;
  constexpr int64_t kFewestRows = 64;
  if (outer_.size() < 2 || inner_.size() != 1) return false;
  const Run& tasks = outer_[outer_.size() - 2];
  const Run& rows = outer_.back();
  if (tasks.extent < kFewestTasks || rows.extent < kFewestRows) return false;
  int crossing = 0;
  for (const DraftInstr& draft : instrs_) {
    const Instr& instr = draft.instr;
    if (instr.predicate >= 0 || instr.dynamic_index >= 0) return false;
    if (!has_address(instr) || coefficient(draft.address, inner_.back().last) == 0) continue;
    if (coefficient(draft.address, rows.last) == 0) continue;
    const bool is_shared = coefficient(draft.address, tasks.last) == 0;
    if (instr.kind != InstrKind::load || !is_shared) return false;
    ++crossing;
  }
  return crossing == 1;
}

/// Lanes of rows with gaps between them hold at least a float.
bool Finisher::are_wide_enough() const {
  return std::ranges::all_of(instrs_, [&](const DraftInstr& draft) {
    const Instr& instr = draft.instr;
    if (instr.kind != InstrKind::load && instr.kind != InstrKind::store) return true;
    const int64_t stride = coefficient(draft.address, outer_.back().last);
    return stride == 0 || stride == 1 || size_of(instr.dtype) >= sizeof(float);
  });
}

/// Shorter than a vector, in a body that ends where a row does; of few vectors, or no whole ones.
/// Half a vector is as good without, unless operands are transposed or there is much to compute.
bool Finisher::are_worth_flattening(int64_t length, bool transposes) const {
  constexpr int64_t kMostInstructions = 256;
  constexpr int64_t kLittle = 16;
  constexpr int64_t kFewVectors = 4 * kShortVector;
  if (length >= kShortVector) {
    const bool is_whole = length % kShortVector == 0;
    return is_whole ? length <= kFewVectors : length < kLongestFlatRow;
  }
  if (length == 1 || length * instructions() > kMostInstructions) return false;
  return transposes || length != kShortVector / 2 || instructions() > kLittle;
}

/// One by one, and nothing is reduced.
bool Finisher::has_short_rows_of_elements() const {
  return inner_.empty() && outer_.size() >= 2 && outer_.back().extent < kLongestFlatRow;
}

bool Finisher::has_guards() const {
  return std::ranges::any_of(instrs_,
                             [](const DraftInstr& draft) { return draft.instr.predicate >= 0; });
}

bool Finisher::is_lane_guarded() const {
  if (!has_short_rows_of_elements()) return false;
  const int64_t length = outer_.back().extent;
  const bool is_whole = length % kRowStep == 0;
  return length < kRowStep || has_guards() ||
         (!is_whole && (picks_elements() || is_crossed(outer_[outer_.size() - 2])));
}

/// Whether rows lie anywhere, as those of an embedding: what is in front of loops takes longer.
bool Finisher::picks_elements() const {
  return std::ranges::any_of(instrs_, [](const DraftInstr& draft) {
    return draft.instr.kind == InstrKind::load && draft.instr.dynamic_index >= 0;
  });
}

/// Of one vector, roughly.
int64_t Finisher::instructions() const {
  constexpr int64_t kOfFunction = 14;
  int64_t count = 0;
  for (const DraftInstr& draft : instrs_) {
    count += is_costly(draft.instr) ? kOfFunction : 1;
  }
  return count;
}

int Finisher::param(int64_t value) {
  launch_.params.push_back(value);
  return static_cast<int>(launch_.params.size()) - 1;
}

void Finisher::add_dim(Kernel& kernel, const Run& run, bool inner) {
  kernel.dims.push_back({.inner = inner, .extent_param = param(run.extent)});
}

Affine Finisher::final_address(const AffineExpr& expr, bool knows_offset) {
  const bool has_flat_rows = row_length_ > 0 || row_length_param_ >= 0;
  Affine address;
  for (const std::vector<Run>* runs : {&outer_, &inner_}) {
    for (const Run& run : *runs) {
      const int64_t stride = coefficient(expr, run.last);
      Affine::Term term;
      if (stride == 1) term.stride = Stride::one;
      const bool has_blocks = !block_axes_.empty() && run.last == outer_.back().last;
      if (stride != 0 && stride != 1 && !has_blocks) {
        term = {.stride = Stride::dynamic, .param = param(stride), .known = known(stride, run)};
      }
      if (has_blocks) {
        term = term_of_blocks(expr);
        if (repeats_ > 1 && term.stride == Stride::column)
          term = {.stride = Stride::block, .axes = {{block_axes_[0].extent, 1}, {repeats_, 0}}};
      } else if (has_flat_rows && run.last == outer_.back().last) {
        term.stride = flat_stride(expr);
        const int64_t row_step = coefficient(expr, flat_rows_);
        if (term.stride == Stride::transposed) {
          if (term.param < 0) term.param = param(stride);
          if (row_step != 1) term.row_param = param(row_step);
        }
      }
      address.terms.push_back(term);
    }
  }
  if (knows_offset) {
    address.known_offset = expr.offset;
  } else if (expr.offset != 0 || expr.free_offset) {
    address.offset_param = param(expr.offset);
  }
  return address;
}

/// A stride as it is, where kernels gain by it; 0 elsewhere.
int64_t Finisher::known(int64_t stride, const Run& run) const {
  if (stride == -1) return stride;
  const Run& vector = vector_inner_ ? inner_.back() : outer_.back();
  const int64_t largest = longest_row_ > 0 ? kLongestDenseRow : kLargestKnownStride;
  return run.last == vector.last && stride > 1 && stride <= largest ? stride : 0;
}

/// Along rows that are walked as one.
Stride Finisher::flat_stride(const AffineExpr& expr) const {
  const int64_t step = coefficient(expr, outer_.back().last);
  const int64_t row_step = coefficient(expr, flat_rows_);
  if (step == 0) return row_step == 0 ? Stride::zero : Stride::row;
  if (row_step == 0) return Stride::column;
  const bool goes_on = row_length_ == 0 || row_step == row_length_ * step;
  return goes_on ? Stride::one : Stride::transposed;
}

/// Elements of short rows, or pairs and the like of them, that lie apart, as neighbouring rows do.
bool Finisher::are_scattered(int64_t length, int64_t step, int64_t row_step) const {
  constexpr int64_t kLikePairs = 4;
  const bool are_apart = step > 1 || (step == 1 && length <= kLikePairs);
  return are_apart && row_step > 1 && !targets_gpu() && !has_tiles();
}

/// Accesses at one place of their buffers share their parameters, so that equal addresses are
/// known to be equal, and are computed once.
Affine Finisher::shared_address(const DraftInstr& draft) {
  const AffineExpr& expr = draft.address;
  std::vector<int64_t> key = {expr.offset, expr.free_offset ? 1 : 0};
  key.insert(key.end(), expr.coefs.begin(), expr.coefs.end());
  const auto [known, is_new] = addresses_.try_emplace(std::move(key));
  if (is_new) known->second = final_address(expr);
  Affine address = known->second;
  address.known_offset = draft.known_offset;
  return address;
}

Instr Finisher::final_instr(const DraftInstr& draft) {
  Instr instr = draft.instr;
  if (instr.kind == InstrKind::index && !block_axes_.empty()) {
    instr.address = final_address(draft.address, /*knows_offset=*/true);
  } else if (has_address(instr)) {
    instr.address = shared_address(draft);
  }
  if (instr.dynamic_index >= 0) instr.dynamic_stride_param = dynamic_stride_param(draft);
  return instr;
}

/// One for all that reach one buffer by one index.
int Finisher::dynamic_stride_param(const DraftInstr& draft) {
  const Instr& instr = draft.instr;
  const auto [known, is_new] =
      dynamic_strides_.try_emplace({instr.buffer, instr.dynamic_index, draft.dynamic_stride}, 0);
  if (is_new) known->second = param(draft.dynamic_stride);
  return known->second;
}

void Finisher::set_extents() {
  int64_t work = std::ssize(instrs_);
  for (const Run& run : inner_)
    work *= run.extent;
  for (size_t d = 0; d < outer_.size(); ++d) {
    const bool vector = !vector_inner_ && d + 1 == outer_.size();
    (vector ? launch_.vector_extent : launch_.task_extent) *= outer_[d].extent;
  }
  if (block_size_ > 0) work /= std::max<int64_t>(1, outer_[block_dim_].extent);
  launch_.work_per_task = std::max<int64_t>(1, work * launch_.vector_extent);
}

}  // namespace wick::codegen
