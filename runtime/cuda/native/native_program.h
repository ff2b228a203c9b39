#pragma once

// Ops as kernels written by hand: a text of CUDA C++ and the launches of it that compute one op at
// one shape. They are data, so that tests run the very same launches on the host.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "wick/runtime/cuda/module.h"
#include "wick/runtime/library_call.h"

namespace wick::runtime::cuda {

/// A pointer that a kernel is given.
struct BufferArgument {
  enum class Kind { operand, result, workspace };
  Kind kind = Kind::result;
  size_t at = 0;  // which operand, or how many bytes into the workspace
};

inline BufferArgument operand_buffer(size_t number) {
  return {BufferArgument::Kind::operand, number};
}

inline BufferArgument result_buffer() {
  return {BufferArgument::Kind::result, 0};
}

/// Arguments: the buffers, then the parameters by value.
struct NativeLaunch {
  std::string symbol;
  LaunchShape shape;
  std::vector<BufferArgument> buffers;
  std::vector<std::byte> parameters;
};

template <typename Parameters>
NativeLaunch native_launch(std::string symbol,
                           const LaunchShape& shape,
                           std::vector<BufferArgument> buffers,
                           const Parameters& parameters) {
  static_assert(std::is_trivially_copyable_v<Parameters>);
  NativeLaunch launch{std::move(symbol), shape, std::move(buffers), {}};
  launch.parameters.resize(sizeof parameters);
  std::memcpy(launch.parameters.data(), &parameters, sizeof parameters);
  return launch;
}

/// Launches run in order. None for an empty result.
struct NativeProgram {
  std::string_view name;  // for a plan's text
  std::string text;
  size_t workspace_bytes = 0;
  std::vector<NativeLaunch> launches;

  /// Memory that one launch leaves for the next: so many bytes of the workspace.
  BufferArgument reserve(size_t bytes);
};

/// What decides between the ways of a kernel. Tests lower these to go every way with little data.
struct NativeLimits {
  int64_t wide_from = int64_t{1} << 30;  // with so many elements positions take 64 bits
  int64_t most_blocks = 1 << 16;         // of a launch; the grid's stride does the rest
  int64_t sorted_at_once = 2048;         // elements, a power of two: 24 KiB of shared memory
};

/// The program of an op; none for what no kernel covers.
std::optional<NativeProgram> make_native_program(const LibraryOp& op,
                                                 const NativeLimits& limits = {});

// The implementations by family; each gives none for what it does not cover.
std::optional<NativeProgram> make_argsort_program(const LibraryOp& op, const NativeLimits& limits);
std::optional<NativeProgram> make_pooling_program(const LibraryOp& op, const NativeLimits& limits);
std::optional<NativeProgram> make_scan_program(const LibraryOp& op, const NativeLimits& limits);
std::optional<NativeProgram> make_scatter_program(const LibraryOp& op, const NativeLimits& limits);

/// `texts` behind what all texts begin with.
std::string native_text(std::initializer_list<std::string_view> texts);

/// "using NAME = TYPE;", by which a text is told its types.
std::string alias(std::string_view name, std::string_view type);
/// The same for the type `Index` of positions up to `count`.
std::string index_alias(int64_t count, const NativeLimits& limits);

/// A grid of `block` threads a block that has a block for each of `tasks`, if it may.
LaunchShape grid_for_blocks(int64_t tasks, unsigned block, const NativeLimits& limits);
/// A grid that has a thread for each of `tasks`, if it may.
LaunchShape grid_for_threads(int64_t tasks, const NativeLimits& limits);

/// The arguments of a launch as drivers take them: the address of each. Points into itself and into
/// the launch.
class LaunchArguments {
 public:
  LaunchArguments(const NativeLaunch& launch,
                  const void* const* operands,
                  void* result,
                  void* workspace);
  LaunchArguments(const LaunchArguments&) = delete;
  LaunchArguments& operator=(const LaunchArguments&) = delete;

  [[nodiscard]] std::span<void* const> addresses() const { return {addresses_.data(), count_}; }

 private:
  static constexpr size_t kMostBuffers = 6;

  std::array<const void*, kMostBuffers> pointers_{};
  std::array<void*, kMostBuffers + 1> addresses_{};
  size_t count_ = 0;
};

}  // namespace wick::runtime::cuda
