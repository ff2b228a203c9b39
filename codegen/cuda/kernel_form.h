#pragma once

// How a kernel's positions are given to threads, and which of the forms of its text a launch takes.
// Everything here depends on the kernel and the shape alone, so results do not depend on the
// device. Internal to codegen/cuda/ but for KernelForm and choose_form.

#include <cstdint>
#include <span>
#include <vector>

#include "wick/codegen/kernel_ir.h"

namespace wick::codegen::cuda {

/// Lanes of a warp.
inline constexpr int kWarp = 32;

enum class Mapping : uint8_t {
  elementwise,  // a thread a few consecutive positions of the vector dimension
  rows,         // some lanes of a warp, or a block, walk the inner dimensions of one outer position
  columns,      // neighbours take neighbouring outer positions, and share each inner range
};

Mapping mapping_of(const Kernel& kernel);

/// A kernel compiles to a text for each form that launches need: two or three in practice.
struct KernelForm {
  bool wide_index = false;  // positions and addresses take 64 bits
  int width = 1;            // elements that a thread moves in one access
  bool has_rest = false;    // elementwise: elements behind the last whole access are moved singly
  /// rows: accesses of a thread to each row, which it then keeps in registers between loops; 0:
  /// rows are too long and read again.
  int held = 0;
  bool alone = false;  // rows: each is walked by a block of its own
  /// elementwise: this dimension and the vector one are walked in tiles, because some memory is in
  /// order along this one; -1: none.
  int tiled_dim = -1;
  friend bool operator==(const KernelForm&, const KernelForm&) = default;
  friend auto operator<=>(const KernelForm&, const KernelForm&) = default;
};

/// `params`: the launch's table. Buffers have to be aligned to 16 bytes.
KernelForm choose_form(const Kernel& kernel, std::span<const int64_t> params);

/// Memory that loops reach at positions behind each other along the vector dimension: `width`
/// elements move in one access.
bool is_stream(const Kernel& kernel, const Instr& instr);

/// Memory that is in order along `tiled_dim` alone: a tile of it goes through shared memory.
bool is_transposed(const Kernel& kernel, const Instr& instr, int tiled_dim);

/// Streams that more than one loop touches: what `held` keeps in registers.
struct HeldStream {
  int buffer = 0;
  Affine address;
  int first_phase = 0;
  int last_phase = 0;
  friend bool operator==(const HeldStream&, const HeldStream&) = default;
};

std::vector<HeldStream> held_streams(const Kernel& kernel);

/// Whether a held stream is all that there is of this memory of the kernel's own.
bool is_held_alone(const Kernel& kernel, const KernelForm& form, int buffer);

int64_t extent_of(const Kernel& kernel, std::span<const int64_t> params, size_t dim);
/// Positions of one walk of the inner dimensions, of the first block where they are cut.
int64_t inner_count(const Kernel& kernel, std::span<const int64_t> params);
/// Positions of all outer dimensions, the vector one included.
int64_t outer_count(const Kernel& kernel, std::span<const int64_t> params);

/// rows: threads that share a row.
int threads_of_row(const Kernel& kernel, const KernelForm& form, std::span<const int64_t> params);

}  // namespace wick::codegen::cuda
