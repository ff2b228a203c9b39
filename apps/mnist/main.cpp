// Trains a convolutional network on handwritten digits: MNIST from --data, or drawn ones.

#include <cstdint>
#include <exception>
#include <memory>
#include <string>

#include "digit_data.h"
#include "network.h"
#include "training.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "wick/nn/optim/adam.h"
#include "wick/nn/optim/sgd.h"
#include "wick/tensor/ops.h"

namespace {

struct Options {
  std::string data;
  int epochs = 5;
  int64_t batch = 64;
  double lr = 0;  // 0: the optimizer's default
  double decay = 0.7;
  std::string optimizer = "adam";
  uint64_t seed = 1;
  std::string save;
  std::string load;
  bool eval = false;
  bool explain = false;
  mnist::DrawnSizes drawn;
};

void declare(CLI::App& app, Options& options) {
  app.add_option("--data", options.data, "Folder of the four IDX files; digits are drawn without");
  app.add_option("--epochs", options.epochs, "Passes over the training digits")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--batch", options.batch, "Digits a step")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--lr", options.lr, "Learning rate; 0.001 for Adam, 0.02 for SGD if not given")
      ->check(CLI::PositiveNumber);
  app.add_option("--decay", options.decay, "Factor of the learning rate after each epoch")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--optimizer", options.optimizer, "adam, adamw, or sgd (momentum 0.9)")
      ->capture_default_str()
      ->check(CLI::IsMember({"adam", "adamw", "sgd"}));
  app.add_option("--seed", options.seed, "Of weights, dropout, order and drawn digits")
      ->capture_default_str();
  app.add_option("--save", options.save, "Write the trained network to this file");
  app.add_option("--load", options.load, "Start from a file that --save wrote");
  app.add_flag("--eval", options.eval, "Test only");
  app.add_flag("--explain", options.explain, "Say what a training step became");
  app.add_option("--train-size", options.drawn.train, "Drawn digits to train on")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--test-size", options.drawn.test, "Drawn digits to test on")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
}

std::unique_ptr<wick::optim::Optimizer> make_optimizer(const Options& options,
                                                       const wick::nn::Module& network) {
  const double lr = options.lr > 0 ? options.lr : options.optimizer == "sgd" ? 0.02 : 0.001;
  if (options.optimizer == "sgd") {
    const wick::optim::SGDOptions sgd = {.lr = lr, .momentum = 0.9};
    return std::make_unique<wick::optim::SGD>(network.parameters(), sgd);
  }
  if (options.optimizer == "adamw") {
    const wick::optim::AdamWOptions adamw = {.lr = lr};
    return std::make_unique<wick::optim::AdamW>(network.parameters(), adamw);
  }
  return std::make_unique<wick::optim::Adam>(network.parameters(),
                                             wick::optim::AdamOptions{.lr = lr});
}

void train(const Options& options,
           const mnist::DigitData& digits,
           const wick::data::DataView& test_batches,
           wick::nn::Module& network) {
  const auto optimizer = make_optimizer(options, network);
  mnist::StepReport report;
  for (int epoch = 1; epoch <= options.epochs; ++epoch) {
    const auto order = digits.train.shuffle(options.seed + static_cast<uint64_t>(epoch));
    const auto batches = mnist::normalised_batches(order, options.batch);
    const std::string label = fmt::format("epoch {}/{}", epoch, options.epochs);
    const auto trained = mnist::train_epoch(network, *optimizer, batches, label, report);
    const auto tested = mnist::test(network, test_batches);
    fmt::print("{}  loss {:.4f}  train {:.2f} %  test {:.2f} %  {:.0f} images/s\n",
               label,
               trained.loss,
               100 * trained.accuracy,
               100 * tested.accuracy(),
               trained.images_per_second);
    std::fflush(stdout);
    optimizer->set_lr(optimizer->lr() * options.decay);
  }
  if (options.explain) fmt::print("{}", report.to_text());
}

void run(const Options& options) {
  constexpr int64_t kTestBatch = 250;
  wick::manual_seed(options.seed);
  const mnist::DigitData digits = options.data.empty()
                                      ? mnist::drawn_digits(options.drawn, options.seed)
                                      : mnist::load_digits(options.data);
  auto network = mnist::make_network();
  if (!options.load.empty()) network.load(options.load);
  const auto test_batches = mnist::normalised_batches(digits.test, kTestBatch);
  if (!options.eval) {
    fmt::print("{} parameters, {} {}digits to train on, {} to test on\n",
               network.num_parameters(),
               digits.train.size(),
               options.data.empty() ? "drawn " : "",
               digits.test.size());
    std::fflush(stdout);
    train(options, digits, test_batches, network);
  }
  const auto tested = mnist::test(network, test_batches);
  fmt::print(
      "test accuracy {:.2f} % ({} of {})\n", 100 * tested.accuracy(), tested.correct, tested.total);
  if (!options.save.empty()) network.save(options.save);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Trains a convolutional network on handwritten digits.");
  declare(app, options);
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "mnist: error: {}\n", error.what());
    return 1;
  }
  return 0;
}
