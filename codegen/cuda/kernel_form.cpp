#include "wick/codegen/cuda/kernel_form.h"

#include <algorithm>
#include <bit>

namespace wick::codegen::cuda {

namespace {

/// Of a row: several rows share a warp then.
constexpr int kFewestThreads = 8;
/// Rows of so few accesses are a thread's alone: of several threads some would idle, and all would
/// have to exchange what they found.
constexpr int64_t kAccessesOfAThread = 7;
/// Bytes that a thread moves in one access.
constexpr int64_t kAccessBytes = 16;
constexpr int kWidest = 8;
/// Elements of a row that a thread may hold, and the accesses that bring them: loops over them are
/// unrolled.
constexpr int kMostHeld = 16;
constexpr int kMostHeldAccesses = 8;
constexpr int kMostThreadsOfRow = 512;
/// 32-bit positions stay below this, so that a step past the last one does not overflow.
constexpr int64_t kNarrowLimit = int64_t{1} << 30;

int64_t power_of_two_from(int64_t n) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(n, 1))));
}

int64_t stride_of(const Affine::Term& term, std::span<const int64_t> params) {
  if (term.stride == Stride::dynamic || term.stride == Stride::transposed)
    return params[static_cast<size_t>(term.param)];
  return term.stride == Stride::one ? 1 : 0;
}

int64_t offset_of(const Affine& address, std::span<const int64_t> params) {
  const int64_t offset =
      address.offset_param < 0 ? 0 : params[static_cast<size_t>(address.offset_param)];
  return offset + address.known_offset;
}

/// What the parts of a block's place sum up to at most.
int64_t reach_of_blocks(const Kernel& kernel, const Affine::Term& term, int64_t extent) {
  int64_t reach = 0;  // where blocks repeat, their length is not known
  if (term.row_step != 0) reach = (extent / kernel.row_length + 1) * std::abs(term.row_step);
  for (const BlockAxis& axis : term.axes)
    reach += axis.extent * std::abs(axis.stride);
  return reach;
}

/// Whether no position reaches beyond 32 bits on its way to an element.
bool is_narrow(const Kernel& kernel, const Instr& instr, std::span<const int64_t> params) {
  int64_t reach = std::abs(offset_of(instr.address, params));
  for (size_t d = 0; d < kernel.dims.size(); ++d) {
    const Affine::Term& term = instr.address.terms[d];
    const int64_t stride = std::abs(stride_of(term, params));
    const int64_t extent = extent_of(kernel, params, d);
    if (stride >= kNarrowLimit || extent >= kNarrowLimit) return false;
    const bool is_transposed = term.stride == Stride::transposed;  // short rows, one an element
    reach += is_transposed ? extent + stride * kernel.row_length : stride * extent;  // below 2^60
    if (term.stride == Stride::block) reach += reach_of_blocks(kernel, term, extent);
    if (reach >= kNarrowLimit) return false;
  }
  return true;
}

bool fits_narrow(const Kernel& kernel, std::span<const int64_t> params) {
  if (outer_count(kernel, params) >= kNarrowLimit) return false;
  if (inner_count(kernel, params) >= kNarrowLimit) return false;
  return std::ranges::all_of(kernel.instrs, [&](const Instr& instr) {
    return !has_address(instr) || is_narrow(kernel, instr, params);
  });
}

/// Every access of the stream begins at a multiple of `width` elements.
bool is_aligned(const Kernel& kernel,
                const Instr& instr,
                std::span<const int64_t> params,
                int64_t width) {
  if (offset_of(instr.address, params) % width != 0) return false;
  for (size_t d = 0; d < kernel.dims.size(); ++d) {
    if (static_cast<int>(d) == kernel.vector_dim || extent_of(kernel, params, d) == 1) continue;
    if (stride_of(instr.address.terms[d], params) % width != 0) return false;
  }
  return true;
}

/// Tiles shorter than half a warp would leave most threads idle.
int choose_tiled_dim(const Kernel& kernel, std::span<const int64_t> params) {
  constexpr int64_t kShortest = 16;
  const auto is_long = [&](int dim) {
    return extent_of(kernel, params, static_cast<size_t>(dim)) >= kShortest;
  };
  if (mapping_of(kernel) != Mapping::elementwise || !is_long(kernel.vector_dim)) return -1;
  for (int dim = 0; dim < kernel.vector_dim; ++dim) {
    const auto is_staged = [&](const Instr& instr) { return is_transposed(kernel, instr, dim); };
    if (is_long(dim) && std::ranges::any_of(kernel.instrs, is_staged)) return dim;
  }
  return -1;
}

