// Training steps of whole networks: forward pass, loss, gradients of all parameters, update; and
// one inference.

#include <memory>
#include <utility>

#include "harness/row.h"
#include "models/gpt.h"
#include "models/lenet.h"
#include "models/mlp.h"
#include "models/resnet50.h"
#include "models/vgg16.h"
#include "rows/inputs.h"

namespace wick::bench {

namespace {

/// What a network learns from.
struct Batch {
  Tensor inputs;
  Tensor labels;
};

Batch images(int64_t count, int64_t channels, int64_t side, int64_t classes) {
  return {uniform_input({count, channels, side, side}), label_input(classes, {count})};
}

/// A step ends with the loss and all parameters computed.
template <typename Optimizer>
Workload training(std::shared_ptr<nn::Module> net, Optimizer optimizer, const Batch& batch) {
  return {[net = std::move(net), optimizer = std::move(optimizer), batch] {
    optimizer->zero_grad();
    const Tensor loss = nn::cross_entropy((*net)(batch.inputs), batch.labels);
    loss.backward();
    optimizer->step();
  }};
}

template <typename Net>
Workload sgd_training(Net net, const Batch& batch, double rate = 1e-3) {
  auto shared = std::make_shared<Net>(std::move(net));
  auto optimizer =
      std::make_shared<optim::SGD>(shared->parameters(), optim::SGDOptions{.lr = rate});
  return training(std::move(shared), std::move(optimizer), batch);
}

Row model(std::string name, std::string what, double limit, std::function<Workload()> make) {
  return {.name = std::move(name),
          .what = std::move(what),
          .floor = products_floor(),
          .goal = 1 / limit,
          .shows_start = true,
          .make = std::move(make)};
}

Batch digits() {
  return {uniform_input({256, 784}), label_input(10, {256})};
}

Workload mlp_adam() {
  auto net = std::make_shared<nn::Sequential>(mlp());
  auto optimizer = std::make_shared<optim::Adam>(net->parameters());
  return training(std::move(net), std::move(optimizer), digits());
}

Workload resnet50_inference() {
  const auto net = std::make_shared<nn::Sequential>(resnet50());
  net->eval();
  const Batch batch = images(8, 3, 224, 1000);
  for (const nn::NamedBuffer& each : net->named_buffers())
    materialize(each.buffer.value());
  for (const nn::Parameter& each : net->parameters())
    materialize(each.value());
  return {[=] {
    const NoGradGuard no_grad;
    materialize((*net)(batch.inputs));
  }};
}

Workload gpt_training(double dropout) {
  constexpr int64_t kBatch = 8;
  const GptOptions options{.dropout = dropout};
  return sgd_training(Gpt(options),
                      {label_input(options.vocabulary, {kBatch, options.context}),
                       label_input(options.vocabulary, {kBatch * options.context})});
}

/// A step of an LSTM over 50 steps in time, of a layer whose rows are no lines.
Workload lstm_gradient() {
  constexpr int64_t kHidden = 250;
  const Tensor x = uniform_input({50, 32, 125});
  const nn::CellWeights weights{.input = uniform_input({4 * kHidden, 125}, -0.1, 0.1),
                                .hidden = uniform_input({4 * kHidden, kHidden}, -0.1, 0.1),
                                .input_bias = uniform_input({4 * kHidden}),
                                .hidden_bias = uniform_input({4 * kHidden})};
  const std::vector<Tensor> inputs = {
      x, weights.input, weights.hidden, weights.input_bias, weights.hidden_bias};
  for (Tensor each : inputs)
    each.requires_grad_();
  return {[=] {
    const nn::CellWeights cells[] = {weights};
    const Tensor outputs[] = {sum(nn::lstm(x, {}, cells).y)};
    materialize(grad(outputs, inputs, {.retain_graph = false}));
  }};
}

}  // namespace

Family model_rows() {
  return {"models",
          {model("mlp-sgd",
                 "784-1024-1024-10, batch 256, SGD",
                 1.08,
                 [] { return sgd_training(mlp(), digits(), 0.01); }),
           model("mlp-adam", "784-1024-1024-10, batch 256, Adam", 1.08, mlp_adam),
           model("lenet",
                 "MNIST network, batch 64, SGD",
                 1.2,
                 [] { return sgd_training(lenet(), images(64, 1, 28, 10)); }),
           model("resnet50",
                 "batch 8, SGD",
                 1.2,
                 [] { return sgd_training(resnet50(), images(8, 3, 224, 1000)); }),
           on_gpu(model("resnet50-64",
                        "batch 64, SGD",
                        1.2,
                        [] { return sgd_training(resnet50(), images(64, 3, 224, 1000)); })),
           model("resnet50-inference", "batch 8", 1.2, resnet50_inference),
           model("vgg16",
                 "batch 8, SGD",
                 1.15,
                 [] { return sgd_training(vgg16(), images(8, 3, 224, 1000)); }),
           model("lstm", "50 steps of batch 32, 125 to 250 values, gradients", 1.25, lstm_gradient),
           model("gpt",
                 "6 layers, width 384, batch 8 of 256 tokens, SGD",
                 1.25,
                 [] { return gpt_training(0); }),
           model("gpt-dropout", "with dropout 0.2", 1.25, [] { return gpt_training(0.2); })}};
}

}  // namespace wick::bench
