#include "wick/runtime/cuda/native/native_program.h"

#include <algorithm>

#include <fmt/format.h>

#include "wick/codegen/cuda/device_text.h"
#include "wick/ir/check.h"
#include "wick/runtime/cuda/native/texts.h"

namespace wick::runtime::cuda {
namespace {

constexpr size_t kWorkspaceAlignment = 256;
constexpr unsigned kIndependentThreads = 256;  // of a block whose threads work alone

const void* pointer_of(const BufferArgument& buffer,
                       const void* const* operands,
                       void* result,
                       void* workspace) {
  switch (buffer.kind) {
    case BufferArgument::Kind::operand:
      return operands[buffer.at];
    case BufferArgument::Kind::result:
      return result;
    case BufferArgument::Kind::workspace:
      return static_cast<std::byte*>(workspace) + buffer.at;
  }
  return nullptr;
}

}  // namespace

BufferArgument NativeProgram::reserve(size_t bytes) {
  const size_t at = workspace_bytes;
  workspace_bytes += (bytes + kWorkspaceAlignment - 1) / kWorkspaceAlignment * kWorkspaceAlignment;
  return {BufferArgument::Kind::workspace, at};
}

std::optional<NativeProgram> make_native_program(const LibraryOp& op, const NativeLimits& limits) {
  for (const auto make :
       {make_argsort_program, make_pooling_program, make_scan_program, make_scatter_program}) {
    if (auto program = make(op, limits)) return program;
  }
  return std::nullopt;
}

std::string native_text(std::initializer_list<std::string_view> texts) {
  std::string text(codegen::cuda::device_text);
  text += shared_text;
  for (const std::string_view part : texts)
    text += part;
  return text;
}

std::string alias(std::string_view name, std::string_view type) {
  return fmt::format("using {} = {};\n", name, type);
}

std::string index_alias(int64_t count, const NativeLimits& limits) {
  return alias("Index", count < limits.wide_from ? "i32" : "i64");
}

LaunchShape grid_for_blocks(int64_t tasks, unsigned block, const NativeLimits& limits) {
  const auto blocks = static_cast<unsigned>(std::min(tasks, limits.most_blocks));
  return {.grid = {blocks, 1, 1}, .block = {block, 1, 1}};
}

LaunchShape grid_for_threads(int64_t tasks, const NativeLimits& limits) {
  return grid_for_blocks((tasks - 1) / kIndependentThreads + 1, kIndependentThreads, limits);
}

LaunchArguments::LaunchArguments(const NativeLaunch& launch,
                                 const void* const* operands,
                                 void* result,
                                 void* workspace) {
  check(launch.buffers.size() <= kMostBuffers, "a kernel with so many buffers");
  for (const BufferArgument& buffer : launch.buffers) {
    pointers_[count_] = pointer_of(buffer, operands, result, workspace);
    addresses_[count_] = &pointers_[count_];
    ++count_;
  }
  addresses_[count_++] = const_cast<std::byte*>(launch.parameters.data());
}

}  // namespace wick::runtime::cuda
