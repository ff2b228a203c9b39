#include "wick/nn/data/prefetcher.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace wick::data {

/// The threads and the ring of results. Sample i goes to slot i % depth; a thread claims i only
/// when the reader has emptied that slot.
class Prefetcher::Workers {
 public:
  Workers(const PrefetchOptions& options, std::function<Sample(int64_t)> get)
      : size_(options.size),
        get_(std::move(get)),
        slots_(static_cast<size_t>(options.depth)) {
    for (int i = 0; i < options.threads; ++i) {
      threads_.emplace_back([this] { work(); });
    }
  }

  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  ~Workers() {
    {
      const std::scoped_lock lock(mutex_);
      stopped_ = true;
    }
    has_space_.notify_all();
    threads_.clear();  // joins
  }

  std::optional<Sample> next() {
    std::unique_lock lock(mutex_);
    if (read_ == size_) return std::nullopt;
    Slot& slot = slot_of(read_);
    has_result_.wait(lock, [&] { return slot.is_full; });
    const Slot result = std::exchange(slot, {});
    ++read_;
    lock.unlock();
    has_space_.notify_all();
    if (result.error) std::rethrow_exception(result.error);
    return result.sample;
  }

 private:
  struct Slot {
    bool is_full = false;
    Sample sample;
    std::exception_ptr error;
  };

  Slot& slot_of(int64_t index) { return slots_[static_cast<size_t>(index) % slots_.size()]; }

  void work() {
    while (const std::optional<int64_t> index = claim()) {
      Slot result = compute(*index);
      {
        const std::scoped_lock lock(mutex_);
        slot_of(*index) = std::move(result);
      }
      has_result_.notify_one();
    }
  }

  std::optional<int64_t> claim() {
    std::unique_lock lock(mutex_);
    const auto depth = static_cast<int64_t>(slots_.size());
    has_space_.wait(lock,
                    [&] { return stopped_ || claimed_ == size_ || claimed_ < read_ + depth; });
    if (stopped_ || claimed_ == size_) return std::nullopt;
    return claimed_++;
  }

  Slot compute(int64_t index) const {
    Slot result{.is_full = true, .sample = {}, .error = nullptr};
    try {
      result.sample = get_(index);
    } catch (...) {
      result.error = std::current_exception();
    }
    return result;
  }

  int64_t size_;
  std::function<Sample(int64_t)> get_;
  std::mutex mutex_;
  std::condition_variable has_space_;
  std::condition_variable has_result_;
  std::vector<Slot> slots_;
  int64_t claimed_ = 0;
  int64_t read_ = 0;
  bool stopped_ = false;
  std::vector<std::jthread> threads_;
};

Prefetcher::Prefetcher(const PrefetchOptions& options, std::function<Sample(int64_t)> get)
    : workers_(std::make_unique<Workers>(options, std::move(get))) {}

Prefetcher::Prefetcher(Prefetcher&&) noexcept = default;
Prefetcher& Prefetcher::operator=(Prefetcher&&) noexcept = default;
Prefetcher::~Prefetcher() = default;

std::optional<Sample> Prefetcher::next() {
  return workers_->next();
}

}  // namespace wick::data
