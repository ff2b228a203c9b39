// Training steps and inference of networks.

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "peers/torch_workloads.h"
#include <torch/torch.h>

namespace torch_bench {

namespace {

namespace nn = torch::nn;
using torch::Tensor;

using Optimizer = std::shared_ptr<torch::optim::Optimizer>;

Optimizer sgd(const std::vector<Tensor>& parameters, double rate = 1e-3) {
  return std::make_shared<torch::optim::SGD>(parameters, torch::optim::SGDOptions(rate));
}

/// Gradients are dropped, not zeroed, so that none is added to.
std::function<void()> training(Optimizer optimizer,
                               std::vector<Tensor> parameters,
                               std::function<Tensor()> loss) {
  return [=] {
    for (const Tensor& each : parameters)
      each.mutable_grad() = Tensor();
    loss().backward();
    optimizer->step();
  };
}

nn::Conv2d conv(
    int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t padding, bool bias) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, kernel).stride(stride).padding(padding).bias(bias));
}

nn::ReLU relu_in_place() {
  return nn::ReLU(nn::ReLUOptions(true));
}

nn::Sequential mlp() {
  return nn::Sequential(
      nn::Linear(784, 1024), nn::ReLU(), nn::Linear(1024, 1024), nn::ReLU(), nn::Linear(1024, 10));
}

nn::Sequential lenet() {
  return nn::Sequential(conv(1, 32, 5, 1, 2, true),
                        relu_in_place(),
                        nn::MaxPool2d(2),
                        conv(32, 64, 5, 1, 2, true),
                        relu_in_place(),
                        nn::MaxPool2d(2),
                        nn::Flatten(),
                        nn::Linear(64 * 7 * 7, 1024),
                        relu_in_place(),
                        nn::Dropout(0.5),
                        nn::Linear(1024, 10));
}

nn::Sequential vgg16() {
  nn::Sequential net;
  int64_t in = 3;
  const std::vector<std::vector<int64_t>> stages = {
      {64, 64}, {128, 128}, {256, 256, 256}, {512, 512, 512}, {512, 512, 512}};
  for (const auto& stage : stages) {
    for (const int64_t out : stage) {
      net->push_back(conv(in, out, 3, 1, 1, true));
      net->push_back(relu_in_place());
      in = out;
    }
    net->push_back(nn::MaxPool2d(2));
  }
  net->push_back(nn::Flatten());
  net->push_back(nn::Linear(512 * 7 * 7, 4096));
  net->push_back(relu_in_place());
  net->push_back(nn::Dropout(0.5));
  net->push_back(nn::Linear(4096, 4096));
  net->push_back(relu_in_place());
  net->push_back(nn::Dropout(0.5));
  net->push_back(nn::Linear(4096, 1000));
  return net;
}

struct BottleneckImpl : nn::Module {
  BottleneckImpl(int64_t in, int64_t planes, int64_t stride) {
    const int64_t out = 4 * planes;
    body = register_module("body",
                           nn::Sequential(conv(in, planes, 1, 1, 0, false),
                                          nn::BatchNorm2d(planes),
                                          relu_in_place(),
                                          conv(planes, planes, 3, stride, 1, false),
                                          nn::BatchNorm2d(planes),
                                          relu_in_place(),
                                          conv(planes, out, 1, 1, 0, false),
                                          nn::BatchNorm2d(out)));
    if (in == out && stride == 1) return;
    projection = register_module(
        "projection", nn::Sequential(conv(in, out, 1, stride, 0, false), nn::BatchNorm2d(out)));
  }

  Tensor forward(const Tensor& x) {
    Tensor y = body->forward(x);
    y += projection.is_empty() ? x : projection->forward(x);
    return y.relu_();
  }

  nn::Sequential body{nullptr};
  nn::Sequential projection{nullptr};
};

TORCH_MODULE(Bottleneck);

