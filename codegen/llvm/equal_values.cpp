#include "wick/codegen/llvm/equal_values.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <tuple>

namespace wick::codegen::llvm_jit {

EqualValues::EqualValues(const Kernel& kernel) : kernel_(kernel), values_(kernel.instrs.size()) {
  using Key = std::tuple<InstrKind, ir::OpKind, DType, std::vector<int>, std::string>;
  std::map<Key, int> known;
  std::iota(values_.begin(), values_.end(), 0);
  std::vector<int> before;
  for (const Phase& phase : kernel.phases) {
    for (const int number : phase.instrs) {
      const Instr& at = instr(number);
      int& value = values_[static_cast<size_t>(number)];
      if (at.kind == InstrKind::load) value = value_of_load(number, before);
      if (at.kind == InstrKind::index) value = value_of_index(number, before);
      if (at.kind == InstrKind::constant || at.kind == InstrKind::compute ||
          at.kind == InstrKind::cast || at.kind == InstrKind::bitcast) {
        std::vector<int> operands;
        for (const int used : at.operands)
          operands.push_back(of(used));
        const std::span<const std::byte> bytes = at.value.bytes();
        const std::string literal(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        value =
            known.try_emplace({at.kind, at.op, at.dtype, operands, literal}, number).first->second;
      }
      before.push_back(number);
    }
  }
}

int EqualValues::value_of_index(int number, const std::vector<int>& before) const {
  const auto same = std::ranges::find_if(before, [&](int earlier) {
    return instr(earlier).kind == InstrKind::index &&
           instr(earlier).address == instr(number).address;
  });
  return same == before.end() ? number : *same;
}

/// The first load of the same element, or what a loop left in memory of the kernel's own.
int EqualValues::value_of_load(int number, const std::vector<int>& before) const {
  const Instr& at = instr(number);
  const BufferArg& buffer = kernel_.buffers[static_cast<size_t>(at.buffer)];
  const bool is_own = buffer.own_elements > 0;
  if (at.predicate >= 0 || at.dynamic_index >= 0) return number;
  if (!is_own && (buffer.written || !buffer.no_alias)) return number;
  const auto is_source = [&](int earlier) {
    const Instr& other = instr(earlier);
    return other.kind == (is_own ? InstrKind::store : InstrKind::load) &&
           other.buffer == at.buffer && other.address == at.address && other.predicate < 0 &&
           other.dynamic_index < 0;
  };
  const auto source = std::ranges::find_if(before, is_source);
  if (source == before.end()) return number;
  if (!is_own) return of(*source);
  const bool is_only_store = std::ranges::count_if(kernel_.instrs, [&](const Instr& other) {
                               return other.kind == InstrKind::store && other.buffer == at.buffer;
                             }) == 1;
  return is_only_store ? of(instr(*source).operands[0]) : number;
}

}  // namespace wick::codegen::llvm_jit
