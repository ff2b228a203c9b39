#include "wick/ir/profile.h"

#include <chrono>

namespace wick::profile {

namespace detail {
std::atomic<Sink*> sink{nullptr};
}

void set_sink(Sink* sink) {
  detail::sink.store(sink, std::memory_order_release);
}

void add(Event event) noexcept {
  if (Sink* const sink = detail::sink.load(std::memory_order_acquire)) sink->add(std::move(event));
}

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void Slice::begin(const char* category, std::string_view name) {
  begin(category, std::make_shared<Label>(Label{.name = std::string(name)}));
}

void Slice::begin(const char* category, std::shared_ptr<const Label> label) {
  event_ = std::make_unique<Event>();
  event_->category = category;
  event_->label = std::move(label);
  event_->start = now();
}

void Slice::end() noexcept {
  event_->duration = now() - event_->start;
  add(std::move(*event_));
}

}  // namespace wick::profile
