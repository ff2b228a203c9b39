// Random networks that train for a few steps, recorded and compiled, and op by op in the
// interpreter. Both give the same losses, outputs and parameters.
//
// WICK_DIFF_NETWORKS sets how many, WICK_DIFF_SEED the first seed.

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "support/guarded_memory_manager.h"
#include "support/number_from.h"
#include "support/random_graph_generator.h"
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"
#include "wick/nn/nn.h"
#include "wick/passes/options.h"
#include "wick/tensor/ops.h"

namespace wick::nn {
namespace {

using testing_support::Random;
using Values = std::vector<double>;

/// x + f(x).
class Residual final : public Module {
 public:
  explicit Residual(Sequential inner) : inner_(register_module("inner", std::move(inner))) {}

  Tensor forward(const Tensor& x) override { return x + (*inner_)(x); }

 private:
  std::shared_ptr<Sequential> inner_;
};

/// The layers of one seed, for a batch of the shape that it was made for.
class RandomNetwork {
 public:
  explicit RandomNetwork(Random& random) : random_(random) {
    static const std::vector<void (RandomNetwork::*)()> kKinds = {
        &RandomNetwork::images, &RandomNetwork::sequences, &RandomNetwork::vectors};
    (this->*random_.pick(kKinds))();
  }

  Tensor batch() const {
    if (takes_indices_) return randint(0, kWords, input_);
    return rand(input_) * 2 - 1;
  }

  [[nodiscard]] int64_t batch_size() const { return input_[0]; }

  Module& module() { return net_; }

  static constexpr int64_t kClasses = 5;

  [[nodiscard]] const std::vector<std::string>& layers() const { return log_; }

 private:
  static constexpr int64_t kWords = 11;

  void log(std::string what) { log_.push_back(fmt::format("{} -> {}", what, to_string(shape_))); }

  template <typename Layer>
  void add(Sequential& to, Layer layer, const std::string& what) {
    to.append(std::move(layer));
    log(what);
  }

  void images() {
    if (random_.chance(0.1)) {  // as many as it takes for transforms and several threads
      channels_ = {33, 48, 64};
      shape_ = {2, random_.pick(channels_), random_.between(12, 24), random_.between(12, 24)};
    } else {
      channels_ = {1, 2, 3, 8, 16, 17, 24, 32};
      shape_ = {random_.between(1, 4),
                random_.pick(channels_),
                random_.between(4, 11),
                random_.between(4, 11)};
    }
    input_ = shape_;
    log("images");
    for (int64_t n = random_.between(1, 5); n > 0; --n)
      add_image_layer(net_, /*may_nest=*/true);
    if (random_.chance(0.5)) {
      add_global_mean();
    } else {
      shape_ = {shape_[0], shape_[1] * shape_[2] * shape_[3]};
      add(net_, Flatten(), "flatten");
    }
    finish();
  }

  /// The mean of each channel: a window of the whole image.
  void add_global_mean() {
    const Axes window{shape_[2], shape_[3]};
    shape_ = {shape_[0], shape_[1]};
    net_.append(AvgPool2d(AvgPoolOptions{.kernel = window}));
    add(net_, Flatten(), "global mean");
  }

  void add_image_layer(Sequential& to, bool may_nest) {
    switch (random_.below(may_nest ? 7 : 4)) {
      case 0:
      case 1:
        return add_convolution(to, /*keeps_shape=*/!may_nest);
      case 2:
        return add_image_norm(to);
      case 3:
        return add_activation(to);
      case 4:
        return add_pooling(to);
      case 5:
        return add_residual(to, &RandomNetwork::add_image_layer);
      default:
        return add_transposed_convolution(to);
    }
  }

