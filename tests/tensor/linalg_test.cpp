#include "wick/tensor/linalg.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "expect_values.h"
#include "gradcheck.h"
#include "support/compiled_backend.h"
#include "support/failing_call.h"

#include "wick/autograd/autograd.h"
#include "wick/passes/options.h"
#include "wick/tensor/ops_linalg.h"

namespace wick {
namespace {

using linalg::MatrixNorm;
using testing_support::expect_values;
using testing_support::FailingCall;
using testing_support::gradients_match;
using testing_support::second_gradients_match;
using testing_support::spread;
using Inputs = std::span<const Tensor>;

constexpr double kInf = std::numeric_limits<double>::infinity();

Tensor transposed(const Tensor& x) {
  return transpose(x, -2, -1);
}

/// Symmetric and positive definite.
Tensor definite(const Tensor& x) {
  return matmul(x, transposed(x)) + eye(x.size(-2), x.dtype());
}

/// The smallest absolute tolerance that makes them equal; checks the types.
double distance(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(to_string(a.type()), to_string(b.type()));
  const std::vector<double> x = a.to_vector<double>();
  const std::vector<double> y = b.to_vector<double>();
  double most = 0;
  for (size_t i = 0; i < std::min(x.size(), y.size()); ++i)
    most = std::max(most, std::isnan(x[i]) ? kInf : std::abs(x[i] - y[i]));
  return most;
}

Tensor identity_like(const Tensor& x) {
  return broadcast_to(eye(x.size(-1), x.dtype()), x.shape());
}

/// Factorizations and solutions put back together, for each dtype, on each backend.
class Linalg : public ::testing::TestWithParam<std::pair<const char*, DType>> {
 protected:
  Linalg() : previous_(std::exchange(options().backend, backend_named(GetParam().first))) {}

  ~Linalg() override { options().backend = previous_; }

  [[nodiscard]] Tensor random(const Shape& shape, unsigned seed = 1) const {
    return cast(spread(shape, -1, 1, seed), GetParam().second);
  }

  /// Rounding of the dtype, times what ten rows of numbers of order 1 make of it.
  [[nodiscard]] double tolerance() const {
    switch (GetParam().second) {
      case DType::f64:
        return 1e-12;
      case DType::f32:
        return 1e-5;
      case DType::f16:
        return 3e-2;
      default:
        return 2e-1;
    }
  }

