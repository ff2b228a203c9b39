#pragma once

// Recurrent cells, and their runs over sequences. A run projects the inputs of all steps in one
// product and then records one cell after the other; both fuse and differentiate like any program.

#include <span>
#include <vector>

#include "wick/tensor/ops.h"
#include "wick/tensor/tensor.h"

namespace wick::nn {

/// Of a cell with g gates over `in` inputs and h hidden values. Gates lie one after another along
/// axis 0: i, f, g, o (LSTM); r, z, n (GRU). Biases may be undefined.
struct CellWeights {
  Tensor input;        // f32[g h, in]
  Tensor hidden;       // f32[g h, h]
  Tensor input_bias;   // f32[g h]
  Tensor hidden_bias;  // f32[g h]
};

/// tanh(W x + b + U h + c): x f32[n, in], h f32[n, h] (Elman, 1990).
Tensor rnn_tanh_cell(const Tensor& x,
                     const Tensor& h,
                     const CellWeights& weights,
                     Where where = Where::current());
/// The same with relu for tanh.
Tensor rnn_relu_cell(const Tensor& x,
                     const Tensor& h,
                     const CellWeights& weights,
                     Where where = Where::current());

/// (1 - z) n + z h with n = tanh(W x + b + r (U h + c)) (Cho et al., 2014; the reset gate behind
/// the product, as in cuDNN).
Tensor gru_cell(const Tensor& x,
                const Tensor& h,
                const CellWeights& weights,
                Where where = Where::current());

struct LstmState {
  Tensor h;
  Tensor c;
};

/// c' = f c + i g, h' = o tanh(c') (Hochreiter and Schmidhuber, 1997; Gers et al., 2000).
LstmState lstm_cell(const Tensor& x,
                    const LstmState& state,
                    const CellWeights& weights,
                    Where where = Where::current());

struct RecurrentOptions {
  /// Each layer also runs backwards in time, with a cell of its own.
  bool bidirectional = false;
  /// x and y are [n, t, ...] instead of [t, n, ...].
  bool batch_first = false;
  /// The share of values between layers that are dropped; 0 in evaluation.
  double dropout = 0;
};

struct SequenceResult {
  /// The last layer's h of every step, both directions side by side: [t, n, directions * h].
  Tensor y;
  /// After the last step, [layers * directions, n, h].
  Tensor h;
};

struct LstmResult {
  Tensor y;
  LstmState state;
};

/// Runs over x f32[t, n, in], from the state h f32[layers * directions, n, h], or zeros where that
/// is undefined. `cells` has one for each layer and direction, layers outermost. Also for one
/// sequence, x f32[t, in] and h f32[layers * directions, h]. Errors name the shapes that do not
/// fit.
SequenceResult rnn_tanh(const Tensor& x,
                        const Tensor& h,
                        std::span<const CellWeights> cells,
                        const RecurrentOptions& options = {},
                        Where where = Where::current());
SequenceResult rnn_relu(const Tensor& x,
                        const Tensor& h,
                        std::span<const CellWeights> cells,
                        const RecurrentOptions& options = {},
                        Where where = Where::current());
SequenceResult gru(const Tensor& x,
                   const Tensor& h,
                   std::span<const CellWeights> cells,
                   const RecurrentOptions& options = {},
                   Where where = Where::current());
LstmResult lstm(const Tensor& x,
                const LstmState& state,
                std::span<const CellWeights> cells,
                const RecurrentOptions& options = {},
                Where where = Where::current());

}  // namespace wick::nn
