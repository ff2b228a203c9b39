#pragma once

// How far results move when their parameters are rounded otherwise. What cancels exactly, as the
// gradient of a bias in front of a batch norm, is nothing else.

#include <functional>
#include <span>
#include <vector>

#include "wick/ir/literal.h"

namespace wick::runtime {

class RoundingNoise {
 public:
  using Evaluate = std::function<std::vector<Literal>(std::span<const Literal> parameters)>;

  /// Of the results that `evaluate` expects of `parameters`; these must outlive it.
  RoundingNoise(Evaluate evaluate,
                std::span<const Literal> parameters,
                std::span<const Literal> expected)
      : evaluate_(std::move(evaluate)),
        parameters_(parameters),
        expected_(expected) {}

  /// By how much finite elements of result k, of floats, move on average where each float among the
  /// parameters moves by a unit in its last place, up or down. The first call evaluates.
  double of(size_t k);

 private:
  Evaluate evaluate_;
  std::span<const Literal> parameters_;
  std::span<const Literal> expected_;
  std::vector<Literal> moved_;
};

}  // namespace wick::runtime