nn::Sequential resnet50() {
  nn::Sequential net(conv(3, 64, 7, 2, 3, false),
                     nn::BatchNorm2d(64),
                     relu_in_place(),
                     nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2).padding(1)));
  int64_t in = 64;
  int64_t planes = 64;
  for (const int blocks : {3, 4, 6, 3}) {
    for (int i = 0; i < blocks; ++i) {
      net->push_back(Bottleneck(in, planes, i == 0 && planes > 64 ? 2 : 1));
      in = 4 * planes;
    }
    planes *= 2;
  }
  net->push_back(nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions(1)));
  net->push_back(nn::Flatten());
  net->push_back(nn::Linear(in, 1000));
  return net;
}

struct ImageCase {
  std::string name;
  nn::Sequential (*make)();
  std::vector<int64_t> images;
  int64_t classes;
};

/// The network and its images in a memory format.
std::pair<nn::Sequential, Tensor> prepare(const ImageCase& c, torch::MemoryFormat format) {
  nn::Sequential net = c.make();
  for (Tensor& each : net->parameters()) {
    if (each.dim() == 4) each.set_data(each.data().contiguous(format));
  }
  return {net, torch::empty(c.images).uniform_(-1, 1).contiguous(format)};
}

void add_image_model(Workloads& all, const ImageCase& c, bool with_inference) {
  for (const bool channels_last : {false, true}) {
    const auto format =
        channels_last ? torch::MemoryFormat::ChannelsLast : torch::MemoryFormat::Contiguous;
    const std::string suffix = channels_last ? ":channels-last" : "";
    all.push_back(
        {c.name + suffix, [=] {
           auto [net, x] = prepare(c, format);
           const Tensor labels = torch::randint(0, c.classes, {c.images[0]}, torch::kLong);
           return training(sgd(net->parameters()), net->parameters(), [net = net, x = x, labels] {
             auto mutable_net = net;
             return nn::functional::cross_entropy(mutable_net->forward(x), labels);
           });
         }});
    if (!with_inference) continue;
    all.push_back({c.name + "-inference" + suffix, [=]() -> std::function<void()> {
                     auto [net, x] = prepare(c, format);
                     net->eval();
                     return [net = net, x = x] {
                       const torch::NoGradGuard no_grad;
                       auto mutable_net = net;
                       auto y = mutable_net->forward(x);
                     };
                   }});
  }
}

void add_mlp(Workloads& all) {
  for (const bool with_adam : {false, true}) {
    all.push_back({with_adam ? "mlp-adam" : "mlp-sgd", [=] {
                     nn::Sequential net = mlp();
                     const Tensor x = torch::empty({256, 784}).uniform_(-1, 1);
                     const Tensor labels = torch::randint(0, 10, {256}, torch::kLong);
                     const std::vector<Tensor> parameters = net->parameters();
                     const Optimizer optimizer =
                         with_adam ? std::make_shared<torch::optim::Adam>(parameters)
                                   : sgd(parameters, 0.01);
                     return training(optimizer, parameters, [=]() mutable {
                       return nn::functional::cross_entropy(net->forward(x), labels);
                     });
                   }});
  }
}

struct GptOptions {
  int64_t vocabulary = 65;
  int64_t context = 256;
  int64_t width = 384;
  int64_t heads = 6;
  double dropout = 0;
};

nn::LayerNorm layer_norm(int64_t width) {
  return nn::LayerNorm(nn::LayerNormOptions({width}));
}

struct GptBlockImpl : nn::Module {
  explicit GptBlockImpl(const GptOptions& o)
      : options(o),
        norm1(register_module("norm1", layer_norm(o.width))),
        norm2(register_module("norm2", layer_norm(o.width))),
        qkv(register_module("qkv", nn::Linear(o.width, 3 * o.width))),
        projection(register_module("projection", nn::Linear(o.width, o.width))),
        up(register_module("up", nn::Linear(o.width, 4 * o.width))),
        down(register_module("down", nn::Linear(4 * o.width, o.width))) {}

  Tensor forward(const Tensor& x, const Tensor& mask) {
    const Tensor h = x + drop(projection(attention(norm1(x), mask)));
    return h + drop(down(torch::gelu(up(norm2(h)), "tanh")));
  }

  Tensor drop(const Tensor& x) const {
    return options.dropout > 0 ? torch::dropout(x, options.dropout, true) : x;
  }

