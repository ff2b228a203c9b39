#include "wick/runtime/validate.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "wick/ir/format.h"
#include "wick/ir/interpreter.h"
#include "wick/runtime/argument_values.h"

namespace wick::runtime {
namespace {

double relative_tolerance(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return 2e-3;
    case DType::f64:
      return 1e-9;
    case DType::f16:
      return 2e-2;
    case DType::bf16:
      return 1e-1;
    default:
      return 0;
  }
}

/// Mean of the finite magnitudes.
double mean_magnitude(const Literal& value) {
  double sum = 0;
  int64_t count = 0;
  for (int64_t i = 0; i < value.numel(); ++i) {
    const double element = std::abs(value.as_double(i));
    if (!std::isfinite(element)) continue;
    sum += element;
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

bool is_close(double expected, double got, const Tolerance& tolerance) {
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
  if (expected == got) return true;
  return std::abs(expected - got) <= tolerance.allowed(expected);
}

std::optional<std::string> float_difference(const Literal& expected,
                                            const Literal& got,
                                            double noise) {
  const Tolerance tolerance = tolerance_for(expected, noise);
  for (int64_t i = 0; i < expected.numel(); ++i) {
    const double want = expected.as_double(i);
    const double have = got.as_double(i);
    if (is_close(want, have, tolerance)) continue;
    return fmt::format(
        "element {} of {} is {}, the interpreter gives {}", i, expected.type(), have, want);
  }
  return std::nullopt;
}

std::optional<std::string> integer_difference(const Literal& expected,
                                              const Literal& got,
                                              bool exact) {
  const int64_t allowed = exact ? 0 : std::max<int64_t>(1, expected.numel() / 100);
  int64_t different = 0;
  for (int64_t i = 0; i < expected.numel(); ++i) {
    if (expected.as_integer(i) == got.as_integer(i)) continue;
    if (++different <= allowed) continue;
    return fmt::format("element {} of {} is {}, the interpreter gives {}",
                       i,
                       expected.type(),
                       got.as_integer(i),
                       expected.as_integer(i));
  }
  return std::nullopt;
}

Literal literal_of(const Type& type, const void* data) {
  return {type, std::span(static_cast<const std::byte*>(data), type.num_bytes())};
}

class ValidatingExecutable final : public Executable {
 public:
  ValidatingExecutable(std::unique_ptr<Executable> executable, std::unique_ptr<ir::Graph> reference)
      : executable_(std::move(executable)),
        reference_(std::move(reference)) {}

  std::vector<Ref<Buffer>> run(std::span<const Argument> arguments) override {
    // Copied first: the run may overwrite donated arguments.
    const std::vector<Literal> parameters = argument_values(*reference_, arguments);
    std::vector<Ref<Buffer>> results = executable_->run(arguments);
    const auto interpret = [&](std::span<const Literal> values) {
      return ir::interpret(*reference_, values);
    };
    const std::vector<Literal> expected = interpret(parameters);
    RoundingNoise noise(interpret, parameters, expected);
    for (size_t k = 0; k < results.size(); ++k)
      compare(k, expected[k], *results[k], noise);
    return results;
  }

  ProgramSummary summary() const override { return executable_->summary(); }

  std::string to_text() const override { return executable_->to_text(); }

 private:
  void compare(size_t k,
               const Literal& expected,
               const Buffer& buffer,
               RoundingNoise& noise) const {
    const ir::Value value = reference_->results()[k];
    const Literal got = literal_of(expected.type(), buffer.host_data());
    const auto differs =
        difference(expected, got, is_exact(value), noise_to_allow(expected, got, noise, k));
    if (!differs) return;
    throw Error(value.node->location(),
                value.node->op_name(),
                fmt::format("validation failed: result {}: {}", k, *differs));
  }

  std::unique_ptr<Executable> executable_;
  std::unique_ptr<ir::Graph> reference_;
};

}  // namespace

std::unique_ptr<Executable> make_validating(std::unique_ptr<Executable> executable,
                                            std::unique_ptr<ir::Graph> reference) {
  return std::make_unique<ValidatingExecutable>(std::move(executable), std::move(reference));
}

std::optional<std::string> difference(const Literal& expected,
                                      const Literal& got,
                                      bool exact_integers,
                                      double noise) {
  if (expected.type() != got.type()) {
    return fmt::format("type is {}, the interpreter gives {}", got.type(), expected.type());
  }
  if (is_float(expected.type().dtype)) return float_difference(expected, got, noise);
  return integer_difference(expected, got, exact_integers);
}

double noise_to_allow(const Literal& expected, const Literal& got, RoundingNoise& noise, size_t k) {
  if (!is_float(expected.type().dtype) || !float_difference(expected, got, 0)) return 0;
  return noise.of(k);
}

double Tolerance::allowed(double expected) const {
  if (!std::isfinite(expected)) return 0;
  constexpr double kTimesNoise = 1000;
  return std::max(relative * std::max(std::abs(expected), mean_magnitude), kTimesNoise * noise);
}

Tolerance tolerance_for(const Literal& expected, double noise) {
  return {.relative = relative_tolerance(expected.type().dtype),
          .mean_magnitude = mean_magnitude(expected),
          .noise = noise};
}

bool is_exact(ir::Value value) {
  std::vector<ir::Value> pending{value};
  std::unordered_set<const ir::Node*> seen;
  while (!pending.empty()) {
    const ir::Value next = pending.back();
    pending.pop_back();
    if (is_float(next.type().dtype)) return false;
    if (!seen.insert(next.node).second) continue;
    for (const ir::Value operand : next.node->operands())
      pending.push_back(operand);
  }
  return true;
}

}  // namespace wick::runtime
