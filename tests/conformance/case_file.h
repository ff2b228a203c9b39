#pragma once

// cases.jsonl: one case a line, the values in .npy files.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "wick/tensor/tensor.h"

namespace wick::conformance {

struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

/// A tensor argument; an optional one that is absent has no file.
struct Input {
  std::string file;
  std::string gradient;  // file of the sum over outputs of vjp(output, cotangent); or empty
  std::string base;      // file of what the input is a view of; or empty
  nlohmann::json view;   // the ops that make the view, each a list: its name, its arguments
};

struct Output {
  std::string file;
  std::string cotangent;  // file; or empty
};

struct Case {
  std::string name;
  std::string op;
  nlohmann::json attributes;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  Tolerance tolerance;
  Tolerance gradient_tolerance;
};

/// The cases of a folder; their files get its path. Throws std::runtime_error naming the line.
std::vector<Case> read_cases(const std::string& folder);

/// The input as PyTorch saw it: views are made of `base`, a leaf, by Wick's ops.
Tensor apply_view(const Tensor& base, const nlohmann::json& ops);

}  // namespace wick::conformance
