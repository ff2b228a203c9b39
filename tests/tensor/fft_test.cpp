#include "wick/tensor/fft.h"

#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <utility>

#include "expect_values.h"
#include "gradcheck.h"
#include "support/compiled_backend.h"
#include "support/failing_call.h"

#include "wick/autograd/autograd.h"
#include "wick/passes/options.h"

namespace wick {
namespace {

using fft::FftnOptions;
using fft::FftOptions;
using fft::Norm;
using testing_support::expect_values;
using testing_support::FailingCall;
using testing_support::gradients_match;
using testing_support::second_gradients_match;
using testing_support::spread;
using Complex = std::complex<double>;
using Inputs = std::span<const Tensor>;

/// The transform over one axis of a row-major array, term by term.
struct Array {
  Axes extents;
  std::vector<Complex> values;

  explicit Array(const Tensor& x, bool is_complex) {
    const std::vector<double> numbers = x.to_vector<double>();
    extents.assign(x.shape().begin(), x.shape().end() - (is_complex ? 1 : 0));
    for (size_t i = 0; i < numbers.size(); i += is_complex ? 2 : 1)
      values.emplace_back(numbers[i], is_complex ? numbers[i + 1] : 0.0);
  }

  Array transformed(size_t axis, double sign, double scale) const {
    Array result = *this;
    int64_t stride = 1;
    for (size_t later = axis + 1; later < extents.size(); ++later)
      stride *= extents[later];
    const int64_t n = extents[axis];
    for (int64_t at = 0; at < std::ssize(values); ++at) {
      const int64_t k = at / stride % n;
      Complex sum = 0;
      for (int64_t j = 0; j < n; ++j) {
        const double angle = sign * 2 * std::numbers::pi * static_cast<double>(j * k % n) / n;
        sum += values[static_cast<size_t>(at + (j - k) * stride)] * std::polar(1.0, angle);
      }
      result.values[static_cast<size_t>(at)] = sum * scale;
    }
    return result;
  }
};

void expect_near(const Tensor& got, const Array& expected, double tolerance) {
  const Array array(got, true);
  ASSERT_EQ(array.extents, expected.extents);
  for (size_t i = 0; i < array.values.size(); ++i) {
    EXPECT_NEAR(array.values[i].real(), expected.values[i].real(), tolerance) << i;
    EXPECT_NEAR(array.values[i].imag(), expected.values[i].imag(), tolerance) << i;
  }
}

void expect_near(const Tensor& got, const Tensor& expected, double tolerance) {
  ASSERT_EQ(to_string(got.type()), to_string(expected.type()));
  expect_values(got, expected.shape(), expected.to_vector<double>(), tolerance);
}

class Fft : public ::testing::TestWithParam<std::pair<const char*, DType>> {
 protected:
  Fft() : previous_(std::exchange(options().backend, backend_named(GetParam().first))) {}

  ~Fft() override { options().backend = previous_; }

  [[nodiscard]] Tensor random(const Shape& shape) const {
    return cast(spread(shape, -1, 1), GetParam().second);
  }

  /// Rounding of the dtype for sums of some twenty numbers of order 1.
  [[nodiscard]] double tolerance() const {
    switch (GetParam().second) {
      case DType::f64:
        return 1e-13;
      case DType::f32:
        return 1e-5;
      default:
        return 3e-2;
    }
  }

