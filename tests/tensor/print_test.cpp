#include <sstream>

#include "expect_values.h"

namespace wick {
namespace {

std::string printed(const Tensor& tensor) {
  std::ostringstream out;
  out << tensor;
  return out.str();
}

TEST(Print, Vectors) {
  EXPECT_EQ(printed(tensor({1, 2, 3})), "[1. 2. 3.]");
  EXPECT_EQ(printed(tensor({0.1, -20.25, 3})), "[  0.1  -20.25   3.  ]");
  EXPECT_EQ(printed(tensor({1, 1.0F / 3.0F})), "[1.         0.33333334]");
  EXPECT_EQ(printed(arange(3)), "[0 1 2]");
  EXPECT_EQ(printed(tensor({1, 0}) > 0), "[ true false]");
  EXPECT_EQ(printed(scalar(2.5)), "2.5");
  EXPECT_EQ(printed(Tensor()), "undefined");
  EXPECT_EQ(printed(zeros({0, 2})), "[] f32[0,2]");
}

TEST(Print, SpecialAndExtremeValues) {
  EXPECT_EQ(printed(tensor({NAN, -INFINITY, 1.5})), "[ nan -inf  1.5]");
  EXPECT_EQ(printed(tensor({1e-7F, 1})), "[1.e-07 1.e+00]");
  EXPECT_EQ(printed(tensor({2.5e10F})), "[2.5e+10]");
}

TEST(Print, Matrices) {
  EXPECT_EQ(printed(tensor({{1, 2}, {30, 4}})),
            "[[ 1.  2.]\n"
            " [30.  4.]]");
  EXPECT_EQ(printed(arange(8).reshape({2, 2, 2})),
            "[[[0 1]\n"
            "  [2 3]]\n"
            "\n"
            " [[4 5]\n"
            "  [6 7]]]");
}

TEST(Print, ShortensLongTensors) {
  EXPECT_EQ(printed(arange(1001)), "[   0    1    2 ...  998  999 1000]");
  EXPECT_EQ(printed(arange(2000).reshape({1000, 2})),
            "[[   0    1]\n"
            " [   2    3]\n"
            " [   4    5]\n"
            " ...\n"
            " [1994 1995]\n"
            " [1996 1997]\n"
            " [1998 1999]]");
}

TEST(Print, WrapsLongRows) {
  EXPECT_EQ(printed(arange(30)),
            "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n"
            " 24 25 26 27 28 29]");
}

}  // namespace
}  // namespace wick
