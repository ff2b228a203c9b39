#include "wick/codegen/llvm/function_forms.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <tuple>

namespace wick::codegen::llvm_jit {

namespace {

using ir::OpKind;

bool computes(const Instr& at, OpKind op) {
  return at.kind == InstrKind::compute && at.op == op;
}

class Finder {
 public:
  explicit Finder(const Kernel& kernel)
      : kernel_(kernel),
        forms_(kernel.instrs.size()),
        users_(kernel.instrs.size()) {
    for (size_t i = 0; i < kernel.instrs.size(); ++i) {
      const Instr& at = kernel.instrs[i];
      for (const int used : at.operands)
        users_[static_cast<size_t>(used)].push_back(static_cast<int>(i));
      for (const int used : {at.predicate, at.dynamic_index}) {
        if (used >= 0) users_[static_cast<size_t>(used)].push_back(static_cast<int>(i));
      }
    }
  }

  std::vector<FunctionForm> find() {
    for (size_t i = 0; i < forms_.size(); ++i) {
      const Instr& at = kernel_.instrs[i];
      if (computes(at, OpKind::exp) && is_never_positive(at.operands[0])) {
        forms_[i] = FunctionForm::never_positive;
      } else if (computes(at, OpKind::tanh) && at.dtype == DType::f32) {
        raise(static_cast<int>(i));
      }
    }
    return std::move(forms_);
  }

 private:
  [[nodiscard]] const Instr& instr(int number) const {
    return kernel_.instrs[static_cast<size_t>(number)];
  }

  [[nodiscard]] bool is_one(int number) const {
    const Instr& at = instr(number);
    return at.kind == InstrKind::constant && at.value.is_splat(1);
  }

  /// x + 1 or 1 + x.
  [[nodiscard]] bool adds_one(int number) const {
    const Instr& at = instr(number);
    return computes(at, OpKind::add) &&
           std::ranges::any_of(at.operands, [&](int used) { return is_one(used); });
  }

  [[nodiscard]] bool is_square(int number) const {
    const Instr& at = instr(number);
    return computes(at, OpKind::mul) && at.operands[0] == at.operands[1];
  }

  /// x of 1 - x.
  [[nodiscard]] bool is_taken_from_one(int user, int number) const {
    const Instr& at = instr(user);
    return computes(at, OpKind::sub) && is_one(at.operands[0]) && at.operands[1] == number;
  }

  void raise(int tanh) {
    const std::vector<int>& users = users_[static_cast<size_t>(tanh)];
    const auto squares_only = [&](int user) {
      return is_square(user) &&
             std::ranges::all_of(users_[static_cast<size_t>(user)],
                                 [&](int last) { return is_taken_from_one(last, user); });
    };
    if (std::ranges::none_of(users, [&](int user) { return adds_one(user); })) return;
    if (!std::ranges::all_of(users,
                             [&](int user) { return adds_one(user) || squares_only(user); })) {
      return;
    }
    forms_[static_cast<size_t>(tanh)] = FunctionForm::one_plus;
    for (const int user : users) {
      if (!is_square(user)) {
        forms_[static_cast<size_t>(user)] = FunctionForm::operand;
        continue;
      }
      forms_[static_cast<size_t>(user)] = FunctionForm::one_minus_square;
      for (const int last : users_[static_cast<size_t>(user)])
        forms_[static_cast<size_t>(last)] = FunctionForm::operand;
    }
  }

  /// Numbers less their greatest, as in softmax, and negated squares and powers.
  bool is_never_positive(int number) {
    const Instr& at = instr(number);
    if (computes(at, OpKind::neg)) {
      return is_square(at.operands[0]) || computes(instr(at.operands[0]), OpKind::exp) ||
             computes(instr(at.operands[0]), OpKind::abs);
    }
    if (!computes(at, OpKind::sub) || kernel_.blocking) return false;
    const Instr& greatest = instr(at.operands[1]);
    return greatest.kind == InstrKind::accumulate && greatest.op == OpKind::reduce_max &&
           value_of(greatest.operands[0]) == value_of(at.operands[0]);
  }

  /// Equal numbers for what has equal values at one position: loops load and compute again.
  int value_of(int number) {
    if (values_.empty()) number_values();
    return values_[static_cast<size_t>(number)];
  }

  void number_values() {
    using Key = std::tuple<InstrKind, OpKind, DType, std::vector<int>, std::string>;
    std::map<Key, int> known;
    values_.resize(kernel_.instrs.size());
    std::iota(values_.begin(), values_.end(), 0);
    std::vector<int> before;
    for (const Phase& phase : kernel_.phases) {
      for (const int number : phase.instrs) {
        const Instr& at = instr(number);
        int& value = values_[static_cast<size_t>(number)];
        if (at.kind == InstrKind::load) value = value_of_load(number, before);
        if (at.kind == InstrKind::constant || at.kind == InstrKind::compute ||
            at.kind == InstrKind::cast || at.kind == InstrKind::bitcast) {
          std::vector<int> operands;
          for (const int used : at.operands)
            operands.push_back(values_[static_cast<size_t>(used)]);
          const std::span<const std::byte> bytes = at.value.bytes();
          const std::string literal(reinterpret_cast<const char*>(bytes.data()), bytes.size());
          value = known.try_emplace({at.kind, at.op, at.dtype, operands, literal}, number)
                      .first->second;
        }
        before.push_back(number);
      }
    }
  }

  /// The first load of the same element, or what a loop left in memory of the kernel's own.
  [[nodiscard]] int value_of_load(int number, const std::vector<int>& before) const {
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
    if (!is_own) return values_[static_cast<size_t>(*source)];
    const bool is_only_store = std::ranges::count_if(kernel_.instrs, [&](const Instr& other) {
                                 return other.kind == InstrKind::store && other.buffer == at.buffer;
                               }) == 1;
    return is_only_store ? values_[static_cast<size_t>(instr(*source).operands[0])] : number;
  }

  const Kernel& kernel_;
  std::vector<FunctionForm> forms_;
  std::vector<std::vector<int>> users_;
  std::vector<int> values_;
};

}  // namespace

std::vector<FunctionForm> find_function_forms(const Kernel& kernel) {
  return Finder(kernel).find();
}

}  // namespace wick::codegen::llvm_jit
