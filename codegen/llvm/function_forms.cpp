#include "wick/codegen/llvm/function_forms.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "wick/codegen/llvm/equal_values.h"
#include "wick/codegen/llvm/nan_flow.h"

namespace wick::codegen::llvm_jit {

namespace {

using ir::OpKind;

bool computes(const Instr& at, OpKind op) {
  return at.kind == InstrKind::compute && at.op == op;
}

class Finder {
 public:
  Finder(const Kernel& kernel, bool divides)
      : kernel_(kernel),
        divides_(divides),
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

  std::vector<InstrForm> find() {
    for (size_t i = 0; i < forms_.size(); ++i) {
      const Instr& at = kernel_.instrs[i];
      if (computes(at, OpKind::exp) && is_never_positive(at.operands[0])) {
        forms_[i].form = FunctionForm::never_positive;
      } else if (computes(at, OpKind::tanh) && at.dtype == DType::f32) {
        raise(static_cast<int>(i));
      } else if (computes(at, OpKind::mul) && at.dtype == DType::f32 && divides_) {
        gate(static_cast<int>(i));
      } else if (at.kind == InstrKind::cast && at.dtype == DType::f32) {
        narrow(static_cast<int>(i));
      } else if (at.kind == InstrKind::accumulate) {
        forms_[i].form = form_of_reduction(static_cast<int>(i));
      }
    }
    return std::move(forms_);
  }

 private:
  [[nodiscard]] const Instr& instr(int number) const {
    return kernel_.instrs[static_cast<size_t>(number)];
  }

  FunctionForm& form_of(int number) { return forms_[static_cast<size_t>(number)].form; }

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
    if (divides_ && divide(users)) {
      form_of(tanh) = FunctionForm::divisor;
      return;
    }
    form_of(tanh) = FunctionForm::one_plus;
    for (const int user : users) {
      if (!is_square(user)) {
        form_of(user) = FunctionForm::operand;
        continue;
      }
      form_of(user) = FunctionForm::one_minus_square;
      for (const int last : users_[static_cast<size_t>(user)])
        form_of(last) = FunctionForm::operand;
    }
  }

  /// The other factor of a product with 0.5, or -1.
  [[nodiscard]] int doubled(int number) const {
    const Instr& at = instr(number);
    if (!computes(at, OpKind::mul)) return -1;
    for (const size_t side : {0U, 1U}) {
      const Instr& half = instr(at.operands[side]);
      if (half.kind == InstrKind::constant && half.value.is_splat(0.5))
        return at.operands[1 - side];
    }
    return -1;
  }

  /// Makes quotients of the products with such sums, if all of them are also products with 0.5.
  bool divide(const std::vector<int>& sums) {
    struct Quotient {
      int product;
      int dividend;
      int sum;
    };

    std::vector<Quotient> quotients;
    for (const int sum : sums) {
      for (const int product : users_[static_cast<size_t>(sum)]) {
        const Instr& at = instr(product);
        if (!adds_one(sum) || !computes(at, OpKind::mul)) return false;
        const int dividend = doubled(at.operands[at.operands[0] == sum ? 1 : 0]);
        if (dividend < 0 || !are_together(product, dividend)) return false;
        quotients.push_back({product, dividend, sum});
      }
    }
    for (const int sum : sums)
      form_of(sum) = FunctionForm::operand;
    for (const auto& [product, dividend, sum] : quotients)
      forms_[static_cast<size_t>(product)] = {FunctionForm::half_quotient, {dividend, sum}};
    return true;
  }

  /// Of a tanh and a sigmoid that nothing else reads, as gates of recurrent networks have it.
  void gate(int product) {
    for (const size_t side : {0U, 1U}) {
      const int tanh = instr(product).operands[side];
      const int sigmoid = instr(product).operands[1 - side];
      if (!computes(instr(tanh), OpKind::tanh) || !computes(instr(sigmoid), OpKind::sigmoid))
        continue;
      if (!has_one_user(tanh) || !has_one_user(sigmoid)) continue;
      const int x = instr(tanh).operands[0];
      const int gate = instr(sigmoid).operands[0];
      if (!are_together(product, x) || !are_together(product, gate)) continue;
      forms_[static_cast<size_t>(product)] = {FunctionForm::gated_tanh, {x, gate}};
      form_of(tanh) = FunctionForm::unread;
      form_of(sigmoid) = FunctionForm::unread;
    }
  }

