#include "wick/nn/dropout.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include "expect_error.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "wick/nn/nn.h"
#include "wick/passes/options.h"

namespace wick::nn {
namespace {

using testing_support::error_of;

TEST(Dropout, DropsItsShareAndScalesTheRest) {
  manual_seed(3);
  Dropout layer(0.2);

  const std::vector<float> y = layer(ones({100000})).to_vector<float>();

  const auto dropped = std::ranges::count(y, 0.0F);
  const auto kept = std::ranges::count(y, 1.25F);
  EXPECT_EQ(dropped + kept, 100000);
  // Five standard deviations of the binomial: sqrt(100000 * 0.2 * 0.8) = 126.
  EXPECT_NEAR(static_cast<double>(dropped), 20000, 632);
}

TEST(Dropout, DrawsAnewAtEachCallAndAgainFromASeed) {
  Dropout layer(0.5);
  const Tensor x = ones({1000});

  manual_seed(5);
  const auto first = layer(x).to_vector<float>();
  const auto second = layer(x).to_vector<float>();
  manual_seed(5);
  const auto again = layer(x).to_vector<float>();

  EXPECT_NE(first, second);
  EXPECT_EQ(first, again);
}

TEST(Dropout, DoesNothingInEvaluation) {
  Dropout layer(0.5);
  layer.eval();
  const Tensor x = ones({10});

  EXPECT_EQ(layer(x).node(), x.node());
}

TEST(Dropout, GradientFollowsTheMask) {
  Dropout layer(0.5);
  Tensor x = ones({1000});
  x.requires_grad_();

  const Tensor y = layer(x);
  y.sum().backward();

  EXPECT_EQ(y.to_vector<float>(), x.grad().to_vector<float>());
}

/// The plan of the last step of a training loop, line by line.
std::vector<std::string> plan_of_a_training_step() {
  const TemporaryFolder folder;
  Options options = wick::options();
  options.dump_to = folder.path();
  {
    const ScopedOptions scope(options);
    const Tensor x = randn({64, 24});
    const Tensor labels = randint(0, 10, {64});
    Sequential net(Linear(24, 48), Tanh(), Dropout(0.25), Linear(48, 10));
    optim::SGD sgd(net.parameters(), {.lr = 0.1});
    for (int step = 0; step < 3; ++step) {
      sgd.zero_grad();
      cross_entropy(net(x), labels).backward();
      sgd.step();
    }
  }
  std::set<std::filesystem::path> plans;  // folders are numbered
  for (const auto& compile : std::filesystem::directory_iterator(folder.path())) {
    if (compile.is_directory()) plans.insert(compile.path() / "plan.txt");
  }
  std::ifstream file(*plans.rbegin());
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    lines.push_back(line);
  return lines;
}

/// Neither the mask nor the random bits that it is made of are kept for the backward pass: both
/// kernels draw them.
TEST(Dropout, ATrainingStepStoresNoMask) {
  if (options().backend == "interpreter") GTEST_SKIP() << "about compiled programs";
  const std::vector<std::string> plan = plan_of_a_training_step();

  const auto count = [&](const std::string& text) {
    return std::ranges::count_if(
        plan, [&](const std::string& line) { return line.find(text) != std::string::npos; });
  };
  EXPECT_GT(count("f32[64,48]"), 0) << "the step has activations of the mask's shape";
  EXPECT_EQ(count("bool[64,48]"), 0);
  EXPECT_EQ(count("i32[64,48]"), 0);
}

TEST(Dropout, RefusesOtherRates) {
  EXPECT_EQ(error_of([] { const Dropout layer(1.0); }),
            "dropout: the rate must be in [0, 1), it is 1");
  EXPECT_EQ(error_of([] { const Dropout layer(-0.5); }),
            "dropout: the rate must be in [0, 1), it is -0.5");
}

}  // namespace
}  // namespace wick::nn
