#pragma once

// The books on every add of the process.

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace swap_add {

class Ledger {
 public:
  /// Prints its report when the process ends.
  static Ledger& instance();

  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// A new program in which `recorded` adds were recorded; returns its number.
  int64_t open_program(int64_t recorded);
  /// Adds that simplification made were replaced too.
  void note_late(int64_t program, int64_t count);
  /// The program is compiled with this many adds of ours, and `built_in` that are not.
  void close_program(int64_t program, int64_t ours, int64_t built_in);
  /// One add of a program ran.
  void note_call(int64_t program, int64_t add, int64_t elements);

  [[nodiscard]] std::string report() const;

 private:
  Ledger() = default;
  ~Ledger();

  struct Program {
    int64_t recorded = 0;
    int64_t late = 0;
    int64_t built_in = 0;
    std::vector<int64_t> calls;  // of each add in the compiled program
  };

  mutable std::mutex mutex_;
  std::vector<Program> programs_;
  int64_t elements_ = 0;
};

}  // namespace swap_add
