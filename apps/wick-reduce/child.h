#pragma once

// A process for one candidate, with what it prints.

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace wick::reduce {

/// How a process ended.
struct ChildResult {
  int exit_code = 0;  // -1 when it did not exit by itself
  int signal = 0;     // that ended it; 0: none
  bool timed_out = false;
  std::string output;  // standard output and error, as they came

  [[nodiscard]] bool failed() const { return exit_code != 0; }
};

/// What it printed, and `exit code 1`, `signal 11 (Segmentation fault)` or `timed out` behind it.
std::string describe(const ChildResult& result);

/// Runs a function in a forked process: no program is started and nothing is loaded anew. The
/// function may itself exec. The parent has one thread only. Kills the process, and those it has
/// started, when it goes.
class Child {
 public:
  Child(const std::function<int()>& body, std::chrono::milliseconds timeout);
  Child(Child&& other) noexcept;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  /// Where its output can be read; -1 when it has ended.
  [[nodiscard]] int output() const { return output_; }

  [[nodiscard]] bool has_ended() const { return pid_ < 0; }

  /// Takes what it has printed, without waiting; notices its end, and ends it past its time.
  void poll();

  [[nodiscard]] const ChildResult& result() const { return result_; }

 private:
  void take_output();
  void finish(int status);
  void kill_all() const;

  pid_t pid_ = -1;
  int output_ = -1;
  std::chrono::steady_clock::time_point deadline_;
  ChildResult result_;
};

/// Runs the program of `arguments`, found through PATH, in this process. Gives 127 when it cannot.
int exec_program(const std::vector<std::string>& arguments);

}  // namespace wick::reduce
