#include "wick/codegen/row_walk.h"

#include <algorithm>
#include <set>

#include "wick/passes/host_lanes.h"

namespace wick::codegen {

namespace {

using ir::OpKind;

/// Machine instructions and the cycles from operands to result, roughly.
struct Cost {
  int instructions = 1;
  int latency = 4;
};

Cost cost_of(const Instr& instr) {
  if (is_costly(instr)) return {.instructions = 14, .latency = 45};
  switch (instr.kind) {
    case InstrKind::constant:
      return {.instructions = 0, .latency = 0};
    case InstrKind::load:
      return {.instructions = 1, .latency = 7};
    case InstrKind::compute:
      if (instr.op == OpKind::div || instr.op == OpKind::sqrt)
        return {.instructions = 3, .latency = 15};
      return {};
    default:
      return {};
  }
}

/// What a row's end adds: the fold of a vector.
Cost cost_of_fold(const Instr& accumulate) {
  switch (accumulate.op) {
    case OpKind::argmax:
      return {.instructions = 60, .latency = 80};
    case OpKind::reduce_max:
    case OpKind::reduce_min:
      return {.instructions = 12, .latency = 25};
    default:
      return {.instructions = 9, .latency = 25};
  }
}

struct RowCost {
  int of_vector = 0;  // instructions for each vector of a row
  int of_end = 0;     // instructions for each row
  int latency = 0;    // of a row, from its first load to what waits longest
  int gathers = 0;    // accesses of each vector that do not lie along the row
  int crossed = 0;    // buffers whose rows vectors would cross side by side
};

RowCost cost_of_rows(const std::vector<DraftInstr>& instrs, int inner, int outer) {
  constexpr int kCostlyScalar = 25;  // instructions
  RowCost cost;
  std::vector<bool> varies(instrs.size());  // along the row
  std::vector<int> known_at(instrs.size());
  std::set<int> crossed;
  for (size_t i = 0; i < instrs.size(); ++i) {
    const Instr& instr = instrs[i].instr;
    const int64_t step = has_address(instr) ? coefficient(instrs[i].address, inner) : 0;
    const int64_t row_step = has_address(instr) ? coefficient(instrs[i].address, outer) : 0;
    bool is_of_row = step != 0;
    if (instr.buffer >= 0 && step != 0 && step != 1) ++cost.gathers;
    if (instr.buffer >= 0 && step != 0 && row_step != 0 && row_step != 1)
      crossed.insert(instr.buffer);
    const auto use = [&](int number) {
      if (number < 0) return;
      is_of_row = is_of_row || varies[static_cast<size_t>(number)];
      known_at[i] = std::max(known_at[i], known_at[static_cast<size_t>(number)]);
    };
    std::ranges::for_each(instr.operands, use);
    use(instr.predicate);
    use(instr.dynamic_index);
    Cost own = cost_of(instr);
    if (instr.kind == InstrKind::accumulate) {
      const Cost fold = cost_of_fold(instr);
      cost.of_vector += own.instructions;
      cost.of_end += fold.instructions;
      own.latency = fold.latency;
    } else if (is_of_row) {
      cost.of_vector += own.instructions;
    } else {
      cost.of_end += is_costly(instr) ? kCostlyScalar : own.instructions;
    }
    varies[i] = is_of_row && instr.kind != InstrKind::accumulate;
    known_at[i] += own.latency;
    cost.latency = std::max(cost.latency, known_at[i]);
  }
  cost.crossed = static_cast<int>(crossed.size());
  return cost;
}

}  // namespace

/// In order, a row takes its share of the instructions that the machine looks ahead, for as long as
/// it waits for itself, and at least what its instructions take at two a cycle. Side by side, a
/// vector of each crossed buffer takes five to nine cycles. Of 299 kernels from 8 to 64
/// elements (sums to gradients of layer norms, Zen 4) this finds the faster way but for a loss of
/// 1.1 % in the geometric mean, of 240 with AVX2 (Zen 3) of 1.5 % in the caches and 0.6 % beyond,
/// of 244 on Zen 5, whose vectors of 16 are no slower than those of 8 and which walks several rows
/// in order at once, of 1.2 % in them and of 160 of 1.4 % beyond.
bool pays_side_by_side(const std::vector<DraftInstr>& instrs,
                       int64_t length,
                       int inner,
                       int outer) {
  constexpr double kInstructionsOfGather = 24;
  constexpr int64_t kLanes = 16;
  const bool is_wide = passes::host_lanes() == kLanes;
  const bool is_zen5 = passes::host_is_zen5();
  const double window = is_zen5 ? 250 : 360;  // instructions
  const double cycles_to_transpose = is_zen5 ? 9 : is_wide ? 6 : 5.25;
  const double cycles_of_instruction = is_zen5 ? 0.2 : is_wide ? 0.4 : 0.22;
  const RowCost cost = cost_of_rows(instrs, inner, outer);
  const auto vectors = static_cast<double>((length + kLanes - 1) / kLanes);
  const double instructions =
      vectors * (cost.of_vector + kInstructionsOfGather * cost.gathers) + cost.of_end;
  const double in_order = std::max(instructions * cost.latency / window, instructions / 2);
  const double of_vectors =
      cycles_to_transpose * cost.crossed + cycles_of_instruction * cost.of_vector;
  const double side_by_side =
      (static_cast<double>(length) * of_vectors + cost.of_end) / static_cast<double>(kLanes);
  return side_by_side <= in_order;
}

}  // namespace wick::codegen
