// Windows along axes, from their definition: those of few blocks are slices, others are gathered.

#include <string>
#include <vector>

#include "expect_values.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wick/tensor/ops_conv.h"
#include "wick/tensor/ops_shape.h"

namespace wick {
namespace {

using testing_support::counting;
using testing_support::expect_values;

struct WindowCase {
  int64_t size;
  int64_t stride;
  int64_t dilation = 1;
  int64_t padding = 0;
};

// Of single elements, of whole strides, and of neither; of few and of many.
const std::vector<WindowCase> kCases = {
    {1, 1},
    {3, 1},
    {6, 1},
    {2, 2},
    {4, 2},
    {7, 7},
    {6, 3},
    {3, 2},
    {2, 5},
};

TEST(Windows, AlongAnAxis) {
  for (const WindowCase& c : kCases) {
    for (const int64_t extent : {int64_t{7}, int64_t{13}, int64_t{14}}) {
      SCOPED_TRACE(fmt::format("{} every {} of {}", c.size, c.stride, extent));
      const int64_t count = (extent - c.size) / c.stride + 1;
      std::vector<double> expected;  // [2, count, 3, size]
      for (int64_t i = 0; i < 2; ++i) {
        for (int64_t w = 0; w < count; ++w) {
          for (int64_t j = 0; j < 3; ++j) {
            for (int64_t k = 0; k < c.size; ++k)
              expected.push_back(static_cast<double>((i * extent + w * c.stride + k) * 3 + j));
          }
        }
      }
      expect_values(
          unfold(counting({2, extent, 3}), 1, c.size, c.stride), {2, count, 3, c.size}, expected);
    }
  }
}

TEST(Windows, MayBeNoneOrEmpty) {
  expect_values(unfold(counting({3}), 0, 0, 2), {2, 0}, {});
  expect_values(unfold(counting({0, 2}), 0, 0, 1), {1, 2, 0}, {});
  expect_values(unfold(counting({2, 0}), 0, 2, 1), {1, 0, 2}, {});
}

const std::vector<WindowCase> kCasesOfImages = {
    {1, 1},
    {3, 1},
    {3, 1, 1, 1},
    {2, 1, 3},
    {6, 1},
    {2, 2},
    {4, 2, 1, 1},
    {3, 3, 1, 1},
    {3, 2},
    {2, 3, 2},
};

/// Rows of one kind and columns of the other.
struct ImageCase {
  WindowCase rows;
  WindowCase columns;
  UnfoldOptions options;
  int64_t down = 0;  // windows
  int64_t along = 0;

  ImageCase(const WindowCase& r, const WindowCase& c)
      : rows(r),
        columns(c),
        options({.kernel = {r.size, c.size},
                 .stride = {r.stride, c.stride},
                 .padding = {r.padding, c.padding},
                 .dilation = {r.dilation, c.dilation}}),
        down((kHeight + 2 * r.padding - r.dilation * (r.size - 1) - 1) / r.stride + 1),
        along((kWidth + 2 * c.padding - c.dilation * (c.size - 1) - 1) / c.stride + 1) {}

  static constexpr int64_t kChannels = 2;
  static constexpr int64_t kHeight = 8;
  static constexpr int64_t kWidth = 11;

  [[nodiscard]] std::string name() const {
    return fmt::format(
        "{} every {} by {} every {}", rows.size, rows.stride, columns.size, columns.stride);
  }

  /// Calls with each element of the columns, in order, and where it lies in the image, or -1.
  template <typename Visit>
  void each(Visit visit) const {
    int64_t element = 0;
    for (int64_t channel = 0; channel < kChannels; ++channel) {
      for (int64_t k = 0; k < rows.size * columns.size; ++k) {
        for (int64_t w = 0; w < down * along; ++w, ++element) {
          const int64_t y =
              w / along * rows.stride + k / columns.size * rows.dilation - rows.padding;
          const int64_t x =
              w % along * columns.stride + k % columns.size * columns.dilation - columns.padding;
          const bool is_inside = y >= 0 && y < kHeight && x >= 0 && x < kWidth;
          visit(element, is_inside ? (channel * kHeight + y) * kWidth + x : -1);
        }
      }
    }
  }
};

template <typename Check>
void for_each_image_case(Check check) {
  for (const WindowCase& rows : kCasesOfImages) {
    for (const WindowCase& columns : kCasesOfImages) {
      const ImageCase c(rows, columns);
      SCOPED_TRACE(c.name());
      check(c);
    }
  }
}

TEST(Windows, OfImagesAreColumns) {
  for_each_image_case([](const ImageCase& c) {
    std::vector<double> expected;
    c.each(
        [&](int64_t, int64_t at) { expected.push_back(at < 0 ? 0 : static_cast<double>(at + 1)); });

    expect_values(unfold(counting({c.kChannels, c.kHeight, c.kWidth}) + 1, c.options),
                  {c.kChannels * c.rows.size * c.columns.size, c.down * c.along},
                  expected);
  });
}

TEST(Windows, OfColumnsAddUpToImages) {
  for_each_image_case([](const ImageCase& c) {
    std::vector<double> expected(static_cast<size_t>(c.kChannels * c.kHeight * c.kWidth), 0);
    c.each([&](int64_t element, int64_t at) {
      if (at >= 0) expected[static_cast<size_t>(at)] += static_cast<double>(element);
    });
    const Tensor columns = counting({c.kChannels * c.rows.size * c.columns.size, c.down * c.along});

    expect_values(fold(columns, {c.kHeight, c.kWidth}, c.options),
                  {c.kChannels, c.kHeight, c.kWidth},
                  expected);
  });
}

}  // namespace
}  // namespace wick
