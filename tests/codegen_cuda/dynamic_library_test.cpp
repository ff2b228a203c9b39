#include "wick/codegen/cuda/dynamic_library.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace wick::codegen::cuda {
namespace {

TEST(DynamicLibrary, OpensTheFirstOfItsNamesThatIsThere) {
  const DynamicLibrary library({.variable = nullptr, .files = {"libabsent.so.7", "libm.so.6"}});

  ASSERT_TRUE(library.is_open()) << library.problem();
  EXPECT_EQ(library.problem(), "");
  EXPECT_NE(library.path().find("libm.so.6"), std::string::npos);
  EXPECT_EQ(library.function<double(double)>("sqrt")(9.0), 3.0);
  EXPECT_EQ(library.symbol("no_such_symbol"), nullptr);
}

TEST(DynamicLibrary, SaysWhyItIsAbsent) {
  const DynamicLibrary library({.variable = nullptr, .files = {"libabsent.so.7", "libabsent.so"}});

  EXPECT_FALSE(library.is_open());
  EXPECT_EQ(library.problem(),
            "libabsent.so.7: cannot open shared object file: No such file or directory");
  EXPECT_EQ(library.symbol("sqrt"), nullptr);
}

TEST(DynamicLibrary, TriesNothingButThePathOfItsVariable) {
  setenv("WICK_LIBTEST", "/no/such/library.so", 1);
  const DynamicLibrary library({.variable = "WICK_LIBTEST", .files = {"libm.so.6"}});
  unsetenv("WICK_LIBTEST");

  EXPECT_FALSE(library.is_open());
  EXPECT_EQ(library.problem(),
            "WICK_LIBTEST: /no/such/library.so: cannot open shared object file: No such file or "
            "directory");
}

}  // namespace
}  // namespace wick::codegen::cuda
