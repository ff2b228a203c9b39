// Pools along the rows of images against the plain loops, whose bits they give, and against the
// interpreter, on random windows.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "run_call.h"
#include "run_graph.h"
#include <gtest/gtest.h>

#include "wick/runtime/library_call.h"
#include "wick/runtime/validate.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {
namespace {

using ir::OpKind;
using Axis = std::vector<int64_t>;

struct Windows {
  Shape images;
  ir::Attributes attributes;
};

Windows random_windows(std::mt19937_64& random) {
  const auto draw = [&](int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random);
  };
  Axis x = {draw(1, 3), draw(1, 3)};
  Axis kernel;
  Axis stride;
  Axis padding;
  for (int axis = 0; axis < 2; ++axis) {
    kernel.push_back(draw(0, 15) == 0 ? 17 : draw(1, 5));
    stride.push_back(draw(1, 4));
    padding.push_back(draw(0, 1) * draw(0, kernel.back() - 1));
    const int64_t narrowest = std::max<int64_t>(1, kernel.back() - 2 * padding.back());
    x.push_back(draw(0, 15) == 0 ? draw(100, 300) : draw(narrowest, narrowest + 40));
  }
  return {Shape(x),
          {{"kernel", kernel},
           {"stride", stride},
           {"padding", padding},
           {"exclude_padding", draw(0, 1) == 0}}};
}

ir::Attributes with(ir::Attributes attributes, const char* name, ir::AttributeValue value) {
  attributes.set(name, std::move(value));
  return attributes;
}

/// Some are NaN, infinite or zeros of either sign.
void make_special(Literal& literal, std::mt19937_64& random) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const float specials[] = {kInfinity, -kInfinity, -kInfinity, kNan, -kNan, 0.0F, -0.0F};
  const uint64_t every = 1 + random() % 8;
  for (float& value : literal.mutable_values<float>()) {
    if (random() % every == 0) value = specials[random() % std::size(specials)];
  }
}

/// Where the call writes nothing behind its result.
Literal run_guarded(const LibraryOp& op, const std::vector<Literal>& operands) {
  constexpr auto kGuard = std::byte{0xA5};
  Literal result(op.result);
  const size_t bytes = result.bytes().size();
  std::vector<std::byte> guarded(bytes + 64, kGuard);
  std::vector<const void*> data;
  for (const Literal& operand : operands)
    data.push_back(operand.data());

  make_host_call(op, 1)->run(data.data(), guarded.data(), nullptr);

  const auto is_guard = [](std::byte byte) { return byte == kGuard; };
  EXPECT_TRUE(
      std::all_of(guarded.begin() + static_cast<std::ptrdiff_t>(bytes), guarded.end(), is_guard))
      << describe(op);
  std::copy_n(guarded.begin(), bytes, result.data());
  return result;
}

void expect_bits_of_the_plain_loops(const LibraryOp& op, const std::vector<Literal>& operands) {
  const Literal got = run_guarded(op, operands);

  const Literal plain = run(*make_native_pooling(op), op, operands);
  EXPECT_TRUE(std::ranges::equal(got.bytes(), plain.bytes())) << describe(op);
  const auto differs = difference(interpret(op, operands), got, /*exact_integers=*/true);
  EXPECT_FALSE(differs) << describe(op) << ": " << *differs;
}

TEST(RowPooling, GivesTheBitsOfThePlainLoops) {
  if (!have_vectors()) GTEST_SKIP() << "no AVX2";
  constexpr int kWindows = 300;
  std::mt19937_64 random(11);
  for (int i = 0; i < kWindows && !testing::Test::HasFailure(); ++i) {
    const auto [images, attributes] = random_windows(random);
    const Type x{DType::f32, images};
    const ir::Attributes gradient =
        with(attributes, "input_shape", Axis(images.begin(), images.end()));
    const LibraryOp max = make_op(OpKind::max_pool2d, {x}, attributes);
    const LibraryOp argmax = make_op(OpKind::max_pool2d, {x}, with(attributes, "argmax", true));
    const LibraryOp max_grad =
        make_op(OpKind::max_pool2d_grad, {argmax.result, max.result}, gradient);
    SCOPED_TRACE(i);

    std::vector<Literal> values = random_operands(max);
    expect_bits_of_the_plain_loops(make_op(OpKind::avg_pool2d, {x}, attributes), values);
    const LibraryOp avg_grad = make_op(OpKind::avg_pool2d_grad, {max.result}, gradient);
    expect_bits_of_the_plain_loops(avg_grad, random_operands(avg_grad));
    make_special(values[0], random);
    expect_bits_of_the_plain_loops(max, values);
    expect_bits_of_the_plain_loops(argmax, values);
    std::vector<Literal> chosen = random_operands(max_grad);
    expect_bits_of_the_plain_loops(max_grad, chosen);  // most numbers are of no element
    chosen[0] = interpret(argmax, values);
    expect_bits_of_the_plain_loops(max_grad, chosen);
  }
}

TEST(RowPooling, LeavesBlocksAndDoublesToOthers) {
  const auto is_taken = [](const Type& images) {
    return make_row_pooling(make_op(OpKind::max_pool2d, {images}, {{"kernel", Axis{2, 2}}})) !=
           nullptr;
  };

  EXPECT_EQ(is_taken({DType::f32, {1, 2, 9, 9}}), have_vectors());
  EXPECT_FALSE(is_taken({DType::f32, {1, 2, 9, 9, 8}}));
  EXPECT_FALSE(is_taken({DType::f64, {1, 2, 9, 9}}));
}

}  // namespace
}  // namespace wick::runtime
