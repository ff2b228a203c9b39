#include "results.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "wick/ir/error.h"
#include "wick/ir/format.h"
#include "wick/ir/npy.h"

namespace wick::run {

namespace {

std::string element_text(const Literal& value, int64_t i) {
  if (value.type().dtype == DType::bool_) return value.as_integer(i) != 0 ? "true" : "false";
  if (is_integer(value.type().dtype)) return std::to_string(value.as_integer(i));
  return fmt::format("{:.6g}", value.as_double(i));
}

std::string first_elements(const Literal& value) {
  constexpr int64_t kShown = 6;
  std::string text;
  for (int64_t i = 0; i < std::min(value.numel(), kShown); ++i)
    text += (i > 0 ? ", " : "") + element_text(value, i);
  return value.numel() > kShown ? text + ", ..." : text;
}

/// What the first elements do not show; NaN counts apart.
std::string summary(const Literal& value) {
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  double sum = 0;
  int64_t nans = 0;
  for (int64_t i = 0; i < value.numel(); ++i) {
    const double element = value.as_double(i);
    if (std::isnan(element)) {
      ++nans;
      continue;
    }
    least = std::min(least, element);
    most = std::max(most, element);
    sum += element;
  }
  const int64_t count = value.numel() - nans;
  std::string text;
  if (count > 0) {
    text = fmt::format(
        "min {:.6g}, max {:.6g}, mean {:.6g}", least, most, sum / static_cast<double>(count));
  }
  if (nans > 0) text += fmt::format("{}{} of {} NaN", count > 0 ? ", " : "", nans, value.numel());
  return text;
}

const std::string& result_name(const ir::Graph& graph, size_t k) {
  const ir::Value& value = graph.results()[k];
  return value.node->name(value.index);
}

/// A tool has no line of the user's to name.
void write_array(const std::string& file, const Literal& value) {
  try {
    write_npy(file, value);
  } catch (const Error& error) {
    throw std::runtime_error(error.text());
  }
}

}  // namespace

std::string result_title(const ir::Graph& graph, size_t k) {
  const std::string& name = result_name(graph, k);
  return name.empty() ? fmt::format("result {}", k) : fmt::format("result {} (%{})", k, name);
}

void print_results(const ir::Graph& graph, std::span<const Literal> results) {
  for (size_t k = 0; k < results.size(); ++k) {
    const Literal& value = results[k];
    fmt::print("{}: {} = {}\n", result_title(graph, k), value.type(), first_elements(value));
    if (value.numel() > 1) fmt::print("    {}\n", summary(value));
  }
}

void write_results(const ir::Graph& graph,
                   std::span<const Literal> results,
                   const std::string& directory) {
  std::filesystem::create_directories(directory);
  for (size_t k = 0; k < results.size(); ++k) {
    const std::string& name = result_name(graph, k);
    const std::string file =
        name.empty() ? fmt::format("{}.npy", k) : fmt::format("{}-{}.npy", k, name);
    write_array(std::filesystem::path(directory) / file, results[k]);
  }
}

}  // namespace wick::run
