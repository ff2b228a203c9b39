#include "wick/passes/schedule.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace wick::passes {
namespace {

struct Program {
  std::vector<ScheduleUnit> units;
  std::vector<ScheduleBuffer> buffers;
};

/// Unit i writes buffer i and reads some earlier ones.
Program random_program(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  Program program;
  for (int i = 0; i < 60; ++i) {
    ScheduleUnit unit{.place = i, .after = {}, .reads = {}, .writes = {i}};
    for (int k = i == 0 ? 0 : below(4); k > 0; --k)
      unit.reads.push_back(below(i));
    std::ranges::sort(unit.reads);
    const auto repeated = std::ranges::unique(unit.reads);
    unit.reads.erase(repeated.begin(), repeated.end());
    unit.after = unit.reads;
    program.units.push_back(unit);
    program.buffers.push_back({.bytes = 1 + below(100), .kept = below(5) == 0});
  }
  return program;
}

bool runs_each_once_and_in_time(const Program& program, const std::vector<int>& order) {
  std::vector<bool> has_run(program.units.size());
  for (const int unit : order) {
    const auto& after = program.units[static_cast<size_t>(unit)].after;
    const auto ran = [&](int before) { return has_run[static_cast<size_t>(before)]; };
    if (has_run[static_cast<size_t>(unit)] || !std::ranges::all_of(after, ran)) return false;
    has_run[static_cast<size_t>(unit)] = true;
  }
  return order.size() == program.units.size();
}

/// By counting all buffers anew after each unit.
int64_t counted_peak(const Program& program, const std::vector<int>& order) {
  int64_t peak = 0;
  std::vector<bool> has_run(program.units.size());
  for (const int unit : order) {
    has_run[static_cast<size_t>(unit)] = true;
    int64_t in_use = 0;
    for (size_t buffer = 0; buffer < program.buffers.size(); ++buffer) {
      bool is_read = false;
      bool is_read_later = false;
      for (size_t reader = 0; reader < program.units.size(); ++reader) {
        if (!std::ranges::count(program.units[reader].reads, static_cast<int>(buffer))) continue;
        is_read = true;
        is_read_later |= !has_run[reader];
      }
      const bool needed = program.buffers[buffer].kept || !is_read || is_read_later;
      if (has_run[buffer] && needed) in_use += program.buffers[buffer].bytes;
    }
    peak = std::max(peak, in_use);
  }
  return peak;
}

TEST(Schedule, RunsEveryUnitAfterWhatItReads) {
  int lower = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Program program = random_program(seed);
    const Schedule plain = program_schedule(program.units, program.buffers);
    const Schedule lean = lean_schedule(program.units, program.buffers);
    const Schedule best = best_schedule(program.units, program.buffers);
    ASSERT_TRUE(std::ranges::is_sorted(plain.order)) << seed;
    for (const Schedule* schedule : {&plain, &lean, &best}) {
      ASSERT_TRUE(runs_each_once_and_in_time(program, schedule->order)) << seed;
      ASSERT_EQ(schedule->peak_bytes, counted_peak(program, schedule->order)) << seed;
    }
    ASSERT_EQ(best.peak_bytes, std::min(plain.peak_bytes, lean.peak_bytes)) << seed;
    lower += lean.peak_bytes < plain.peak_bytes ? 1 : 0;
  }
  EXPECT_GT(lower, 150);  // of 200
}

TEST(Schedule, LeavesOutCircles) {
  // 1 and 2 wait for each other, 3 for them.
  const std::vector<ScheduleUnit> units = {{.place = 0, .after = {}, .reads = {}, .writes = {0}},
                                           {.place = 1, .after = {2}, .reads = {2}, .writes = {1}},
                                           {.place = 2, .after = {1}, .reads = {1}, .writes = {2}},
                                           {.place = 3, .after = {2}, .reads = {2}, .writes = {3}}};
  const std::vector<ScheduleBuffer> buffers(4, {.bytes = 8});
  EXPECT_EQ(best_schedule(units, buffers).order, std::vector<int>{0});
}

}  // namespace
}  // namespace wick::passes