/// Elementwise kernels of one dimension may have any number of elements.
bool may_have_rest(const Kernel& kernel) {
  return mapping_of(kernel) == Mapping::elementwise && kernel.dims.size() == 1;
}

bool fits_width(const Kernel& kernel, std::span<const int64_t> params, int64_t width) {
  const int64_t extent = extent_of(kernel, params, static_cast<size_t>(kernel.vector_dim));
  if (extent < width || (extent % width != 0 && !may_have_rest(kernel))) return false;
  if (kernel.blocking && kernel.blocking->inner == kernel.vector_dim &&
      params[static_cast<size_t>(kernel.blocking->size_param)] % width != 0) {
    return false;
  }
  return std::ranges::all_of(kernel.instrs, [&](const Instr& instr) {
    return !is_stream(kernel, instr) || is_aligned(kernel, instr, params, width);
  });
}

/// The widest accesses that all streams can take.
int choose_width(const Kernel& kernel, std::span<const int64_t> params) {
  if (mapping_of(kernel) == Mapping::columns) return 1;
  int64_t largest = 0;
  for (const Instr& instr : kernel.instrs) {
    if (!is_stream(kernel, instr)) continue;
    largest = std::max(largest, static_cast<int64_t>(size_of(instr.dtype)));
  }
  if (largest == 0) return 1;
  int64_t width = std::min<int64_t>(kWidest, kAccessBytes / largest);
  while (width > 1 && !fits_width(kernel, params, width))
    width /= 2;
  return static_cast<int>(width);
}

/// Streams that have to be kept at the same time: registers of one that is no longer read serve the
/// next.
int most_held_at_once(const std::vector<HeldStream>& streams) {
  int most = 0;
  for (const HeldStream& start : streams) {
    const auto overlaps = std::ranges::count_if(streams, [&](const HeldStream& other) {
      return other.first_phase <= start.first_phase && other.last_phase > start.first_phase;
    });
    most = std::max(most, static_cast<int>(overlaps));
  }
  return most;
}

/// Threads for a row of so many accesses, where each is to do about `of_a_thread`.
int64_t threads_for(int64_t accesses, int64_t of_a_thread) {
  const int64_t fewest = accesses <= std::min(kAccessesOfAThread, of_a_thread) ? 1 : kFewestThreads;
  const int64_t wanted = power_of_two_from((accesses + of_a_thread - 1) / of_a_thread);
  return std::clamp<int64_t>(wanted, fewest, kMostThreadsOfRow);
}

/// Accesses of a thread to a row when the row stays in registers; 0: it does not fit.
int choose_held(const Kernel& kernel, int width, std::span<const int64_t> params) {
  if (mapping_of(kernel) != Mapping::rows) return 0;
  const int streams = most_held_at_once(held_streams(kernel));
  if (streams == 0) return 0;
  const auto most = static_cast<int>(std::bit_floor(
      static_cast<unsigned>(std::clamp(kMostHeld / (width * streams), 1, kMostHeldAccesses))));
  const int64_t accesses = inner_count(kernel, params) / width;
  const int64_t threads = threads_for(accesses, most);
  const int64_t held = power_of_two_from((accesses + threads - 1) / threads);
  return held <= most ? static_cast<int>(held) : 0;
}

}  // namespace

Mapping mapping_of(const Kernel& kernel) {
  const bool walks = std::ranges::any_of(kernel.dims, &Dim::inner) ||
                     std::ranges::any_of(kernel.instrs, [](const Instr& instr) {
                       return instr.kind == InstrKind::accumulate;
                     });
  if (!walks) return Mapping::elementwise;
  return kernel.vector_is_inner() ? Mapping::rows : Mapping::columns;
}

bool is_stream(const Kernel& kernel, const Instr& instr) {
  const bool moves = instr.kind == InstrKind::load || instr.kind == InstrKind::store;
  return moves && instr.predicate < 0 && instr.dynamic_index < 0 &&
         instr.address.terms[static_cast<size_t>(kernel.vector_dim)].stride == Stride::one;
}