  void add_convolution(Sequential& to, bool keeps_shape) {
    const int64_t in = shape_[1];
    const bool depthwise = random_.chance(0.2);
    const int64_t out = keeps_shape || depthwise ? in : random_.pick(channels_);
    const int64_t kernel = random_.pick(std::vector<int64_t>{1, 1, 3, 3, 3, 5});
    const int64_t stride = keeps_shape ? 1 : random_.between(1, 2);
    const int64_t padding = keeps_shape ? kernel / 2 : random_.between(0, kernel / 2);
    if (shape_[2] + 2 * padding < kernel || shape_[3] + 2 * padding < kernel) return;
    Axes groups;
    for (const int64_t g : {1, 1, 2, 4}) {
      if (in % g == 0 && out % g == 0) groups.push_back(g);
    }
    const ConvOptions options{
        .stride = {stride}, .padding = {padding}, .groups = depthwise ? in : random_.pick(groups)};
    const auto extent = [&](int axis) {
      return (shape_[axis] + 2 * padding - kernel) / stride + 1;
    };
    shape_ = {shape_[0], out, extent(2), extent(3)};
    add(to,
        Conv2d(in, out, {kernel, kernel}, options, random_.chance(0.5)),
        fmt::format("conv {}x{} stride {} padding {} groups {}",
                    kernel,
                    kernel,
                    stride,
                    padding,
                    options.groups));
  }

  void add_transposed_convolution(Sequential& to) {
    if (shape_[2] > 8 || shape_[3] > 8) return;
    const int64_t in = shape_[1];
    const int64_t out = random_.pick(std::vector<int64_t>{1, 4, 16});
    shape_ = {shape_[0], out, shape_[2] * 2, shape_[3] * 2};
    add(to,
        ConvTranspose2d(in, out, {2, 2}, ConvTransposeOptions{.stride = {2}}),
        "transposed conv 2x2 stride 2");
  }

  void add_image_norm(Sequential& to) {
    const int64_t channels = shape_[1];
    // Of one element there is nothing to normalize.
    const bool is_small = shape_[2] * shape_[3] < 4;
    if (random_.chance(0.6)) {
      if (is_small) return;
      add(to, BatchNorm2d(channels), "batch norm");
    } else if (channels % 4 == 0) {
      add(to, GroupNorm(channels / 4, channels), "group norm");
    } else if (!is_small) {
      add(to, InstanceNorm(channels), "instance norm");
    }
  }

  void add_pooling(Sequential& to) {
    if (shape_[2] < 3 || shape_[3] < 3) return;
    const int64_t kernel = random_.between(2, 3);
    const int64_t stride = random_.between(1, kernel);
    const int64_t padding = random_.chance(0.3) ? 1 : 0;
    const auto extent = [&](int axis) {
      return (shape_[axis] + 2 * padding - kernel) / stride + 1;
    };
    shape_ = {shape_[0], shape_[1], extent(2), extent(3)};
    const std::string how = fmt::format("{} stride {} padding {}", kernel, stride, padding);
    if (random_.chance(0.5)) {
      add(to,
          MaxPool2d(MaxPoolOptions{.kernel = {kernel}, .stride = {stride}, .padding = {padding}}),
          "max pool " + how);
    } else {
      add(to,
          AvgPool2d(AvgPoolOptions{.kernel = {kernel}, .stride = {stride}, .padding = {padding}}),
          "mean pool " + how);
    }
  }

  void add_residual(Sequential& to, void (RandomNetwork::*add_layer)(Sequential&, bool)) {
    Sequential inner;
    log("residual begins");
    for (int64_t n = random_.between(1, 3); n > 0; --n)
      (this->*add_layer)(inner, /*may_nest=*/false);
    if (inner.size() == 0) return;
    add(to, Residual(std::move(inner)), "residual ends");
  }

  /// [n,t,e]
  void sequences() {
    const std::vector<int64_t> extents{4, 8, 12, 16, 32};
    shape_ = {random_.between(1, 4), random_.between(1, 9), random_.pick(extents)};
    takes_indices_ = random_.chance(0.5);
    input_ = takes_indices_ ? Shape{shape_[0], shape_[1]} : shape_;
    if (takes_indices_) {
      add(net_, Embedding(kWords, shape_[2]), "embedding");
    } else {
      log("sequences");
    }
    for (int64_t n = random_.between(1, 4); n > 0; --n)
      add_sequence_layer(net_, /*may_nest=*/true);
    shape_ = {shape_[0], shape_[1] * shape_[2]};
    add(net_, Flatten(), "flatten");
    finish();
  }

