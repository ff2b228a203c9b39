#include "wick/codegen/sink.h"

#include <algorithm>
#include <utility>

namespace wick::codegen {

namespace {

class Sinking {
 public:
  explicit Sinking(Kernel& kernel)
      : kernel_(kernel),
        first_use_(kernel.instrs.size(), std::ssize(kernel.phases)) {}

  void run() {
    for (int p = static_cast<int>(kernel_.phases.size()) - 1; p >= 0; --p) {
      if (!phase(p).loop && !phase(p).instrs.empty()) last_straight_ = std::max(last_straight_, p);
      // Users come behind what they use, so all of them have their final phase.
      const std::vector<int> numbers = std::exchange(phase(p).instrs, {});
      for (auto at = numbers.rbegin(); at != numbers.rend(); ++at) {
        const int to = phase(p).loop ? p : target(*at, p);
        std::vector<int>& others = phase(to).instrs;
        const bool behind = to != p && instr(*at).kind == InstrKind::store;
        others.insert(behind ? others.end() : others.begin(), *at);
        use_operands(*at, to);
      }
    }
  }

 private:
  Phase& phase(int p) { return kernel_.phases[static_cast<size_t>(p)]; }

  const Instr& instr(int number) const { return kernel_.instrs[static_cast<size_t>(number)]; }

  void use_operands(int number, int64_t at) {
    const auto use = [&](int operand) {
      if (operand < 0) return;
      int64_t& first = first_use_[static_cast<size_t>(operand)];
      first = std::min(first, at);
    };
    std::ranges::for_each(instr(number).operands, use);
    use(instr(number).dynamic_index);
    use(instr(number).predicate);
  }

  /// The phase that an instruction of straight code `from` belongs into.
  int target(int number, int from) {
    if (instr(number).kind == InstrKind::store) return std::max(from, last_straight_);
    const int64_t first = first_use_[static_cast<size_t>(number)];
    if (first == std::ssize(kernel_.phases)) return from;
    auto to = static_cast<int>(first);
    while (to > from && phase(to).loop)
      --to;
    return to;
  }

  Kernel& kernel_;
  int last_straight_ = -1;          // that holds anything
  std::vector<int64_t> first_use_;  // the first phase that uses an instruction; behind all: none
};

}  // namespace

void sink_straight_code(Kernel& kernel) {
  Sinking(kernel).run();
}

}  // namespace wick::codegen
