#pragma once

// Streams and events.
//
// A device has one compute stream (gpu.h), and all its work goes there: kernels, library calls,
// copies. Streams take work from any number of threads, in the order of their calls. So whatever a
// thread enqueues after it got a block of memory runs after all that was enqueued before the block
// was freed, and memory needs no events to be used again. Work on any other stream has to be
// fenced by events on both sides: the other stream waits for the compute stream before it
// starts, and the compute stream for it before what it used is freed.

#include <string_view>

#include "wick/runtime/cuda/device.h"

namespace wick::runtime::cuda {

class Event;

/// A queue of work on a device, independent of the default stream.
class Stream {
 public:
  explicit Stream(const Device& device);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();

  [[nodiscard]] const Device& device() const { return device_; }

  [[nodiscard]] CUstream handle() const { return handle_; }

  /// Blocks until all enqueued work is done. Throws what went wrong in it, as Device::call does.
  void synchronize(std::string_view doing = "waiting for the device") const;
  /// What is enqueued from now on waits for the event, on the device: the thread goes on.
  void wait_for(const Event& event) const;

 private:
  const Device& device_;
  CUstream handle_ = nullptr;
};

enum class EventKind : uint8_t { order, timing };

/// A point in a stream's work.
class Event {
 public:
  explicit Event(const Device& device, EventKind kind = EventKind::order);
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event();

  [[nodiscard]] CUevent handle() const { return handle_; }

  /// Moves the event to the end of what is enqueued now.
  void record(const Stream& stream) const;
  /// Blocks until the point is reached; at once where nothing was ever recorded.
  void synchronize(std::string_view doing = "waiting for the device") const;
  [[nodiscard]] bool is_reached() const;
  /// Milliseconds on the device's clock since `earlier`; both of kind timing, and reached.
  [[nodiscard]] float milliseconds_since(const Event& earlier) const;

 private:
  const Device& device_;
  CUevent handle_ = nullptr;
};

}  // namespace wick::runtime::cuda
