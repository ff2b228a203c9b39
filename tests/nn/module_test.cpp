#include "wick/nn/module.h"

#include "expect_error.h"
#include <gtest/gtest.h>

#include "wick/nn/activations.h"
#include "wick/nn/batch_norm.h"
#include "wick/nn/conv.h"
#include "wick/nn/dropout.h"
#include "wick/nn/linear.h"
#include "wick/nn/sequential.h"

namespace wick::nn {
namespace {

using testing_support::error_line_of;
using testing_support::error_of;

struct Net : Module {
  std::shared_ptr<Linear> hidden = register_module("hidden", Linear(4, 3));
  Parameter scale = register_parameter("scale", ones({3}));
  std::shared_ptr<Sequential> tail =
      register_module("tail", Sequential(ReLU(), Linear(3, 2, /*bias=*/false)));

  Tensor forward(const Tensor& x) override { return (*tail)((*hidden)(x)*scale.value()); }
};

std::vector<std::string> names_of(const Module& module) {
  std::vector<std::string> names;
  for (const NamedParameter& named : module.named_parameters()) {
    names.push_back(named.name + " " + to_string(named.parameter.type()));
  }
  return names;
}

TEST(Module, NamesParametersByTheirPath) {
  const Net net;

  const std::vector<std::string> wanted = {
      "scale f32[3]", "hidden.weight f32[3,4]", "hidden.bias f32[3]", "tail.1.weight f32[2,3]"};
  EXPECT_EQ(names_of(net), wanted);
  EXPECT_EQ(net.parameters().size(), 4U);
  EXPECT_EQ(net.num_parameters(), 3 + 12 + 3 + 6);
}

TEST(Module, NamesBuffers) {
  const Sequential net(Conv2d(1, 2, {3, 3}), BatchNorm2d(2));

  const std::vector<std::string> wanted = {
      "0.weight f32[2,1,3,3]", "0.bias f32[2]", "1.weight f32[2]", "1.bias f32[2]"};
  EXPECT_EQ(names_of(net), wanted);
  ASSERT_EQ(net.named_buffers().size(), 2U);
  EXPECT_EQ(net.named_buffers()[0].name, "1.running_mean");
  EXPECT_EQ(net.named_buffers()[1].name, "1.running_var");
}

struct Tied : Module {
  std::shared_ptr<Linear> layer = std::make_shared<Linear>(2, 2);

  Tied() {
    register_child("a", layer);
    register_child("b", layer);
  }

  Tensor forward(const Tensor& x) override { return (*layer)((*layer)(x)); }
};

TEST(Module, ListsASharedParameterOnce) {
  const Tied net;

  EXPECT_EQ(names_of(net), (std::vector<std::string>{"a.weight f32[2,2]", "a.bias f32[2]"}));
}

TEST(Module, SwitchesAllChildren) {
  Sequential net(Linear(2, 2), Sequential(Dropout(), ReLU()));

  net.eval();
  EXPECT_FALSE(net.is_training());
  EXPECT_FALSE(net[0].is_training());
  EXPECT_FALSE(net[1].is_training());
  EXPECT_FALSE(dynamic_cast<Sequential&>(net[1])[0].is_training());

  net.train();
  EXPECT_TRUE(dynamic_cast<Sequential&>(net[1])[0].is_training());
}

TEST(Module, ZeroGradClearsAll) {
  Net net;
  net(ones({2, 4})).sum().backward();
  EXPECT_TRUE(net.scale.grad().defined());

  net.zero_grad();

  for (const Parameter& parameter : net.parameters()) {
    EXPECT_FALSE(parameter.grad().defined());
  }
}

TEST(Module, ErrorsNameTheCallersLine) {
  Sequential net(Linear(4, 3), ReLU());

  const uint32_t line = error_line_of([&] { static_cast<void>(net(ones({2, 5}))); });

  EXPECT_EQ(line, static_cast<uint32_t>(__LINE__ - 2));
}

struct Clashing : Module {
  Clashing() {
    register_parameter("w", ones({1}));
    register_parameter("w", ones({1}));
  }

  Tensor forward(const Tensor& x) override { return x; }
};

TEST(Module, RefusesATakenName) {
  EXPECT_EQ(error_of([] { const Clashing net; }), "register: the name 'w' is taken or empty");
}

TEST(Sequential, TakesUniquePointersAndGrows) {
  Sequential net(std::make_unique<Linear>(3, 4), ReLU());

  net.append(Linear(4, 2)).append(std::make_unique<Tanh>());

  EXPECT_EQ(net.size(), 4U);
  EXPECT_EQ(to_string(net(ones({5, 3})).shape()), "[5,2]");
  EXPECT_EQ(to_string(Sequential()(ones({5, 3})).shape()), "[5,3]");
}

}  // namespace
}  // namespace wick::nn
