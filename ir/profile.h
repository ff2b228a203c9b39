#pragma once

// What the compiler and the runtime do, and when: the events of a profile. Every layer reports
// through this header; runtime/profiler.h collects and writes them.

#include <atomic>
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace wick::profile {

/// A number or text shown with an event. `name` is a literal.
struct Arg {
  std::string_view name;
  std::variant<bool, int64_t, double, std::string> value;
};

/// What all events of one place have in common, made once: a plan's step keeps its label.
struct Label {
  std::string name = {};
  std::vector<Arg> args = {};
  int64_t bytes = 0;  // moved: shown as a rate too
  double flops = 0;
};

struct Event {
  enum class Kind : uint8_t {
    slice,      // something that took time on this thread
    recording,  // the program between two materializations; shown on a row of its own
    counter,    // a value that holds from `start` on: the only argument
  };
  Kind kind = Kind::slice;
  const char* category = "";                // a literal
  std::shared_ptr<const Label> label = {};  // shared by the events of one place
  std::vector<Arg> args = {};               // of this event alone
  int64_t start = 0;                        // now()
  int64_t duration = 0;                     // nanoseconds
};

/// Takes events from any thread.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  virtual void add(Event event) noexcept = 0;
};

namespace detail {
extern std::atomic<Sink*> sink;
}

/// Whether anybody listens: one load, all that profiling costs while it is off.
inline bool is_on() {
  return detail::sink.load(std::memory_order_relaxed) != nullptr;
}

/// Where events go; null turns profiling off. A sink that was installed once is called until the
/// end of the process.
void set_sink(Sink* sink);

/// Drops the event when nobody listens any more.
void add(Event event) noexcept;

/// Nanoseconds of the steady clock.
int64_t now();

/// An event that lasts from here to the end of the scope. Does nothing while profiling is off.
class Slice {
 public:
  Slice(const char* category, std::string_view name) {
    if (profile::is_on()) [[unlikely]]
      begin(category, name);
  }

  /// Does nothing when `label` is null.
  Slice(const char* category, const std::shared_ptr<const Label>& label) {
    if (label != nullptr) [[unlikely]]
      begin(category, label);
  }

  Slice(const Slice&) = delete;
  Slice& operator=(const Slice&) = delete;

  ~Slice() {
    if (event_ != nullptr) [[unlikely]]
      end();
  }

  [[nodiscard]] bool is_on() const { return event_ != nullptr; }

  /// Null while profiling is off.
  [[nodiscard]] std::shared_ptr<const Label> label() const {
    return event_ == nullptr ? nullptr : event_->label;
  }

  /// `name` is a literal.
  template <typename T>
  void arg(std::string_view name, const T& value) {
    if (event_ == nullptr) return;
    if constexpr (std::same_as<T, bool>) {
      event_->args.push_back({name, value});
    } else if constexpr (std::integral<T>) {
      event_->args.push_back({name, static_cast<int64_t>(value)});
    } else if constexpr (std::floating_point<T>) {
      event_->args.push_back({name, static_cast<double>(value)});
    } else {
      event_->args.push_back({name, std::string(value)});
    }
  }

  /// Leaves no trace after all.
  void drop() { event_.reset(); }

 private:
  void begin(const char* category, std::string_view name);
  void begin(const char* category, std::shared_ptr<const Label> label);
  void end() noexcept;

  std::unique_ptr<Event> event_;
};

}  // namespace wick::profile