  std::string previous_;
};

TEST_P(Fft, EqualsTheSumOfTerms) {
  for (const int64_t n : {1, 2, 3, 8, 15}) {
    const Tensor x = random({2, n, 3, 2});
    const double root = 1 / std::sqrt(static_cast<double>(n));
    expect_near(fft::fft(x, {.axis = 1}), Array(x, true).transformed(1, -1, 1), tolerance());
    expect_near(fft::ifft(x, {.axis = -2}),
                Array(x, true).transformed(1, 1, 1.0 / static_cast<double>(n)),
                tolerance());
    expect_near(fft::fft(x, {.axis = 1, .norm = Norm::ortho}),
                Array(x, true).transformed(1, -1, root),
                tolerance());
    expect_near(fft::ifft(x, {.axis = 1, .norm = Norm::forward}),
                Array(x, true).transformed(1, 1, 1),
                tolerance());
  }
}

TEST_P(Fft, OfRealNumbersIsHalfOfTheComplexOne) {
  for (const int64_t n : {1, 2, 3, 8, 15}) {
    for (const int axis : {0, 1}) {
      const Tensor x = axis == 0 ? random({n, 3}) : random({3, n});
      const Tensor whole = fft::fft(fft::complex(x), {.axis = axis});
      const Tensor half = fft::rfft(x, {.axis = axis});
      expect_near(half, slice(whole, axis, 0, n / 2 + 1), tolerance());
      expect_near(fft::irfft(half, {.n = n, .axis = axis}), x, tolerance());
      const Tensor ortho = fft::rfft(x, {.axis = axis, .norm = Norm::ortho});
      expect_near(fft::irfft(ortho, {.n = n, .axis = axis, .norm = Norm::ortho}), x, tolerance());
      expect_near(fft::hfft(fft::ihfft(x, {.axis = axis}), {.n = n, .axis = axis}), x, tolerance());
    }
  }
}

TEST_P(Fft, OverSeveralAxesIsOneAfterTheOther) {
  const Tensor x = random({3, 4, 5, 2});
  const Tensor two = fft::fft(fft::fft(x, {.axis = 0}), {.axis = 2});
  expect_near(fft::fftn(x, {.axes = {2, 0}}), two, 10 * tolerance());
  expect_near(fft::ifftn(two, {.axes = {0, -1}}), x, tolerance());
  expect_near(fft::fft2(x), fft::fftn(x, {.axes = {1, 2}}), 0);
  expect_near(fft::ifft2(fft::fft2(x)), x, tolerance());

  const Tensor r = random({3, 4, 5});
  const Tensor whole = fft::fftn(fft::complex(r));
  expect_near(fft::rfftn(r), slice(whole, 2, 0, 3), 20 * tolerance());
  expect_near(fft::irfftn(fft::rfftn(r), {.sizes = {3, 4, 5}}), r, tolerance());
  expect_near(fft::irfft2(fft::rfft2(r), {.sizes = {4, 5}}), r, tolerance());
}

TEST_P(Fft, CropsAndPads) {
  const Tensor x = random({2, 5, 2});
  expect_near(fft::fft(x, {.n = 3}), fft::fft(slice(x, 1, 0, 3)), tolerance());
  expect_near(fft::fft(x, {.n = 7}), fft::fft(pad(x, {0, 0, 0}, {0, 2, 0})), tolerance());
  expect_near(fft::rfft(select(x, -1, 0), {.n = 4}),
              fft::rfft(slice(select(x, -1, 0), 1, 0, 4)),
              tolerance());
  expect_near(fft::irfft(x), fft::irfft(x, {.n = 8}), 0);
  expect_near(fft::irfft(x, {.n = 4}), fft::irfft(slice(x, 1, 0, 3)), tolerance());
}

TEST_P(Fft, OfNothingIsNothing) {
  EXPECT_EQ(to_string(fft::fft(random({0, 4, 2})).shape()), "[0,4,2]");
  EXPECT_EQ(fft::rfft(random({0, 4})).to_vector<double>(), std::vector<double>{});
}

INSTANTIATE_TEST_SUITE_P(Types,
                         Fft,
                         ::testing::Values(std::pair("compiled", DType::f64),
                                           std::pair("compiled", DType::f32),
                                           std::pair("compiled", DType::f16),
                                           std::pair("interpreter", DType::f64)),
                         [](const auto& info) {
                           return std::string(info.param.first) + "_" +
                                  std::string(to_string(info.param.second));
                         });

TEST(FftBlocks, OfAnySizeAndAlignmentAreTheSame) {
  // Enough rows for several blocks with a rest, of odd rows whose addresses are not aligned.
  const Tensor x = spread({5001, 15}, -1, 1);
  const Tensor all = fft::rfft(cast(x, DType::f32));
  for (const int64_t row : {0, 1, 4999, 5000}) {
    expect_near(
        slice(all, 0, row, row + 1), fft::rfft(cast(slice(x, 0, row, row + 1), DType::f32)), 2e-6);
  }
}

TEST(FftValues, ComplexNumbers) {
  const Tensor a = tensor({{1, 2}, {0, 0}});
  const Tensor b = tensor({3, -1});
  expect_values(fft::multiply(a, b), {2, 2}, {5, 5, 0, 0});
  expect_values(fft::conj(a), {2, 2}, {1, -2, 0, 0});
  expect_values(fft::real(a), {2}, {1, 0});
  expect_values(fft::imag(a), {2}, {2, 0});
  expect_values(fft::magnitude(a), {2}, {std::sqrt(5.0), 0}, 1e-6);
}

TEST(FftValues, FrequenciesAndShifts) {
  expect_values(fft::fftfreq(4, 0.5), {4}, {0, 0.5, -1, -0.5});
  expect_values(fft::fftfreq(5), {5}, {0, 0.2, 0.4, -0.4, -0.2}, 1e-6);
  expect_values(fft::rfftfreq(4, 0.5), {3}, {0, 0.5, 1});
  expect_values(fft::fftshift(arange(5)), {5}, {3, 4, 0, 1, 2});
  expect_values(fft::ifftshift(fft::fftshift(arange(5))), {5}, {0, 1, 2, 3, 4});
  expect_values(fft::fftshift(arange(6).reshape({2, 3}), {1}), {2, 3}, {2, 0, 1, 5, 3, 4});
  expect_values(fft::fftshift(zeros({0})), {0}, {});
}

TEST(FftValues, Windows) {
  expect_values(fft::hann_window(4), {4}, {0, 0.5, 1, 0.5}, 1e-7);
  expect_values(fft::hann_window(3, false), {3}, {0, 1, 0}, 1e-7);
  expect_values(fft::hamming_window(4), {4}, {0.08, 0.54, 1, 0.54}, 1e-7);
  expect_values(fft::blackman_window(4), {4}, {0, 0.34, 1, 0.34}, 1e-7);
  expect_values(fft::hann_window(1), {1}, {1});
  expect_values(fft::hann_window(0), {0}, {});
}

TEST(Stft, IsTheTransformOfMirroredFrames) {
  const Tensor x = spread({10}, -1, 1);
  const Tensor window = fft::hann_window(4, true, DType::f64);
  const Tensor frames = fft::stft(x, {.n = 4, .hop = 2, .window = window});
  ASSERT_EQ(to_string(frames.shape()), "[3,6,2]");
  // x[2] x[1] | x[0] x[1] ... x[9] | x[8] x[7]
  const Tensor first = take(x, tensor({2, 1, 0, 1}).to(DType::i64), 0) * window;
  const Tensor last = take(x, tensor({8, 9, 8, 7}).to(DType::i64), 0) * window;
  expect_near(select(frames, 1, 0), fft::rfft(first), 1e-14);
  expect_near(select(frames, 1, 5), fft::rfft(last), 1e-14);

  const Tensor plain =
      fft::stft(x, {.n = 4, .hop = 3, .center = false, .normalized = true, .onesided = false});
  ASSERT_EQ(to_string(plain.shape()), "[4,3,2]");
  const Tensor second = fft::complex(slice(x, 0, 3, 7));
  expect_near(select(plain, 1, 1), fft::fft(second, {.norm = Norm::ortho}), 1e-14);
}

TEST(Stft, IsUndoneByItsInverse) {
  const Tensor x = spread({2, 37}, -1, 1);
  for (const bool onesided : {true, false}) {
    const fft::StftOptions options{.n = 8,
                                   .hop = 3,
                                   .window = fft::hamming_window(7, true, DType::f64),
                                   .normalized = onesided,
                                   .onesided = onesided};
    expect_near(fft::istft(fft::stft(x, options), options, 37), x, 1e-13);
  }
  const fft::StftOptions edges{.n = 8, .hop = 1, .center = false};
  expect_near(fft::istft(fft::stft(x, edges), edges), x, 1e-13);
}

struct GradientCase {
  const char* name;
  std::function<Tensor(const Tensor&)> f;
  Shape shape;
};

class FftGradients : public ::testing::TestWithParam<GradientCase> {};

/// Squares make the second derivatives depend on the transform.
TEST_P(FftGradients, EqualDifferences) {
  const auto f = [](Inputs x) { return square(GetParam().f(x[0])); };
  EXPECT_TRUE(gradients_match(f, {spread(GetParam().shape, -1, 1)}));
  EXPECT_TRUE(second_gradients_match(f, {spread(GetParam().shape, -1, 1)}, {.tolerance = 1e-6}));
}

INSTANTIATE_TEST_SUITE_P(
    Transforms,
    FftGradients,
    ::testing::Values(
        GradientCase{"fft", [](const Tensor& x) { return fft::fft(x, {.n = 4}); }, {2, 3, 2}},
        GradientCase{"ifftn", [](const Tensor& x) { return fft::ifftn(x); }, {2, 3, 2}},
        GradientCase{
            "rfft_even", [](const Tensor& x) { return fft::rfft(x, {.axis = 0}); }, {4, 2}},
        GradientCase{"rfft_odd", [](const Tensor& x) { return fft::rfft(x); }, {2, 3}},
        GradientCase{"rfft_one", [](const Tensor& x) { return fft::rfft(x); }, {1}},
        GradientCase{"rfftn", [](const Tensor& x) { return fft::rfftn(x); }, {3, 4}},
        GradientCase{"irfft_even", [](const Tensor& x) { return fft::irfft(x); }, {2, 3, 2}},
        GradientCase{
            "irfft_odd", [](const Tensor& x) { return fft::irfft(x, {.n = 5}); }, {2, 3, 2}},
        GradientCase{"irfftn", [](const Tensor& x) { return fft::irfftn(x); }, {3, 3, 2}},
        GradientCase{"hfft", [](const Tensor& x) { return fft::hfft(x); }, {3, 2}},
        GradientCase{
            "stft",
            [](const Tensor& x) {
              return fft::istft(fft::stft(x, {.n = 4}), {.n = 4}, 5) *
                     fft::real(
                         slice(slice(fft::stft(x, {.n = 4}), -3, 0, 1), -2, 0, 5).reshape({5, 2}));
            },
            {6}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(FftGradientsAtEdges, OfTheMagnitudeOf0Is0) {
  Tensor z = zeros({2});
  z.requires_grad_();
  expect_values(grad(fft::magnitude(z), z), {2}, {0, 0});
}

class FftErrors : public ::testing::TestWithParam<FailingCall<>> {};

TEST_P(FftErrors, NameOpAndLine) {
  expect_failure(GetParam());
}

const FailingCall<> kFftMistakes[] = {
    {[] { return fft::fft(ones({4})); },
     "fft.fft: needs complex numbers, a last axis of 2, got f32[4]"},
    {[] { return fft::rfft(arange(4)); }, "fft.rfft: needs floats, got i64[4]"},
    {[] { return fft::fft(ones({4, 2}), {.axis = 1}); },
     "fft.fft: axis 1 is out of range for f32[4,2]"},
    {[] { return fft::irfft(ones({1, 2})); }, "fft.irfft: 0 values along axis 0 of f32[1,2]"},
    {[] { return fft::rfft(zeros({2, 0})); }, "fft.rfft: 0 values along axis 1 of f32[2,0]"},
    {[] { return fft::rfftn(ones({2, 2}), {.axes = {0, -2}}); },
     "fft.rfftn: axis 0 is named twice"},
    {[] { return fft::rfftn(ones({2, 2}), {.sizes = {2}, .axes = {0, 1}}); },
     "fft.rfftn: 1 sizes for 2 axes"},
    {[] { return fft::rfftn(scalar(1)); }, "fft.rfftn: needs an axis"},
    {[] { return fft::fftshift(Tensor()); }, "fft.fftshift: operand 1 is an undefined tensor"},
    {[] { return fft::fftfreq(0); }, "fft.fftfreq: 0 frequencies"},
    {[] { return fft::hann_window(-1); }, "fft.hann_window: a window of -1 values"},
    {[] { return fft::stft(ones({8}), {.n = 2}); }, "fft.stft: frames of 2 samples, 0 apart"},
    {[] { return fft::stft(ones({8}), {.n = 4, .window = ones({5})}); },
     "fft.stft: the window f32[5] is no vector of up to 4 values"},
    {[] { return fft::stft(ones({2}), {.n = 4}); },
     "fft.stft: f32[2] is too short for frames of 4 samples"},
    {[] { return fft::istft(ones({4, 5, 2}), {.n = 4}); },
     "fft.istft: needs 3 frequencies and some frames, got f32[4,5,2]"},
    {[] { (void)fft::fft(Tensor()); }, "fft.fft: operand 1 is an undefined tensor"},
    {[] { (void)fft::irfft(ones({4, 2}), {.n = -1}); },
     "fft.irfft: -1 values along axis 0 of f32[4,2]"},
    {[] { (void)fft::fft(ones({4, 2}), {.n = 0}); }, "fft.fft: 0 values along axis 0 of f32[4,2]"},
    {[] { (void)fft::fftn(ones({2, 2, 2}), {.axes = {0, 2}}); },
     "fft.fftn: axis 2 is out of range for f32[2,2,2]"},
    {[] { (void)fft::irfftn(ones({2, 2, 2}), {.sizes = {4, 0}, .axes = {0, 1}}); },
     "fft.irfftn: 0 values along axis 1 of f32[2,2,2]"},
    {[] { (void)fft::rfft2(ones({3})); }, "fft.rfft2: axis -2 is out of range for f32[3]"},
    {[] { (void)fft::complex(ones({2}), ones({3})); }, "stack: shapes differ: f32[2] and f32[3]"},
    {[] { (void)fft::real(ones({3})); },
     "fft.real: needs complex numbers, a last axis of 2, got f32[3]"},
    {[] { (void)fft::rfftfreq(-1); }, "fft.rfftfreq: -1 frequencies"},
    {[] { (void)fft::fftshift(ones({3}), {1}); },
     "fft.fftshift: axis 1 is out of range for f32[3]"},
    {[] { (void)fft::stft(arange(8), {.n = 2}); }, "fft.stft: needs signals of floats, got i64[8]"},
    {[] { (void)fft::stft(Tensor(), {.n = 2}); },
     "fft.stft: needs signals of floats, got an undefined tensor"},
    {[] { (void)fft::stft(ones({8}), {.n = 4, .hop = -1}); },
     "fft.stft: frames of 4 samples, -1 apart"},
    {[] { (void)fft::istft(arange(8), {.n = 4}); }, "fft.imag: needs floats, got i64[8]"},
};

INSTANTIATE_TEST_SUITE_P(All, FftErrors, ::testing::ValuesIn(kFftMistakes));

}  // namespace
}  // namespace wick
