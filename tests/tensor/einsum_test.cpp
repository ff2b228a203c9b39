#include <map>

#include "gradcheck.h"

#include "wick/autograd/autograd.h"
#include "wick/tensor/ops_linalg.h"

namespace wick {
namespace {

using testing_support::gradients_match;
using testing_support::second_gradients_match;
using testing_support::spread;

/// An equation without `...` that names its output, one loop a letter.
class Oracle {
 public:
  Oracle(const std::string& equation, std::span<const Tensor> tensors)
      : output_(equation.substr(equation.find("->") + 2)) {
    std::string inputs = equation.substr(0, equation.find("->")) + ",";
    for (const Tensor& tensor : tensors) {
      const size_t comma = inputs.find(',');
      operands_.push_back({inputs.substr(0, comma), tensor.shape(), tensor.to_vector<double>()});
      inputs.erase(0, comma + 1);
      for (int axis = 0; axis < tensor.ndim(); ++axis) {
        int64_t& extent = extents_[operands_.back().letters[static_cast<size_t>(axis)]];
        extent = std::max(extent, tensor.shape()[axis]);
      }
    }
  }

  std::vector<double> values() {
    int64_t count = 1;
    for (const char letter : output_)
      count *= extents_[letter];
    sums_.assign(static_cast<size_t>(count), 0);
    walk(extents_.begin());
    return sums_;
  }

 private:
  struct Input {
    std::string letters;
    Shape shape;
    std::vector<double> values;
  };

  void walk(std::map<char, int64_t>::const_iterator letter) {
    if (letter == extents_.end()) {
      add_product();
      return;
    }
    for (int64_t i = 0; i < letter->second; ++i) {
      at_[letter->first] = i;
      walk(std::next(letter));
    }
  }

  void add_product() {
    double product = 1;
    for (const Input& input : operands_) {
      int64_t offset = 0;
      for (int axis = 0; axis < input.shape.ndim(); ++axis) {
        const int64_t extent = input.shape[axis];
        offset =
            offset * extent + (extent == 1 ? 0 : at_[input.letters[static_cast<size_t>(axis)]]);
      }
      product *= input.values[static_cast<size_t>(offset)];
    }
    int64_t place = 0;
    for (const char letter : output_)
      place = place * extents_[letter] + at_[letter];
    sums_[static_cast<size_t>(place)] += product;
  }

  std::string output_;
  std::vector<Input> operands_;
  std::map<char, int64_t> extents_;
  std::map<char, int64_t> at_;
  std::vector<double> sums_;
};

struct EquationCase {
  const char* equation;
  const char* plain;  // the same without `...`, spaces and with its output
  std::vector<Shape> shapes;
};

void PrintTo(const EquationCase& c, std::ostream* out) {
  *out << c.equation;
}

std::vector<Tensor> inputs_of(const EquationCase& c) {
  std::vector<Tensor> inputs;
  for (const Shape& shape : c.shapes)
    inputs.push_back(spread(shape, -1, 2, static_cast<unsigned>(inputs.size()) + 1));
  return inputs;
}

class Einsum : public ::testing::TestWithParam<EquationCase> {};

TEST_P(Einsum, EqualsLoops) {
  const std::vector<Tensor> inputs = inputs_of(GetParam());
  const Tensor result = einsum(GetParam().equation, inputs);
  const std::vector<double> expected = Oracle(GetParam().plain, inputs).values();

  const std::vector<double> got = result.to_vector<double>();
  ASSERT_EQ(got.size(), expected.size()) << to_string(result.shape());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], 1e-11) << "element " << i;
}

TEST_P(Einsum, GradientsEqualDifferences) {
  const auto f = [](std::span<const Tensor> x) { return einsum(GetParam().equation, x); };
  EXPECT_TRUE(gradients_match(f, inputs_of(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(
    Equations,
    Einsum,
    ::testing::Values(
        EquationCase{"ij,jk", "ij,jk->ik", {{2, 3}, {3, 4}}},
        EquationCase{"ba", "ba->ab", {{2, 3}}},
        EquationCase{" i j -> ", "ij->", {{2, 3}}},
        EquationCase{"iij->ji", "iij->ji", {{3, 3, 2}}},
        EquationCase{"iii", "iii->", {{3, 3, 3}}},
        EquationCase{"iijj->ij", "iijj->ij", {{2, 2, 3, 3}}},
        EquationCase{"i,j,k->kij", "i,j,k->kij", {{2}, {3}, {2}}},
        EquationCase{"ijk,k,j->i", "ijk,k,j->i", {{2, 3, 4}, {4}, {3}}},
        EquationCase{"i,i,i->", "i,i,i->", {{4}, {4}, {4}}},
        EquationCase{"ab,bc,cd,de->ae", "ab,bc,cd,de->ae", {{2, 3}, {3, 4}, {4, 2}, {2, 3}}},
        EquationCase{"abij,cbjk->kacb", "abij,cbjk->kacb", {{2, 3, 2, 3}, {2, 3, 3, 2}}},
        EquationCase{"ij,ij->ij", "ij,ij->ij", {{2, 3}, {2, 3}}},
        EquationCase{"ij,kj->ki", "ij,kj->ki", {{2, 3}, {4, 3}}},
        EquationCase{"ij,jk->ik", "ij,jk->ik", {{2, 1}, {3, 4}}},  // j broadcasts
        EquationCase{"...ij,...jk", "abij,bjk->abik", {{2, 3, 2, 2}, {3, 2, 2}}},
        EquationCase{"i...,...j->...", "iab,cbj->cab", {{2, 1, 3}, {2, 3, 2}}},
        EquationCase{"...,...", "ab,ab->ab", {{2, 3}, {1, 3}}},
        EquationCase{"i...->i", "iab->i", {{2, 3, 2}}},
        EquationCase{"ij,jk->ik", "ij,jk->ik", {{2, 0}, {0, 3}}},
        EquationCase{"ii->i", "ii->i", {{0, 0}}},
        EquationCase{",ij", ",ij->ij", {{}, {2, 2}}}));

TEST(EinsumOfManyOperands, HasSecondGradients) {
  const auto f = [](std::span<const Tensor> x) { return einsum("iij,jk,kl->il", x); };
  EXPECT_TRUE(second_gradients_match(
      f, {spread({2, 2, 3}, -1, 1), spread({3, 2}, 0, 1, 2), spread({2, 3}, -2, 1, 3)}));
}

TEST(EinsumOfManyOperands, ContractsTheCheapestPairFirst) {
  // From left to right the first product would have 10^10 elements.
  const Tensor x = ones({100000});
  EXPECT_EQ(einsum("i,j,i,j->", {x, x, x, x}).item<float>(), 1e10F);
}

TEST(EinsumOfOtherDtypes, KeepsThem) {
  for (const DType dtype : {DType::i8, DType::i32, DType::u8, DType::f16, DType::bf16}) {
    const Tensor a = arange(6, dtype).reshape({2, 3});
    for (const char* equation : {"ij,ij->i", "ij,kj->ik", "ij,ij->ij", "ij->i"}) {
      const bool is_unary = std::string_view(equation).find(',') == std::string_view::npos;
      const std::vector<Tensor> inputs(is_unary ? 1 : 2, a);
      const Tensor result = einsum(equation, inputs);
      EXPECT_EQ(result.dtype(), dtype);
      EXPECT_EQ(result.to_vector<double>(), Oracle(is_unary ? "ij->i" : equation, inputs).values())
          << equation << " of " << to_string(dtype);
    }
  }
}

}  // namespace
}  // namespace wick
