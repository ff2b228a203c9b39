#pragma once

// The state of one random graph in the making. Internal to random_graph*.cpp.

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "random_graph.h"

#include "wick/ir/graph.h"

namespace wick::testing_support {

inline constexpr double kInputBound = 2;

/// Small draws from one seeded engine, the same with every standard library.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed * 0x9E3779B97F4A7C15U + 1) {}

  size_t below(size_t n) { return static_cast<size_t>(engine_() % n); }

  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<size_t>(high - low + 1)));
  }

  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11U) * 0x1p-53;
  }

  bool chance(double probability) { return uniform(0, 1) < probability; }

  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }

 private:
  std::mt19937_64 engine_;
};

/// What is known about all elements of a value.
struct Fact {
  double bound = 0;   // largest magnitude, special inputs apart; infinite when unknown
  double error = 0;   // how far two correct implementations may be apart
  bool exact = true;  // they give the same bits
};

struct Entry {
  ir::Value value;
  Fact fact;
};

inline bool is_finite_float(const Entry& e) {
  return is_float(e.value.type().dtype) && std::isfinite(e.fact.bound);
}

class Generator {
 public:
  Generator(ir::Graph& graph, Random& random, const RandomGraphOptions& options)
      : graph_(graph),
        random_(random),
        options_(options) {}

  void add_parameter();
  /// Tries to add one op of a random kind; false when nothing fitted.
  bool add_op();

 private:
  using Filter = std::function<bool(const Entry&)>;

  // Drawing values.
  Shape random_shape();
  DType random_dtype();
  Entry parameter(const Type& type);
  Entry scalar(DType dtype, double value);
  /// A value that passes, more likely a late one; none if there is none.
  std::optional<Entry> pick(const Filter& filter);
  std::optional<Entry> pick_float();
  std::optional<Entry> pick_exact();
  /// An operand that broadcasts with x: a value, a constant or a new parameter.
  Entry partner(const Entry& x, bool exact_only);

  // Adding nodes.
  /// Adds the node unless types do not fit, it is too large or its error too big.
  std::optional<Entry> add(ir::OpKind op,
                           const std::vector<Entry>& operands,
                           const Fact& fact,
                           ir::Attributes attributes = {});
  /// abs(x) + 0.5: fit for roots, logarithms and denominators.
  std::optional<Entry> positive(const Entry& x);
  [[nodiscard]] static double epsilon(DType dtype);
  static Fact rounded(double bound, double error, DType dtype);

  // Families of ops; each tries one.
  bool float_unary();
  bool jumping_unary();
  bool integer_unary();
  bool cast();
  bool bitcast();
  bool float_binary();
  bool division();
  bool power();
  bool exact_binary();
  bool integer_binary();
  bool bool_op();
  bool compare();
  bool where();
  bool reduce_float();
  bool reduce_exact();
  bool arg_reduce();
  bool broadcast();
  bool reshape();
  bool permute();
  bool slice();
  bool concat();
  bool pad();
  bool gather();
  bool scatter();
  bool scan();
  bool argsort();
  bool barrier();
  bool source();
  bool random_bits();
  bool matmul();
  bool conv();
  bool conv_grad();
  bool pool2d();
  bool pool2d_grad();

  [[nodiscard]] Axes random_axes(int rank);
  std::optional<Entry> pick_image(bool exact_only);
  ir::Attributes pool_attributes();

  ir::Graph& graph_;
  Random& random_;
  const RandomGraphOptions& options_;
  std::vector<Entry> pool_;
};

}  // namespace wick::testing_support