  void add_sequence_layer(Sequential& to, bool may_nest) {
    const int64_t extent = shape_[2];
    switch (random_.below(may_nest ? 7 : 5)) {
      case 0:
        return add(to,
                   MultiheadAttention(extent,
                                      random_.chance(0.5) ? 2 : 4,
                                      {.key_value_heads = random_.chance(0.3) ? 1 : 0,
                                       .is_causal = random_.chance(0.5)}),
                   "attention");
      case 1:
        return add_row_norm(to);
      case 2:
        return add_activation(to);
      case 3:
        return add_linear(to, may_nest ? random_.pick(std::vector<int64_t>{4, 8, 20}) : extent);
      case 4:
        return add_dropout(to);
      case 5:
        return add_residual(to, &RandomNetwork::add_sequence_layer);
      default:
        return add_recurrent(to);
    }
  }

  void add_recurrent(Sequential& to) {
    const int64_t in = shape_[2];
    const int64_t hidden = random_.pick(std::vector<int64_t>{4, 8, 20});
    const bool both_ways = random_.chance(0.3);
    const RecurrentLayerOptions options{
        .layers = random_.between(1, 2), .bidirectional = both_ways, .batch_first = true};
    shape_.set(2, both_ways ? 2 * hidden : hidden);
    switch (random_.below(3)) {
      case 0:
        return add(to, RNN(in, hidden, options), "rnn");
      case 1:
        return add(to, GRU(in, hidden, options), "gru");
      default:
        return add(to, LSTM(in, hidden, options), "lstm");
    }
  }

  void vectors() {
    shape_ = {random_.between(1, 40), random_.between(1, 40)};
    input_ = shape_;
    log("vectors");
    for (int64_t n = random_.between(1, 5); n > 0; --n)
      add_vector_layer(net_, /*may_nest=*/true);
    finish();
  }

  void add_vector_layer(Sequential& to, bool may_nest) {
    switch (random_.below(may_nest ? 5 : 4)) {
      case 0:
        return add_linear(to, may_nest ? random_.between(1, 50) : shape_[1]);
      case 1:
        return add_row_norm(to);
      case 2:
        return add_activation(to);
      case 3:
        return add_dropout(to);
      default:
        return add_residual(to, &RandomNetwork::add_vector_layer);
    }
  }

  void add_linear(Sequential& to, int64_t out) {
    const int last = shape_.ndim() - 1;
    const int64_t in = shape_[last];
    shape_.set(last, out);
    add(to, Linear(in, out, random_.chance(0.7)), "linear");
  }

  void add_row_norm(Sequential& to) {
    const int64_t extent = shape_[shape_.ndim() - 1];
    if (extent < 4) return;  // of two elements nothing but a sign is left
    if (random_.chance(0.5)) {
      add(to, LayerNorm({extent}), "layer norm");
    } else {
      add(to, RMSNorm({extent}), "rms norm");
    }
  }

  void add_dropout(Sequential& to) { add(to, Dropout(0.3), "dropout"); }

  void add_activation(Sequential& to) {
    switch (random_.below(9)) {
      case 0:
      case 1:
      case 2:
        return add(to, ReLU(), "relu");
      case 3:
        return add(to, GELU(), "gelu");
      case 4:
        return add(to, SiLU(), "silu");
      case 5:
        return add(to, Tanh(), "tanh");
      case 6:
        return add(to, LeakyReLU(0.1), "leaky relu");
      case 7:
        return add(to, Mish(), "mish");
      default:
        return add(to, Softmax(-1), "softmax");
    }
  }

  void finish() { add_linear(net_, kClasses); }

