#include "wick/tensor/print.h"

#include <fstream>
#include <sstream>

#include "expect_values.h"
#include "support/test_file.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "wick/tensor/format.h"

namespace wick {
namespace {

using Json = nlohmann::json;

std::string printed(const Tensor& tensor) {
  std::ostringstream out;
  out << tensor;
  return out.str();
}

DType dtype_named(const std::string& name) {
  static const std::map<std::string, DType> names = {{"f4", DType::f32},
                                                     {"f8", DType::f64},
                                                     {"f2", DType::f16},
                                                     {"i1", DType::i8},
                                                     {"i2", DType::i16},
                                                     {"i4", DType::i32},
                                                     {"i8", DType::i64},
                                                     {"u1", DType::u8},
                                                     {"?", DType::bool_}};
  return names.at(name);
}

template <typename T>
std::vector<T> values_of(const Json& json, int64_t count) {
  std::vector<T> values;
  if (json.contains("start")) {
    for (int64_t i = 0; i < count; ++i) {
      const double value = json["start"].get<double>() + json["step"].get<double>() * i;
      values.push_back(static_cast<T>(value));
    }
    return values;
  }
  std::istringstream text(json["values"].get<std::string>());
  for (std::string word; text >> word;) {
    values.push_back(std::is_floating_point_v<T>
                         ? static_cast<T>(std::strtod(word.c_str(), nullptr))
                         : static_cast<T>(std::stoll(word)));
  }
  return values;
}

Tensor tensor_of(const Json& json) {
  const std::vector<int64_t> extents = json["shape"];
  const Shape shape{std::span<const int64_t>(extents)};
  const DType dtype = dtype_named(json["dtype"]);
  if (dtype == DType::f64) return from_vector(values_of<double>(json, shape.numel()), shape);
  const Tensor wide = is_float(dtype) ? from_vector(values_of<float>(json, shape.numel()), shape)
                                      : from_vector(values_of<int64_t>(json, shape.numel()), shape);
  return wide.to(dtype);
}

PrintOptions options_of(const Json& json) {
  PrintOptions options;
  options.precision = json.value("precision", options.precision);
  options.threshold = json.value("threshold", options.threshold);
  options.edge_items = json.value("edgeitems", options.edge_items);
  options.line_width = json.value("linewidth", options.line_width);
  options.suppress = json.value("suppress", options.suppress);
  return options;
}

TEST(Print, EverythingAsNumPyDoes) {
  std::ifstream file(test_file(WICK_SOURCE_DIR "/tests/tensor/print_cases/numpy.json"));
  const Json cases = Json::parse(file);
  ASSERT_GT(cases.size(), 100U);
  for (const Json& each : cases) {
    EXPECT_EQ(to_string(tensor_of(each), options_of(each["options"])),
              each["text"].get<std::string>())
        << each.dump().substr(0, 200);
  }
}

TEST(Print, WhatNumPyHasNot) {
  EXPECT_EQ(printed(Tensor()), "undefined");
  EXPECT_EQ(printed(zeros({0, 2})), "[] f32[0,2]");
  EXPECT_EQ(printed(tensor({0.1, 3, -1.0F / 3.0F}).to(DType::bf16)), "[ 0.1    3.    -0.334]");
  EXPECT_EQ(printed(tensor({1, 2}) + 1), "[2. 3.]");
}

TEST(Print, OptionsOfTheProcess) {
  const PrintOptions before = print_options();
  PrintOptions options;
  options.precision = 2;
  set_print_options(options);
  EXPECT_EQ(printed(tensor({1.0F / 3.0F})), "[0.33]");
  set_print_options(before);
  EXPECT_EQ(printed(tensor({1.0F / 3.0F})), "[0.33333334]");

  options.precision = -1;
  try {
    set_print_options(options);
    ADD_FAILURE() << "no Error was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.text(), "precision is negative: -1");
    EXPECT_EQ(error.op(), "set_print_options");
  }
}

TEST(Print, FmtSpecificationsAreThoseOfElements) {
  const Tensor x = tensor({{1, -2.5}, {100, NAN}});
  EXPECT_EQ(fmt::format("x = {}", x), "x = " + printed(x));
  EXPECT_EQ(fmt::format("{:.3f}", x),
            "[[  1.000  -2.500]\n"
            " [100.000     nan]]");
  EXPECT_EQ(fmt::format("{:.1e}", tensor({1, 20})), "[1.0e+00 2.0e+01]");
  EXPECT_EQ(fmt::format("{:#x}", tensor({1, 20}).to(DType::i32)), "[ 0x1 0x14]");
  EXPECT_EQ(fmt::format("{:.1f}", tensor({1, 20}).to(DType::i32)), "[ 1.0 20.0]");
  EXPECT_THROW((void)fmt::format("{:d}", x), fmt::format_error);
}

}  // namespace
}  // namespace wick
