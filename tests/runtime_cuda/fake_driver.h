#pragma once

// A CUDA driver for tests without a GPU: it records calls, fails on demand, and keeps the order
// that streams promise and no other. Device memory is memory of the host that can be touched by
// what works on streams alone. That is put off until somebody waits for it, so that a missing wait
// gives wrong data here too.

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "runtime_cuda/device_pages.h"

#include "wick/runtime/cuda/driver.h"

namespace wick::runtime::cuda {

/// Runs kernels for a fake driver, which knows their names alone.
class FakeMachine {
 public:
  FakeMachine() = default;
  FakeMachine(const FakeMachine&) = delete;
  FakeMachine& operator=(const FakeMachine&) = delete;
  virtual ~FakeMachine() = default;

  virtual void load(CUmodule module, const void* image) = 0;
  /// What the launch will do when its turn comes; the arguments are there during this call alone.
  virtual std::function<void()> launch(CUmodule module,
                                       const std::string& kernel,
                                       std::array<unsigned, 3> grid,
                                       std::array<unsigned, 3> block,
                                       void* const* arguments) = 0;
};

/// One at a time: the functions of a driver have no argument that could tell two apart.
class FakeDriver {
 public:
  FakeDriver();
  FakeDriver(const FakeDriver&) = delete;
  FakeDriver& operator=(const FakeDriver&) = delete;
  ~FakeDriver();

  [[nodiscard]] const DriverApi& api() const { return api_; }

  /// What was called since the last time, a line a call: "cuMemcpyHtoDAsync mem1 <- pinned1, 64
  /// bytes, stream1". Objects are numbered as they are made. Not told: questions, and which
  /// context is current.
  std::vector<std::string> take_calls();

  /// The call of `function` after the next `skip` ones gives `result`, without doing anything.
  void fail_once(const std::string& function, CUresult result, int skip = 0);
  /// A launch of `kernel` breaks the device when it runs.
  void fault_in(const std::string& kernel, CUresult result);
  /// Called when a launch of `kernel` runs.
  void on_launch(const std::string& kernel, std::function<void()> body);

  /// Which outlives it runs the launches that have no body of their own.
  void set_machine(FakeMachine& machine) { machine_ = &machine; }

  /// Whether calls are kept for take_calls().
  void keep_calls(bool keep) { keeps_calls_ = keep; }

  /// Work is done as soon as it is enqueued, as on a device that is faster than the host.
  void work_at_once() { works_at_once_ = true; }

  void set_memory_bytes(size_t bytes) { memory_bytes_ = bytes; }

  [[nodiscard]] size_t bytes_allocated() const { return bytes_allocated_; }

  /// Calls `body`, which may touch device memory as work does.
  void on_device(const std::function<void()>& body);

  /// What is not released: "stream1 pinned2"; "" where all is.
  [[nodiscard]] std::string live_objects() const;

  /// For fakes of libraries that work on streams.
  void enqueue(CUstream stream, std::function<void()> work);
  void record(std::string line);
  /// "mem1+256" of an address in device or pinned memory; "host" of others.
  [[nodiscard]] std::string name_of(const void* address) const;
  [[nodiscard]] std::string name_of_object(const void* object) const;

 private:
  struct FakeStream {
    std::deque<std::function<void()>> pending;
    int64_t enqueued = 0;
    int64_t done = 0;
    bool captures = false;
    std::vector<std::function<void()>> captured;
  };

  struct FakeEvent {
    CUstream stream = nullptr;
    int64_t position = 0;
  };

  enum class MemoryKind : uint8_t { device, pinned };

  struct Memory {
    MemoryKind kind;
    std::string name;
    size_t bytes;
    DevicePages pages;
  };

  struct Function {
    CUmodule module = nullptr;
    std::string name;
  };

  struct Failure {
    CUresult result;
    int skip;
  };

  using Work = std::vector<std::function<void()>>;

  CUresult act(const char* function,
               const std::string& details,
               const std::function<CUresult()>& body);
  CUresult answer(const char* function, const std::function<CUresult()>& body);
  CUresult outcome(const char* function, const std::function<CUresult()>& body);
  [[nodiscard]] bool is_capturing() const;
  void run_until(CUstream stream, int64_t position);
  void open_memory();
  void close_memory();
  void run_all();

  template <typename Handle>
  Handle make_object(const char* kind);
  CUresult allocate(MemoryKind kind, size_t bytes, void** address);
  CUresult release(const void* address);

  void fill_devices();
  void fill_memory();
  void fill_streams();
  void fill_events();
  void fill_kernels();
  void fill_graphs();

  DriverApi api_;
  mutable std::recursive_mutex mutex_;
  std::vector<std::string> calls_;
  std::multimap<std::string, Failure> failures_;
  std::map<std::string, CUresult> faults_;
  std::map<std::string, std::function<void()>> kernels_;
  CUresult lost_ = CUDA_SUCCESS;
  FakeMachine* machine_ = nullptr;
  bool keeps_calls_ = true;
  bool works_at_once_ = false;
  size_t memory_bytes_ = size_t{1} << 30U;
  size_t bytes_allocated_ = 0;
  int works_under_way_ = 0;             // one may wait for others
  std::map<std::string, int> numbers_;  // given to objects of a kind
  uintptr_t last_handle_ = 0;
  std::map<const void*, std::string> objects_;
  std::map<const std::byte*, Memory> memory_;
  std::map<CUstream, FakeStream> streams_;
  std::map<CUevent, FakeEvent> events_;
  std::map<CUfunction, Function> functions_;
  std::map<CUgraph, Work> graphs_;
  std::map<CUgraphExec, Work> executables_;
};

}  // namespace wick::runtime::cuda
