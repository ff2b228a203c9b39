#pragma once

// Sine and cosine of multiples of pi. Internal to autograd/.

#include <numbers>
#include <vector>

#include "wick/autograd/formulas.h"

namespace wick::autograd {

/// sin(pi x) and cos(pi x) of f64 x = n + r with an integral n, without the sign (-1)^n that both
/// have.
struct HalfTurns {
  detail::Term n;
  detail::Term r;  // exact
  detail::Term square;

  explicit HalfTurns(const detail::Term& x) : n(round(x)), r(x - n), square(r * r) {}

  [[nodiscard]] detail::Term sine() const { return r * polynomial(square, series(1)); }

  [[nodiscard]] detail::Term cosine() const { return polynomial(square, series(0)); }

 private:
  /// The first terms of Taylor's series of sin(pi r) / r (`first` 1) or cos(pi r) (0) in r^2: for
  /// |r| <= 1/2 the next one is below 2^-59.
  static std::vector<double> series(int first) {
    constexpr int kTerms = 12;
    constexpr double kPi = std::numbers::pi;
    std::vector<double> terms;
    double term = first == 1 ? kPi : 1;
    for (int power = first; power < first + 2 * kTerms; power += 2) {
      terms.push_back(term);
      term *= -kPi * kPi / ((power + 1) * (power + 2));
    }
    return terms;
  }
};

}  // namespace wick::autograd
