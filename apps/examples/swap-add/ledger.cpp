#include "ledger.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <sstream>

namespace swap_add {

Ledger& Ledger::instance() {
  static Ledger ledger;
  return ledger;
}

Ledger::~Ledger() {
  std::fputs(report().c_str(), stderr);
}

int64_t Ledger::open_program(int64_t recorded) {
  const std::lock_guard lock(mutex_);
  programs_.push_back({.recorded = recorded, .calls = {}});
  return static_cast<int64_t>(programs_.size()) - 1;
}

void Ledger::note_late(int64_t program, int64_t count) {
  const std::lock_guard lock(mutex_);
  programs_.at(static_cast<size_t>(program)).late += count;
}

void Ledger::close_program(int64_t program, int64_t ours, int64_t built_in) {
  const std::lock_guard lock(mutex_);
  Program& entry = programs_.at(static_cast<size_t>(program));
  entry.calls.assign(static_cast<size_t>(ours), 0);
  entry.built_in = built_in;
}

void Ledger::note_call(int64_t program, int64_t add, int64_t elements) {
  const std::lock_guard lock(mutex_);
  ++programs_.at(static_cast<size_t>(program)).calls.at(static_cast<size_t>(add));
  elements_ += elements;
}

std::string Ledger::report() const {
  const std::lock_guard lock(mutex_);
  int64_t recorded = 0;
  int64_t late = 0;
  int64_t built_in = 0;
  int64_t compiled = 0;
  int64_t calls = 0;
  int64_t uneven = 0;
  for (const Program& program : programs_) {
    recorded += program.recorded;
    late += program.late;
    built_in += program.built_in;
    compiled += static_cast<int64_t>(program.calls.size());
    calls += std::accumulate(program.calls.begin(), program.calls.end(), int64_t{0});
    // A run of a program runs each of its adds once.
    uneven +=
        std::ranges::adjacent_find(program.calls, std::not_equal_to<>()) == program.calls.end() ? 0
                                                                                                : 1;
  }
  std::ostringstream text;
  text << "swap-add: programs " << programs_.size() << '\n'
       << "swap-add: adds recorded " << recorded << ", made by simplification " << late << '\n'
       << "swap-add: adds compiled " << compiled << ", built-in adds left " << built_in << '\n'
       << "swap-add: adds run " << calls << ", elements " << elements_
       << ", programs whose adds ran unevenly " << uneven << '\n';
  return text.str();
}

}  // namespace swap_add
