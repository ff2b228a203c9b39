#include "inputs.h"

#include <charconv>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "random_values.h"
#include "value_domain.h"
#include <fmt/format.h>

#include "wick/ir/error.h"
#include "wick/ir/format.h"
#include "wick/ir/hash.h"
#include "wick/ir/nearest_name.h"
#include "wick/ir/npy.h"

namespace wick::run {

namespace {

template <typename T>
std::optional<T> number_in(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

uint64_t seed_in(const std::string& rest) {
  constexpr std::string_view kRandom = "random:";
  const auto seed = rest.starts_with(kRandom)
                        ? number_in<uint64_t>(std::string_view(rest).substr(kRandom.size()))
                        : std::nullopt;
  if (seed) return *seed;
  throw std::runtime_error(fmt::format("--inputs: expected random:SEED, got '{}'", rest));
}

/// A tool has no line of the user's to name.
Literal array_in(const std::string& file) {
  try {
    return read_npy(file);
  } catch (const Error& error) {
    throw std::runtime_error(error.text());
  }
}

class Inputs {
 public:
  explicit Inputs(const ir::Graph& graph) : graph_(graph), values_(graph.parameters().size()) {
    for (size_t i = 0; i < values_.size(); ++i)
      names_.push_back(parameter_name(graph, i));
  }

  void set(size_t i, Literal value, std::string_view source);
  [[nodiscard]] size_t find(const std::string& name) const;
  void read_named(const std::string& flag);
  void read_in_order(const std::vector<std::string>& files);
  std::vector<Literal> fill(uint64_t seed);

 private:
  [[nodiscard]] const Type& type(size_t i) const { return graph_.parameters()[i]->type(); }

  const ir::Graph& graph_;
  std::vector<std::string> names_;
  std::vector<std::optional<Literal>> values_;
};

void Inputs::set(size_t i, Literal value, std::string_view source) {
  if (value.type() != type(i)) {
    throw std::runtime_error(
        fmt::format("parameter %{} is {}, {} is {}", names_[i], type(i), source, value.type()));
  }
  if (values_[i])
    throw std::runtime_error(fmt::format("parameter %{} is given twice, by {}", names_[i], source));
  values_[i] = std::move(value);
}

size_t Inputs::find(const std::string& name) const {
  const std::string_view wanted =
      name.starts_with('%') ? std::string_view(name).substr(1) : std::string_view(name);
  for (size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == wanted) return i;
  }
  const std::vector<std::string_view> known(names_.begin(), names_.end());
  const auto nearest = ir::nearest_name(wanted, known);
  throw std::runtime_error(
      fmt::format("no parameter %{} in @{}{}",
                  wanted,
                  graph_.name(),
                  nearest ? fmt::format(", did you mean %{}?", *nearest) : ""));
}

void Inputs::read_named(const std::string& flag) {
  const size_t equals = flag.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw std::runtime_error(
        fmt::format("--input: expected NAME=FILE.npy or NAME=NUMBER, got '{}'", flag));
  }
  const size_t i = find(flag.substr(0, equals));
  const std::string source = flag.substr(equals + 1);
  if (const auto integer = number_in<int64_t>(source); integer && !is_float(type(i).dtype))
    return set(i, Literal::scalar_integer(type(i).dtype, *integer), source);
  if (const auto number = number_in<double>(source))
    return set(i, Literal::scalar(type(i).dtype, *number), source);
  set(i, array_in(source), source);
}

void Inputs::read_in_order(const std::vector<std::string>& files) {
  if (files.size() > values_.size()) {
    throw std::runtime_error(fmt::format("{} input files for the {} parameters of @{}",
                                         files.size(),
                                         values_.size(),
                                         graph_.name()));
  }
  for (size_t i = 0; i < files.size(); ++i)
    set(i, array_in(files[i]), files[i]);
}

/// Each parameter has a stream of its own, so that leaving one out changes no other.
std::vector<Literal> Inputs::fill(uint64_t seed) {
  std::vector<Literal> all;
  for (size_t i = 0; i < values_.size(); ++i) {
    const uint64_t key = combine(hash_bytes(names_[i]), seed).low;
    const ValueDomain domain = domain_of(*graph_.parameters()[i]);
    all.push_back(values_[i] ? std::move(*values_[i]) : random_values(type(i), domain, key));
  }
  return all;
}

}  // namespace

std::string parameter_name(const ir::Graph& graph, size_t i) {
  const std::string& name = graph.parameters()[i]->name();
  return name.empty() ? std::to_string(i) : name;
}

std::vector<Literal> make_inputs(const ir::Graph& graph, const InputFlags& flags) {
  const uint64_t seed = seed_in(flags.rest);
  Inputs inputs(graph);
  inputs.read_in_order(flags.files);
  for (const std::string& flag : flags.named)
    inputs.read_named(flag);
  return inputs.fill(seed);
}

}  // namespace wick::run
