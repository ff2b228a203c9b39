#include "wick/nn/recurrent.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "wick/ir/error.h"
#include "wick/nn/init.h"

namespace wick::nn {

RecurrentLayer::RecurrentLayer(
    int64_t in, int64_t hidden, int64_t gates, const RecurrentLayerOptions& options, Where where)
    : options_(options) {
  if (in < 1 || hidden < 1 || options.layers < 1) {
    constexpr auto kText = "{} inputs, {} hidden values and {} layers must all be positive";
    throw Error(where, "recurrent_layer", fmt::format(kText, in, hidden, options.layers));
  }
  const auto parameter = [&](std::string name, Shape shape) {
    return register_parameter(
        std::move(name), init::fan_in_uniform(std::move(shape), hidden, where), where);
  };
  const int64_t rows = gates * hidden;
  const int64_t directions = options.bidirectional ? 2 : 1;
  for (int64_t layer = 0; layer < options.layers; ++layer) {
    const int64_t inputs = layer == 0 ? in : directions * hidden;
    for (int64_t direction = 0; direction < directions; ++direction) {
      const std::string place = fmt::format("l{}{}", layer, direction == 1 ? "_reverse" : "");
      Cell& cell = cells_.emplace_back();
      cell.input = parameter("weight_ih_" + place, {rows, inputs});
      cell.hidden = parameter("weight_hh_" + place, {rows, hidden});
      if (!options.bias) continue;
      cell.input_bias = parameter("bias_ih_" + place, {rows});
      cell.hidden_bias = parameter("bias_hh_" + place, {rows});
    }
  }
}

std::vector<CellWeights> RecurrentLayer::cells() const {
  const auto value = [](const Parameter& p) { return p.defined() ? p.value() : Tensor(); };
  std::vector<CellWeights> weights;
  weights.reserve(cells_.size());
  for (const Cell& cell : cells_) {
    weights.push_back(
        {value(cell.input), value(cell.hidden), value(cell.input_bias), value(cell.hidden_bias)});
  }
  return weights;
}

RecurrentOptions RecurrentLayer::run_options() const {
  return {.bidirectional = options_.bidirectional,
          .batch_first = options_.batch_first,
          .dropout = is_training() ? options_.dropout : 0};
}

RNN::RNN(int64_t in,
         int64_t hidden,
         const RecurrentLayerOptions& options,
         Nonlinearity nonlinearity,
         Where where)
    : RecurrentLayer(in, hidden, 1, options, where),
      nonlinearity_(nonlinearity) {}

Tensor RNN::forward(const Tensor& x) {
  return run(x, {}, call_site()).y;
}

SequenceResult RNN::run(const Tensor& x, const Tensor& h, Where where) {
  const auto function = nonlinearity_ == Nonlinearity::tanh ? rnn_tanh : rnn_relu;
  return function(x, h, cells(), run_options(), where);
}

GRU::GRU(int64_t in, int64_t hidden, const RecurrentLayerOptions& options, Where where)
    : RecurrentLayer(in, hidden, 3, options, where) {}

Tensor GRU::forward(const Tensor& x) {
  return run(x, {}, call_site()).y;
}

SequenceResult GRU::run(const Tensor& x, const Tensor& h, Where where) {
  return gru(x, h, cells(), run_options(), where);
}

LSTM::LSTM(int64_t in, int64_t hidden, const RecurrentLayerOptions& options, Where where)
    : RecurrentLayer(in, hidden, 4, options, where) {}

Tensor LSTM::forward(const Tensor& x) {
  return run(x, {}, call_site()).y;
}

LstmResult LSTM::run(const Tensor& x, const LstmState& state, Where where) {
  return lstm(x, state, cells(), run_options(), where);
}

}  // namespace wick::nn
