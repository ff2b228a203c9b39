#include "wick/runtime/launch_groups.h"

#include <algorithm>

#include "wick/runtime/launch_cut.h"

namespace wick::runtime {
namespace {

struct Access {
  PlacedBytes bytes;
  bool writes = false;
};

bool clash(const Access& a, const Access& b) {
  return (a.writes || b.writes) && overlap(a.bytes, b.bytes);
}

class GroupFinder {
 public:
  explicit GroupFinder(const Plan& plan) : plan_(plan), workspaces_(plan.steps.size()) {
    for (const ArenaItem& item : plan.tags.arena_items) {
      if (!item.is_scratch) continue;
      const Access access{.bytes = {{.offset = item.offset}, item.bytes}, .writes = true};
      for (int step = item.first_step; step <= item.last_step; ++step)
        workspaces_[static_cast<size_t>(step)].push_back(access);
    }
  }

  std::vector<int> run() {
    std::vector<int> ends(plan_.steps.size());
    for (size_t s = 0; s < plan_.steps.size();) {
      const size_t end = end_of_group(s);
      const bool is_group = is_worth_threads(work(s, end));
      for (; s < end; ++s)
        ends[s] = static_cast<int>(is_group ? end : s + 1);
    }
    return ends;
  }

 private:
  static bool is_launch(const Step& step) {
    return std::holds_alternative<KernelStep>(step.action);
  }

  [[nodiscard]] size_t end_of_group(size_t first) const {
    constexpr size_t kMost = 32;  // what is looked at grows with the square
    size_t end = first + 1;
    if (!is_launch(plan_.steps[first])) return end;
    std::vector<Access> seen = accesses_of(first);
    while (end < plan_.steps.size() && end - first < kMost && is_launch(plan_.steps[end])) {
      const std::vector<Access> more = accesses_of(end);
      const auto clashes_with_some = [&](const Access& access) {
        return std::ranges::any_of(seen, [&](const Access& other) { return clash(access, other); });
      };
      if (std::ranges::any_of(more, clashes_with_some)) break;
      seen.insert(seen.end(), more.begin(), more.end());
      ++end;
    }
    return end;
  }

  [[nodiscard]] int64_t work(size_t first, size_t end) const {
    int64_t sum = 0;
    for (size_t s = first; s < end; ++s) {
      if (const auto* launch = std::get_if<KernelStep>(&plan_.steps[s].action)) {
        sum += work_of(*launch);
      }
    }
    return sum;
  }

  [[nodiscard]] std::vector<Access> accesses_of(size_t step) const {
    std::vector<Access> accesses = workspaces_[step];
    const auto add = [&](int number, bool writes) {
      const PlanValue& value = plan_.values[static_cast<size_t>(number)];
      accesses.push_back({{value.place, value.type.num_bytes()}, writes});
    };
    for (const int value : plan_.steps[step].reads)
      add(value, false);
    for (const int value : plan_.steps[step].writes)
      add(value, true);
    return accesses;
  }

  const Plan& plan_;
  std::vector<std::vector<Access>> workspaces_;  // by step
};

}  // namespace

std::vector<int> find_launch_groups(const Plan& plan) {
  return GroupFinder(plan).run();
}

}  // namespace wick::runtime
