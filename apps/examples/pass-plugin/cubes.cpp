// An ordinary program: the sum of some fifth powers.

#include <cstdio>

#include <wick/wick.h>

int main() {
  const wick::Tensor x = wick::linspace(0, 1, 1000);
  std::printf("%.4f\n", wick::sum(wick::pow(x, 5)).item<float>());
  return 0;
}
