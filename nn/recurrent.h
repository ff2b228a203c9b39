#pragma once

// Recurrent layers: the parameters of the runs in wick/nn/functional/recurrent.h.

#include <vector>

#include "wick/nn/functional/recurrent.h"
#include "wick/nn/module.h"

namespace wick::nn {

struct RecurrentLayerOptions {
  int64_t layers = 1;
  bool bias = true;
  /// Each layer also runs backwards in time, with a cell of its own.
  bool bidirectional = false;
  /// x and y are [n, t, ...] instead of [t, n, ...].
  bool batch_first = false;
  /// The share of values between layers that are dropped in training.
  double dropout = 0;
};

/// What the recurrent layers share: cells that start uniform in +-1/sqrt(hidden). Layer i has the
/// parameters weight_ih_li, weight_hh_li, bias_ih_li and bias_hh_li, and its backward direction the
/// same with the suffix _reverse.
class RecurrentLayer : public Module {
 public:
  /// The last layer's h of every step, from a state of zeros: x f32[t, n, in] gives
  /// f32[t, n, directions * hidden]. Also for one sequence, f32[t, in].
  Tensor forward(const Tensor& x) override = 0;

 protected:
  RecurrentLayer(
      int64_t in, int64_t hidden, int64_t gates, const RecurrentLayerOptions& options, Where where);

  /// One for each layer and direction, layers outermost.
  [[nodiscard]] std::vector<CellWeights> cells() const;
  [[nodiscard]] RecurrentOptions run_options() const;

 private:
  struct Cell {
    Parameter input;
    Parameter hidden;
    Parameter input_bias;
    Parameter hidden_bias;
  };

  RecurrentLayerOptions options_;
  std::vector<Cell> cells_;
};

/// Layers of rnn_tanh_cell, or of rnn_relu_cell.
class RNN final : public RecurrentLayer {
 public:
  enum class Nonlinearity : uint8_t { tanh, relu };

  RNN(int64_t in,
      int64_t hidden,
      const RecurrentLayerOptions& options = {},
      Nonlinearity nonlinearity = Nonlinearity::tanh,
      Where where = Where::current());

  Tensor forward(const Tensor& x) override;
  /// From a state h f32[layers * directions, n, hidden].
  SequenceResult run(const Tensor& x, const Tensor& h, Where where = Where::current());

 private:
  Nonlinearity nonlinearity_;
};

/// Layers of gru_cell.
class GRU final : public RecurrentLayer {
 public:
  GRU(int64_t in,
      int64_t hidden,
      const RecurrentLayerOptions& options = {},
      Where where = Where::current());

  Tensor forward(const Tensor& x) override;
  /// From a state h f32[layers * directions, n, hidden].
  SequenceResult run(const Tensor& x, const Tensor& h, Where where = Where::current());
};

/// Layers of lstm_cell.
class LSTM final : public RecurrentLayer {
 public:
  LSTM(int64_t in,
       int64_t hidden,
       const RecurrentLayerOptions& options = {},
       Where where = Where::current());

  Tensor forward(const Tensor& x) override;
  /// From a state of h and c f32[layers * directions, n, hidden].
  LstmResult run(const Tensor& x, const LstmState& state, Where where = Where::current());
};

}  // namespace wick::nn
