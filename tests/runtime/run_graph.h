#pragma once

// Helpers of the runtime's tests: random values, and running graphs on literals.

#include <memory>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "wick/ir/graph.h"
#include "wick/passes/options.h"
#include "wick/runtime/backend.h"

namespace wick::runtime {

/// Floats in [-1, 1], integers in [-9, 9], bools.
Literal random_literal(const Type& type, std::mt19937_64& random);

/// An argument in a buffer of its own.
Argument argument_of(const Literal& value);

std::vector<Argument> arguments_of(std::span<const Literal> values);

/// What a buffer holds, as a value of this type.
Literal literal_of(const Type& type, const Buffer& buffer);

/// Compiles on a backend and runs once.
std::vector<Literal> run_on(std::string_view backend,
                            const ir::Graph& graph,
                            std::span<const Literal> parameters);

/// One random value for each parameter of the graph.
std::vector<Literal> random_parameters(const ir::Graph& graph, std::mt19937_64& random);

/// Sets the number of threads while it lives.
class ThreadsOption {
 public:
  explicit ThreadsOption(int threads) : previous_(options().num_threads) {
    options().num_threads = threads;
  }

  ThreadsOption(const ThreadsOption&) = delete;
  ThreadsOption& operator=(const ThreadsOption&) = delete;

  ~ThreadsOption() { options().num_threads = previous_; }

 private:
  int previous_;
};

}  // namespace wick::runtime
