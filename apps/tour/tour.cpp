// A tour of Wick; the README shows it with what it prints.

#include <iostream>
#include <string>

#include <wick/wick.h>

using wick::Tensor;
namespace nn = wick::nn;

/// The graph after the passes. explain() says more: why, the plan, its memory.
std::string compiled(const Tensor& t) {
  const std::string text = wick::explain(t);
  const size_t begin = text.find("graph", text.find("\nAfter"));
  return text.substr(begin, text.find("\nRemarks") - begin);
}

int main() {
  // Ops are recorded; nothing runs until a value is needed.
  const Tensor a = wick::tensor({{1, 2, 3}, {4, 5, 6}});
  const Tensor y = softmax(tanh(a * 0.5f) + 1, -1);
  std::cout << "recorded: " << y.ir() << "\ncompiled: " << compiled(y) << "\n";
  std::cout << "values:\n" << y << "\n\n";

  // Gradients are recorded in the same program.
  const Tensor x = wick::tensor({1, 2, 3}).requires_grad_();
  (x * x * x).sum().backward();
  std::cout << "d sum(x^3) / dx = " << x.grad() << "\n\n";

  // A training loop: every step is one compiled program.
  std::cout.precision(2);
  wick::manual_seed(7);
  nn::Sequential net(nn::Linear(1, 32), nn::Tanh(), nn::Linear(32, 1));
  wick::optim::Adam adam(net.parameters(), {.lr = 0.02});
  const Tensor input = wick::linspace(-3, 3, 64).reshape({64, 1});
  for (int step = 0; step <= 300; ++step) {
    adam.zero_grad();
    const Tensor loss = nn::mse_loss(net(input), sin(input));
    loss.backward();
    adam.step();
    if (step % 100 == 0) std::cout << "step " << step << ": loss " << loss.item<float>() << "\n";
  }
}