bool is_transposed(const Kernel& kernel, const Instr& instr, int tiled_dim) {
  if (tiled_dim < 0 || instr.kind != InstrKind::load) return false;
  const std::vector<Affine::Term>& terms = instr.address.terms;
  // What may be overwritten meanwhile is read where it is needed.
  return instr.predicate < 0 && instr.dynamic_index < 0 &&
         kernel.buffers[static_cast<size_t>(instr.buffer)].no_alias &&
         terms[static_cast<size_t>(kernel.vector_dim)].stride == Stride::dynamic &&
         terms[static_cast<size_t>(tiled_dim)].stride == Stride::one;
}

std::vector<HeldStream> held_streams(const Kernel& kernel) {
  std::vector<HeldStream> streams;
  for (size_t p = 0; p < kernel.phases.size(); ++p) {
    if (!kernel.phases[p].loop) continue;
    const auto phase = static_cast<int>(p);
    for (const int number : kernel.phases[p].instrs) {
      const Instr& instr = kernel.instrs[static_cast<size_t>(number)];
      if (!is_stream(kernel, instr)) continue;
      const auto same = [&](const HeldStream& stream) {
        return stream.buffer == instr.buffer && stream.address == instr.address;
      };
      const auto known = std::ranges::find_if(streams, same);
      if (known == streams.end()) {
        streams.push_back({instr.buffer, instr.address, phase, phase});
      } else if (instr.kind == InstrKind::load) {
        known->last_phase = phase;
      }
    }
  }
  std::erase_if(streams, [](const HeldStream& s) { return s.first_phase == s.last_phase; });
  return streams;
}

bool is_held_alone(const Kernel& kernel, const KernelForm& form, int buffer) {
  if (form.held == 0) return false;
  const std::vector<HeldStream> held = held_streams(kernel);
  return std::ranges::all_of(kernel.instrs, [&](const Instr& instr) {
    if (instr.buffer != buffer) return true;
    return is_stream(kernel, instr) && std::ranges::any_of(held, [&](const HeldStream& stream) {
             return stream.buffer == buffer && stream.address == instr.address;
           });
  });
}

int64_t extent_of(const Kernel& kernel, std::span<const int64_t> params, size_t dim) {
  return params[static_cast<size_t>(kernel.dims[dim].extent_param)];
}

int64_t inner_count(const Kernel& kernel, std::span<const int64_t> params) {
  int64_t count = 1;
  for (size_t d = 0; d < kernel.dims.size(); ++d) {
    if (!kernel.dims[d].inner) continue;
    const bool is_cut = kernel.blocking && kernel.blocking->inner == static_cast<int>(d);
    const int64_t extent = extent_of(kernel, params, d);
    count *= is_cut ? std::min(extent, params[static_cast<size_t>(kernel.blocking->size_param)])
                    : extent;
  }
  return count;
}

int64_t outer_count(const Kernel& kernel, std::span<const int64_t> params) {
  int64_t count = 1;
  for (size_t d = 0; d < kernel.dims.size(); ++d) {
    if (!kernel.dims[d].inner) count *= extent_of(kernel, params, d);
  }
  return count;
}

int threads_of_row(const Kernel& kernel, const KernelForm& form, std::span<const int64_t> params) {
  constexpr int64_t kManyRows = 4096;
  const int64_t accesses = inner_count(kernel, params) / form.width;
  const int64_t of_a_thread = form.held > 0                              ? form.held
                              : outer_count(kernel, params) >= kManyRows ? 8
                                                                         : 2;
  return static_cast<int>(threads_for(accesses, of_a_thread));
}

KernelForm choose_form(const Kernel& kernel, std::span<const int64_t> params) {
  KernelForm form;
  form.wide_index = !fits_narrow(kernel, params);
  form.tiled_dim = choose_tiled_dim(kernel, params);
  form.width = form.tiled_dim >= 0 ? 1 : choose_width(kernel, params);
  form.has_rest = may_have_rest(kernel) && outer_count(kernel, params) % form.width != 0;
  form.held = choose_held(kernel, form.width, params);
  form.alone = mapping_of(kernel) == Mapping::rows && threads_of_row(kernel, form, params) > kWarp;
  return form;
}

}  // namespace wick::codegen::cuda
