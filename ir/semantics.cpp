#include "wick/ir/semantics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace wick::ir {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();

// Signed overflow is undefined in C++; these wrap.
constexpr int64_t wrapping_add(int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
}

constexpr int64_t wrapping_sub(int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) - static_cast<uint64_t>(y));
}

constexpr int64_t wrapping_mul(int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
}

int64_t floor_div(int64_t x, int64_t y) {
  if (y == 0) return 0;
  if (y == -1) return wrapping_sub(0, x);  // the lowest number has no negative
  const int64_t quotient = x / y;
  return x % y != 0 && (x < 0) != (y < 0) ? quotient - 1 : quotient;
}

int64_t floor_rem(int64_t x, int64_t y) {
  if (y == 0 || y == -1) return 0;
  const int64_t rest = x % y;
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

double floor_rem(double x, double y) {
  const double rest = std::fmod(x, y);
  if (rest == 0) return std::copysign(0.0, y);
  return (rest < 0) != (y < 0) ? rest + y : rest;
}

int64_t shift_left(int64_t x, int64_t y, int bits) {
  if (y < 0 || y >= bits) return 0;
  return static_cast<int64_t>(static_cast<uint64_t>(x) << static_cast<uint64_t>(y));
}

int64_t shift_right(int64_t x, int64_t y, int bits) {
  if (y < 0 || y >= bits) return x < 0 ? -1 : 0;
  return x >> y;
}

double sigmoid(double x) {
  // The branch keeps exp from overflowing where the result is tiny but not 0.
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const double power = std::exp(x);
  return power / (1 + power);
}

double larger(double x, double y) {
  return std::isnan(x) || x >= y ? x : y;
}

double smaller(double x, double y) {
  return std::isnan(x) || x <= y ? x : y;
}

/// Larger, and any NaN over any number: the first of the best is the position taken.
bool is_better_max(double x, double best) {
  return !std::isnan(best) && (std::isnan(x) || x > best);
}

struct ElementRow {
  OpKind op;
  ElementSemantics semantics;
};

constexpr ElementSemantics unary(FloatUnary of_floats, IntUnary of_integers = nullptr) {
  return {.float_unary = of_floats, .int_unary = of_integers};
}

constexpr ElementSemantics binary(FloatBinary of_floats, IntBinary of_integers) {
  return {.float_binary = of_floats, .int_binary = of_integers};
}

constexpr ElementSemantics compare(FloatCompare of_floats, IntCompare of_integers) {
  return {.float_compare = of_floats, .int_compare = of_integers};
}

constexpr ElementRow kElementRows[] = {
    {OpKind::neg, unary([](double x) { return -x; }, [](int64_t x) { return wrapping_sub(0, x); })},
    {OpKind::abs,
     unary([](double x) { return std::abs(x); },
           [](int64_t x) { return x < 0 ? wrapping_sub(0, x) : x; })},
    {OpKind::floor, unary([](double x) { return std::floor(x); })},
    {OpKind::round, unary([](double x) { return std::nearbyint(x); })},
    {OpKind::exp, unary([](double x) { return std::exp(x); })},
    {OpKind::log, unary([](double x) { return std::log(x); })},
    {OpKind::sqrt, unary([](double x) { return std::sqrt(x); })},
    {OpKind::sin, unary([](double x) { return std::sin(x); })},
    {OpKind::cos, unary([](double x) { return std::cos(x); })},
    {OpKind::atan, unary([](double x) { return std::atan(x); })},
    {OpKind::tanh, unary([](double x) { return std::tanh(x); })},
    {OpKind::erf, unary([](double x) { return std::erf(x); })},
    {OpKind::sigmoid, unary(sigmoid)},
    {OpKind::logical_not, unary(nullptr, [](int64_t x) { return static_cast<int64_t>(x == 0); })},
    {OpKind::add,
     binary([](double x, double y) { return x + y; },
            [](int64_t x, int64_t y, int) { return wrapping_add(x, y); })},
    {OpKind::sub,
     binary([](double x, double y) { return x - y; },
            [](int64_t x, int64_t y, int) { return wrapping_sub(x, y); })},
    {OpKind::mul,
     binary([](double x, double y) { return x * y; },
            [](int64_t x, int64_t y, int) { return wrapping_mul(x, y); })},
    {OpKind::div,
     binary([](double x, double y) { return x / y; },
            [](int64_t x, int64_t y, int) { return floor_div(x, y); })},
    {OpKind::rem, binary(floor_rem, [](int64_t x, int64_t y, int) { return floor_rem(x, y); })},
    {OpKind::pow, binary([](double x, double y) { return std::pow(x, y); }, nullptr)},
    {OpKind::maximum, binary(larger, [](int64_t x, int64_t y, int) { return x > y ? x : y; })},
    {OpKind::minimum, binary(smaller, [](int64_t x, int64_t y, int) { return x < y ? x : y; })},
    {OpKind::eq,
     compare([](double x, double y) { return x == y; },
             [](int64_t x, int64_t y) { return x == y; })},
    {OpKind::ne,
     compare([](double x, double y) { return x != y; },
             [](int64_t x, int64_t y) { return x != y; })},
    {OpKind::lt,
     compare([](double x, double y) { return x < y; }, [](int64_t x, int64_t y) { return x < y; })},
    {OpKind::le,
     compare([](double x, double y) { return x <= y; },
             [](int64_t x, int64_t y) { return x <= y; })},
    {OpKind::bit_and, binary(nullptr, [](int64_t x, int64_t y, int) { return x & y; })},
    {OpKind::bit_or, binary(nullptr, [](int64_t x, int64_t y, int) { return x | y; })},
    {OpKind::bit_xor, binary(nullptr, [](int64_t x, int64_t y, int) { return x ^ y; })},
    {OpKind::shift_left, binary(nullptr, shift_left)},
    {OpKind::shift_right, binary(nullptr, shift_right)},
};

struct ReductionRow {
  OpKind op;
  ReductionSemantics semantics;
};

constexpr ReductionRow kReductionRows[] = {
    {OpKind::reduce_sum, {0, 0, [](double x, double y) { return x + y; }, wrapping_add}},
    {OpKind::reduce_prod, {1, 1, [](double x, double y) { return x * y; }, wrapping_mul}},
    {OpKind::reduce_max,
     {-kInfinity, kLowest, larger, [](int64_t x, int64_t y) { return x > y ? x : y; }}},
    {OpKind::reduce_min,
     {kInfinity, kHighest, smaller, [](int64_t x, int64_t y) { return x < y ? x : y; }}},
    {OpKind::argmax,
     {.float_better = is_better_max, .int_better = [](int64_t x, int64_t y) { return x > y; }}},
};

template <typename Semantics, typename Row, size_t N>
constexpr std::array<Semantics, kNumOps> by_op(const Row (&rows)[N]) {
  std::array<Semantics, kNumOps> table{};
  for (const Row& row : rows) {
    table[static_cast<size_t>(row.op)] = row.semantics;
  }
  return table;
}

constexpr auto kElements = by_op<ElementSemantics>(kElementRows);
constexpr auto kReductions = by_op<ReductionSemantics>(kReductionRows);

constexpr uint32_t kTraits[] = {
#define WICK_OP(name, min_operands, max_operands, infer, traits, summary) traits,
#include "wick/ir/ops.def"
#undef WICK_OP
};

/// Ops that move or convert bits; the interpreter has them elsewhere.
constexpr bool is_moved(OpKind op) {
  return op == OpKind::cast || op == OpKind::bitcast || op == OpKind::where;
}

// By rows: sanitizers keep GCC from comparing addresses of functions in constant expressions.
template <typename Row, size_t N>
constexpr bool covers(const Row (&rows)[N], uint32_t trait) {
  for (size_t i = 0; i < kNumOps; ++i) {
    const auto op = static_cast<OpKind>(i);
    if ((kTraits[i] & trait) == 0 || is_moved(op)) continue;
    if (std::ranges::none_of(rows, [op](const Row& row) { return row.op == op; })) return false;
  }
  return true;
}

static_assert(covers(kElementRows, kElementwise), "the others are elsewhere");
static_assert(covers(kReductionRows, kReduction));

}  // namespace

const ElementSemantics& element_semantics(OpKind op) {
  return kElements[static_cast<size_t>(op)];
}

const ReductionSemantics& reduction_semantics(OpKind op) {
  return kReductions[static_cast<size_t>(op)];
}

}  // namespace wick::ir
