// Saving and loading of modules.

#include <filesystem>
#include <string>
#include <vector>

#include "expect_error.h"
#include "expect_values.h"
#include <gtest/gtest.h>
#include <unistd.h>

#include "wick/nn/nn.h"
#include "wick/tensor/safetensors.h"

namespace wick::nn {
namespace {

using testing_support::error_line_of;
using testing_support::error_of;
using testing_support::expect_values;

class ModuleIo : public ::testing::Test {
 protected:
  ModuleIo()
      : directory_(std::filesystem::temp_directory_path() /
                   ("wick_module_io_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(directory_);
  }

  ~ModuleIo() override { std::filesystem::remove_all(directory_); }

  [[nodiscard]] std::string path(const std::string& name) const { return directory_ / name; }

  static Sequential make() {
    return Sequential(Conv2d(1, 2, {3, 3}), BatchNorm2d(2), Flatten(), Linear(8, 3));
  }

  /// load() must throw `message` and leave every value as it was.
  static void expect_refused(Sequential& net, const std::string& file, const std::string& message) {
    const auto before = values_of(net);
    EXPECT_EQ(error_of([&] { net.load(file); }), message);
    EXPECT_EQ(values_of(net), before);
  }

  static std::vector<std::vector<float>> values_of(const Module& net) {
    std::vector<std::vector<float>> values;
    for (const NamedParameter& named : net.named_parameters()) {
      values.push_back(named.parameter.value().to_vector<float>());
    }
    for (const NamedBuffer& named : net.named_buffers()) {
      values.push_back(named.buffer.value().to_vector<float>());
    }
    return values;
  }

 private:
  std::filesystem::path directory_;
};

TEST_F(ModuleIo, RoundTripsParametersAndBuffers) {
  manual_seed(1);
  Sequential saved = make();
  const Tensor x = randn({4, 1, 4, 4});
  static_cast<void>(saved(x));  // moves the running statistics
  saved.eval();
  saved.save(path("net.safetensors"));

  Sequential loaded = make();
  loaded.eval();
  loaded.load(path("net.safetensors"));

  EXPECT_EQ(values_of(loaded), values_of(saved));
  EXPECT_EQ(loaded(x).to_vector<float>(), saved(x).to_vector<float>());
  EXPECT_TRUE(loaded.parameters()[0].value().requires_grad());
}

TEST_F(ModuleIo, OptimizersSeeLoadedValues) {
  Sequential net(Linear(2, 1, false));
  optim::SGD sgd(net.parameters(), {.lr = 1});
  Sequential other(Linear(2, 1, false));
  other.parameters()[0].assign(tensor({{5, 6}}));
  other.save(path("net.safetensors"));

  net.load(path("net.safetensors"));
  net(ones({1, 2})).sum().backward();
  sgd.step();

  expect_values(net.parameters()[0], {1, 2}, {4, 5}, 0);
}

TEST_F(ModuleIo, RefusesWrongShapes) {
  const std::string file = path("net.safetensors");
  Sequential(Linear(100, 10)).save(file);
  Sequential net(Linear(784, 10));

  expect_refused(net,
                 file,
                 "load: " + file +
                     ": parameter 0.weight is f32[10,100] in the file and f32[10,784] in the "
                     "module");
  const uint32_t line = error_line_of([&] { net.load(file); });
  EXPECT_EQ(line, static_cast<uint32_t>(__LINE__ - 1));
}

TEST_F(ModuleIo, RefusesAWrongTypeBehindFittingOnes) {
  const std::string file = path("net.safetensors");
  save_safetensors(file, {{"0.weight", ones({3, 2})}, {"0.bias", ones({3}, DType::f64)}});
  Sequential net(Linear(2, 3));

  expect_refused(
      net,
      file,
      "load: " + file + ": parameter 0.bias is f64[3] in the file and f32[3] in the module");
}

TEST_F(ModuleIo, RefusesMissingAndUnknownNames) {
  const std::string file = path("net.safetensors");
  Sequential net(Linear(2, 3));
  save_safetensors(file, {{"0.weight", ones({3, 2})}});
  expect_refused(
      net,
      file,
      "load: " + file + ": the file has no parameter 0.bias, which is f32[3] in the module");

  save_safetensors(file,
                   {{"0.weight", ones({3, 2})}, {"0.bias", ones({3})}, {"1.extra", ones({7})}});
  expect_refused(
      net, file, "load: " + file + ": the module has no 1.extra, which is f32[7] in the file");

  Sequential norm(BatchNorm2d(2));
  save_safetensors(file,
                   {{"0.weight", ones({2})},
                    {"0.bias", ones({2})},
                    {"0.running_mean", ones({2})},
                    {"0.running_var", ones({3})}});
  expect_refused(
      norm,
      file,
      "load: " + file + ": buffer 0.running_var is f32[3] in the file and f32[2] in the module");
}

TEST_F(ModuleIo, RefusesFilesThatAreMissingOrCut) {
  const std::string file = path("net.safetensors");
  Sequential net(Linear(2, 3));
  const std::string missing = error_of([&] { net.load(path("none.safetensors")); });
  EXPECT_NE(missing.find("none.safetensors"), std::string::npos) << missing;

  net.save(file);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  const auto before = values_of(net);
  const std::string cut = error_of([&] { net.load(file); });
  EXPECT_NE(cut.find(file), std::string::npos) << cut;
  EXPECT_EQ(values_of(net), before);
}

TEST_F(ModuleIo, SaysWhereItCannotWrite) {
  const Sequential net(Linear(2, 3));
  const std::string file = path("none/net.safetensors");

  const std::string message = error_of([&] { net.save(file); });

  EXPECT_NE(message.find(file), std::string::npos) << message;
}

}  // namespace
}  // namespace wick::nn
