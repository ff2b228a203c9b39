#include "wick/runtime/launch_cut.h"

#include <algorithm>

#include "wick/passes/reduction_split.h"
#include "wick/runtime/division.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime {
namespace {

constexpr int64_t kPieceWork = 16384;
constexpr int64_t kPiecesPerThread = 4;  // evens out cores that others slow down
constexpr int64_t kVectorLanes = 64;     // cuts elsewhere would make masked tails

/// What begins with a vector and with a row, where those are walked as one.
int64_t lanes_of_piece(const codegen::Kernel& kernel) {
  return kVectorLanes * std::max<int64_t>(kernel.row_length, 1);
}

/// Neighbouring tasks of a kernel that transposes, or one: pieces of fewer would each read all of
/// the lines that they share.
int64_t tasks_that_share_lines(const KernelStep& step) {
  constexpr int64_t kMost = 64;  // of an operand's rows these are four lines
  const codegen::Kernel& kernel = *step.kernel;
  if (kernel.vector_dim < 1 || std::ranges::any_of(kernel.dims, &codegen::Dim::inner)) return 1;
  const auto vectors = static_cast<size_t>(kernel.vector_dim);
  const bool transposes = std::ranges::any_of(kernel.instrs, [&](const codegen::Instr& at) {
    return at.kind == codegen::InstrKind::load &&
           at.address.terms[vectors].stride == codegen::Stride::dynamic &&
           at.address.terms[vectors - 1].stride == codegen::Stride::one;
  });
  if (!transposes) return 1;
  const auto extent = static_cast<size_t>(kernel.dims[vectors - 1].extent_param);
  return std::clamp<int64_t>(step.params[extent], 1, kMost);
}

/// Whether pieces of the vector dimension are pieces of rows that lie far apart in memory.
bool reduces_columns(const codegen::Kernel& kernel) {
  return !kernel.vector_is_inner() && !kernel.has_flat_rows() &&
         std::ranges::any_of(kernel.dims, &codegen::Dim::inner);
}

/// Whether rows are written, not only what columns come to.
bool stores_rows(const codegen::Kernel& kernel) {
  return std::ranges::any_of(kernel.phases, [&](const codegen::Phase& phase) {
    return phase.loop && std::ranges::any_of(phase.instrs, [&](int number) {
             const codegen::Instr& at = kernel.instrs[static_cast<size_t>(number)];
             return at.kind == codegen::InstrKind::store &&
                    kernel.buffers[static_cast<size_t>(at.buffer)].own_elements == 0;
           });
  });
}

/// Pieces that rows of so many elements, which are reduced along columns, may be cut in.
int64_t most_pieces_of_rows(const codegen::Kernel& kernel, int64_t length, int64_t threads) {
  const int64_t most = std::max(threads, length / passes::kPieceOfRow);
  if (!stores_rows(kernel)) return most;
  // Where pieces meet, cores fetch what others have written: of [1000,1001] a softmax along columns
  // took two cores that share no cache 1.6 ms, and takes one 0.34.
  constexpr int64_t kLine = 16;
  const int64_t least = passes::kPieceOfRow / (length % kLine == 0 ? 4 : 2);
  return std::min(most, std::max<int64_t>(1, length / least));
}

}  // namespace

int64_t work_of(const KernelStep& step) {
  return step.task_extent * std::max<int64_t>(1, step.work_per_task);
}

bool is_worth_threads(int64_t work) {
  constexpr int64_t kInlineWork = 49152;  // several times what a region costs
  return work >= kInlineWork * waking_factor();
}

LaunchCut cut_launch(const KernelStep& step, int threads) {
  LaunchCut cut{.task_grain = step.task_extent, .vector_grain = step.vector_extent};
  const int64_t work = work_of(step);
  if (threads <= 1 || !is_worth_threads(work)) return cut;
  const int64_t pieces =
      std::min(threads * kPiecesPerThread, std::max<int64_t>(2, work / kPieceWork));
  cut.task_grain = std::max<int64_t>(1, ceil_div(step.task_extent, pieces));
  const int64_t together =
      step.tasks_in_order > 1 ? step.tasks_in_order : tasks_that_share_lines(step);
  cut.task_grain = ceil_div(cut.task_grain, together) * together;
  cut.task_pieces = ceil_div(step.task_extent, cut.task_grain);
  const int64_t lanes = lanes_of_piece(*step.kernel);
  if (cut.task_pieces < pieces && step.vector_extent > lanes) {
    int64_t wanted = ceil_div(pieces, cut.task_pieces);
    if (reduces_columns(*step.kernel)) {
      wanted = std::min(wanted,
                        most_pieces_of_rows(
                            *step.kernel, step.vector_extent, ceil_div(threads, cut.task_pieces)));
    }
    cut.vector_grain = ceil_div(ceil_div(step.vector_extent, wanted), lanes) * lanes;
    cut.vector_pieces = ceil_div(step.vector_extent, cut.vector_grain);
  }
  return cut;
}

std::vector<LaunchPiece> share_pieces(std::span<const LaunchCut> launches, int threads) {
  size_t count = 0;
  for (const LaunchCut& launch : launches)
    count += static_cast<size_t>(launch.pieces());
  std::vector<LaunchPiece> all;
  all.reserve(count);
  for (int64_t thread = 0; thread < threads; ++thread) {
    for (size_t launch = 0; launch < launches.size(); ++launch) {
      const int64_t pieces = launches[launch].pieces();
      if (pieces == 1) {  // whole launches are shared out themselves
        const auto owner = launch * static_cast<size_t>(threads) / launches.size();
        if (static_cast<int64_t>(owner) == thread) all.push_back({launch, 0});
        continue;
      }
      const int64_t end = pieces * (thread + 1) / threads;
      for (int64_t piece = pieces * thread / threads; piece < end; ++piece)
        all.push_back({launch, piece});
    }
  }
  return all;
}

}  // namespace wick::runtime
