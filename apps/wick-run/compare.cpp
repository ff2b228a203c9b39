#include "compare.h"

#include <cstdio>
#include <string>

#include "results.h"
#include <fmt/format.h>

#include "wick/ir/format.h"
#include "wick/runtime/result_error.h"
#include "wick/runtime/validate.h"

namespace wick::run {

namespace {

/// `[1,4]` for a row-major position.
std::string index_text(const Shape& shape, int64_t position) {
  std::string text;
  for (int axis = shape.ndim(); axis-- > 0;) {
    text = fmt::format("{}{}{}", position % shape[axis], text.empty() ? "" : ",", text);
    position /= shape[axis];
  }
  return "[" + text + "]";
}

void print_error(const std::string& title,
                 const Literal& expected,
                 const Literal& got,
                 double noise) {
  const auto error = runtime::largest_error(expected, got, noise);
  if (!error) {
    fmt::print("{}: {} equal\n", title, expected.type());
    return;
  }
  fmt::print(
      "{}: {} largest error {:.3g} absolute (allowed {:.3g}), {:.3g} relative, {:.0f} ulp "
      "at {}: {:.9g} for {:.9g}\n",
      title,
      expected.type(),
      error->absolute,
      error->allowed,
      error->relative,
      error->ulps,
      index_text(expected.type().shape, error->position),
      error->got,
      error->expected);
}

/// How many elements are out, the worst of them, and the rule.
std::string mismatch_text(const Literal& expected,
                          const Literal& got,
                          std::string_view reference,
                          double noise) {
  const auto error = runtime::largest_error(expected, got, noise);
  const Type& type = expected.type();
  std::string text = fmt::format("{} of {} elements, the worst at {}: {:.9g}, {} gives {:.9g}",
                                 error->outside,
                                 type.numel(),
                                 index_text(type.shape, error->position),
                                 error->got,
                                 reference,
                                 error->expected);
  if (is_float(type.dtype)) {
    const runtime::Tolerance tolerance = runtime::tolerance_for(expected, noise);
    const bool is_noise = tolerance.allowed(0) > tolerance.relative * tolerance.mean_magnitude;
    text += is_noise ? fmt::format(" (allowed: {:.3g}, a thousand times the noise of rounding)",
                                   tolerance.allowed(0))
                     : fmt::format(
                           " (allowed: {} of the larger of the element and the mean "
                           "magnitude {:.3g})",
                           tolerance.relative,
                           tolerance.mean_magnitude);
  }
  return text;
}

}  // namespace

bool compare_results(const ir::Graph& graph,
                     std::span<const Literal> expected,
                     std::span<const Literal> got,
                     std::string_view reference,
                     runtime::RoundingNoise& noise) {
  bool agree = true;
  for (size_t k = 0; k < expected.size(); ++k) {
    const std::string title = result_title(graph, k);
    const double allowed_noise = runtime::noise_to_allow(expected[k], got[k], noise, k);
    const bool is_exact = runtime::is_exact(graph.results()[k]);
    print_error(title, expected[k], got[k], allowed_noise);
    if (!runtime::difference(expected[k], got[k], is_exact, allowed_noise)) continue;
    agree = false;
    std::fflush(stdout);  // in the order of the lines, where both go to one place
    fmt::print(stderr,
               "wick-run: mismatch: {} differs: {}\n",
               title,
               mismatch_text(expected[k], got[k], reference, allowed_noise));
  }
  return agree;
}

}  // namespace wick::run
