#pragma once

// A backward pass that can be run for several cotangents: from outputs to inputs.

#include <source_location>
#include <span>
#include <string_view>
#include <vector>

#include "wick/autograd/history.h"

namespace wick::autograd {

class Pullback {
 public:
  struct Request {
    std::span<const Tensor> outputs;
    std::span<const Tensor> inputs;
    std::string_view op;  // for errors
    std::source_location where;
    std::span<const Tensor> stops = {};  // no gradient goes past these
  };

  explicit Pullback(const Request& request);

  /// One gradient an input, zeros where none arrives. One cotangent an output; an undefined one
  /// counts as zeros. Whether the gradients can be differentiated again is up to the grad mode.
  [[nodiscard]] std::vector<Tensor> gradients(std::span<const Tensor> cotangents) const;

  /// See History.
  void free() { history_.free(); }

 private:
  History history_;
  std::vector<int> outputs_;  // entries of the history
  std::vector<int> inputs_;
  std::vector<Type> types_;  // of the inputs
  std::source_location where_;
};

}  // namespace wick::autograd
