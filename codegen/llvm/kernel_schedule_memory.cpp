// What memory is read and written how: stores past the caches, loads that are asked for ahead, and
// what lies transposed, in short rows or a few elements apart.

#include <algorithm>

#include "wick/codegen/llvm/kernel_schedule.h"

namespace wick::codegen::llvm_jit {

/// A store of whole vectors to memory that the kernel touches in no other way.
bool KernelSchedule::is_stream(int number) const {
  const Instr& at = instr(number);
  if (at.kind != InstrKind::store || at.predicate >= 0 || size_of(at.dtype) < sizeof(float)) {
    return false;
  }
  if (at.address.terms[static_cast<size_t>(kernel_.vector_dim)].stride != Stride::one) return false;
  if (!kernel_.buffers[static_cast<size_t>(at.buffer)].no_alias) return false;
  return std::ranges::count(kernel_.instrs, at.buffer, &Instr::buffer) == 1;
}

/// Rows that lie where numbers in memory say, which the machine cannot foresee. It waits for more
/// of them at once when the stores are ordinary ones: past the caches, rows of 128 bytes took 1.6
/// times as long.
bool KernelSchedule::gathers_rows(const Plan& plan) const {
  std::vector<bool> comes_from_memory(kernel_.instrs.size());
  for (size_t i = 0; i < kernel_.instrs.size(); ++i) {
    const Instr& at = kernel_.instrs[i];
    comes_from_memory[i] =
        at.kind == InstrKind::load || std::ranges::any_of(at.operands, [&](int used) {
          return comes_from_memory[static_cast<size_t>(used)];
        });
  }
  return std::ranges::any_of(plan.phase->instrs, [&](int number) {
    const int index = instr(number).dynamic_index;
    return index >= 0 && comes_from_memory[static_cast<size_t>(index)];
  });
}

/// Instructions for each vector that comes from memory or goes there.
int64_t KernelSchedule::work_of_memory(const Plan& plan) const {
  const int64_t vectors = std::ranges::count_if(plan.phase->instrs, [&](int number) {
    const InstrKind kind = instr(number).kind;
    return (kind == InstrKind::load && varies(number)) || kind == InstrKind::store;
  });
  return work_of(*plan.phase) / std::max<int64_t>(vectors, 1);
}

/// So much of it for each vector of memory that memory has time to spare. There Zen 5 computes a
/// quarter faster beside ordinary stores, which wait in a cache: 16 M sigmoids take 5.9 ms, and 7.9
/// past the caches.
bool KernelSchedule::is_bound_by_arithmetic(const Plan& plan) const {
  constexpr int64_t kWorkOfVector = 7;
  return work_of_memory(plan) >= kWorkOfVector;
}

/// So little of it that how vectors are stored decides. Tiles that are staged are bound by that.
bool KernelSchedule::is_bound_by_stores(int stream) const {
  constexpr int64_t kWorkOfVector = 4;
  if (!staged_.accesses.empty()) return false;
  const auto of_stream = std::ranges::find_if(
      plans_, [&](const Plan& plan) { return std::ranges::count(plan.phase->instrs, stream) > 0; });
  return work_of_memory(*of_stream) < kWorkOfVector;
}

llvm::SmallVector<int, 4> KernelSchedule::streams_of(const Plan& plan) const {
  llvm::SmallVector<int, 4> streams;
  if (gathers_rows(plan) || (host_.zen5 && is_bound_by_arithmetic(plan))) return streams;
  // There is time to store in the usual way, and a second loop would take as long to compile.
  const auto loads_elements = [&](int number) { return loads_each(instr(number)); };
  const bool draws_for_long = !host_.avx512 && draws_random_bits(*plan.phase);
  if (draws_for_long || std::ranges::any_of(plan.phase->instrs, loads_elements)) return streams;
  for (const int number : plan.phase->instrs) {
    if (is_stream(number)) streams.push_back(number);
  }
  return streams;
}

/// A block of channels is a line where it has as many as a vector has lanes, which is known at
/// launch.
bool KernelSchedule::may_stream_blocks(int number) const {
  return kernel_.short_vector && lanes_ * sizeof(float) == kLineBytes &&
         size_of(instr(number).dtype) == sizeof(float) && instr(number).predicate < 0 &&
         is_stream(number);
}

/// A load of vectors that are lines, from memory that is only read.
bool KernelSchedule::reads_vectors(const Instr& at) const {
  return at.kind == InstrKind::load && at.dynamic_index < 0 && size_of(at.dtype) >= sizeof(float) &&
         !kernel_.buffers[static_cast<size_t>(at.buffer)].written &&
         kernel_.buffers[static_cast<size_t>(at.buffer)].own_elements == 0 &&
         at.address.terms[static_cast<size_t>(kernel_.vector_dim)].stride == Stride::one;
}

/// What each loop is the first to read, the others ask for: of rows along vectors, or along the
/// positions of short ones.
void KernelSchedule::find_prefetches() {
  const bool has_rows = kernel_.vector_is_inner() || kernel_.short_vector;
  if (!has_rows || task_dims_.empty() || kernel_.blocking) return;
  std::vector<Plan*> loops;
  for (Plan& plan : plans_) {
    if (plan.phase->loop) loops.push_back(&plan);
  }
  std::vector<int> buffers;  // read so far
  const auto next_task = static_cast<size_t>(task_dims_.back());
  for (size_t i = 0; i < loops.size(); ++i) {
    for (const int number : loops[i]->phase->instrs) {
      const Instr& at = instr(number);
      if (!reads_vectors(at) || std::ranges::find(buffers, at.buffer) != buffers.end()) continue;
      if (at.address.terms[next_task].stride != Stride::dynamic) continue;
      buffers.push_back(at.buffer);
      share_prefetch(loops, i, number);
    }
  }
}

/// The loops behind the reader have it for the next task, those before it for their own. On Zen
/// stores past the caches wait for what their loop asks for: others do it where they compute enough
/// meanwhile.
void KernelSchedule::share_prefetch(llvm::ArrayRef<Plan*> loops, size_t reader, int number) {
  constexpr int kEnoughWork = 12;
  const auto streams = [&](size_t at) { return !streams_of(*loops[at]).empty(); };
  bool spares_streams = false;
  for (size_t at = 0; at < loops.size() && host_.zen; ++at)
    spares_streams |= at != reader && !streams(at) && work_of(*loops[at]->phase) >= kEnoughWork;
  const auto work_at = [&](size_t at) {
    return at == reader || (spares_streams && streams(at)) ? 0 : work_of(*loops[at]->phase);
  };
  int all_work = 0;
  for (size_t at = 0; at < loops.size(); ++at)
    all_work += work_at(at);
  int work = 0;
  int begin = 0;
  for (size_t step = 1; step < loops.size(); ++step) {
    const size_t at = (reader + step) % loops.size();
    work += work_at(at);
    const int end = (kPrefetchParts * work + all_work / 2) / all_work;
    if (end > begin) loops[at]->prefetches.push_back({number, at > reader, begin, end - begin});
    begin = end;
  }
}

/// Loads under masks, as those of conditions are or become, tell the prefetchers of Zen 5 nothing:
/// dropout of 16 M elements takes 14.3 ms, and 5.9 where they are asked for ahead. Nor do those of
/// AVX2 tell Zen 3, of which guards of short rows are the only ones.
bool KernelSchedule::hides_loads(const Plan& plan) const {
  const bool has_masks_of_avx2 = host_.zen && !host_.avx512 && walks_bound_rows_;
  if (!host_.zen5 && !has_masks_of_avx2) return false;
  return std::ranges::any_of(plan.phase->instrs, [&](int number) {
    const Instr& at = instr(number);
    if (at.kind == InstrKind::load) return at.predicate >= 0 && varies(number);
    return at.kind == InstrKind::compute && at.op == ir::OpKind::where && varies(number);
  });
}

/// Zen follows a single stream as fast as memory gives it, and is only disturbed; Intel's cores and
/// several streams gain.
bool KernelSchedule::asks_ahead(const Plan& plan) const {
  if (!host_.zen || hides_loads(plan)) return true;
  return std::ranges::count_if(plan.phase->instrs, [&](int number) {
           const auto i = static_cast<size_t>(number);
           return !is_chosen_[i] && (is_choice_[i] || reads_vectors(instr(number)));
         }) > 1;
}

/// The loop behind the first that computes most: memory has time meanwhile.
bool KernelSchedule::asks_for_next_chunk(const Plan& plan) const {
  const Plan* most = nullptr;
  for (const Plan& other : plans_) {
    if (!other.phase->loop || &other == &loop_plan() || other.accumulates.empty()) continue;
    if (most == nullptr || work_of(*other.phase) > work_of(*most->phase)) most = &other;
  }
  return most == &plan;
}

/// Whether a row of the vector dimension is read from as many lines of memory, which the next task
/// reads again: transposed operands of elementwise kernels.
bool KernelSchedule::reads_across() const {
  if (!inner_dims_.empty() || task_dims_.empty()) return false;
  const auto reads = [&](const Instr& at) {
    if (at.kind != InstrKind::load) return false;
    const std::vector<Affine::Term>& terms = at.address.terms;
    const Affine::Term& across = terms[static_cast<size_t>(kernel_.vector_dim)];
    return across.stride == Stride::dynamic && across.known <= 0 &&
           terms[static_cast<size_t>(task_dims_.back())].stride == Stride::one;
  };
  return std::ranges::any_of(kernel_.instrs, reads);
}

/// Of which neighbouring tasks read other elements each, for a position of the vector: channels of
/// images that have them last. 0 where there are none.
int64_t KernelSchedule::bytes_that_tasks_share() const {
  if (!inner_dims_.empty() || task_dims_.empty()) return 0;
  int64_t bytes = 0;
  for (const Instr& at : kernel_.instrs) {
    if (at.kind != InstrKind::load || at.dynamic_index >= 0) continue;
    const std::vector<Affine::Term>& terms = at.address.terms;
    const int64_t known = terms[static_cast<size_t>(kernel_.vector_dim)].known;
    if (known <= 1 || terms[static_cast<size_t>(task_dims_.back())].stride != Stride::one) continue;
    bytes = std::max(bytes, known * static_cast<int64_t>(size_of(at.dtype)));
  }
  return bytes;
}

/// The least and the greatest of loads that differ in it alone.
std::pair<int64_t, int64_t> KernelSchedule::known_offsets_beside(const Instr& at) const {
  std::pair offsets(at.address.known_offset, at.address.known_offset);
  for (const Instr& other : kernel_.instrs) {
    if (other.kind != InstrKind::load || other.buffer != at.buffer) continue;
    Affine address = other.address;
    address.known_offset = at.address.known_offset;
    if (!(address == at.address) || other.predicate != at.predicate) continue;
    offsets.first = std::min(offsets.first, other.address.known_offset);
    offsets.second = std::max(offsets.second, other.address.known_offset);
  }
  return offsets;
}

/// Neighbouring tasks read the same of it, and nothing that is written meanwhile.
bool KernelSchedule::is_shared_by_tasks(const Staged& staged) const {
  return !staged.writes && kernel_.buffers[static_cast<size_t>(staged.buffer)].no_alias &&
         staged.address.terms[static_cast<size_t>(task_dims_.back())].stride == Stride::zero;
}

/// Whether rows are staged once for many tasks: each with each, as distances of points are.
bool KernelSchedule::stages_for_many_tasks() const {
  const auto is_shared = [&](const Staged& staged) { return is_shared_by_tasks(staged); };
  return kernel_.has_short_rows() && !task_dims_.empty() && cuts_.empty() &&
         !staged_.accesses.empty() && std::ranges::all_of(staged_.accesses, is_shared);
}

/// Strips of the inner dimension, whose lanes are a short vector's.
bool KernelSchedule::stages_strips() const {
  return kernel_.short_vector && !kernel_.has_short_rows() && !staged_.accesses.empty();
}

bool KernelSchedule::is_of_flat_rows(const Instr& at) const {
  if (!kernel_.has_flat_rows() || at.kind != InstrKind::load) return false;
  const Stride stride = vector_term(at).stride;
  return stride == Stride::column || stride == Stride::row || stride == Stride::transposed ||
         stride == Stride::block;
}

/// Whether all rows see the same.
bool KernelSchedule::repeats_in_rows(const Instr& at) const {
  const Affine::Term& term = vector_term(at);
  return term.stride == Stride::column || (term.stride == Stride::block && term.row_step == 0);
}

/// What a term adds to an address for a lane of rows that begin with lane 0.
int64_t KernelSchedule::place_of_lane(const Affine::Term& term, int64_t lane) const {
  return place_in_rows(kernel_.row_length, term, lane);
}

/// Whether they are in so many vectors that loading each by itself is less.
bool KernelSchedule::are_far_apart(std::set<int64_t> places) const {
  constexpr int kMostVectors = 4;
  int vectors = 0;
  for (; !places.empty(); ++vectors)
    places.erase(places.begin(), places.lower_bound(*places.begin() + lanes_));
  return vectors > kMostVectors;
}

/// Whether a load of flat rows is one of element after element.
bool KernelSchedule::loads_each(const Instr& at) const {
  if (!is_of_flat_rows(at) || at.predicate >= 0 || kernel_.row_length_param >= 0) return false;
  const Affine::Term& term = vector_term(at);
  if (term.stride != Stride::block) return term.row_param >= 0;
  std::set<int64_t> places;  // of one vector
  for (int64_t lane = 0; lane < lanes_; ++lane)
    places.insert(place_of_lane(term, lane));
  return are_far_apart(std::move(places));
}

}  // namespace wick::codegen::llvm_jit
