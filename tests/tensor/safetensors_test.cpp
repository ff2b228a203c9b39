#include "wick/tensor/safetensors.h"

#include <cstring>
#include <filesystem>
#include <fstream>

#include "expect_values.h"

namespace wick {
namespace {

using testing_support::expect_values;

class Safetensors : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = ::testing::TempDir() + "wick_" + test->name() + ".safetensors";
  }

  void TearDown() override { std::filesystem::remove(path_); }

  void write(const std::string& header, size_t data_bytes) const {
    const uint64_t length = header.size();
    write_raw(std::string(reinterpret_cast<const char*>(&length), 8) + header +
              std::string(data_bytes, '\1'));
  }

  void write_raw(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary) << bytes;
  }

  /// The sentence of the error after the path.
  [[nodiscard]] std::string problem() const {
    try {
      (void)load_safetensors(path_);
    } catch (const Error& error) {
      EXPECT_EQ(error.op(), "load_safetensors");
      EXPECT_TRUE(error.text().starts_with(path_ + ": ")) << error.text();
      return error.text().substr(path_.size() + 2);
    }
    return "no error";
  }

  std::string path_;
};

TEST_F(Safetensors, RoundTrip) {
  const Tensor weights = tensor({{1, -2.5}, {NAN, 4}});
  const std::vector<int64_t> numbers = {1LL << 60, -1};
  const std::map<std::string, Tensor> saved = {{"fc.weight", weights},
                                               {"fc.bias", weights.sum({0}) * 2},
                                               {"steps", from_vector(numbers, {2, 1})},
                                               {"half", weights.to(DType::f16)},
                                               {"mask", weights > 0},
                                               {"none", zeros({0, 3})},
                                               {"one", scalar(3.5, DType::f64)}};

  save_safetensors(path_, saved, {{"epoch", "3"}});
  const SafetensorsFile file = read_safetensors(path_);

  EXPECT_EQ(file.metadata, (std::map<std::string, std::string>{{"epoch", "3"}}));
  ASSERT_EQ(file.tensors.size(), saved.size());
  for (const auto& [name, tensor] : saved) {
    const Tensor& back = file.tensors.at(name);
    EXPECT_EQ(to_string(back.type()), to_string(tensor.type())) << name;
    EXPECT_EQ(std::memcmp(back.node()->data(), tensor.node()->data(), tensor.type().num_bytes()), 0)
        << name;
  }
}

TEST_F(Safetensors, ReadsTheDocumentedLayout) {
  write(R"({"b":{"dtype":"U8","shape":[3],"data_offsets":[4,7]},)"
        R"("a":{"dtype":"I16","shape":[2],"data_offsets":[0,4]}})",
        7);

  const std::map<std::string, Tensor> tensors = load_safetensors(path_);

  expect_values(tensors.at("a"), {2}, {257, 257});
  expect_values(tensors.at("b"), {3}, {1, 1, 1});
}

TEST_F(Safetensors, MissingAndTruncatedFiles) {
  EXPECT_EQ(problem(), "No such file or directory");
  write_raw("abc");
  EXPECT_EQ(problem(), "3 bytes are too few for a header");
  write_raw(std::string("\xff\0\0\0\0\0\0\0{}", 10));
  EXPECT_EQ(problem(), "header length 255 does not fit a file of 10 bytes");
  write(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 5);
  EXPECT_EQ(problem(), "tensor a: data ends at byte 8, the file has 5 of data");
}

TEST_F(Safetensors, BadHeaders) {
  write("{\"a\":", 0);
  EXPECT_EQ(problem(), "the header is no JSON object");
  write("[]", 0);
  EXPECT_EQ(problem(), "the header does not begin with '{'");
  write(R"({"a":1})", 0);
  EXPECT_EQ(problem(), "tensor a: its description is no object");
  write(R"({"a":{"dtype":"F4","shape":[2],"data_offsets":[0,1]}})", 1);
  EXPECT_EQ(problem(), "tensor a: dtype F4 is unknown");
  write(R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8);
  EXPECT_EQ(problem(), "tensor a: shape is no list of numbers");
  write(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0);
  EXPECT_EQ(problem(), "tensor a: shape has too many elements");
  write(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8);
  EXPECT_EQ(problem(), "tensor a: data_offsets are no begin and end");
  write(R"({"__metadata__":{"x":1}})", 0);
  EXPECT_EQ(problem(), "metadata x is no string");
}

TEST_F(Safetensors, RefusesKeysGivenTwice) {
  write(R"({"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},)"
        R"("a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})",
        0);
  EXPECT_EQ(problem(), "tensor a: is given twice");
  write(R"({"a":{"dtype":"F32","shape":[0],"shape":[1],"data_offsets":[0,0]}})", 0);
  EXPECT_EQ(problem(), "a: shape is given twice");
}

TEST_F(Safetensors, BadOffsets) {
  write(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8);
  EXPECT_EQ(problem(), "tensor a: f32[3] needs 12 bytes, data_offsets span 8");
  write(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
        R"("b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}})",
        6);
  EXPECT_EQ(problem(), "tensor b: data overlaps the tensor before, which ends at 4");
  write(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})", 4);
  EXPECT_EQ(problem(), "tensor a: 2 bytes before its data belong to no tensor");
  write(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", 4);
  EXPECT_EQ(problem(), "2 bytes of data belong to no tensor");
}

TEST_F(Safetensors, BadBools) {
  write_raw(std::string("\x38\0\0\0\0\0\0\0", 8) +
            R"({"a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}} )" + "\7");
  EXPECT_EQ(problem(), "tensor a: a bool is neither 0 nor 1");
}

TEST_F(Safetensors, AFailedWriteLeavesTheOldFile) {
  save_safetensors(path_, {{"a", tensor({1})}});

  EXPECT_THROW(save_safetensors(path_, {{"a", Tensor()}}), Error);
  EXPECT_THROW(save_safetensors("/no/such/folder/x", {{"a", tensor({1})}}), Error);

  expect_values(load_safetensors(path_).at("a"), {1}, {1});
}

}  // namespace
}  // namespace wick
