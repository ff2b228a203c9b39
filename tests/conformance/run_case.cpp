#include "run_case.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "adjoint.h"
#include "compare.h"
#include <fmt/format.h>

#include "wick/autograd/autograd.h"
#include "wick/tensor/npy.h"

namespace wick::conformance {
namespace {

using Failure = std::optional<std::string>;

Tensor load_input(const Input& input, bool as_view) {
  if (input.file.empty()) return {};
  const bool is_view = as_view && !input.base.empty();
  Tensor leaf = load_npy(is_view ? input.base : input.file);
  if (!input.gradient.empty()) leaf.requires_grad_();
  return is_view ? apply_view(leaf, input.view) : leaf;
}

Failure check_outputs(const Case& c, const std::vector<Tensor>& outputs) {
  if (outputs.size() != c.outputs.size()) {
    return fmt::format("gave {} outputs, should give {}", outputs.size(), c.outputs.size());
  }
  materialize(outputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (Failure found = difference(outputs[i], load_npy(c.outputs[i].file), c.tolerance)) {
      return fmt::format("output {} {}", i, *found);
    }
  }
  return {};
}

/// Outputs that have a cotangent, and the cotangents.
struct Seeds {
  std::vector<Tensor> outputs;
  std::vector<Tensor> cotangents;
};

Seeds seeds_of(const Case& c, const std::vector<Tensor>& outputs) {
  Seeds seeds;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (c.outputs[i].cotangent.empty()) continue;
    seeds.outputs.push_back(outputs[i]);
    seeds.cotangents.push_back(load_npy(c.outputs[i].cotangent));
  }
  return seeds;
}

Failure check_gradients(const Case& c,
                        const std::vector<Tensor>& inputs,
                        const std::vector<Tensor>& outputs) {
  std::vector<Tensor> wanted;
  std::vector<size_t> positions;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (c.inputs[i].gradient.empty()) continue;
    wanted.push_back(inputs[i]);
    positions.push_back(i);
  }
  if (wanted.empty()) return {};
  const Seeds seeds = seeds_of(c, outputs);
  const std::vector<Tensor> gradients =
      grad(seeds.outputs, wanted, {.cotangents = seeds.cotangents});
  materialize(gradients);
  for (size_t i = 0; i < gradients.size(); ++i) {
    const Tensor expected = load_npy(c.inputs[positions[i]].gradient);
    if (Failure found = difference(gradients[i], expected, c.gradient_tolerance)) {
      return fmt::format("gradient {} {}", positions[i], *found);
    }
  }
  return {};
}

Failure run(const Case& c, const Entry& entry, bool as_views) {
  std::vector<Tensor> inputs;
  for (const Input& input : c.inputs)
    inputs.push_back(load_input(input, as_views));
  const std::vector<Tensor> outputs = entry.function(Call(inputs, c.attributes)).tensors;
  if (Failure found = check_outputs(c, outputs)) return found;
  return check_gradients(c, inputs, outputs);
}

}  // namespace

Failure run_case(const Case& c, const Entry& entry) try {
  if (Failure found = run(c, entry, false)) return found;
  if (Failure found = check_adjoint(c, entry)) return found;
  const bool has_views =
      std::ranges::any_of(c.inputs, [](const Input& i) { return !i.base.empty(); });
  if (!has_views) return {};
  Failure found = run(c, entry, true);
  return found ? fmt::format("as views: {}", *found) : found;
} catch (const std::exception& error) {
  return fmt::format("threw: {}", error.what());
}

}  // namespace wick::conformance