  /// The f32 whose f64 a number is, or -1.
  [[nodiscard]] int widened(int number) const {
    const Instr& at = instr(number);
    if (at.kind != InstrKind::cast || at.dtype != DType::f64) return -1;
    return instr(at.operands[0]).dtype == DType::f32 ? at.operands[0] : -1;
  }

  [[nodiscard]] bool has_one_user(int number) const {
    return users_[static_cast<size_t>(number)].size() == 1;
  }

  /// Loops that compute one of them compute the other.
  [[nodiscard]] bool are_together(int one, int other) const {
    return std::ranges::all_of(kernel_.phases, [&](const Phase& phase) {
      const auto has = [&](int number) {
        return std::ranges::find(phase.instrs, number) != phase.instrs.end();
      };
      return has(one) == has(other);
    });
  }

  /// Functions that f64 computes for f32, to round once at the end.
  void narrow(int cast) {
    const int wide = instr(cast).operands[0];
    if (!has_one_user(wide)) return;
    InstrForm form = scaled_log(wide);
    if (form.arguments.empty()) form = tan(wide);
    if (form.arguments.empty() || !are_together(cast, form.arguments[0])) return;
    forms_[static_cast<size_t>(cast)] = form;
    forget(wide);
  }

  [[nodiscard]] InstrForm scaled_log(int product) const {
    if (!computes(instr(product), OpKind::mul)) return {};
    for (const size_t side : {0U, 1U}) {
      const int log = instr(product).operands[side];
      const Instr& scale = instr(instr(product).operands[1 - side]);
      if (!computes(instr(log), OpKind::log) || !has_one_user(log)) continue;
      if (scale.kind != InstrKind::constant) continue;
      const double factor = scale.value.as_double(0);
      if (factor < 1e-6 || factor > 1e6) continue;
      const int argument = widened(instr(log).operands[0]);
      if (argument >= 0) return {FunctionForm::scaled_log, {argument}, factor};
    }
    return {};
  }

  [[nodiscard]] InstrForm tan(int quotient) const {
    if (!computes(instr(quotient), OpKind::div)) return {};
    const int sine = instr(quotient).operands[0];
    const int cosine = instr(quotient).operands[1];
    if (!computes(instr(sine), OpKind::sin) || !computes(instr(cosine), OpKind::cos)) return {};
    if (!has_one_user(sine) || !has_one_user(cosine)) return {};
    const int angle = widened(instr(sine).operands[0]);
    if (angle < 0 || widened(instr(cosine).operands[0]) != angle) return {};
    return {FunctionForm::tan, {angle}};
  }

  /// A number that nobody reads, and those that nothing else reads.
  void forget(int number) {
    const auto is_unread = [&](int user) { return form_of(user) == FunctionForm::unread; };
    form_of(number) = FunctionForm::unread;
    for (const int used : instr(number).operands) {
      if (instr(used).dtype == DType::f64 &&
          std::ranges::all_of(users_[static_cast<size_t>(used)], is_unread)) {
        forget(used);
      }
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
           values().of(greatest.operands[0]) == values().of(at.operands[0]);
  }

  /// Of the powers of numbers less their greatest one is 1, unless all are NaN.
  bool is_at_least_one(const Instr& sum) {
    const Instr& power = instr(values().of(sum.operands[0]));
    return computes(power, OpKind::exp) && computes(instr(power.operands[0]), OpKind::sub) &&
           is_never_positive(power.operands[0]);
  }

  FunctionForm form_of_reduction(int number) {
    const Instr& at = instr(number);
    if (kernel_.blocking || !is_float(instr(at.operands[0]).dtype)) return FunctionForm::plain;
    if (at.op == OpKind::reduce_max && tells_nan_otherwise(kernel_, values(), number))
      return FunctionForm::numbers_alone;
    if (at.op == OpKind::reduce_sum && is_at_least_one(at)) return FunctionForm::at_least_one;
    return FunctionForm::plain;
  }

  const EqualValues& values() {
    if (!values_) values_.emplace(kernel_);
    return *values_;
  }

  const Kernel& kernel_;
  bool divides_;
  std::vector<InstrForm> forms_;
  std::vector<std::vector<int>> users_;
  std::optional<EqualValues> values_;
};

}  // namespace

std::vector<InstrForm> find_function_forms(const Kernel& kernel, bool divides) {
  return Finder(kernel, divides).find();
}

}  // namespace wick::codegen::llvm_jit
