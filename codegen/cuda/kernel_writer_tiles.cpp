// Elementwise kernels that read some memory across: a block walks tiles of the vector dimension and
// the one along which that memory is in order, and brings it through shared memory, so that all
// accesses are side by side.

#include <fmt/ranges.h>

#include "wick/codegen/cuda/kernel_writer.h"
#include "wick/codegen/cuda/launch_geometry.h"
#include "wick/codegen/cuda/type_names.h"

namespace wick::codegen::cuda {

void KernelWriter::write_tiles() {
  write_tile_memory();
  std::vector<std::string> tiles;
  for (size_t d = 0; d < kernel_.dims.size(); ++d) {
    const bool is_cut = is_vector_dim(d) || static_cast<int>(d) == form_.tiled_dim;
    line("const Index n{} = {};",
         d,
         is_cut ? fmt::format("({} + {}) / {}", extent(d), kTile - 1, kTile) : extent(d));
    tiles.push_back(fmt::format("n{}", d));
  }
  line("const Index tiles = {};", fmt::join(tiles, " * "));
  open("for (Index i = blockIdx.x; i < tiles; i += gridDim.x)");
  write_tile_corner();
  open_tile_walk(form_.tiled_dim, kernel_.vector_dim);
  write_tile_loads();
  close();
  close();
  line("__syncthreads();");
  open_tile_walk(kernel_.vector_dim, form_.tiled_dim);
  write_body(all_instrs_);
  close();
  close();
  line("__syncthreads();  // before the next tile overwrites this one");
  close();
}

void KernelWriter::write_tile_memory() {
  line("extern __shared__ i64 shared_words[];");
  line("char* const shared = reinterpret_cast<char*>(shared_words);");
  size_t offset = 0;
  for (const int number : all_instrs_) {
    const Instr& load = instr(number);
    if (!is_staged(load)) continue;
    line("const auto x{} = reinterpret_cast<{}(*)[{}]>(shared + {});",
         number,
         memory_type(load.dtype),
         kTile + 1,
         offset);
    offset += tile_bytes(load.dtype);
  }
}

/// Positions of the dimensions that are not cut, and where the tile begins in those that are.
void KernelWriter::write_tile_corner() {
  std::string rest = "i";
  for (size_t d = kernel_.dims.size(); d-- > 0;) {
    const bool is_cut = is_vector_dim(d) || static_cast<int>(d) == form_.tiled_dim;
    line("const Index {}{} = {} % n{}{};",
         is_cut ? "corner" : "d",
         d,
         rest,
         d,
         is_cut ? fmt::format(" * {}", kTile) : "");
    if (d == 0) continue;
    line("const Index rest{} = {} / n{};", d, rest, d);
    rest = fmt::format("rest{}", d);
  }
}

/// Lanes of a warp move along one dimension, warps along the other.
void KernelWriter::open_tile_walk(int along_lanes, int along_rows) {
  open("for (int k = threadIdx.y; k < {}; k += blockDim.y)", kTile);
  line("const Index d{0} = corner{0} + threadIdx.x;", along_lanes);
  line("const Index d{0} = corner{0} + k;", along_rows);
  open("if (d{} < {} && d{} < {})",
       along_lanes,
       extent(static_cast<size_t>(along_lanes)),
       along_rows,
       extent(static_cast<size_t>(along_rows)));
}

void KernelWriter::write_tile_loads() {
  const std::string position = fmt::format("d{}", kernel_.vector_dim);
  for (const int number : all_instrs_) {
    if (!is_staged(instr(number))) continue;
    line("x{}[k][threadIdx.x] = *({});", number, place_text(instr(number), position));
  }
}

}  // namespace wick::codegen::cuda
