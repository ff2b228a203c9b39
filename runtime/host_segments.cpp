// Segments of the host's memory: mapped at 2 MiB boundaries, on huge pages where there are any.

#include <cstdint>

#include <fmt/format.h>
#include <sys/mman.h>

#include "wick/runtime/segment_source.h"

namespace wick::runtime {
namespace {

constexpr size_t kHugePage = size_t{2} << 20U;
constexpr size_t kPage = 4096;

/// Lanes that masked loads leave out may lie before or behind a segment. Where no memory is, a load
/// takes some hundred cycles; a page that was read is there, and is the one of zeros.
void make_readable(const std::byte* page) {
  static_cast<void>(*static_cast<const volatile std::byte*>(page));
}

class HostSegments final : public SegmentSource {
 public:
  std::byte* map(size_t bytes) override {
    const size_t padded = bytes + kHugePage + 2 * kPage;
    void* mapping =
        mmap(nullptr, padded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) return nullptr;
    auto* const begin = static_cast<std::byte*>(mapping);
    const size_t beyond = (reinterpret_cast<uintptr_t>(begin) + kPage) % kHugePage;
    const size_t head = beyond == 0 ? 0 : kHugePage - beyond;
    std::byte* const base = begin + head + kPage;
    if (head > 0) munmap(begin, head);
    munmap(base + bytes + kPage, kHugePage - head);
    madvise(base, bytes, MADV_HUGEPAGE);  // a hint: without huge pages it only runs slower
    make_readable(base - kPage);
    make_readable(base + bytes);
    return base;
  }

  void unmap(std::byte* base, size_t bytes) noexcept override {
    munmap(base - kPage, bytes + 2 * kPage);
  }

  void fail(size_t bytes, const MemoryStats& stats) override {
    constexpr auto kText = "out of memory: {:.1f} MiB asked for; {:.1f} MiB in use by this program";
    constexpr double kMebibyte = 1U << 20U;
    throw OutOfMemory(fmt::format(kText,
                                  static_cast<double>(bytes) / kMebibyte,
                                  static_cast<double>(stats.bytes_in_use) / kMebibyte));
  }

  size_t alignment() const override { return 64; }
};

}  // namespace

std::shared_ptr<MemoryManager> make_caching_memory_manager() {
  return make_caching_memory_manager(std::make_unique<HostSegments>());
}

}  // namespace wick::runtime
