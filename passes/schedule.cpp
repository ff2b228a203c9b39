#include "wick/passes/schedule.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <utility>

namespace wick::passes {

namespace {

using Units = std::vector<ScheduleUnit>;
using Buffers = std::vector<ScheduleBuffer>;

size_t at(int number) {
  return static_cast<size_t>(number);
}

class Scheduler {
 public:
  Scheduler(const Units& units, const Buffers& buffers, bool lean)
      : units_(units),
        buffers_(buffers),
        lean_(lean),
        users_(units.size()),
        waits_for_(units.size()),
        readers_(buffers.size()),
        unread_(buffers.size()),
        added_(units.size()),
        has_run_(units.size()) {
    for (size_t i = 0; i < units.size(); ++i) {
      const auto unit = static_cast<int>(i);
      for (const int before : units[i].after)
        users_[at(before)].push_back(unit);
      waits_for_[i] = units[i].after.size();
      for (const int buffer : units[i].writes)
        added_[i] += buffers[at(buffer)].bytes;
      for (const int buffer : units[i].reads)
        readers_[at(buffer)].push_back(unit);
    }
    for (size_t i = 0; i < buffers.size(); ++i) {
      unread_[i] = readers_[i].size();
      if (unread_[i] == 1) freed_by(readers_[i].front(), static_cast<int>(i));
    }
    for (size_t i = 0; i < units.size(); ++i) {
      if (waits_for_[i] == 0) offer(static_cast<int>(i));
    }
  }

  Schedule run() {
    Schedule schedule;
    int64_t in_use = 0;
    while (const auto unit = take()) {
      schedule.order.push_back(*unit);
      has_run_[at(*unit)] = true;
      // What dies here may be written over, by a kernel in place; a library call needs both, but
      // only for a moment.
      in_use += added_[at(*unit)];
      schedule.peak_bytes = std::max(schedule.peak_bytes, in_use);
      let_go(*unit);
      for (const int user : users_[at(*unit)]) {
        if (--waits_for_[at(user)] == 0) offer(user);
      }
    }
    return schedule;
  }

 private:
  /// First key first.
  using Key = std::pair<int64_t, int>;
  using Queue = std::priority_queue<Key, std::vector<Key>, std::greater<>>;

  void offer(int unit) {
    const Key place{units_[at(unit)].place, unit};
    in_program_order_.push(place);
    if (lean_ && added_[at(unit)] <= 0) lean_ones_.push({added_[at(unit)], unit});
  }

  /// Units are offered again when they would free more.
  std::optional<int> take() {
    for (Queue* queue : {&lean_ones_, &in_program_order_}) {
      while (!queue->empty()) {
        const int unit = queue->top().second;
        queue->pop();
        if (!has_run_[at(unit)]) return unit;
      }
    }
    return std::nullopt;
  }

  void freed_by(int unit, int buffer) {
    if (!buffers_[at(buffer)].kept) added_[at(unit)] -= buffers_[at(buffer)].bytes;
  }

  /// The buffers that only one more unit reads are that one's to free.
  void let_go(int unit) {
    for (const int buffer : units_[at(unit)].reads) {
      if (--unread_[at(buffer)] != 1) continue;
      const int last = *std::ranges::find_if(readers_[at(buffer)],
                                             [&](int reader) { return !has_run_[at(reader)]; });
      freed_by(last, buffer);
      if (waits_for_[at(last)] == 0) offer(last);
    }
  }

  const Units& units_;
  const Buffers& buffers_;
  bool lean_;
  std::vector<std::vector<int>> users_;
  std::vector<size_t> waits_for_;
  std::vector<std::vector<int>> readers_;  // by buffer, as is the next one
  std::vector<size_t> unread_;             // readers that have not run
  std::vector<int64_t> added_;             // bytes in use that a unit would add if it ran now
  std::vector<bool> has_run_;
  Queue lean_ones_;         // by the bytes that they add
  Queue in_program_order_;  // all
};

}  // namespace

Schedule program_schedule(const Units& units, const Buffers& buffers) {
  return Scheduler(units, buffers, /*lean=*/false).run();
}

Schedule lean_schedule(const Units& units, const Buffers& buffers) {
  return Scheduler(units, buffers, /*lean=*/true).run();
}

Schedule best_schedule(const Units& units, const Buffers& buffers) {
  Schedule program = program_schedule(units, buffers);
  Schedule lean = lean_schedule(units, buffers);
  return lean.peak_bytes < program.peak_bytes ? lean : program;
}

}  // namespace wick::passes