  Tensor attention(const Tensor& x, const Tensor& mask) {
    const int64_t head = options.width / options.heads;
    const auto parts = qkv(x).chunk(3, -1);
    const auto split = [&](const Tensor& t) {
      return t.view({x.size(0), x.size(1), options.heads, head}).transpose(1, 2);
    };
    const double scale = 1 / std::sqrt(static_cast<double>(head));
    Tensor scores = torch::matmul(split(parts[0]) * scale, split(parts[1]).transpose(-2, -1));
    scores = scores.masked_fill(mask, -INFINITY);
    const Tensor weights = drop(torch::softmax(scores, -1));
    return torch::matmul(weights, split(parts[2])).transpose(1, 2).reshape(x.sizes());
  }

  GptOptions options;
  nn::LayerNorm norm1, norm2;
  nn::Linear qkv, projection, up, down;
};

TORCH_MODULE(GptBlock);

struct GptImpl : nn::Module {
  explicit GptImpl(const GptOptions& o)
      : options(o),
        tokens(register_module("tokens", nn::Embedding(o.vocabulary, o.width))),
        positions(register_module("positions", nn::Embedding(o.context, o.width))),
        norm(register_module("norm", layer_norm(o.width))),
        mask(torch::ones({o.context, o.context}, torch::kBool).triu(1)) {
    nn::init::normal_(tokens->weight, 0, 0.02);
    nn::init::normal_(positions->weight, 0, 0.02);
    for (int i = 0; i < 6; ++i)
      blocks.push_back(register_module("block" + std::to_string(i), GptBlock(o)));
  }

  Tensor forward(const Tensor& ids) {
    Tensor x = tokens(ids) + positions->weight;
    if (options.dropout > 0) x = torch::dropout(x, options.dropout, true);
    for (GptBlock& block : blocks)
      x = block(x, mask);
    return torch::linear(norm(x), tokens->weight).view({-1, options.vocabulary});
  }

  GptOptions options;
  nn::Embedding tokens, positions;
  nn::LayerNorm norm;
  Tensor mask;
  std::vector<GptBlock> blocks;
};

TORCH_MODULE(Gpt);

void add_gpt(Workloads& all) {
  for (const double dropout : {0.0, 0.2}) {
    all.push_back({dropout > 0 ? "gpt-dropout" : "gpt", [=] {
                     GptOptions options;
                     options.dropout = dropout;
                     Gpt net(options);
                     const Tensor ids = torch::randint(0, 65, {8, options.context}, torch::kLong);
                     const Tensor labels =
                         torch::randint(0, 65, {8 * options.context}, torch::kLong);
                     return training(sgd(net->parameters()), net->parameters(), [=]() mutable {
                       return nn::functional::cross_entropy(net(ids), labels);
                     });
                   }});
  }
}

void add_lstm(Workloads& all) {
  all.push_back({"lstm", []() -> std::function<void()> {
                   constexpr int64_t kHidden = 250;
                   const auto uniform = [](at::IntArrayRef shape, double bound) {
                     return torch::empty(shape).uniform_(-bound, bound).requires_grad_();
                   };
                   const Tensor x = uniform({50, 32, 125}, 1);
                   const std::vector<Tensor> weights = {uniform({4 * kHidden, 125}, 0.1),
                                                        uniform({4 * kHidden, kHidden}, 0.1),
                                                        uniform({4 * kHidden}, 1),
                                                        uniform({4 * kHidden}, 1)};
                   std::vector<Tensor> inputs = weights;
                   inputs.push_back(x);
                   return [=] {
                     const Tensor zeros = torch::zeros({1, 32, kHidden});
                     const Tensor y = std::get<0>(
                         torch::lstm(x, {zeros, zeros}, weights, true, 1, 0, false, false, false));
                     torch::autograd::grad({y.sum()}, inputs);
                   };
                 }});
}

}  // namespace

void add_models(Workloads& all) {
  add_mlp(all);
  add_image_model(all, {"lenet", lenet, {64, 1, 28, 28}, 10}, false);
  add_image_model(all, {"resnet50", resnet50, {8, 3, 224, 224}, 1000}, true);
  add_image_model(all, {"vgg16", vgg16, {8, 3, 224, 224}, 1000}, false);
  add_lstm(all);
  add_gpt(all);
}

}  // namespace torch_bench