  Random& random_;
  Shape shape_;
  Shape input_;
  std::vector<int64_t> channels_;  // that images may have
  bool takes_indices_ = false;
  Sequential net_;
  std::vector<std::string> log_;
};

std::unique_ptr<optim::Optimizer> random_optimizer(Random& random,
                                                   std::vector<Parameter> parameters) {
  const double weight_decay = random.chance(0.5) ? 0.01 : 0;
  // Below eps a gradient that is rounding alone would move its parameter as far as any other.
  constexpr double kEps = 1e-2;
  switch (random.below(3)) {
    case 0:
      return std::make_unique<optim::Adam>(
          std::move(parameters),
          optim::AdamOptions{.lr = 1e-3, .eps = kEps, .weight_decay = weight_decay});
    case 1:
      return std::make_unique<optim::AdamW>(std::move(parameters),
                                            optim::AdamWOptions{.lr = 1e-3, .eps = kEps});
    default: {
      const bool has_momentum = random.chance(0.5);
      return std::make_unique<optim::SGD>(
          std::move(parameters),
          optim::SGDOptions{.lr = 0.02,
                            .momentum = has_momentum ? 0.9 : 0,
                            .nesterov = has_momentum && random.chance(0.5),
                            .weight_decay = weight_decay});
    }
  }
}

struct Outcome {
  std::vector<std::pair<std::string, Values>> values;
  std::vector<std::string> layers;

  void keep(std::string name, const Tensor& x) {
    values.emplace_back(std::move(name), x.to_vector<double>());
  }
};

Outcome train(uint64_t seed, bool eager) {
  Options changed = options();
  if (eager) {
    changed.backend = "interpreter";
    changed.max_pending = 1;
  }
  const ScopedOptions scope(changed);
  manual_seed(seed);
  Random random(seed);
  RandomNetwork network(random);
  Module& net = network.module();
  const auto optimizer = random_optimizer(random, net.parameters());
  const bool classifies = random.chance(0.7);
  const bool reads_losses = random.chance(0.5);
  const bool clears_last = random.chance(0.5);
  Outcome outcome;
  outcome.layers = network.layers();
  std::vector<Tensor> losses;
  for (int64_t steps = random.between(1, 4); steps > 0; --steps) {
    const Tensor x = network.batch();
    const Tensor target = classifies ? randint(0, RandomNetwork::kClasses, {network.batch_size()})
                                     : rand({network.batch_size(), RandomNetwork::kClasses});
    if (!clears_last) optimizer->zero_grad();
    const Tensor y = net(x);
    const Tensor loss = classifies ? cross_entropy(y, target) : mse_loss(y, target);
    loss.backward();
    optimizer->step();
    if (clears_last) optimizer->zero_grad();
    losses.push_back(loss);
    if (reads_losses) outcome.keep("loss", loss);
  }
  net.eval();
  outcome.keep("output", net(network.batch()));
  for (const Tensor& loss : losses)
    outcome.keep("a loss", loss);
  for (const NamedParameter& each : net.named_parameters())
    outcome.keep(each.name, each.parameter);
  for (const NamedBuffer& each : net.named_buffers())
    outcome.keep(each.name, each.buffer.value());
  return outcome;
}

/// The first place where the values differ, in words; empty where they do not.
std::string difference(const Outcome& actual, const Outcome& expected) {
  for (size_t i = 0; i < expected.values.size(); ++i) {
    const auto& [name, values] = expected.values[i];
    double largest = 1e-2;
    for (const double x : values)
      largest = std::max(largest, std::abs(x));
    for (size_t at = 0; at < values.size(); ++at) {
      const double x = values[at];
      const double y = actual.values[i].second[at];
      if (std::abs(x - y) <= 2e-3 * largest || (std::isnan(x) && std::isnan(y))) continue;
      return fmt::format("element {} of {} is {}, expected {}", at, name, y, x);
    }
  }
  return "";
}

TEST(RandomNetworks, TrainAsOpByOp) {
  const GuardedMemoryScope guarded;
  const auto first = static_cast<uint64_t>(number_from("WICK_DIFF_SEED", 1));
  const auto count =
      static_cast<uint64_t>(number_from("WICK_DIFF_NETWORKS", targets_gpu() ? 10 : 40));
  for (uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(fmt::format("WICK_DIFF_SEED={} WICK_DIFF_NETWORKS=1", seed));
    const Outcome expected = train(seed, /*eager=*/true);
    const Outcome actual = train(seed, /*eager=*/false);
    ASSERT_EQ(actual.values.size(), expected.values.size());
    EXPECT_EQ(difference(actual, expected), "")
        << fmt::format("{}", fmt::join(expected.layers, "\n"));
  }
}

}  // namespace
}  // namespace wick::nn
