// The dump folder of training loops: what is in it, and that it changes nothing.

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "support/temporary_folder.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "wick/codegen/kernel_compiler.h"
#include "wick/ir/parser.h"
#include "wick/ir/printer.h"
#include "wick/nn/nn.h"
#include "wick/passes/options.h"
#include "wick/passes/pipeline_run.h"
#include "wick/runtime/compile_record.h"
#include "wick/tensor/materialize.h"
#include "wick/tensor/plan_cache.h"

namespace wick::nn {
namespace {

namespace fs = std::filesystem;

using Network = std::function<Sequential()>;

Sequential make_mlp() {
  return Sequential(Flatten(), Linear(144, 32), Tanh(), LayerNorm({32}), Linear(32, 10));
}

Sequential make_cnn() {
  return Sequential(Conv2d(1, 4, {3, 3}),
                    BatchNorm2d(4),
                    ReLU(),
                    MaxPool2d({.kernel = {2, 2}}),
                    Flatten(),
                    Dropout(0.5),
                    Linear(4 * 5 * 5, 10));
}

/// The bits of all parameters after some steps from the same start; everything compiled anew.
std::vector<float> train(const Network& make, const std::string& dump_to) {
  {
    const std::lock_guard guard(wick::detail::materialization_lock());
    wick::detail::PlanCache::instance().clear();
  }
  Options options = wick::options();
  options.dump_to = dump_to;
  const ScopedOptions scope(options);
  manual_seed(3);
  Sequential net = make();
  optim::Adam adam(net.parameters(), {.lr = 1e-2});
  const Tensor images = randn({8, 1, 12, 12});
  const Tensor labels = randint(0, 10, {8});
  for (int step = 0; step < 4; ++step) {
    adam.zero_grad();
    cross_entropy(net(images), labels).backward();
    adam.step();
  }
  std::vector<float> values;
  for (const Parameter& parameter : net.parameters()) {
    const std::vector<float> part = parameter.value().to_vector<float>();
    values.insert(values.end(), part.begin(), part.end());
  }
  return values;
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> compiles_in(const fs::path& root) {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(root)) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  return folders;
}

/// The graph files of a compile, by name.
std::map<std::string, std::string> stages_of(const fs::path& folder) {
  std::map<std::string, std::string> stages;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".wick")
      stages[entry.path().filename().string()] = read(entry.path());
  }
  return stages;
}

/// A kernel without its name.
std::string code_of(const std::string& kernel) {
  return kernel.substr(kernel.find('('));
}

class Dump : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (wick::options().backend != "llvm") GTEST_SKIP() << "checks what the compiler writes";
    network_ = std::strcmp(GetParam(), "mlp") == 0 ? make_mlp : make_cnn;
  }

  TemporaryFolder root_;
  Network network_;
};

TEST_P(Dump, ChangesNoBit) {
  const std::vector<float> without = train(network_, "");
  const std::vector<float> with = train(network_, root_.path().string());

  ASSERT_FALSE(compiles_in(root_.path()).empty());
  ASSERT_EQ(with.size(), without.size());
  EXPECT_EQ(std::memcmp(with.data(), without.data(), with.size() * sizeof(float)), 0);
}

TEST_P(Dump, EveryGraphParsesBackAndPrintsTheSame) {
  train(network_, root_.path().string());

  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root_.path())) {
    if (entry.path().extension() != ".wick") continue;
    const std::string text = read(entry.path());
    const auto graph = ir::parse_graph(text, entry.path().string());
    EXPECT_EQ(ir::to_string(*graph, {.locations = true}), text) << entry.path();
    ++files;
  }

  EXPECT_GT(files, 10);
}

TEST_P(Dump, TheRecordedGraphReplaysToTheLastStage) {
  train(network_, root_.path().string());

  for (const fs::path& folder : compiles_in(root_.path())) {
    const auto stages = stages_of(folder);
    const auto graph = ir::parse_graph(stages.at("00.recorded.wick"));
    passes::PassContext context = passes::make_pass_context();
    passes::run_pipeline(*graph, context);
    EXPECT_EQ(ir::to_string(*graph, {.locations = true}), stages.rbegin()->second) << folder;
  }
}

TEST_P(Dump, AKernelsGraphMakesTheSameKernel) {
  train(network_, root_.path().string());

  int kernels = 0;
  for (const fs::path& folder : compiles_in(root_.path())) {
    if (!fs::exists(folder / "kernels")) continue;
    for (const auto& entry : fs::directory_iterator(folder / "kernels")) {
      if (entry.path().extension() != ".wick") continue;
      runtime::CompileRecord record;
      (void)runtime::find_backend("llvm").compile(ir::parse_graph(read(entry.path())), &record);
      std::vector<std::string> made;
      for (const runtime::KernelRecord& kernel : record.kernels)
        made.push_back(code_of(kernel.kernel_ir));
      const std::string wanted = read(fs::path(entry.path()).replace_extension(".kernel"));
      EXPECT_NE(std::ranges::find(made, code_of(wanted)), made.end()) << entry.path() << "\n"
                                                                      << wanted;
      ++kernels;
    }
  }

  EXPECT_GT(kernels, 2);
}

TEST_P(Dump, HoldsAllFiles) {
  train(network_, root_.path().string());

  for (const fs::path& folder : compiles_in(root_.path())) {
    for (const char* file : {"plan.txt", "remarks.txt", "graph.dot", "report.html"})
      EXPECT_TRUE(fs::exists(folder / file)) << folder / file;
    const auto timing = nlohmann::json::parse(read(folder / "timing.json"));
    EXPECT_FALSE(timing["reason"].get<std::string>().empty());
    EXPECT_FALSE(timing["where"].get<std::string>().empty());
    if (timing["launches"] == 0) continue;
    for (const auto& entry : fs::directory_iterator(folder / "kernels")) {
      if (entry.path().extension() != ".wick") continue;
      for (const char* extension : {".kernel", ".ll", ".s"})
        EXPECT_FALSE(read(fs::path(entry.path()).replace_extension(extension)).empty());
    }
  }
}

TEST_P(Dump, AFailedCompileIsWrittenToo) {
  Options options = wick::options();
  options.dump_to = root_.path().string();
  options.pass_pipeline = "no-such-pass";
  const ScopedOptions scope(options);

  EXPECT_THROW((void)(ones({3}) + full({3}, 2)).to_vector<float>(), std::invalid_argument);

  const std::vector<fs::path> folders = compiles_in(root_.path());
  ASSERT_EQ(folders.size(), 1U);
  EXPECT_NE(read(folders[0] / "00.recorded.wick").find("add"), std::string::npos);
  const auto timing = nlohmann::json::parse(read(folders[0] / "timing.json"));
  EXPECT_NE(timing["error"].get<std::string>().find("no-such-pass"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Networks, Dump, testing::Values("mlp", "cnn"));

}  // namespace
}  // namespace wick::nn
