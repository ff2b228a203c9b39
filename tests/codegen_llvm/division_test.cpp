// Rows divided by one number each, against the machine's division. Integers round down.

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "kernel_builder.h"
#include <gtest/gtest.h>

namespace wick::codegen::test {
namespace {

template <class T>
using Numbers = std::vector<T>;

template <class T>
constexpr DType kDType = sizeof(T) == 8 ? DType::f64 : DType::f32;

/// Usual ones, those beside where the inverse would lose digits, and special ones.
template <class T>
Numbers<T> divisors() {
  using L = std::numeric_limits<T>;
  const T last = L::epsilon();
  Numbers<T> numbers = {T{3}, T{-7}, 2 - last, 1 + last, std::sqrt(T{2}) / 32};
  for (const int exponent :
       sizeof(T) == 8 ? std::vector{-1021, 900, 1021} : std::vector{-125, 70, 125}) {
    numbers.push_back(std::ldexp(T{1}, exponent));
    numbers.push_back(std::ldexp(2 - last, exponent - 1));
  }
  numbers.insert(numbers.end(),
                 {std::ldexp(T{1.3}, L::min_exponent * 4 / 5),
                  std::ldexp(T{1.3}, L::max_exponent * 4 / 5),
                  T{0},
                  -T{0},
                  L::infinity(),
                  -L::infinity(),
                  L::quiet_NaN(),
                  L::denorm_min(),
                  L::min(),
                  L::max()});
  return numbers;
}

/// x[i] op d[r] at [r, i].
template <class T>
std::vector<T> results_of(ir::OpKind op, DType dtype, std::vector<T> x, std::vector<T> d) {
  const auto rows = static_cast<int64_t>(d.size());
  const auto columns = static_cast<int64_t>(x.size());
  KernelBuilder k("divide");
  const int dividends = k.buffer(dtype);
  const int divisors = k.buffer(dtype);
  const int results = k.buffer(dtype, /*written=*/true);
  k.outer(rows);
  k.vector(k.inner(columns));
  k.loop();
  const int dividend = k.load(dividends, k.at({0, 1}));
  const int divisor = k.load(divisors, k.at({1, 0}));
  k.store(results, k.at({columns, 1}), k.compute(op, dtype, {dividend, divisor}));
  std::vector<T> y(x.size() * d.size());
  void* const buffers[] = {x.data(), d.data(), y.data()};
  compile(k.kernel())(buffers, k.params().data(), 0, rows, 0, 0);
  return y;
}

/// The same with vectors of divisors, in the order of results_of().
template <class T>
std::vector<T> results_of_lanes(ir::OpKind op, DType dtype, std::vector<T> x, std::vector<T> d) {
  const auto dividends = static_cast<int64_t>(x.size());
  const auto divisors = static_cast<int64_t>(d.size());
  KernelBuilder k("divide");
  const int of_x = k.buffer(dtype);
  const int of_d = k.buffer(dtype);
  const int results = k.buffer(dtype, /*written=*/true);
  k.outer(dividends);
  k.vector(k.outer(divisors));
  k.straight();
  const int dividend = k.load(of_x, k.at({1, 0}));
  const int divisor = k.load(of_d, k.at({0, 1}));
  k.store(results, k.at({1, dividends}), k.compute(op, dtype, {dividend, divisor}));
  std::vector<T> y(x.size() * d.size());
  void* const buffers[] = {x.data(), d.data(), y.data()};
  compile(k.kernel())(buffers, k.params().data(), 0, dividends, 0, divisors);
  return y;
}

template <class T>
Numbers<T> quotients(const Numbers<T>& x, const Numbers<T>& d) {
  return results_of(ir::OpKind::div, kDType<T>, x, d);
}

/// The same where each lane has a divisor of its own: short rows side by side.
template <class T>
Numbers<T> quotients_of_lanes(Numbers<T> x, Numbers<T> d) {
  const size_t count = x.size();
  const auto rows = static_cast<int64_t>(d.size());
  const int64_t chunks = (std::ssize(x) + kShortRow - 1) / kShortRow;
  x.resize(static_cast<size_t>(chunks * kShortRow), T{1});
  KernelBuilder k("divide");
  const int dividends = k.buffer(kDType<T>);
  const int divisors = k.buffer(kDType<T>);
  const int results = k.buffer(kDType<T>, /*written=*/true);
  k.outer(chunks);
  k.vector(k.outer(rows));
  k.inner(kShortRow);
  k.kernel().longest_row = kShortRow;
  k.loop();
  const int divisor = k.load(divisors, k.at({0, 1, 0}));
  const int dividend = k.load(dividends, k.at({kShortRow, 0, 1}));
  const int quotient = k.compute(ir::OpKind::div, kDType<T>, {dividend, divisor});
  k.store(results, k.at({kShortRow, chunks * kShortRow, 1}), quotient);
  Numbers<T> y(x.size() * d.size());
  void* const buffers[] = {x.data(), d.data(), y.data()};
  compile(k.kernel())(buffers, k.params().data(), 0, chunks, 0, rows);
  Numbers<T> of_rows;
  for (size_t r = 0; r < d.size(); ++r) {
    const auto row = y.begin() + static_cast<std::ptrdiff_t>(r * x.size());
    of_rows.insert(of_rows.end(), row, row + static_cast<std::ptrdiff_t>(count));
  }
  return of_rows;
}

/// Numbers between the two; beyond all for a NaN or a zero of the other sign.
template <class T>
int64_t distance(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
  if (std::isnan(a) && std::isnan(b)) return 0;
  if (std::isnan(a) || std::isnan(b) || std::signbit(a) != std::signbit(b)) return INT64_MAX;
  return std::abs(int64_t{std::bit_cast<Bits>(a)} - std::bit_cast<Bits>(b));
}

/// How many quotients are not the machine's; none is more than `most` numbers off.
template <class T>
int expect_close(const Numbers<T>& x, const Numbers<T>& d, int64_t most) {
  int different = 0;
  int wrong = 0;
  for (const Numbers<T>& y : {quotients(x, d), quotients_of_lanes(x, d)}) {
    for (size_t r = 0; r < d.size(); ++r) {
      for (size_t i = 0; i < x.size(); ++i) {
        const T expected = x[i] / d[r];
        const T actual = y[r * x.size() + i];
        const int64_t off = distance(expected, actual);
        if (off > 0) ++different;
        if (off <= most || wrong++ > 9) continue;
        ADD_FAILURE() << std::hexfloat << x[i] << " / " << d[r] << " is " << expected << ", not "
                      << actual;
      }
    }
  }
  return different;
}

TEST(Division, IsExactForAllButOneOfMillionsOfMantissas) {
  Numbers<float> x;
  x.reserve(size_t{1} << 23U);
  for (uint32_t mantissa = 0; mantissa < uint32_t{1} << 23U; ++mantissa)
    x.push_back(std::bit_cast<float>(std::bit_cast<uint32_t>(1.0F) + mantissa));
  for (const float d : {3.0F, 0x1.fffffeP0F, 0x1.000002P0F, 0x1.555556P-3F, 0x1.fffffcP3F})
    EXPECT_LE(expect_close<float>(x, {d}, 1), 2) << d;
}

TEST(Division, OfDoublesIsExactForNearlyAllMantissas) {
  std::mt19937_64 bits(3);
  Numbers<double> x;
  for (int i = 0; i < 1000000; ++i)
    x.push_back(1 + static_cast<double>(bits() >> 12U) * 0x1p-52);
  for (const double d : {3.0, 2 - 0x1p-52, 1 + 0x1p-52, 0x1.5555555555555p-3, 0x1.ffffffffffffep3})
    EXPECT_LE(expect_close<double>(x, {d}, 1), 2) << d;
}

template <class T>
void expect_close_in_the_whole_range() {
  using L = std::numeric_limits<T>;
  std::minstd_rand bits(7);
  const int least = L::min_exponent - L::digits;
  const int most = L::max_exponent - 1;
  for (const int exponent :
       {least, least + 9, least + 22, least + 23, least + 47, 0, most * 4 / 5, most - 1, most}) {
    Numbers<T> x;
    for (int i = 0; i < 1003; ++i) {
      const T mantissa = 1 + static_cast<T>(bits() % (1U << 23U)) * T{0x1P-23};
      x.push_back(std::ldexp(i % 2 == 0 ? mantissa : -mantissa, exponent));
    }
    expect_close(x, divisors<T>(), 1);
  }
}

TEST(Division, IsCloseInTheWholeRange) {
  expect_close_in_the_whole_range<float>();
  expect_close_in_the_whole_range<double>();
}

template <class T>
void expect_special_numbers() {
  using L = std::numeric_limits<T>;
  for (const T special : {T{0},
                          -T{0},
                          L::infinity(),
                          -L::infinity(),
                          L::quiet_NaN(),
                          L::denorm_min(),
                          -L::max(),
                          L::min()}) {
    Numbers<T> x(1003, T{1});
    x[37] = special;
    x[1001] = special;
    expect_close(x, divisors<T>(), 1);
  }
}

TEST(Division, KnowsSpecialNumbers) {
  expect_special_numbers<float>();
  expect_special_numbers<double>();
}

TEST(Division, ANumberByItselfIsOne) {
  std::minstd_rand bits(11);
  for (int i = 0; i < 60; ++i) {
    const float number =
        std::ldexp(1 + static_cast<float>(bits() % (1U << 23U)) * 0x1P-23F, 2 * i - 60);
    EXPECT_EQ(quotients(Numbers<float>(33, number), {number}), Numbers<float>(33, 1.0F)) << number;
    const Numbers<double> doubles(33, number / 3.0);
    EXPECT_EQ(quotients(doubles, {number / 3.0}), Numbers<double>(33, 1.0)) << number;
  }
}

/// Rounded down, 0 by 0, and wrapping.
int64_t floor_quotient(int64_t x, int64_t d) {
  if (d == 0) return 0;
  if (d == -1) return static_cast<int64_t>(-static_cast<uint64_t>(x));
  const int64_t quotient = x / d;
  return quotient - (x % d != 0 && (x < 0) != (d < 0) ? 1 : 0);
}

template <class T>
void expect_integers_divide(DType dtype,
                            const std::vector<T>& x,
                            const std::vector<T>& d,
                            bool divisors_vary = false) {
  const auto results = [&](ir::OpKind op) {
    return divisors_vary ? results_of_lanes(op, dtype, x, d) : results_of(op, dtype, x, d);
  };
  const std::vector<T> quotients = results(ir::OpKind::div);
  const std::vector<T> remainders = results(ir::OpKind::rem);
  int wrong = 0;
  for (size_t r = 0; r < d.size(); ++r) {
    for (size_t i = 0; i < x.size(); ++i) {
      const size_t at = r * x.size() + i;
      const int64_t quotient = floor_quotient(x[i], d[r]);
      const int64_t remainder =
          d[r] == 0
              ? 0
              : static_cast<int64_t>(static_cast<uint64_t>(x[i]) -
                                     static_cast<uint64_t>(quotient) * static_cast<uint64_t>(d[r]));
      if (quotients[at] == static_cast<T>(quotient) && remainders[at] == remainder) continue;
      if (wrong++ > 9) continue;
      ADD_FAILURE() << int64_t{x[i]} << " by " << int64_t{d[r]} << " is " << quotient << " and "
                    << remainder << ", not " << int64_t{quotients[at]} << " and "
                    << int64_t{remainders[at]};
    }
  }
}

/// Around multiples of the divisors, where quotients are all but integers, and all extremes.
TEST(Division, OfIntegersByOneForAllIsExact) {
  using I32 = std::numeric_limits<int32_t>;
  std::vector<int32_t> divisors = {0,
                                   1,
                                   -1,
                                   2,
                                   3,
                                   -7,
                                   10,
                                   513,
                                   -65537,
                                   1000003,
                                   (1 << 30),
                                   I32::max(),
                                   I32::min(),
                                   -(1 << 30),
                                   I32::max() - 1,
                                   I32::min() + 1};
  std::minstd_rand bits(5);
  std::vector<int32_t> x = {0, 1, -1, I32::max(), I32::min(), I32::max() - 1, I32::min() + 1};
  for (int i = 0; i < 20000; ++i)
    x.push_back(static_cast<int32_t>(bits() * 2 + bits() % 2));
  for (const int64_t d : divisors) {
    if (d == 0) continue;
    for (int i = 0; i < 300; ++i) {
      const int64_t multiple = static_cast<int32_t>(bits() * 2) / d * d;
      for (const int64_t near : {multiple - 1, multiple, multiple + 1}) {
        if (near >= I32::min() && near <= I32::max()) x.push_back(static_cast<int32_t>(near));
      }
    }
  }
  expect_integers_divide(DType::i32, x, divisors);
}

/// Around multiples of the divisors and around where doubles end, with a number that needs more in
/// some vectors only.
TEST(Division, OfLongIntegersIsExact) {
  using I64 = std::numeric_limits<int64_t>;
  const std::vector<int64_t> edges = {0, 1, I64::max(), I64::min(), I64::min() + 1};
  std::mt19937_64 bits(17);
  std::vector<int64_t> divisors = {0, 1, -1, 2, 3, -7, 10, 1000003, I64::max(), I64::min()};
  for (int shift = 5; shift < 64; shift += 3)
    divisors.push_back(static_cast<int64_t>(bits()) >> shift);
  std::vector<int64_t> x = edges;
  for (const int exponent : {31, 49, 50, 51, 52, 53, 62}) {
    for (const int64_t sign : {1, -1}) {
      for (int64_t off = -2; off <= 2; ++off)
        x.push_back(sign * (int64_t{1} << exponent) + off);
    }
  }
  for (const int64_t d : divisors) {
    if (d == 0) continue;
    for (int i = 0; i < 64; ++i) {
      const int64_t multiple = static_cast<int64_t>(bits() >> (i % 2 == 0 ? 14 : 2)) / d * d;
      x.insert(x.end(), {multiple - 1, multiple, multiple + 1, 1 - multiple});
    }
  }
  expect_integers_divide(DType::i64, x, divisors);
  expect_integers_divide(DType::i64, x, divisors, /*divisors_vary=*/true);
}

TEST(Division, OfEveryByteIsExact) {
  std::vector<uint8_t> bytes(256);
  std::vector<int8_t> signed_bytes(256);
  for (int i = 0; i < 256; ++i) {
    bytes[static_cast<size_t>(i)] = static_cast<uint8_t>(i);
    signed_bytes[static_cast<size_t>(i)] = static_cast<int8_t>(i - 128);
  }
  expect_integers_divide(DType::u8, bytes, bytes);
  expect_integers_divide(DType::i8, signed_bytes, signed_bytes);
}

/// Python's %, of the sign of y.
template <class T>
T python_remainder(T x, T y) {
  const T remainder = std::fmod(x, y);
  if (remainder == 0) return std::copysign(T{0}, y);
  return (remainder < 0) != (y < 0) ? remainder + y : remainder;
}

/// Every x with every y, both also as multiples of the others and next to these.
template <class T>
void expect_float_remainders(DType dtype, std::vector<T> x, const std::vector<T>& y) {
  const T infinity = std::numeric_limits<T>::infinity();
  const size_t given = x.size();
  for (const T divisor : y) {
    for (size_t i = 0; i < given; ++i) {
      const T multiple = std::round(x[i]) * divisor;
      x.insert(x.end(),
               {multiple, std::nextafter(multiple, infinity), std::nextafter(multiple, -infinity)});
    }
  }
  const std::vector<T> remainders = results_of(ir::OpKind::rem, dtype, x, y);
  int wrong = 0;
  for (size_t r = 0; r < y.size(); ++r) {
    for (size_t i = 0; i < x.size(); ++i) {
      const T expected = python_remainder(x[i], y[r]);
      const T actual = remainders[r * x.size() + i];
      const bool is_same = std::isnan(expected) ? std::isnan(actual)
                                                : actual == expected && std::signbit(actual) ==
                                                                            std::signbit(expected);
      if (is_same || wrong++ > 9) continue;
      ADD_FAILURE() << std::hexfloat << x[i] << " % " << y[r] << " is " << expected << ", not "
                    << actual;
    }
  }
}

/// Every other vector holds quotients that the C library is asked for.
TEST(Remainder, OfFloatsIsExact) {
  std::mt19937_64 bits(13);
  Numbers<float> moderate;
  Numbers<float> any;
  std::vector<double> moderate_doubles;
  std::vector<double> any_doubles;
  for (int i = 0; i < 100; ++i) {
    const auto number = std::bit_cast<float>(static_cast<uint32_t>(bits()));
    any.push_back(number);
    any_doubles.push_back(std::bit_cast<double>(bits()));
    moderate.push_back(static_cast<float>(static_cast<double>(bits()) * 0x1P-58 - 32));
    moderate_doubles.push_back(static_cast<double>(bits()) * 0x1P-58 - 32);
  }
  Numbers<float> y = divisors<float>();
  y.insert(y.end(), moderate.begin(), moderate.begin() + 20);
  y.insert(y.end(), any.begin(), any.begin() + 20);
  const std::vector<double> y_doubles(y.begin(), y.end());
  expect_float_remainders(DType::f32, moderate, y);
  expect_float_remainders(DType::f32, any, y);
  expect_float_remainders(DType::f64, moderate_doubles, y_doubles);
  expect_float_remainders(DType::f64, any_doubles, y_doubles);
}

}  // namespace
}  // namespace wick::codegen::test
