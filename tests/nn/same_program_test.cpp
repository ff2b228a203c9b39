// The same program compiles to the same IR and plan in every process that knows the same timed
// choices: address-space layout, and with it the order of pointers, differs between them.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/temporary_folder.h"
#include <gtest/gtest.h>
#include <unistd.h>

#include "wick/nn/nn.h"
#include "wick/passes/options.h"
#include "wick/tensor/ops.h"

namespace wick {
namespace {

constexpr const char* kChildFlag = "WICK_TEST_PRINT_PROGRAM";

std::string training_program() {
  manual_seed(1);
  nn::Sequential net(nn::Conv2d(1, 4, {3, 3}),
                     nn::BatchNorm2d(4),
                     nn::ReLU(),
                     nn::MaxPool2d({.kernel = {2, 2}}),
                     nn::Flatten(),
                     nn::Linear(4 * 5 * 5, 10),
                     nn::Dropout(0.5));
  const Tensor loss = nn::cross_entropy(net(randn({8, 1, 12, 12})), randint(0, 10, {8}));
  loss.backward();
  std::vector<Tensor> gradients = {loss};
  for (const nn::Parameter& parameter : net.parameters()) {
    gradients.push_back(static_cast<const Tensor&>(parameter).grad());
  }
  return explain(gradients);
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  char block[4096];
  while (const size_t count = fread(block, 1, sizeof block, pipe))
    text.append(block, count);
  pclose(pipe);
  return text.substr(text.find("Recorded:"));
}

TEST(SameProgram, InEveryProcess) {
  if (options().backend == "interpreter") GTEST_SKIP() << "about compiled programs";
  if (std::getenv(kChildFlag) != nullptr) {
    std::fputs(training_program().c_str(), stdout);
    std::fflush(stdout);
    std::_Exit(0);
  }
  // What the first process times, the others know.
  const TemporaryFolder cache;
  const std::string command =
      std::string(kChildFlag) + "=1 WICK_CACHE_DIR=" + cache.path().string() + " /proc/" +
      std::to_string(getpid()) + "/exe --gtest_filter=SameProgram.InEveryProcess";

  const std::string first = output_of(command);

  EXPECT_NE(first.find("fusion<"), std::string::npos) << first;
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(output_of(command), first);
}

}  // namespace
}  // namespace wick
