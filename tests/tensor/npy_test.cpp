#include "wick/tensor/npy.h"

#include <filesystem>

#include "expect_values.h"
#include "support/temporary_folder.h"
#include "support/test_file.h"

#include "wick/ir/npy.h"

namespace wick {
namespace {

using testing_support::expect_values;

class Npy : public ::testing::Test {
 protected:
  const TemporaryFolder folder_;
  const std::string path_ = folder_.path() / "tensor.npy";
};

TEST_F(Npy, LoadsWhatNumPyWrote) {
  const std::string folder = test_file(WICK_SOURCE_DIR "/tests/ir/npy_files/");

  const Tensor x = load_npy(folder + "f2_big_endian_fortran.npy");

  EXPECT_EQ(x.dtype(), DType::f16);
  expect_values(x * 2, {2, 3}, {-4, -2, 0, 2, 4, 6});
}

TEST_F(Npy, SavesPendingTensors) {
  const Tensor x = tensor({{1, -2.5}, {3, 4}});

  save_npy(path_, x + 1);

  expect_values(load_npy(path_), {2, 2}, {2, -1.5, 4, 5});
  EXPECT_EQ(read_npy(path_).type(), (Type{DType::f32, {2, 2}}));
}

TEST_F(Npy, ErrorsNameTheCallTheFileAndTheLine) {
  const auto expect_error = [&](const char* op, const std::string& text, auto call) {
    try {
      call();
      ADD_FAILURE() << "no Error was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.op(), op);
      EXPECT_EQ(error.text(), text);
      EXPECT_TRUE(std::string_view(error.where().file).ends_with("npy_test.cpp"));
    }
  };
  expect_error("load_npy", path_ + ": No such file or directory", [&] { (void)load_npy(path_); });
  expect_error("save_npy", path_ + ": NumPy has no dtype for bf16", [&] {
    save_npy(path_, ones({2}, DType::bf16));
  });
  expect_error("save_npy", path_ + ": the tensor is undefined", [&] { save_npy(path_, Tensor()); });
}

}  // namespace
}  // namespace wick