  std::string previous_;
};

const std::vector<Shape> kShapes = {
    {4, 4}, {5, 3}, {3, 5}, {1, 1}, {2, 3, 4, 3}, {2, 3, 4}, {0, 3, 2}, {3, 0}, {0, 3}, {2, 0, 0}};

TEST_P(Linalg, QrIsPutTogether) {
  for (const Shape& shape : kShapes) {
    const Tensor a = random(shape);
    for (const bool complete : {false, true}) {
      const auto [q, r] = linalg::qr(a, complete);
      EXPECT_LE(distance(matmul(q, r), a), tolerance()) << to_string(shape);
      const Tensor product = matmul(transposed(q), q);
      EXPECT_LE(distance(product, identity_like(product)), tolerance()) << to_string(shape);
      EXPECT_EQ(q.size(-1), complete ? a.size(-2) : std::min(a.size(-2), a.size(-1)));
      const std::vector<double> values = r.to_vector<double>();
      for (int64_t i = 0; i < r.numel(); ++i) {
        const int64_t row = i / r.size(-1) % r.size(-2);
        if (i % r.size(-1) < row) {
          EXPECT_EQ(values[static_cast<size_t>(i)], 0);
        }
      }
    }
  }
}

TEST_P(Linalg, SvdIsPutTogether) {
  for (const Shape& shape : kShapes) {
    const Tensor a = random(shape);
    const auto [u, s, vh] = linalg::svd(a);
    EXPECT_LE(distance(matmul(u * unsqueeze(s, -2), vh), a), tolerance()) << to_string(shape);
    EXPECT_LE(distance(linalg::svdvals(a), s), tolerance());
    const linalg::SvdResult full = linalg::svd(a, true);
    for (const Tensor& product : {matmul(full.u, transposed(full.u)),
                                  matmul(full.vh, transposed(full.vh)),
                                  matmul(transposed(u), u)}) {
      EXPECT_LE(distance(product, identity_like(product)), tolerance()) << to_string(shape);
    }
    EXPECT_EQ(full.u.size(-1), a.size(-2));
  }
}

TEST_P(Linalg, SymmetricFactorsArePutTogether) {
  for (const Shape& shape : std::vector<Shape>{{4, 4}, {1, 1}, {2, 3, 3, 3}, {0, 2, 2}, {0, 0}}) {
    const Tensor a = definite(random(shape));
    const auto [values, vectors] = linalg::eigh(a);
    const Tensor again = matmul(vectors * unsqueeze(values, -2), transposed(vectors));
    EXPECT_LE(distance(again, a), 3 * tolerance()) << to_string(shape);
    EXPECT_LE(distance(linalg::eigvalsh(a, true), values), 3 * tolerance());
    const Tensor l = linalg::cholesky(a);
    EXPECT_LE(distance(matmul(l, transposed(l)), a), 3 * tolerance()) << to_string(shape);
    EXPECT_LE(distance(linalg::cholesky(a, true), transposed(l)), tolerance());
  }
}

TEST_P(Linalg, SolutionsSolve) {
  const Tensor a = definite(random({2, 1, 4, 4}));
  const Tensor b = random({3, 4, 2}, 2);
  const Tensor x = linalg::solve(a, b);
  EXPECT_LE(distance(matmul(a, x), broadcast_to(b, {2, 3, 4, 2})), 9 * tolerance());
  EXPECT_LE(distance(linalg::cholesky_solve(b, linalg::cholesky(a)), x), 9 * tolerance());
  EXPECT_LE(distance(linalg::cholesky_solve(b, linalg::cholesky(a, true), true), x),
            9 * tolerance());
  EXPECT_LE(distance(linalg::lstsq(a, b), x), 9 * tolerance());
  EXPECT_LE(distance(matmul(linalg::inv(a), a), identity_like(a)), 9 * tolerance());
  EXPECT_LE(distance(linalg::pinv(a), linalg::inv(a)), 9 * tolerance());
  EXPECT_LE(distance(linalg::matrix_power(a, -2), matmul(linalg::inv(a), linalg::inv(a))),
            9 * tolerance());
}

/// Up to a block of LAPACK's and beyond.
TEST_P(Linalg, InversesOfAnyOrder) {
  for (const int64_t order : {0, 1, 2, 63, 64, 65, 130}) {
    const Tensor x = random({2, order, order});
    const Tensor a = x + 2 * order * identity_like(x);
    EXPECT_LE(distance(matmul(linalg::inv(a), a), identity_like(a)), 9 * tolerance()) << order;
  }
}

INSTANTIATE_TEST_SUITE_P(Types,
                         Linalg,
                         ::testing::Values(std::pair("compiled", DType::f64),
                                           std::pair("compiled", DType::f32),
                                           std::pair("compiled", DType::f16),
                                           std::pair("compiled", DType::bf16),
                                           std::pair("interpreter", DType::f64)),
                         [](const auto& info) {
                           return std::string(info.param.first) + "_" +
                                  std::string(to_string(info.param.second));
                         });

TEST(LinalgValues, Determinants) {
  const Tensor a = tensor({{0, 2}, {3, 4}});
  expect_values(linalg::det(a), {}, {-6});
  expect_values(linalg::slogdet(a).sign, {}, {-1});
  expect_values(linalg::slogdet(a).log_abs, {}, {std::log(6.0)}, testing_support::kFloatTolerance);
  expect_values(linalg::det(ones({2, 2})), {}, {0});
  expect_values(linalg::slogdet(ones({2, 2})).sign, {}, {0});
  expect_values(linalg::slogdet(ones({2, 2})).log_abs, {}, {-kInf});
  expect_values(linalg::det(zeros({2, 0, 0})), {2}, {1, 1});
  // The determinant 1e-60 is no float, its logarithm is.
  expect_values(linalg::slogdet(eye(2) * 1e-30).log_abs, {}, {-60 * std::log(10.0)}, 1e-4);
}

TEST(LinalgValues, RightHandSidesMayBeVectors) {
  const Tensor a = tensor({{2, 0}, {0, 4}});
  expect_values(linalg::solve(a, tensor({2, 2})), {2}, {1, 0.5});
  expect_values(linalg::solve(stack(std::vector{a, a * 2}, 0), ones({2, 2})),
                {2, 2},
                {0.5, 0.25, 0.25, 0.125});
  expect_values(linalg::lstsq(ones({3, 1}), tensor({1, 2, 6})), {1}, {3}, 1e-5);
  expect_values(linalg::lstsq(zeros({0, 2}), zeros({0, 1})), {2, 1}, {0, 0});
}

TEST(LinalgValues, TriangularSolvesReadOneHalf) {
  const Tensor a = tensor({{2, 9}, {1, 4}});
  const Tensor b = tensor({{2, 4}, {5, 6}});
  expect_values(linalg::solve_triangular(a, b), {2, 2}, {1, 2, 1, 1});
  expect_values(linalg::solve_triangular(a, b, {.unit_diagonal = true}), {2, 2}, {2, 4, 3, 2});
  expect_values(linalg::solve_triangular(a, b, {.upper = true, .left = false}),
                {2, 2},
                {1, -1.25, 2.5, -4.125});
  expect_values(linalg::solve_triangular(zeros({1, 1}), ones({1, 1})), {1, 1}, {kInf});
}

TEST(LinalgValues, OfDeficientRank) {
  const Tensor a = ones({2, 3});
  expect_values(linalg::matrix_rank(a), {}, {1});
  expect_values(linalg::matrix_rank(zeros({2, 3})), {}, {0});
  expect_values(linalg::matrix_rank(zeros({2, 0})), {}, {0});
  expect_values(linalg::matrix_rank(tensor({{1, 0}, {0, 0.1F}}), 0.5), {}, {1});
  expect_values(linalg::pinv(a), {3, 2}, std::vector<double>(6, 1.0 / 6), 1e-6);
  expect_values(linalg::lstsq(a, tensor({3, 6})), {3}, {1.5, 1.5, 1.5}, 1e-5);
}

TEST(LinalgValues, Norms) {
  const Tensor a = tensor({{1, -2}, {3, 4}});
  expect_values(linalg::matrix_norm(a), {}, {std::sqrt(30.0)}, 1e-6);
  expect_values(linalg::matrix_norm(a, MatrixNorm::one), {}, {6});
  expect_values(linalg::matrix_norm(a, MatrixNorm::smallest_one, true), {1, 1}, {4});
  expect_values(linalg::matrix_norm(a, MatrixNorm::inf), {}, {7});
  expect_values(linalg::matrix_norm(a, MatrixNorm::smallest_inf), {}, {3});
  // Singular values by their sum of squares 30 and product 10.
  const double larger = std::sqrt(15 + std::sqrt(125.0));
  const double smaller = 10 / larger;
  expect_values(linalg::matrix_norm(a, MatrixNorm::two), {}, {larger}, 1e-6);
  expect_values(linalg::matrix_norm(a, MatrixNorm::smallest_two), {}, {smaller}, 1e-6);
  expect_values(linalg::matrix_norm(a, MatrixNorm::nuclear), {}, {larger + smaller}, 2e-6);
  expect_values(linalg::cond(a), {}, {larger / smaller}, 1e-5);
  expect_values(linalg::cond(a, MatrixNorm::one), {}, {6 * 0.7}, 1e-5);
  expect_values(linalg::matrix_power(a, 3), {2, 2}, {-35, -30, 45, 10});
  expect_values(linalg::matrix_power(a, 0), {2, 2}, {1, 0, 0, 1});
}

struct GradientCase {
  const char* name;
  std::function<Tensor(Inputs)> f;
  std::vector<Shape> shapes;
};

Tensor joined(std::initializer_list<Tensor> parts) {
  std::vector<Tensor> flat;
  for (const Tensor& part : parts)
    flat.push_back(reshape(part, {part.numel()}));
  return concat(flat, 0);
}

/// What does not depend on the signs of vectors.
Tensor of_svd(const Tensor& a) {
  const auto [u, s, vh] = linalg::svd(a);
  return joined({s, square(u), square(vh), matmul(u, vh)});
}

Tensor of_qr(const Tensor& a, bool complete = false) {
  const auto [q, r] = linalg::qr(a, complete);
  return joined({q, r});
}

class LinalgGradients : public ::testing::TestWithParam<GradientCase> {
 protected:
  [[nodiscard]] static std::vector<Tensor> inputs() {
    std::vector<Tensor> inputs;
    for (const Shape& shape : GetParam().shapes)
      inputs.push_back(spread(shape, -1, 2, static_cast<unsigned>(inputs.size()) + 3));
    return inputs;
  }
};

TEST_P(LinalgGradients, EqualDifferences) {
  EXPECT_TRUE(gradients_match(GetParam().f, inputs(), {.tolerance = 1e-6}));
}

TEST_P(LinalgGradients, EqualDifferencesOfGradients) {
  EXPECT_TRUE(second_gradients_match(GetParam().f, inputs(), {.tolerance = 1e-5}));
}

INSTANTIATE_TEST_SUITE_P(
    Functions,
    LinalgGradients,
    ::testing::Values(
        GradientCase{
            "cholesky", [](Inputs x) { return linalg::cholesky(definite(x[0])); }, {{3, 3}}},
        GradientCase{"cholesky_upper",
                     [](Inputs x) { return linalg::cholesky(definite(x[0]), true); },
                     {{2, 2, 2}}},
        GradientCase{"qr", [](Inputs x) { return of_qr(x[0]); }, {{3, 3}}},
        GradientCase{"qr_tall", [](Inputs x) { return of_qr(x[0]); }, {{2, 4, 2}}},
        GradientCase{"qr_wide", [](Inputs x) { return of_qr(x[0], true); }, {{2, 4}}},
        GradientCase{"svd", [](Inputs x) { return of_svd(x[0]); }, {{3, 3}}},
        GradientCase{"svd_tall", [](Inputs x) { return of_svd(x[0]); }, {{2, 3, 2}}},
        GradientCase{"svd_wide", [](Inputs x) { return of_svd(x[0]); }, {{2, 4}}},
        GradientCase{"svd_full", [](Inputs x) { return linalg::svd(x[0], true).s; }, {{2, 3}}},
        GradientCase{"svdvals", [](Inputs x) { return linalg::svdvals(x[0]); }, {{2, 3}}},
        GradientCase{"eigh",
                     [](Inputs x) {
                       const auto [values, vectors] = linalg::eigh(x[0] + transposed(x[0]));
                       return joined({values, square(vectors)});
                     },
                     {{2, 3, 3}}},
        GradientCase{"eigvalsh",
                     [](Inputs x) { return linalg::eigvalsh(x[0] + transposed(x[0])); },
                     {{3, 3}}},
        GradientCase{"inv", [](Inputs x) { return linalg::inv(x[0]); }, {{2, 3, 3}}},
        GradientCase{"pinv_tall", [](Inputs x) { return linalg::pinv(x[0]); }, {{4, 2}}},
        GradientCase{"pinv_wide", [](Inputs x) { return linalg::pinv(x[0]); }, {{2, 3}}},
        GradientCase{"det", [](Inputs x) { return linalg::det(x[0]); }, {{2, 3, 3}}},
        GradientCase{"slogdet", [](Inputs x) { return linalg::slogdet(x[0]).log_abs; }, {{3, 3}}},
        GradientCase{
            "solve", [](Inputs x) { return linalg::solve(x[0], x[1]); }, {{2, 3, 3}, {3, 2}}},
        GradientCase{
            "solve_vector", [](Inputs x) { return linalg::solve(x[0], x[1]); }, {{3, 3}, {3}}},
        GradientCase{"solve_lower",
                     [](Inputs x) { return linalg::solve_triangular(x[0], x[1]); },
                     {{3, 3}, {3, 2}}},
        GradientCase{"solve_upper_right_unit",
                     [](Inputs x) {
                       return linalg::solve_triangular(
                           x[0], x[1], {.upper = true, .left = false, .unit_diagonal = true});
                     },
                     {{3, 3}, {2, 2, 3}}},
        GradientCase{
            "cholesky_solve",
            [](Inputs x) { return linalg::cholesky_solve(x[1], linalg::cholesky(definite(x[0]))); },
            {{2, 2}, {2, 1}}},
        GradientCase{"lstsq", [](Inputs x) { return linalg::lstsq(x[0], x[1]); }, {{4, 2}, {4, 2}}},
        GradientCase{
            "lstsq_wide", [](Inputs x) { return linalg::lstsq(x[0], x[1]); }, {{2, 3}, {2}}},
        GradientCase{"norms",
                     [](Inputs x) {
                       return joined({linalg::matrix_norm(x[0]),
                                      linalg::matrix_norm(x[0], MatrixNorm::nuclear),
                                      linalg::cond(x[0], MatrixNorm::inf),
                                      linalg::vector_norm(x[0], 3, {1})});
                     },
                     {{3, 3}}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(LinalgGradientsAtEdges, OfTheDeterminantOfASingularMatrix) {
  Tensor a = tensor({{1, 2}, {2, 4}});
  a.requires_grad_();
  expect_values(grad(linalg::det(a), a), {2, 2}, {4, -2, -2, 1}, 1e-5);
}

TEST(LinalgGradientsAtEdges, OfEqualValuesDoNotNeedTheirVectors) {
  Tensor a = eye(3) * 2;
  a.requires_grad_();
  const linalg::SvdResult svd = linalg::svd(a);
  expect_values(grad(sum(square(svd.s)), a), {3, 3}, {4, 0, 0, 0, 4, 0, 0, 0, 4}, 1e-5);
  EXPECT_TRUE(std::isnan(sum(grad(sum(svd.u), a)).item<double>()));
  const linalg::EighResult eigh = linalg::eigh(a);
  expect_values(grad(sum(eigh.values), a), {3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, 1e-5);
}

TEST(LinalgGradientsAtEdges, OfAVectorOfZerosAre0) {
  Tensor x = zeros({3});
  x.requires_grad_();
  for (const double order : {0.5, 1.0, 1.5, 2.0, 3.0})
    expect_values(grad(linalg::vector_norm(x, order), x), {3}, {0, 0, 0});
}

class LinalgErrors : public ::testing::TestWithParam<FailingCall<>> {};

TEST_P(LinalgErrors, NameOpAndLine) {
  expect_failure(GetParam());
}

Tensor with_zero_pivot() {
  return tensor({{1, 2}, {2, 4}});
}

Tensor with_zero_pivot_in_second() {
  return stack(std::vector{eye(2), with_zero_pivot(), zeros({2, 2})}, 0);
}

Tensor not_finite() {
  return full({2, 2}, kInf);
}

const FailingCall<> kLinalgMistakes[] = {
    {[] { return linalg::inv(ones({3})); }, "linalg.inv: needs matrices of f32 or f64, got f32[3]"},
    {[] { return linalg::det(ones({2, 2}, DType::i32)); },
     "linalg.det: needs matrices of f32 or f64, got i32[2,2]"},
    {[] { return linalg::cholesky(ones({2, 3})); },
     "linalg.cholesky: needs square matrices, got f32[2,3]"},
    {[] { return linalg::solve(ones({2, 2}), Tensor()); },
     "linalg.solve: operand 2 is an undefined tensor"},
    {[] { return linalg::solve(ones({2, 2}), ones({3, 1})); },
     "linalg.solve: f32[3,1] does not fit f32[2,2]"},
    {[] { return linalg::lstsq(ones({2, 2, 2}), ones({3, 2, 1})); },
     "linalg.lstsq: f32[3,2,1] does not fit f32[2,2,2]"},
    {[] { return linalg::matrix_power(ones({2, 3}), 2); },
     "linalg.matrix_power: needs square matrices, got f32[2,3]"},
    {[] { return linalg::matrix_norm(ones({3})); },
     "linalg.matrix_norm: needs matrices, got f32[3]"},
    {[](uint32_t& line) {
       Tensor a = ones({3, 2});
       a.requires_grad_();
       line = __LINE__ + 1;
       const Tensor q = linalg::qr(a, true).q;
       (void)grad(sum(q), a);
     },
     "linalg.qr: a complete Q of a tall matrix has no gradient"},
    {[] { (void)linalg::vector_norm(Tensor()); },
     "linalg.vector_norm: operand 1 is an undefined tensor"},
    {[] { (void)linalg::vector_norm(arange(3)); }, "linalg.vector_norm: needs floats, got i64[3]"},
    {[] { (void)linalg::vector_norm(ones({3}), 2, {1}); },
     "linalg.vector_norm: axis 1 is out of range for f32[3]"},
    {[] { (void)linalg::matrix_norm(Tensor()); },
     "linalg.matrix_norm: operand 1 is an undefined tensor"},
    {[] { (void)linalg::matrix_norm(arange(4).reshape({2, 2})); },
     "linalg.vector_norm: needs floats, got i64[2,2]"},
    {[] { (void)linalg::matrix_power(Tensor(), 2); },
     "linalg.matrix_power: operand 1 is an undefined tensor"},
    {[] { (void)linalg::matrix_power(ones({3}), 2); },
     "linalg.matrix_power: needs square matrices, got f32[3]"},
    {[] { (void)linalg::solve_triangular(ones({2, 3}), ones({2, 1})); },
     "linalg.solve_triangular: needs square matrices, got f32[2,3]"},
    {[] { (void)linalg::solve_triangular(ones({2, 2}), ones({3, 1})); },
     "linalg.solve_triangular: f32[3,1] does not fit f32[2,2]"},
    {[] { (void)linalg::cholesky_solve(ones({2, 1}), ones({3, 3})); },
     "linalg.solve_triangular: f32[2,1] does not fit f32[3,3]"},
    {[] { (void)linalg::pinv(ones({3})); },
     "linalg.pinv: needs matrices of f32 or f64, got f32[3]"},
    {[] { (void)linalg::svd(ones({3})); }, "linalg.svd: needs matrices of f32 or f64, got f32[3]"},
    {[] { (void)linalg::svdvals(arange(4).reshape({2, 2})); },
     "linalg.svdvals: needs matrices of f32 or f64, got i64[2,2]"},
    {[] { (void)linalg::eigh(ones({2, 3})); }, "linalg.eigh: needs square matrices, got f32[2,3]"},
    {[] { (void)linalg::eigvalsh(Tensor()); }, "linalg.eigvalsh: operand 1 is an undefined tensor"},
    {[] { (void)linalg::cond(ones({3})); }, "linalg.cond: needs matrices, got f32[3]"},
    {[] { (void)linalg::slogdet(ones({2, 3})); },
     "linalg.slogdet: needs square matrices, got f32[2,3]"},
    {[] { (void)linalg::matrix_rank(ones({3})); },
     "linalg.matrix_rank: needs matrices, got f32[3]"},
    {[] { (void)linalg::qr(Tensor()); }, "linalg.qr: operand 1 is an undefined tensor"},
    {[] { (void)linalg::lstsq(ones({2, 2}), ones({3, 1})); },
     "linalg.lstsq: f32[3,1] does not fit f32[2,2]"},
};

INSTANTIATE_TEST_SUITE_P(WhenRecorded, LinalgErrors, ::testing::ValuesIn(kLinalgMistakes));

class LinalgFailures : public ::testing::TestWithParam<FailingCall<>> {};

TEST_P(LinalgFailures, NameOpAndTheLineThatRecordedIt) {
  Tensor recorded;
  expect_failure_during(GetParam(), [&](auto record) {
    recorded = record();
    (void)recorded.template to_vector<double>();
  });
  EXPECT_TRUE(recorded.defined());
}

const FailingCall<> kFailures[] = {
    {[] { return linalg::inv(with_zero_pivot()); },
     "linalg.inv: the matrix is singular: pivot 2 is zero"},
    {[] { return linalg::solve(with_zero_pivot_in_second(), ones({2, 1})); },
     "linalg.solve: the matrix is singular: pivot 2 is zero (matrix 1 of the batch)"},
    {[] { return linalg::cholesky(tensor({{1, 2}, {2, 1}})); },
     "linalg.cholesky: the matrix is not positive definite: its leading minor of "
     "order 2 is not positive"},
    {[] { return linalg::svd(not_finite()).s; },
     "linalg.svd: the matrix has values that are not finite"},
    {[] { return linalg::eigvalsh(not_finite()); },
     "linalg.eigvalsh: the matrix has values that are not finite"},
    {[](uint32_t& line) {
       Tensor a = with_zero_pivot();
       a.requires_grad_();
       line = __LINE__ + 1;
       const Tensor y = linalg::slogdet(a).log_abs;
       return grad(y, a);
     },
     "linalg.inv: the matrix is singular: pivot 2 is zero"},
};

INSTANTIATE_TEST_SUITE_P(WhenAskedFor, LinalgFailures, ::testing::ValuesIn(kFailures));

}  // namespace
}  // namespace wick
