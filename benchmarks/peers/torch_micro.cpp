// Rows without a network.

#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "peers/torch_workloads.h"
#include <torch/csrc/jit/passes/graph_fuser.h>
#include <torch/csrc/jit/passes/tensorexpr_fuser.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/script.h>
#include <torch/torch.h>

namespace torch_bench {

namespace {

using torch::Tensor;

constexpr int64_t kMebi = int64_t{1} << 20;

/// A step that records no history.
std::function<void()> without_gradients(std::function<void()> step) {
  return [step = std::move(step)] {
    const torch::NoGradGuard no_grad;
    step();
  };
}

/// TorchScript with the CPU fuser that writes C++ and calls the compiler, which is off unless asked
/// for. The function is called f.
class Script {
 public:
  explicit Script(const std::string& source) {
    torch::jit::setTensorExprFuserEnabled(false);
    torch::jit::overrideCanFuseOnCPULegacy(true);
    torch::jit::getExecutorMode() = false;
    torch::jit::getProfilingMode() = false;
    unit_ = torch::jit::compile(source);
  }

  template <typename... Arguments>
  c10::IValue operator()(const Arguments&... arguments) const {
    return unit_->run_method("f", arguments...);
  }

 private:
  std::shared_ptr<torch::jit::CompilationUnit> unit_;
};

void add_chain(Workloads& all, const std::string& name, int64_t count) {
  all.push_back({name, [=] {
                   const Tensor a = uniform({count});
                   const Tensor b = uniform({count});
                   const Tensor c = uniform({count});
                   return without_gradients(
                       [=] { auto y = torch::tanh(a * b + c) * torch::sigmoid(a - c) + 0.5 * b; });
                 }});
  all.push_back({name + ":jit", [=] {
                   const Tensor a = uniform({count});
                   const Tensor b = uniform({count});
                   const Tensor c = uniform({count});
                   const Script f(
                       "def f(a, b, c):\n"
                       "    return torch.tanh(a * b + c) * torch.sigmoid(a - c) + 0.5 * b\n");
                   return without_gradients([=] { f(a, b, c); });
                 }});
}

void add_gelu(Workloads& all) {
  all.push_back({"gelu-16m", [] {
                   const Tensor x = uniform({16 * kMebi}, -4, 4);
                   return without_gradients([=] {
                     auto y =
                         0.5 * x * (1 + torch::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
                   });
                 }});
  all.push_back({"gelu-16m:fused", [] {
                   const Tensor x = uniform({16 * kMebi}, -4, 4);
                   return without_gradients([=] { auto y = torch::gelu(x, "tanh"); });
                 }});
  all.push_back({"gelu-16m:jit", [] {
                   const Tensor x = uniform({16 * kMebi}, -4, 4);
                   const Script f(
                       "def f(x):\n"
                       "    u = 0.7978845608 * (x + 0.044715 * x * x * x)\n"
                       "    return 0.5 * x * (1 + torch.tanh(u))\n");
                   return without_gradients([=] { f(x); });
                 }});
}

void add_mandelbrot(Workloads& all) {
  constexpr int kIterations = 20;
  const auto inputs = [] {
    return std::pair(uniform({4 * kMebi}, -0.5, 0.2), uniform({4 * kMebi}, -0.4, 0.4));
  };
  all.push_back({"mandelbrot-4m", [=] {
                   const auto [cr, ci] = inputs();
                   return without_gradients([cr = cr, ci = ci] {
                     auto zr = torch::zeros_like(cr);
                     auto zi = torch::zeros_like(ci);
                     for (int i = 0; i < kIterations; ++i) {
                       auto t = zr * zr - zi * zi + cr;
                       zi = 2 * zr * zi + ci;
                       zr = t;
                     }
                   });
                 }});
  all.push_back({"mandelbrot-4m:jit", [=] {
                   const auto [cr, ci] = inputs();
                   // The first iteration of z = 0 gives c.
                   std::string source = "def f(cr, ci):\n    zr = cr\n    zi = ci\n";
                   for (int i = 1; i < kIterations; ++i) {
                     source += "    t = zr * zr - zi * zi + cr\n";
                     source += "    zi = 2 * zr * zi + ci\n";
                     source += "    zr = t\n";
                   }
                   const Script f(source + "    return zr, zi\n");
                   return without_gradients([cr = cr, ci = ci, f] { f(cr, ci); });
                 }});
}

void add_black_scholes(Workloads& all) {
  constexpr int64_t kOptions = 8 * kMebi;
  const auto inputs = [] {
    return std::vector<Tensor>{
        uniform({kOptions}, 5, 30), uniform({kOptions}, 1, 100), uniform({kOptions}, 0.25, 10)};
  };
  all.push_back({"black-scholes-8m", [=] {
                   return without_gradients([in = inputs()] {
                     const Tensor& s = in[0];
                     const Tensor& k = in[1];
                     const Tensor& t = in[2];
                     const auto cdf = [](const Tensor& x) {
                       return 0.5 * (1 + torch::erf(x * 0.7071067811865476));
                     };
                     auto spread = 0.3 * torch::sqrt(t);
                     auto d1 = (torch::log(s / k) + 0.065 * t) / spread;
                     auto d2 = d1 - spread;
                     auto discounted = k * torch::exp(-0.02 * t);
                     auto n1 = cdf(d1);
                     auto n2 = cdf(d2);
                     auto call = s * n1 - discounted * n2;
                     auto put = discounted * (1 - n2) - s * (1 - n1);
                   });
                 }});
  all.push_back({"black-scholes-8m:jit", [=] {
                   const Script f(
                       "def f(s, k, t):\n"
                       "    spread = 0.3 * torch.sqrt(t)\n"
                       "    d1 = (torch.log(s / k) + 0.065 * t) / spread\n"
                       "    d2 = d1 - spread\n"
                       "    discounted = k * torch.exp(-0.02 * t)\n"
                       "    n1 = 0.5 * (1 + torch.erf(d1 * 0.7071067811865476))\n"
                       "    n2 = 0.5 * (1 + torch.erf(d2 * 0.7071067811865476))\n"
                       "    call = s * n1 - discounted * n2\n"
                       "    put = discounted * (1 - n2) - s * (1 - n1)\n"
                       "    return call, put\n");
                   return without_gradients([in = inputs(), f] { f(in[0], in[1], in[2]); });
                 }});
}

void add_odd_elementwise(Workloads& all) {
  all.push_back({"normalize-3-channels", [] {
                   const Tensor x = uniform({64, 3, 224, 224}, 0, 1);
                   const Tensor mean = uniform({3, 1, 1}, 0.4, 0.5);
                   const Tensor deviation = uniform({3, 1, 1}, 0.2, 0.3);
                   return without_gradients([=] { auto y = (x - mean) / deviation; });
                 }});
  for (const auto& [name, rows, columns] :
       {std::tuple("scale-1999993x7", 1999993, 7), std::tuple("scale-299993x50", 299993, 50)}) {
    all.push_back({name, [rows = rows, columns = columns] {
                     const Tensor x = uniform({rows, columns});
                     const Tensor column = uniform({rows, 1});
                     const Tensor row = uniform({columns});
                     return without_gradients([=] { auto y = x * column + row; });
                   }});
  }
  all.push_back({"add-transposed-4099x4093", [] {
                   const Tensor a = uniform({4099, 4093});
                   const Tensor b = uniform({4093, 4099});
                   return without_gradients([=] { auto y = a + b.t(); });
                 }});
  all.push_back({"dropout-16m", [] {
                   const Tensor x = uniform({16 * kMebi});
                   return without_gradients([=] { auto y = torch::dropout(x, 0.2, true); });
                 }});
}

Tensor softmax_of_primitives(const Tensor& x) {
  auto e = torch::exp(x - torch::amax(x, {-1}, true));
  return e / e.sum({-1}, true);
}

Tensor fused_softmax(const Tensor& x) {
  return torch::softmax(x, -1);
}

using RowFunction = Tensor (*)(const Tensor&);

void add_softmax(Workloads& all, const std::string& name, int64_t rows, int64_t columns) {
  for (const auto& [suffix, f] : {std::pair<const char*, RowFunction>("", softmax_of_primitives),
                                  std::pair<const char*, RowFunction>(":fused", fused_softmax)}) {
    all.push_back({name + suffix, [=, f = f] {
                     const Tensor x = uniform({rows, columns}, -4, 4);
                     return without_gradients([=] { auto y = f(x); });
                   }});
  }
}

void add_softmax_gradient(Workloads& all) {
  for (const auto& [name, f] :
       {std::pair<const char*, RowFunction>("softmax-4096-grad", softmax_of_primitives),
        std::pair<const char*, RowFunction>("softmax-4096-grad:fused", fused_softmax)}) {
    all.push_back({name, [f = f]() -> std::function<void()> {
                     Tensor x = uniform({4096, 4096}, -4, 4).requires_grad_();
                     const Tensor cotangent = uniform({4096, 4096});
                     return [=] {
                       x.mutable_grad() = Tensor();
                       f(x).backward(cotangent);
                     };
                   }});
  }
}

struct LayerNormInputs {
  Tensor x, weight, bias;

  LayerNormInputs(int64_t rows, int64_t columns)
      : x(uniform({rows, columns})),
        weight(uniform({columns})),
        bias(uniform({columns})) {}

  Tensor from_primitives() const {
    auto d = x - x.mean({-1}, true);
    auto variance = d.square().mean({-1}, true);
    return d * torch::rsqrt(variance + 1e-5) * weight + bias;
  }

  Tensor fused() const { return torch::layer_norm(x, {x.size(1)}, weight, bias, 1e-5); }
};

using LayerNorm = Tensor (LayerNormInputs::*)() const;

constexpr std::pair<const char*, LayerNorm> kLayerNorms[] = {
    {"", &LayerNormInputs::from_primitives}, {":fused", &LayerNormInputs::fused}};

void add_layer_norm(Workloads& all, const std::string& name, int64_t rows, int64_t columns) {
  for (const auto& [suffix, f] : kLayerNorms) {
    all.push_back({name + suffix, [=, f = f] {
                     const LayerNormInputs in(rows, columns);
                     return without_gradients([=] { auto y = (in.*f)(); });
                   }});
  }
}

void add_layer_norm_gradient(Workloads& all) {
  for (const auto& [suffix, f] : kLayerNorms) {
    all.push_back(
        {std::string("layer-norm-4096-grad") + suffix, [f = f]() -> std::function<void()> {
           LayerNormInputs in(4096, 4096);
           const Tensor cotangent = uniform({4096, 4096});
           for (Tensor* each : {&in.x, &in.weight, &in.bias})
             each->requires_grad_();
           return [=] {
             for (const Tensor& each : {in.x, in.weight, in.bias})
               each.mutable_grad() = Tensor();
             (in.*f)().backward(cotangent);
           };
         }});
  }
}

void add_sum(Workloads& all,
             const std::string& name,
             const std::vector<int64_t>& shape,
             const std::vector<int64_t>& axes) {
  all.push_back({name, [=] {
                   const Tensor x = uniform(shape);
                   return without_gradients([=] { auto y = axes.empty() ? x.sum() : x.sum(axes); });
                 }});
}

void add_outer_sums(Workloads& all) {
  constexpr int64_t kOuter = 8192;
  for (const bool with_matrix : {false, true}) {
    all.push_back({with_matrix ? "outer-sum-matrix" : "outer-sum-vector", [=] {
                     const Tensor x = uniform({kOuter, 1});
                     const Tensor y = uniform({1, kOuter});
                     const Tensor z = uniform({with_matrix ? kOuter : 1, kOuter});
                     return without_gradients([=] { auto s = (x * y + z).sum(-1); });
                   }});
  }
}

void add_distances(Workloads& all) {
  for (const bool fused : {false, true}) {
    all.push_back({fused ? "distances-1021x1013x37:fused" : "distances-1021x1013x37", [=] {
                     const Tensor x = uniform({1021, 37});
                     const Tensor y = uniform({1013, 37});
                     return without_gradients([=] {
                       auto d = fused ? torch::cdist(x, y)
                                      : (x.unsqueeze(1) - y.unsqueeze(0)).square().sum(-1);
                     });
                   }});
  }
}

void add_adam_by_hand(Workloads& all) {
  struct State {
    Tensor p = uniform({16 * kMebi});
    Tensor g = uniform({16 * kMebi});
    Tensor m = torch::zeros({16 * kMebi});
    Tensor v = torch::zeros({16 * kMebi});
    int steps = 0;
    double c1 = 0;
    double c2 = 0;

    void begin_step() {
      ++steps;
      c1 = 1 - std::pow(0.9, steps);
      c2 = 1 - std::pow(0.999, steps);
    }
  };

  all.push_back({"adam-16m-primitives", [] {
                   const auto s = std::make_shared<State>();
                   return without_gradients([=] {
                     s->begin_step();
                     s->m = 0.9 * s->m + 0.1 * s->g;
                     s->v = 0.999 * s->v + 0.001 * s->g * s->g;
                     s->p = s->p - 1e-3 * (s->m / s->c1) / (torch::sqrt(s->v / s->c2) + 1e-8);
                   });
                 }});
  all.push_back({"adam-16m-primitives:jit", [] {
                   const auto s = std::make_shared<State>();
                   const Script f(
                       "def f(p, g, m, v, c1: float, c2: float):\n"
                       "    m = 0.9 * m + 0.1 * g\n"
                       "    v = 0.999 * v + 0.001 * g * g\n"
                       "    p = p - 0.001 * (m / c1) / (torch.sqrt(v / c2) + 1e-8)\n"
                       "    return p, m, v\n");
                   return without_gradients([=] {
                     s->begin_step();
                     const auto result = f(s->p, s->g, s->m, s->v, s->c1, s->c2).toTuple();
                     s->p = result->elements()[0].toTensor();
                     s->m = result->elements()[1].toTensor();
                     s->v = result->elements()[2].toTensor();
                   });
                 }});
}

void add_adam(Workloads& all,
              const std::string& name,
              const std::vector<std::vector<int64_t>>& shapes) {
  all.push_back({name, [=]() -> std::function<void()> {
                   std::vector<Tensor> parameters;
                   for (const auto& shape : shapes) {
                     parameters.push_back(uniform(shape).requires_grad_());
                     parameters.back().mutable_grad() = uniform(shape);
                   }
                   const auto optimizer = std::make_shared<torch::optim::Adam>(
                       parameters, torch::optim::AdamOptions(1e-3));
                   return [=] { optimizer->step(); };
                 }});
}

void add_adams(Workloads& all) {
  add_adam_by_hand(all);
  add_adam(all, "adam-16m", {{16 * kMebi}});
  add_adam(all, "adam-16m-in-200", std::vector<std::vector<int64_t>>(200, {16 * kMebi / 200}));
  std::vector<std::vector<int64_t>> odd;
  for (int64_t i = 0; i < 20; ++i) {
    odd.push_back({257 + i, 509});
    odd.push_back({509});
    odd.push_back({});
  }
  add_adam(all, "adam-60-odd", odd);
}

void add_product(Workloads& all,
                 const std::string& name,
                 const std::vector<int64_t>& a,
                 const std::vector<int64_t>& b) {
  all.push_back({name, [=] {
                   const Tensor x = uniform(a);
                   const Tensor y = uniform(b);
                   return without_gradients([=] { auto z = torch::matmul(x, y); });
                 }});
}

void add_linear_gelu(
    Workloads& all, const std::string& name, int64_t rows, int64_t in, int64_t out) {
  all.push_back({name, [=] {
                   const Tensor x = uniform({rows, in});
                   const Tensor weight = uniform({out, in});
                   const Tensor bias = uniform({out});
                   return without_gradients(
                       [=] { auto y = torch::gelu(torch::linear(x, weight, bias)); });
                 }});
}

struct ConvolutionCase {
  std::string name;
  std::vector<int64_t> x, w;
  int64_t stride, padding;
  int64_t groups = 1;
};

void add_convolution(Workloads& all, const ConvolutionCase& c) {
  for (const bool channels_last : {false, true}) {
    const auto format =
        channels_last ? torch::MemoryFormat::ChannelsLast : torch::MemoryFormat::Contiguous;
    const std::string suffix = channels_last ? ":channels-last" : "";
    all.push_back({c.name + suffix, [=] {
                     const Tensor x = uniform(c.x).contiguous(format);
                     const Tensor w = uniform(c.w).contiguous(format);
                     const Tensor bias = uniform({c.w[0]});
                     return without_gradients([=] {
                       auto y = torch::conv2d(x, w, bias, c.stride, c.padding, 1, c.groups);
                     });
                   }});
    all.push_back({c.name + "-grad" + suffix, [=]() -> std::function<void()> {
                     const Tensor x = uniform(c.x).contiguous(format).requires_grad_();
                     const Tensor w = uniform(c.w).contiguous(format).requires_grad_();
                     const Tensor bias = uniform({c.w[0]}).requires_grad_();
                     const auto f = [=] {
                       return torch::conv2d(x, w, bias, c.stride, c.padding, 1, c.groups);
                     };
                     const Tensor cotangent = uniform(f().sizes()).contiguous(format);
                     return [=] {
                       for (const Tensor& each : {x, w, bias})
                         each.mutable_grad() = Tensor();
                       f().backward(cotangent);
                     };
                   }});
  }
}

void add_small_ops(Workloads& all) {
  const auto add_many = [](const Tensor& x, const Tensor& c, int count) {
    Tensor y = x;
    for (int i = 0; i < count; ++i)
      y = y + c;
    return y;
  };
  for (const auto& [name, count] :
       {std::pair("adds-1000", 1000), std::pair("adds-100-read-each", 100)}) {
    all.push_back({name, [=, count = count] {
                     const Tensor x = uniform({16});
                     const Tensor c = uniform({16});
                     return without_gradients([=] { auto y = add_many(x, c, count); });
                   }});
  }
  all.push_back({"adds-1000-autograd", [=]() -> std::function<void()> {
                   const Tensor x = uniform({16}).requires_grad_();
                   const Tensor c = uniform({16});
                   return [=] { auto y = add_many(x, c, 1000); };
                 }});
}

}  // namespace

void add_micro(Workloads& all) {
  add_chain(all, "chain-16m", 16 * kMebi);
  add_chain(all, "chain-9999991", 9999991);
  add_gelu(all);
  add_mandelbrot(all);
  add_black_scholes(all);
  add_odd_elementwise(all);
  add_softmax(all, "softmax-4096", 4096, 4096);
  add_softmax(all, "softmax-1000003x10", 1000003, 10);
  add_softmax(all, "softmax-200003x50", 200003, 50);
  add_softmax(all, "softmax-509x50257", 509, 50257);
  add_softmax_gradient(all);
  add_layer_norm(all, "layer-norm-4096", 4096, 4096);
  add_layer_norm(all, "layer-norm-100003x100", 100003, 100);
  add_layer_norm(all, "layer-norm-8191x769", 8191, 769);
  add_layer_norm_gradient(all);
  add_sum(all, "sum-all-64m", {8192, 8192}, {});
  add_sum(all, "sum-axis0-8192", {8192, 8192}, {0});
  add_sum(all, "sum-axis1-8192", {8192, 8192}, {1});
  add_sum(all, "sum-axis0-4000037x3", {4000037, 3}, {0});
  add_sum(all, "sum-axis1-64x1009x257", {64, 1009, 257}, {1});
  add_outer_sums(all);
  add_distances(all);
  add_adams(all);
  add_product(all, "matmul-2048", {2048, 2048}, {2048, 2048});
  add_product(all, "bmm-32x512x64x512", {32, 512, 64}, {32, 64, 512});
  add_product(all, "matmul-1021x1031x1033", {1021, 1031}, {1031, 1033});
  add_product(all, "matmul-200003x7x5", {200003, 7}, {7, 5});
  add_product(all, "matmul-1x4096x4093", {1, 4096}, {4096, 4093});
  add_product(all, "matmul-4099x3x4093", {4099, 3}, {3, 4093});
  add_product(all, "matmul-50257x768x1", {50257, 768}, {768, 1});
  add_product(all, "bmm-60013x4x4x4", {60013, 4, 4}, {60013, 4, 4});
  add_linear_gelu(all, "linear-gelu-2048x768x3072", 2048, 768, 3072);
  add_linear_gelu(all, "linear-gelu-37x515x129", 37, 515, 129);
  add_convolution(all, {"conv-3x3-64", {16, 64, 56, 56}, {64, 64, 3, 3}, 1, 1});
  add_convolution(all, {"conv-odd", {5, 3, 217, 211}, {17, 3, 5, 3}, 2, 0});
  add_convolution(all, {"conv-blur-11x11", {1, 3, 509, 511}, {3, 1, 11, 11}, 1, 5, 3});
  add_small_ops(all);
}

}  // namespace torch_bench
