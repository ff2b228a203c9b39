#pragma once

// Moving bytes as fast as this machine can: the floor of what is bound by memory.

#include <cstddef>
#include <vector>

namespace wick::bench {

/// Memory on huge pages, written once.
class StreamBuffer {
 public:
  explicit StreamBuffer(size_t bytes);
  StreamBuffer(const StreamBuffer&) = delete;
  StreamBuffer& operator=(const StreamBuffer&) = delete;
  ~StreamBuffer();

  [[nodiscard]] float* data() const { return data_; }

  /// What holds the bytes asked for, in floats; a multiple of what a loop takes at a time.
  [[nodiscard]] size_t size() const { return size_; }

 private:
  size_t size_;
  float* data_;
};

/// Milliseconds of copying `from` to `to`, of equal size, on all threads: the better of stores that
/// go through the caches and stores that go past them.
double time_copy(const StreamBuffer& from, StreamBuffer& to);

/// Milliseconds of summing the buffer on all threads.
double time_read(const StreamBuffer& from);

}  // namespace wick::bench
