#include "c_expressions.h"

#include <cmath>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

namespace c_backend {
namespace {

using wick::DType;
using wick::Literal;
using wick::ir::OpKind;

/// Narrow floats are kept as bits and computed in float.
std::string widened(const std::string& value, DType dtype) {
  return is_half(dtype) ? fmt::format("{}_to_f32({})", to_string(dtype), value) : value;
}

std::string narrowed(const std::string& value, DType dtype) {
  return is_half(dtype) ? fmt::format("f32_to_{}({})", to_string(dtype), value) : value;
}

/// The type that floats are computed in, as the functions of the prelude are named.
std::string_view float_name(DType dtype) {
  return dtype == DType::f64 ? "f64" : "f32";
}

/// `exp` or `expf`.
std::string call(std::string_view function, DType dtype, const std::string& arguments) {
  return fmt::format("{}{}({})", function, dtype == DType::f64 ? "" : "f", arguments);
}

std::string float_unary(OpKind op, DType dtype, const std::string& x) {
  switch (op) {
    case OpKind::neg:
      return "-" + x;
    case OpKind::abs:
      return call("fabs", dtype, x);
    case OpKind::sigmoid:
      return fmt::format("sigmoid_{}({})", float_name(dtype), x);
    case OpKind::round:
      return call("nearbyint", dtype, x);
    case OpKind::floor:
    case OpKind::atan:
    case OpKind::exp:
    case OpKind::log:
    case OpKind::sqrt:
    case OpKind::sin:
    case OpKind::cos:
    case OpKind::tanh:
    case OpKind::erf:
      return call(to_string(op), dtype, x);  // C has the same names
    default:
      return "";
  }
}

std::string float_binary(OpKind op, DType dtype, const std::string& x, const std::string& y) {
  switch (op) {
    case OpKind::add:
      return x + " + " + y;
    case OpKind::sub:
      return x + " - " + y;
    case OpKind::mul:
      return x + " * " + y;
    case OpKind::div:
      return x + " / " + y;
    case OpKind::pow:
      return call("pow", dtype, x + ", " + y);
    case OpKind::rem:
      return fmt::format("rem_{}({}, {})", float_name(dtype), x, y);
    case OpKind::maximum:
      return fmt::format("larger_{}({}, {})", float_name(dtype), x, y);
    case OpKind::minimum:
      return fmt::format("smaller_{}({}, {})", float_name(dtype), x, y);
    default:
      return "";
  }
}

std::string integer_unary(OpKind op, const std::string& x) {
  switch (op) {
    case OpKind::neg:
      return "-" + x;
    case OpKind::abs:
      return fmt::format("{0} < 0 ? -{0} : {0}", x);
    case OpKind::logical_not:
      return "!" + x;
    default:
      return "";
  }
}

/// Assigned to a narrower type, a result wraps; assigned to a bool, it is whether it is not 0.
std::string integer_binary(OpKind op, DType dtype, const std::string& x, const std::string& y) {
  switch (op) {
    case OpKind::add:
      return x + " + " + y;
    case OpKind::sub:
      return x + " - " + y;
    case OpKind::mul:
      return x + " * " + y;
    case OpKind::div:
      return fmt::format("floor_div({}, {})", x, y);
    case OpKind::rem:
      return fmt::format("floor_rem({}, {})", x, y);
    case OpKind::maximum:
      return fmt::format("{0} > {1} ? {0} : {1}", x, y);
    case OpKind::minimum:
      return fmt::format("{0} < {1} ? {0} : {1}", x, y);
    case OpKind::bit_and:
      return x + " & " + y;
    case OpKind::bit_or:
      return x + " | " + y;
    case OpKind::bit_xor:
      return x + " ^ " + y;
    case OpKind::shift_left:
    case OpKind::shift_right:
      return fmt::format("{}({}, {}, {})", to_string(op), x, y, 8 * size_of(dtype));
    default:
      return "";
  }
}

/// Empty for what is no comparison.
std::string comparison(OpKind op, const std::string& x, const std::string& y) {
  switch (op) {
    case OpKind::eq:
      return x + " == " + y;
    case OpKind::ne:
      return x + " != " + y;
    case OpKind::lt:
      return x + " < " + y;
    case OpKind::le:
      return x + " <= " + y;
    default:
      return "";
  }
}

/// Of floats or integers, by the number of operands; empty where there is none.
std::string arithmetic(OpKind op, DType dtype, std::span<const std::string> operands) {
  const bool is_float = wick::is_float(dtype);
  if (operands.size() == 1) {
    return is_float ? float_unary(op, dtype, operands[0]) : integer_unary(op, operands[0]);
  }
  if (operands.size() != 2) return "";
  return is_float ? float_binary(op, dtype, operands[0], operands[1])
                  : integer_binary(op, dtype, operands[0], operands[1]);
}

/// The smallest and the largest values of an integer type are macros: INT8_MIN.
std::string integer_bound(DType dtype, bool largest) {
  if (dtype == DType::bool_) return largest ? "1" : "0";
  if (dtype == DType::u8) return largest ? "UINT8_MAX" : "0";
  return fmt::format("INT{}_{}", 8 * size_of(dtype), largest ? "MAX" : "MIN");
}

}  // namespace

std::string_view c_type(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return "float";
    case DType::f64:
      return "double";
    case DType::f16:
      return "f16";
    case DType::bf16:
      return "bf16";
    case DType::i8:
      return "int8_t";
    case DType::i16:
      return "int16_t";
    case DType::i32:
      return "int32_t";
    case DType::i64:
      return "int64_t";
    case DType::u8:
      return "uint8_t";
    case DType::bool_:
      return "bool";
  }
  throw std::runtime_error("a dtype that the C backend does not know");
}

