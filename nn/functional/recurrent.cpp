#include "wick/nn/functional/recurrent.h"

#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "wick/ir/error.h"
#include "wick/nn/functional/operands.h"
#include "wick/tensor/ops_linalg.h"
#include "wick/tensor/random.h"

namespace wick::nn {

namespace {

enum class Kind : uint8_t { rnn_tanh, rnn_relu, gru, lstm };

std::string_view name_of(Kind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"rnn_tanh", "rnn_relu", "gru", "lstm"};
  return kNames[static_cast<size_t>(kind)];
}

int64_t num_gates(Kind kind) {
  constexpr std::array<int64_t, 4> kGates = {1, 1, 3, 4};
  return kGates[static_cast<size_t>(kind)];
}

/// One function for cells and runs: where it is called from, and which op its errors name.
struct Place {
  Kind kind;
  std::string op;
  Where where;

  [[noreturn]] void fail(const std::string& text) const { throw Error(where, op, text); }
};

void require(const Place& place, std::string_view name, const Tensor& given, const Shape& wanted) {
  if (given.defined() && is_float(given.dtype()) && given.shape() == wanted) return;
  const std::string text = given.defined() ? to_string(given.type()) : "undefined";
  place.fail(fmt::format("{} must be floats {}, is {}", name, to_string(wanted), text));
}

void require_weights(const Place& place, const CellWeights& w, int64_t inputs, int64_t hidden) {
  const int64_t rows = num_gates(place.kind) * hidden;
  require(place, "input weight", w.input, {rows, inputs});
  require(place, "hidden weight", w.hidden, {rows, hidden});
  if (w.input_bias.defined()) require(place, "input bias", w.input_bias, {rows});
  if (w.hidden_bias.defined()) require(place, "hidden bias", w.hidden_bias, {rows});
}

/// Part i of the gates, which lie one after another along the last axis.
Tensor gate(const Tensor& gates, int64_t i, int64_t hidden, Where where) {
  return slice(gates, -1, i * hidden, (i + 1) * hidden, 1, where);
}

Tensor sum_of(const Tensor& a, const Tensor& b, Where where) {
  return Operand(a, where) + b;
}

LstmState advance_lstm(const Tensor& gates, const LstmState& state, Where where) {
  const int64_t hidden = state.h.shape()[1];
  const Tensor input = sigmoid(gate(gates, 0, hidden, where), where);
  const Tensor forget = sigmoid(gate(gates, 1, hidden, where), where);
  const Tensor candidate = tanh(gate(gates, 2, hidden, where), where);
  const Tensor output = sigmoid(gate(gates, 3, hidden, where), where);
  const Tensor kept = Operand(forget, where) * state.c;
  const Tensor c = sum_of(kept, Operand(input, where) * candidate, where);
  return {Operand(output, where) * tanh(c, where), c};
}

Tensor advance_gru(const Tensor& from_x, const Tensor& from_h, const Tensor& h, Where where) {
  const int64_t hidden = h.shape()[1];
  const auto both = [&](int64_t i) {
    return sum_of(gate(from_x, i, hidden, where), gate(from_h, i, hidden, where), where);
  };
  const Tensor reset = sigmoid(both(0), where);
  const Tensor update = sigmoid(both(1), where);
  const Tensor recalled = Operand(reset, where) * gate(from_h, 2, hidden, where);
  const Tensor candidate = tanh(sum_of(gate(from_x, 2, hidden, where), recalled, where), where);
  return (Operand(h, where) - candidate) * Operand(update, where) + candidate;
}

/// One step; `from_x` is the projected input W x + b. Only an LSTM has a c.
LstmState advance(const Place& place,
                  const Tensor& from_x,
                  const LstmState& state,
                  const CellWeights& weights) {
  const Where where = place.where;
  const Tensor from_h = linear(state.h, weights.hidden, weights.hidden_bias, where);
  switch (place.kind) {
    case Kind::rnn_tanh:
      return {tanh(sum_of(from_x, from_h, where), where), {}};
    case Kind::rnn_relu:
      return {relu(sum_of(from_x, from_h, where), where), {}};
    case Kind::gru:
      return {advance_gru(from_x, from_h, state.h, where), {}};
    case Kind::lstm:
      return advance_lstm(sum_of(from_x, from_h, where), state, where);
  }
  __builtin_unreachable();
}

/// The cells of single vectors, [in] and [h], are those of a batch of one.
LstmState run_cell(const Place& place,
                   const Tensor& x,
                   const LstmState& state,
                   const CellWeights& weights) {
  const Where where = place.where;
  detail::require_float(place.op, "x", x, where);
  detail::require_float(place.op, "h", state.h, where);
  if (x.ndim() == 1 && state.h.ndim() == 1) {
    const Tensor c = state.c.defined() ? unsqueeze(state.c, 0, where) : Tensor();
    const LstmState next =
        run_cell(place, unsqueeze(x, 0, where), {unsqueeze(state.h, 0, where), c}, weights);
    return {squeeze(next.h, 0, where), next.c.defined() ? squeeze(next.c, 0, where) : Tensor()};
  }
  if (x.ndim() != 2 || state.h.ndim() != 2) {
    constexpr auto kText = "x must be [n,in] and h [n,h]: x {}, h {}";
    place.fail(fmt::format(kText, to_string(x.type()), to_string(state.h.type())));
  }
  const int64_t hidden = state.h.shape()[1];
  require(place, "h", state.h, {x.shape()[0], hidden});
  if (place.kind == Kind::lstm) require(place, "c", state.c, {x.shape()[0], hidden});
  require_weights(place, weights, x.shape()[1], hidden);
  return advance(place, linear(x, weights.input, weights.input_bias, where), state, weights);
}

/// W x + b of all steps in one product: [t,n,in] gives [t,n,g h].
Tensor project(const Tensor& x, const CellWeights& weights, Where where) {
  const int64_t inputs = x.shape()[2];
  const Tensor rows = reshape(x, {x.shape()[0] * x.shape()[1], inputs}, where);
  const Tensor y = linear(rows, weights.input, weights.input_bias, where);
  return reshape(y, {x.shape()[0], x.shape()[1], y.shape()[1]}, where);
}

struct DirectionResult {
  Tensor y;  // [t,n,h]
  LstmState last;
};

DirectionResult run_direction(const Place& place,
                              const Tensor& x,
                              LstmState state,
                              const CellWeights& weights,
                              bool backwards) {
  const Where where = place.where;
  const int64_t steps = x.shape()[0];
  const Tensor from_x = project(x, weights, where);
  std::vector<Tensor> outputs(static_cast<size_t>(steps));
  for (int64_t i = 0; i < steps; ++i) {
    const int64_t step = backwards ? steps - 1 - i : i;
    state = advance(place, select(from_x, 0, step, where), state, weights);
    outputs[static_cast<size_t>(step)] = state.h;
  }
  return {stack(outputs, 0, where), state};
}

/// State i of [layers * directions, n, h], or zeros.
Tensor initial(const Tensor& states, int64_t i, const Shape& shape, DType dtype, Where where) {
  return states.defined() ? select(states, 0, i, where) : zeros(shape, dtype, where);
}

LstmResult run_layers(const Place& place,
                      Tensor x,
                      const LstmState& first,
                      std::span<const CellWeights> cells,
                      const RecurrentOptions& options) {
  const Where where = place.where;
  const int64_t directions = options.bidirectional ? 2 : 1;
  const int64_t samples = x.shape()[1];
  const int64_t hidden = cells.front().hidden.shape()[1];
  const bool has_c = place.kind == Kind::lstm;
  const Shape states{std::ssize(cells), samples, hidden};
  if (first.h.defined()) require(place, "h", first.h, states);
  if (first.c.defined()) require(place, "c", first.c, states);
  std::vector<Tensor> last_h;
  std::vector<Tensor> last_c;
  for (int64_t i = 0; i < std::ssize(cells); i += directions) {
    if (i > 0 && options.dropout > 0) x = dropout(x, options.dropout, default_generator(), where);
    std::vector<Tensor> outputs;
    for (int64_t direction = 0; direction < directions; ++direction) {
      const CellWeights& weights = cells[static_cast<size_t>(i + direction)];
      require_weights(place, weights, x.shape()[2], hidden);
      LstmState state;
      state.h = initial(first.h, i + direction, {samples, hidden}, x.dtype(), where);
      if (has_c) state.c = initial(first.c, i + direction, {samples, hidden}, x.dtype(), where);
      DirectionResult result =
          run_direction(place, x, std::move(state), weights, /*backwards=*/direction == 1);
      outputs.push_back(result.y);
      last_h.push_back(result.last.h);
      last_c.push_back(result.last.c);
    }
    x = outputs.size() == 1 ? outputs.front() : concat(outputs, 2, where);
  }
  return {x, {stack(last_h, 0, where), has_c ? stack(last_c, 0, where) : Tensor()}};
}

void require_sequence(const Place& place,
                      const Tensor& x,
                      std::span<const CellWeights> cells,
                      const RecurrentOptions& options) {
  detail::require_float(place.op, "x", x, place.where);
  const size_t directions = options.bidirectional ? 2 : 1;
  if (x.ndim() != 3) {
    place.fail(fmt::format("x must be [t,n,in] or [t,in], is {}", to_string(x.type())));
  }
  if (x.shape()[options.batch_first ? 1 : 0] == 0) {
    place.fail(fmt::format("x {} has no steps", to_string(x.type())));
  }
  if (cells.empty() || cells.size() % directions != 0) {
    constexpr auto kText = "{} cells do not divide into layers of {}";
    place.fail(fmt::format(kText, cells.size(), directions));
  }
  const Tensor& hidden = cells.front().hidden;
  if (!hidden.defined() || hidden.ndim() != 2) {
    const std::string given = hidden.defined() ? to_string(hidden.type()) : "undefined";
    place.fail(fmt::format("hidden weight must be [{} h,h], is {}", num_gates(place.kind), given));
  }
}

/// One sequence is a batch of one.
LstmResult run_single(const Place& place,
                      const Tensor& x,
                      const LstmState& first,
                      std::span<const CellWeights> cells,
                      const RecurrentOptions& options);

LstmResult run(const Place& place,
               const Tensor& x,
               const LstmState& first,
               std::span<const CellWeights> cells,
               const RecurrentOptions& options) {
  if (x.defined() && x.ndim() == 2) return run_single(place, x, first, cells, options);
  require_sequence(place, x, cells, options);
  const Where where = place.where;
  const Tensor steps = options.batch_first ? transpose(x, 0, 1, where) : x;
  LstmResult result = run_layers(place, steps, first, cells, options);
  if (options.batch_first) result.y = transpose(result.y, 0, 1, where);
  return result;
}

LstmResult run_single(const Place& place,
                      const Tensor& x,
                      const LstmState& first,
                      std::span<const CellWeights> cells,
                      const RecurrentOptions& options) {
  const auto lift = [&](const Tensor& t, int axis) {
    return t.defined() && t.ndim() == 2 ? unsqueeze(t, axis, place.where) : t;
  };
  const auto drop = [&](const Tensor& t) { return t.defined() ? squeeze(t, 1, place.where) : t; };
  RecurrentOptions steps_first = options;
  steps_first.batch_first = false;
  const LstmState batch{lift(first.h, 1), lift(first.c, 1)};
  const LstmResult result = run(place, lift(x, 1), batch, cells, steps_first);
  return {drop(result.y), {drop(result.state.h), drop(result.state.c)}};
}

Place cell_place(Kind kind, Where where) {
  return {kind, std::string(name_of(kind)) + "_cell", where};
}

Place run_place(Kind kind, Where where) {
  return {kind, std::string(name_of(kind)), where};
}

SequenceResult without_c(const LstmResult& result) {
  return {result.y, result.state.h};
}

}  // namespace

