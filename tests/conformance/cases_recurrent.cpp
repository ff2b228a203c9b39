#include "table.h"

#include "wick/nn/functional/recurrent.h"

namespace wick::conformance {
namespace {

using nn::CellWeights;

CellWeights weights(const Call& c, size_t first) {
  return {c[first], c[first + 1], c[first + 2], c[first + 3]};
}

std::vector<CellWeights> all_weights(const Call& c, size_t first) {
  std::vector<CellWeights> cells;
  const int64_t directions = c.flag("bidirectional") ? 2 : 1;
  for (int64_t i = 0; i < c.integer("layers", 1) * directions; ++i)
    cells.push_back(weights(c, first + static_cast<size_t>(4 * i)));
  return cells;
}

nn::RecurrentOptions options(const Call& c) {
  return {.bidirectional = c.flag("bidirectional"),
          .batch_first = c.text("layout", "T,N,C") == "N,T,C"};
}

Results gru(const Call& c) {
  const nn::SequenceResult result = nn::gru(c[0], c[1], all_weights(c, 2), options(c));
  return {result.y, result.h};
}

Results lstm(const Call& c) {
  const nn::LstmResult result = nn::lstm(c[0], {c[1], c[2]}, all_weights(c, 3), options(c));
  return {result.y, result.state.h, result.state.c};
}

Results lstm_cell(const Call& c) {
  const nn::LstmState state = nn::lstm_cell(c[0], {c[1], c[2]}, weights(c, 3));
  return {state.h, state.c};
}

}  // namespace

std::vector<Entry> recurrent() {
  return {
      {"gru", gru},
      {"gru_cell", [](const Call& c) { return nn::gru_cell(c[0], c[1], weights(c, 2)); }},
      {"lstm", lstm},
      {"lstm_cell", lstm_cell},
      {"rnn_relu_cell", [](const Call& c) { return nn::rnn_relu_cell(c[0], c[1], weights(c, 2)); }},
      {"rnn_tanh_cell",
       [](const Call& c) { return nn::rnn_tanh_cell(c[0], c[1], weights(c, 2)); }}};
}

}  // namespace wick::conformance
