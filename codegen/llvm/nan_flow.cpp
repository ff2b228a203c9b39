#include "wick/codegen/llvm/nan_flow.h"

#include <algorithm>
#include <iterator>

namespace wick::codegen::llvm_jit {

namespace {

using ir::OpKind;

/// A value is NaN where the number at its position is, or where any of its row is.
enum class Told : uint8_t { nothing, here, in_row };

/// Ops that give NaN whichever operand is.
bool passes_nan_on(const Instr& at) {
  constexpr OpKind kOps[] = {OpKind::add,
                             OpKind::sub,
                             OpKind::mul,
                             OpKind::div,
                             OpKind::neg,
                             OpKind::abs,
                             OpKind::exp,
                             OpKind::log,
                             OpKind::sqrt,
                             OpKind::tanh,
                             OpKind::sigmoid,
                             OpKind::maximum,
                             OpKind::minimum};
  if (!is_float(at.dtype)) return false;
  return at.kind == InstrKind::cast ||
         (at.kind == InstrKind::compute && std::ranges::find(kOps, at.op) != std::end(kOps));
}

class NanFlow {
 public:
  NanFlow(const Kernel& kernel, const EqualValues& values, int greatest)
      : kernel_(kernel),
        values_(values),
        greatest_(greatest),
        numbers_(values.of(instr(greatest).operands[0])),
        told_(kernel.instrs.size(), Told::nothing),
        depends_(kernel.instrs.size()) {}

  bool reaches_all_results() {
    for (const Phase& phase : kernel_.phases) {
      for (const int number : phase.instrs) {
        follow(number);
        if (is_untold_result(number)) return false;
      }
    }
    return true;
  }

 private:
  [[nodiscard]] const Instr& instr(int number) const {
    return kernel_.instrs[static_cast<size_t>(number)];
  }

  Told& told(int number) { return told_[static_cast<size_t>(number)]; }

  [[nodiscard]] bool depends(int number) const {
    return number >= 0 && depends_[static_cast<size_t>(number)];
  }

  [[nodiscard]] bool is_own(int buffer) const {
    return kernel_.buffers[static_cast<size_t>(buffer)].own_elements > 0;
  }

  void follow(int number) {
    const Instr& at = instr(number);
    const int first = values_.of(number);
    const bool chosen_by_it = depends(at.predicate) || depends(at.dynamic_index);
    if (first != number) {
      told(number) = told(first);
      depends_[static_cast<size_t>(number)] = depends(first) || chosen_by_it;
      return;
    }
    const auto by_operand = [&](int used) { return depends(used); };
    depends_[static_cast<size_t>(number)] = number == greatest_ || chosen_by_it ||
                                            std::ranges::any_of(at.operands, by_operand) ||
                                            (at.kind == InstrKind::load && is_own(at.buffer));
    if (number == greatest_) return;
    if (number == numbers_) told(number) = Told::here;
    const bool sums = at.kind == InstrKind::accumulate &&
                      (at.op == OpKind::reduce_sum || at.op == OpKind::reduce_prod);
    if (!sums && !passes_nan_on(at)) return;
    for (const int used : at.operands) {
      // A sum of floats alone: that of what NaN was cast to tells nothing.
      if (!is_float(instr(used).dtype)) continue;
      const Told by = sums && told(used) == Told::here ? Told::in_row : told(used);
      told(number) = std::max(told(number), by);
    }
  }

  bool is_untold_result(int number) {
    const Instr& at = instr(number);
    if (at.kind != InstrKind::store) return false;
    if (depends(at.predicate) || depends(at.dynamic_index)) return true;
    const int stored = at.operands[0];
    return !is_own(at.buffer) && depends(stored) && told(stored) != Told::in_row;
  }

  const Kernel& kernel_;
  const EqualValues& values_;
  int greatest_;
  int numbers_;  // of which it is
  std::vector<Told> told_;
  std::vector<bool> depends_;  // on the greatest
};

}  // namespace

bool tells_nan_otherwise(const Kernel& kernel, const EqualValues& values, int greatest) {
  return NanFlow(kernel, values, greatest).reaches_all_results();
}

}  // namespace wick::codegen::llvm_jit
