// A plug-in that serves all tensor memory of a program from a heap of its own and tells, when the
// program ends, who held how much of it.

#include "wick/runtime/memory_manager.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>

#include "best_fit_heap.h"
#include "ledger.h"
#include "report.h"

#include "wick/passes/plugin.h"

namespace {

class ReportingMemoryManager final : public wick::runtime::MemoryManager {
 public:
  void* allocate(size_t bytes, const wick::runtime::AllocationTag& tag) override {
    const std::lock_guard lock(mutex_);
    void* const block = heap_.allocate(bytes);
    ledger_.add(block, bytes, tag);
    note();
    return block;
  }

  void free(void* block) noexcept override {
    if (block == nullptr) return;
    const std::lock_guard lock(mutex_);
    ledger_.remove(block);
    heap_.free(block);
    note();
  }

  [[nodiscard]] wick::runtime::MemoryStats stats() const override {
    const std::lock_guard lock(mutex_);
    return {.bytes_in_use = ledger_.in_use(),
            .peak_bytes_in_use = ledger_.peak().sample.in_use,
            .bytes_reserved = static_cast<int64_t>(heap_.reserved()),
            .allocations = ledger_.allocations(),
            .system_allocations = static_cast<int64_t>(heap_.num_slabs())};
  }

  void release_cached() noexcept override {
    const std::lock_guard lock(mutex_);
    heap_.release_unused_slabs();
    note();
  }

  void report(const std::string& path) const {
    const std::lock_guard lock(mutex_);
    write_text_report(path + ".txt", ledger_);
    write_html_report(path + ".html", ledger_);
  }

 private:
  void note() {
    const auto free = static_cast<double>(heap_.free_bytes());
    const auto largest = static_cast<double>(heap_.largest_free());
    ledger_.note(static_cast<int64_t>(heap_.reserved()), free > 0 ? 1 - largest / free : 0);
  }

  mutable std::mutex mutex_;
  BestFitHeap heap_;
  Ledger ledger_;
};

/// Never destroyed: buffers in static storage go back to it while the process ends.
std::shared_ptr<ReportingMemoryManager>& manager() {
  static auto& instance =
      *new std::shared_ptr<ReportingMemoryManager>(std::make_shared<ReportingMemoryManager>());
  return instance;
}

void report_at_exit() {
  const char* const path = std::getenv("MEMORY_REPORT");
  const std::string base = path == nullptr ? "memory-report" : path;
  try {
    manager()->report(base);
    std::fprintf(stderr, "memory report: %s.txt, %s.html\n", base.c_str(), base.c_str());
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "memory report: %s\n", failure.what());
  }
}

}  // namespace

WICK_PLUGIN("memory-manager", "1.0") {
  wick::runtime::set_memory_manager(manager());
  std::atexit(report_at_exit);
}
