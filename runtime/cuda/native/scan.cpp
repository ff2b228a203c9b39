// Scan along an axis: cumulative sums, products, maxima and their like.

#include <algorithm>
#include <bit>

#include "wick/codegen/cuda/type_names.h"
#include "wick/ir/axis_split.h"
#include "wick/runtime/cuda/native/native_program.h"
#include "wick/runtime/cuda/native/parameters.h"
#include "wick/runtime/cuda/native/texts.h"

namespace wick::runtime::cuda {
namespace {

constexpr int64_t kScanThreads = 256;  // of a block

int64_t up_to_multiple(int64_t count, int64_t of) {
  return (count + of - 1) / of * of;
}

/// In combine.cuh.
std::string_view combine_of_kind(std::string_view kind) {
  if (kind == "sum") return "Add";
  if (kind == "prod") return "Multiply";
  if (kind == "max") return "Maximum";
  if (kind == "min") return "Minimum";
  return "LogAddExp";
}

/// Lanes that lie side by side take a thread each, for neighbouring threads then read neighbouring
/// elements; others as many threads as they have work for.
int64_t threads_for(int64_t extent, int64_t inner) {
  if (inner > 1) return 1;
  const auto useful = static_cast<uint64_t>((extent + kScanHeld - 1) / kScanHeld);
  return std::min(kScanThreads, static_cast<int64_t>(std::bit_ceil(useful)));
}

ScanParameters whole_lanes(const ir::AxisSplit& split, bool reverse) {
  return {.lanes = split.outer * split.inner,
          .extent = split.extent,
          .inner = split.inner,
          .reverse = reverse ? 1 : 0,
          .chunk = split.extent,
          .chunks = 1,
          .threads = threads_for(split.extent, split.inner)};
}

/// Into as many chunks as a large device has use for, and no more than a scan of their totals is
/// done with soon.
ScanParameters in_chunks(ScanParameters scan) {
  constexpr int64_t kThreadsWanted = 1 << 16;
  constexpr int64_t kMostChunks = 1024;
  constexpr int64_t kFewestTiles = 8;  // of a chunk
  const int64_t tile = scan.threads * kScanHeld;
  const int64_t wanted = kThreadsWanted / (scan.lanes * scan.threads);
  const int64_t chunks = std::min({wanted, kMostChunks, scan.extent / (kFewestTiles * tile)});
  if (chunks < 2) return scan;
  scan.chunk = up_to_multiple((scan.extent + chunks - 1) / chunks, tile);
  scan.chunks = (scan.extent + scan.chunk - 1) / scan.chunk;
  return scan;
}

LaunchShape shape_for(const ScanParameters& scan, size_t value_bytes, const NativeLimits& limits) {
  const int64_t groups = kScanThreads / scan.threads;  // of a block
  const int64_t blocks = (scan.lanes * scan.chunks + groups - 1) / groups;
  LaunchShape shape = grid_for_blocks(blocks, kScanThreads, limits);
  if (scan.threads > 1) shape.shared_bytes = static_cast<unsigned>(kScanThreads * value_bytes);
  return shape;
}

}  // namespace

std::optional<NativeProgram> make_scan_program(const LibraryOp& op, const NativeLimits& limits) {
  if (op.op != ir::OpKind::scan) return std::nullopt;
  const DType dtype = op.result.dtype;
  const std::string_view element = codegen::cuda::memory_type(dtype);
  const size_t value_bytes = is_float(dtype) ? sizeof(double) : size_of(dtype);
  NativeProgram program{
      .name = "native scan",
      .text = native_text({combine_text,
                           alias("Element", element),
                           alias("Accumulator", is_float(dtype) ? "double" : element),
                           alias("Combine", combine_of_kind(op.attributes.text("kind"))),
                           scan_text}),
      .launches = {}};
  if (op.result.numel() == 0) return program;

  const ir::AxisSplit split = ir::split_at(op.result.shape, op.attributes.integer("axis", 0));
  const ScanParameters scan = in_chunks(whole_lanes(split, op.attributes.flag("reverse")));
  const auto add = [&](const char* symbol,
                       const ScanParameters& parameters,
                       std::vector<BufferArgument> buffers) {
    program.launches.push_back(native_launch(
        symbol, shape_for(parameters, value_bytes, limits), std::move(buffers), parameters));
  };
  BufferArgument totals;  // of one chunk nobody reads them
  if (scan.chunks > 1) {
    totals = program.reserve(static_cast<size_t>(scan.lanes * scan.chunks) * value_bytes);
    add("scan_totals", scan, {operand_buffer(0), totals});
    add("scan_carries",
        whole_lanes({.outer = 1, .extent = scan.chunks, .inner = scan.lanes}, false),
        {totals});
  }
  add("scan", scan, {operand_buffer(0), totals, result_buffer()});
  return program;
}

}  // namespace wick::runtime::cuda
