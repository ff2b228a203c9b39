// concat by itself, of long rows or many operands: in a kernel each vector, or each element, would
// ask which it is from.

#include <algorithm>
#include <cstring>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "wick/ir/axis_split.h"
#include "wick/runtime/host_cpu.h"
#include "wick/runtime/library_call.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime {
namespace {

constexpr int64_t kLine = 64;

/// memcpy of the C library has the machine copy long runs, which does not read what it overwrites.
/// Where the two lie a few bytes apart in their pages that takes AMD's processors sixteen times as
/// long.
bool is_for_the_machine(const std::byte* to, const std::byte* from, int64_t size) {
  constexpr int64_t kLong = int64_t{1} << 14U;
  constexpr uintptr_t kPage = 4096;
  const uintptr_t apart = reinterpret_cast<uintptr_t>(to) - reinterpret_cast<uintptr_t>(from);
  return size >= kLong && apart % kPage >= kLine;
}

/// Whole lines of what is written, between two that may begin and end anywhere: those that cross
/// lines take twice as long.
[[gnu::always_inline]] inline void copy_lines(std::byte* to, const std::byte* from, int64_t size) {
  if (size < kLine || is_for_the_machine(to, from, size)) {
    std::memcpy(to, from, static_cast<size_t>(size));
    return;
  }
  std::memcpy(to, from, kLine);
  auto at = static_cast<int64_t>(kLine - reinterpret_cast<uintptr_t>(to) % kLine);
  for (; at + kLine <= size; at += kLine)
    std::memcpy(to + at, from + at, kLine);
  std::memcpy(to + size - kLine, from + size - kLine, kLine);
}

#if defined(__SSE2__)
/// What is not read again before the caches are full need not be read before it is written.
void copy_past_caches(std::byte* to, const std::byte* from, int64_t size) {
  const auto head = static_cast<int64_t>(-reinterpret_cast<uintptr_t>(to) % kLine);
  if (size < head + kLine) return copy_lines(to, from, size);
  copy_lines(to, from, head);
  int64_t at = head;
  for (; at + kLine <= size; at += kLine) {
    for (int64_t part = at; part < at + kLine; part += sizeof(__m128i)) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + part),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + part)));
    }
  }
  copy_lines(to + at, from + at, size - at);
}

/// Streaming stores are seen by other threads in any order until a fence.
void end_copies_past_caches() {
  _mm_sfence();
}
#else
void copy_past_caches(std::byte* to, const std::byte* from, int64_t size) {
  copy_lines(to, from, size);
}

void end_copies_past_caches() {}
#endif

/// Rows of the result, each of which has one run of each operand.
struct Rows {
  std::vector<int64_t> begins;  // of the operands in a row, then its end

  [[nodiscard]] size_t num_operands() const { return begins.size() - 1; }

  [[nodiscard]] int64_t length() const { return begins.back(); }

  [[nodiscard]] int64_t length_of_run(size_t operand) const {
    return begins[operand + 1] - begins[operand];
  }
};

/// Bytes [begin, end) of the result, run by run: finding the first one takes longer than to copy
/// it.
template <typename CopyRun>
[[gnu::always_inline]] inline void copy_rows(const Rows& rows,
                                             const void* const* operands,
                                             std::byte* result,
                                             int64_t begin,
                                             int64_t end,
                                             CopyRun copy_run) {
  int64_t outer = begin / rows.length();
  const int64_t place = begin % rows.length();
  const auto next = std::ranges::upper_bound(rows.begins, place);
  auto operand = static_cast<size_t>(next - rows.begins.begin() - 1);
  int64_t copied = place - rows.begins[operand];  // of the run
  while (begin < end) {
    const int64_t length = rows.length_of_run(operand);
    const int64_t count = std::min(length - copied, end - begin);
    copy_run(result + begin,
             static_cast<const std::byte*>(operands[operand]) + outer * length + copied,
             count);
    begin += count;
    copied = 0;
    if (++operand == rows.num_operands()) {
      operand = 0;
      ++outer;
    }
  }
}

#if defined(__x86_64__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
void copy_rows_in_lines(const Rows& rows,
                        const void* const* operands,
                        std::byte* result,
                        int64_t begin,
                        int64_t end) {
  const auto copy_run = [](std::byte* to, const std::byte* from, int64_t size) {
    copy_lines(to, from, size);
  };
  copy_rows(rows, operands, result, begin, end, copy_run);
}

