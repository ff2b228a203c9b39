// A tour of Wick; the README shows it with what it prints.
#include <iostream>

#include <wick/wick.h>

using namespace wick;  // NOLINT(google-build-using-namespace): a user's program

int main() {
  // Ops are recorded; nothing runs until a value is needed.
  Tensor a = tensor({{1, 2, 3}, {4, 5, 6}});
  Tensor y = softmax(tanh(a * 0.5f) + 1, -1);
  std::cout << "recorded:\n" << y.ir() << "\n";

  // What it will become, and why.
  std::string text = explain(y);
  size_t begin = text.find("\nAfter"), end = text.find("\nRemarks");
  std::cout << "compiled:" << text.substr(text.find("\ngraph", begin), end - text.find("\ngraph", begin)) << "\n";
  std::cout << "values:\n" << y << "\n\n";

  // Gradients are recorded in the same program.
  Tensor x = tensor({1, 2, 3}).requires_grad_();
  (x * x * x).sum().backward();
  std::cout << "d sum(x^3) / dx = " << x.grad() << "\n\n";

  // A training loop: every step is one compiled program.
  manual_seed(7);
  nn::Sequential net(nn::Linear(1, 32), nn::Tanh(), nn::Linear(32, 1));
  optim::Adam adam(net.parameters(), {.lr = 0.02});
  Tensor input = linspace(-3, 3, 64).reshape({64, 1}), target = sin(input);
  for (int step = 0; step <= 300; ++step) {
    adam.zero_grad();
    Tensor loss = nn::mse_loss(net(input), target);
    loss.backward();
    adam.step();
    if (step % 100 == 0) std::cout << "step " << step << " loss " << loss.item<float>() << "\n";
  }
}