std::string c_constant(const Literal& value) {
  const DType dtype = value.type().dtype;
  if (is_half(dtype)) {
    uint16_t bits = 0;
    std::memcpy(&bits, value.data(), sizeof bits);
    return fmt::format("{:#06x} /* {} */", bits, value.as_double(0));
  }
  if (!wick::is_float(dtype)) {
    const int64_t number = value.as_integer(0);
    // There are no negative literals in C, and the smallest one's negative does not fit.
    return number == INT64_MIN ? "INT64_MIN" : fmt::format("{}", number);
  }
  const double number = value.as_double(0);
  const bool is_double = dtype == DType::f64;
  if (std::isnan(number)) {  // with its payload
    uint64_t bits = 0;
    std::memcpy(&bits, value.data(), size_of(dtype));
    return fmt::format("{}_of_bits({:#x}u)", to_string(dtype), bits);
  }
  if (std::isinf(number)) return number < 0 ? "-INFINITY" : "INFINITY";
  std::string text =
      is_double ? fmt::format("{}", number) : fmt::format("{}", static_cast<float>(number));
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return is_double ? text : text + "f";
}

std::string c_compute(OpKind op, DType dtype, std::span<const std::string> operands) {
  if (op == OpKind::where) {
    return fmt::format("{} ? {} : {}", operands[0], operands[1], operands[2]);
  }
  std::vector<std::string> wide;
  for (const std::string& operand : operands)
    wide.push_back(widened(operand, dtype));
  if (wide.size() == 2) {
    const std::string compared = comparison(op, wide[0], wide[1]);
    if (!compared.empty()) return compared;
  }
  const std::string text = arithmetic(op, dtype, wide);
  if (text.empty()) {
    throw std::runtime_error(
        fmt::format("the C backend has no {} of {}", to_string(op), to_string(dtype)));
  }
  return narrowed(text, dtype);
}

std::string c_cast(const std::string& value, DType from, DType to) {
  if (from == to) return value;
  const std::string wide = widened(value, from);
  if (to == DType::bool_) return wide + " != 0";
  if (is_half(to)) {
    if (is_half(from) || from == DType::f32) return narrowed(wide, to);
    // One rounding, not two: by way of the float whose last bit tells that digits are missing.
    const std::string exact = wick::is_float(from) ? wide : fmt::format("odd_f64({})", wide);
    return narrowed(fmt::format("odd_f32({})", exact), to);
  }
  if (wick::is_float(from) && wick::is_integer(to)) {
    return fmt::format("saturate_{}({})", to_string(to), wide);
  }
  return fmt::format("({}){}", c_type(to), wide);
}

Accumulation c_accumulation(OpKind op,
                            DType dtype,
                            const std::string& state,
                            const std::string& value) {
  const bool is_float = wick::is_float(dtype);
  if (op == OpKind::reduce_sum || op == OpKind::reduce_prod) {
    // Sums of many floats keep more digits than their dtype.
    const std::string type(is_float ? "double" : c_type(dtype));
    const std::string result = is_float && dtype != DType::f64 ? "(float)" + state : state;
    return {.type = type,
            .start = op == OpKind::reduce_sum ? "0" : "1",
            .next = fmt::format(
                "{} {} {}", state, op == OpKind::reduce_sum ? "+" : "*", widened(value, dtype)),
            .result = narrowed(result, dtype)};
  }
  const bool is_max = op == OpKind::reduce_max;
  if (!is_max && op != OpKind::reduce_min) {
    throw std::runtime_error(fmt::format("the C backend has no {}", to_string(op)));
  }
  const OpKind pairwise = is_max ? OpKind::maximum : OpKind::minimum;
  const std::vector<std::string> operands = {state, widened(value, dtype)};
  if (!is_float) {
    return {.type = std::string(c_type(dtype)),
            .start = integer_bound(dtype, !is_max),
            .next = arithmetic(pairwise, dtype, operands),
            .result = state};
  }
  return {.type = dtype == DType::f64 ? "double" : "float",
          .start = is_max ? "-INFINITY" : "INFINITY",
          .next = arithmetic(pairwise, dtype, operands),
          .result = narrowed(state, dtype)};
}

std::string c_beats(DType dtype, const std::string& value, const std::string& best) {
  const std::string x = widened(value, dtype);
  const std::string y = widened(best, dtype);
  if (!wick::is_float(dtype)) return fmt::format("{} > {}", x, y);
  // The first NaN wins.
  return fmt::format("!isnan({1}) && (isnan({0}) || {0} > {1})", x, y);
}

}  // namespace c_backend