/// Copies runs of bytes: for each position before the axis, one of each operand.
class NativeConcat final : public HostCall {
 public:
  explicit NativeConcat(const LibraryOp& op) {
    const int64_t axis = op.attributes.integer("axis", 0);
    outer_ = ir::split_at(op.result.shape, axis).outer;
    rows_.begins.push_back(0);
    for (const Type& operand : op.operands) {
      const int64_t length =
          static_cast<int64_t>(operand.num_bytes()) / std::max<int64_t>(1, outer_);
      rows_.begins.push_back(rows_.length() + length);
    }
  }

  std::string_view implementation() const override { return "native concat"; }

  void run(const void* const* operands, void* result, std::byte* /*scratch*/) const override {
    constexpr int64_t kWorkGrain = int64_t{1} << 18U;  // bytes
    if (has_short_runs()) {
      parallel_ranges(outer_,
                      std::max<int64_t>(kWorkGrain / rows_.length(), 1),
                      [&](int64_t begin, int64_t end) {
                        interleave(operands, static_cast<std::byte*>(result), begin, end);
                      });
      return;
    }
    const bool past_caches = goes_past_caches();
    parallel_ranges(outer_ * rows_.length(), kWorkGrain, [&](int64_t begin, int64_t end) {
      if (past_caches) {
        copy_rows(rows_, operands, static_cast<std::byte*>(result), begin, end, copy_past_caches);
        end_copies_past_caches();
      } else {
        copy_rows_in_lines(rows_, operands, static_cast<std::byte*>(result), begin, end);
      }
    });
  }

 private:
  /// So short that finding out whose they are takes longer than to copy them.
  [[nodiscard]] bool has_short_runs() const {
    constexpr int64_t kShort = 64;  // bytes
    for (size_t i = 0; i < rows_.num_operands(); ++i)
      if (rows_.length_of_run(i) > kShort) return false;
    return true;
  }

  /// Rows of the result, operand by operand, as many at once as the nearest cache holds.
  void interleave(const void* const* operands,
                  std::byte* result,
                  int64_t begin,
                  int64_t end) const {
    constexpr int64_t kBytesAtOnce = 16384;
    const int64_t rows = std::max<int64_t>(kBytesAtOnce / rows_.length(), 1);
    for (int64_t first = begin; first < end; first += rows) {
      const int64_t count = std::min(rows, end - first);
      for (size_t i = 0; i < rows_.num_operands(); ++i) {
        const int64_t length = rows_.length_of_run(i);
        copy_runs(static_cast<const std::byte*>(operands[i]) + first * length,
                  result + first * rows_.length() + rows_.begins[i],
                  count,
                  length);
      }
    }
  }

  void copy_runs(const std::byte* from, std::byte* to, int64_t count, int64_t length) const {
    const int64_t row = rows_.length();
    switch (length) {  // those of one element are single moves
      case 1:
        return copy_runs_of<1>(from, to, count);
      case 2:
        return copy_runs_of<2>(from, to, count);
      case 4:
        return copy_runs_of<4>(from, to, count);
      case 8:
        return copy_runs_of<8>(from, to, count);
      default:
        for (int64_t i = 0; i < count; ++i)
          std::memcpy(to + i * row, from + i * length, static_cast<size_t>(length));
    }
  }

  template <size_t length>
  void copy_runs_of(const std::byte* from, std::byte* to, int64_t count) const {
    const int64_t row = rows_.length();
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(to + i * row, from + i * static_cast<int64_t>(length), length);
  }

  /// Of more than kernels count on caches for, in runs of lines that few others are among: those
  /// that two runs meet in are stored in the usual way, and the machine is slow to mix both.
  [[nodiscard]] bool goes_past_caches() const {
    constexpr int64_t kLong = 640;  // bytes
    if (outer_ * rows_.length() < 8 * core_cache_bytes()) return false;
    for (size_t i = 0; i < rows_.num_operands(); ++i)
      if (rows_.length_of_run(i) > 0 && rows_.length_of_run(i) < kLong) return false;
    return true;
  }

  int64_t outer_ = 1;
  Rows rows_;  // in bytes, one for each position before the axis
};

}  // namespace

std::unique_ptr<HostCall> make_native_concat(const LibraryOp& op) {
  if (op.op != ir::OpKind::concat || op.result.numel() == 0) return nullptr;
  return std::make_unique<NativeConcat>(op);
}

}  // namespace wick::runtime