Tensor rnn_tanh_cell(const Tensor& x, const Tensor& h, const CellWeights& weights, Where where) {
  return run_cell(cell_place(Kind::rnn_tanh, where), x, {h, {}}, weights).h;
}

Tensor rnn_relu_cell(const Tensor& x, const Tensor& h, const CellWeights& weights, Where where) {
  return run_cell(cell_place(Kind::rnn_relu, where), x, {h, {}}, weights).h;
}

Tensor gru_cell(const Tensor& x, const Tensor& h, const CellWeights& weights, Where where) {
  return run_cell(cell_place(Kind::gru, where), x, {h, {}}, weights).h;
}

LstmState lstm_cell(const Tensor& x,
                    const LstmState& state,
                    const CellWeights& weights,
                    Where where) {
  return run_cell(cell_place(Kind::lstm, where), x, state, weights);
}

SequenceResult rnn_tanh(const Tensor& x,
                        const Tensor& h,
                        std::span<const CellWeights> cells,
                        const RecurrentOptions& options,
                        Where where) {
  return without_c(run(run_place(Kind::rnn_tanh, where), x, {h, {}}, cells, options));
}

SequenceResult rnn_relu(const Tensor& x,
                        const Tensor& h,
                        std::span<const CellWeights> cells,
                        const RecurrentOptions& options,
                        Where where) {
  return without_c(run(run_place(Kind::rnn_relu, where), x, {h, {}}, cells, options));
}

SequenceResult gru(const Tensor& x,
                   const Tensor& h,
                   std::span<const CellWeights> cells,
                   const RecurrentOptions& options,
                   Where where) {
  return without_c(run(run_place(Kind::gru, where), x, {h, {}}, cells, options));
}

LstmResult lstm(const Tensor& x,
                const LstmState& state,
                std::span<const CellWeights> cells,
                const RecurrentOptions& options,
                Where where) {
  return run(run_place(Kind::lstm, where), x, state, cells, options);
}

}  // namespace wick::nn
