#include "wick/autograd/pullback.h"

#include "wick/autograd/engine.h"
#include "wick/tensor/ops.h"

namespace wick::autograd {

Pullback::Pullback(const Request& request)
    : history_({request.outputs, request.stops, request.op, request.where}),
      where_(request.where) {
  for (const Tensor& output : request.outputs)
    outputs_.push_back(history_.find(output));
  for (const Tensor& input : request.inputs) {
    inputs_.push_back(history_.find(input));
    types_.push_back(input.type());
  }
}

std::vector<Tensor> Pullback::gradients(std::span<const Tensor> cotangents) const {
  std::vector<Seed> seeds;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (cotangents[i].defined()) seeds.push_back({outputs_[i], cotangents[i]});
  }
  std::vector<Tensor> gradients = propagate(history_, seeds, inputs_);
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) gradients[i] = zeros(types_[i].shape, types_[i].dtype, where_);
  }
  return gradients;
}

}  // namespace wick::autograd
