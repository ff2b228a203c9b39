// Writes the graph of one training step of a convolutional network, forward, backward and update,
// as the compiler gets it.
// usage: write_cnn_step FILE.wick

#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "support/graph_file.h"

#include "wick/autograd/autograd.h"
#include "wick/nn/nn.h"
#include "wick/passes/options.h"
#include "wick/runtime/backend.h"

namespace {

using namespace wick;  // NOLINT(google-build-using-namespace): this file is a program of its own.

/// The interpreter, which writes down the largest graph it is given.
class WritingBackend final : public runtime::Backend {
 public:
  explicit WritingBackend(std::string path) : path_(std::move(path)) {}

  [[nodiscard]] std::string_view name() const override { return "writing"; }

  std::unique_ptr<runtime::Executable> compile(std::unique_ptr<ir::Graph> graph,
                                               runtime::CompileRecord* record) override {
    if (graph->num_nodes() > largest_) {
      largest_ = graph->num_nodes();
      tools::write_graph(path_, *graph);
    }
    return runtime::find_backend("interpreter").compile(std::move(graph), record);
  }

 private:
  std::string path_;
  int largest_ = 0;
};

/// One batch norm alone: behind a second one gradients are differences of nearly equal sums, and
/// rounding decides their digits.
nn::Sequential make_network() {
  return nn::Sequential(nn::Conv2d(1, 4, {3, 3}, {.padding = {1, 1}}),
                        nn::ReLU(),
                        nn::MaxPool2d(2),
                        nn::Conv2d(4, 8, {3, 3}, {.padding = {1, 1}}),
                        nn::BatchNorm2d(8),
                        nn::ReLU(),
                        nn::MaxPool2d(2),
                        nn::Flatten(),
                        nn::Linear(8 * 4 * 4, 32),
                        nn::ReLU(),
                        nn::Linear(32, 10));
}

void train_step() {
  manual_seed(1);
  nn::Sequential net = make_network();
  optim::Adam adam(net.parameters(), {.lr = 1e-3});
  const Tensor images = randn({4, 1, 16, 16});
  const Tensor labels = randint(0, 10, {4});
  materialize(images, labels);
  nn::cross_entropy(net(images), labels).backward();
  adam.step();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: write_cnn_step FILE.wick\n", stderr);
    return 2;
  }
  try {
    runtime::register_backend(std::make_unique<WritingBackend>(argv[1]));
    options().backend = "writing";
    train_step();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "write_cnn_step: error: %s\n", error.what());
    return 1;
  }
  return 0;
}
