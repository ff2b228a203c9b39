#pragma once

// The table from PyTorch's op names to Wick. Each family is a file of rows:
//
//     {"softmax", [](const Call& c) { return softmax(c[0], c.axis("dim")); }},

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "call.h"

#include "wick/tensor/ops.h"

namespace wick::conformance {

/// One tensor or several, as the op gives them.
struct Results {
  // NOLINTBEGIN(google-explicit-constructor): an entry returns what the op does.
  Results(Tensor tensor) : tensors{std::move(tensor)} {}

  Results(std::vector<Tensor> several) : tensors(std::move(several)) {}

  Results(std::initializer_list<Tensor> several) : tensors(several) {}

  // NOLINTEND(google-explicit-constructor)

  std::vector<Tensor> tensors;
};

struct Entry {
  using Unary = Tensor (*)(const Tensor&, Where);
  using Binary = Tensor (*)(const Operand&, const Operand&);

  Entry(const char* op, std::function<Results(const Call&)> function)
      : op(op),
        function(std::move(function)) {}

  /// Functions that need no attribute stand for themselves: {"exp", exp}.
  Entry(const char* op, Unary unary)
      : Entry(op, [unary](const Call& c) { return Results(unary(c[0], Where::current())); }) {}

  Entry(const char* op, Binary binary)
      : Entry(op, [binary](const Call& c) { return Results(binary(c[0], c[1])); }) {}

  const char* op;
  std::function<Results(const Call&)> function;
};

std::vector<Entry> activations();
std::vector<Entry> creation();
std::vector<Entry> elementwise();
std::vector<Entry> index();
std::vector<Entry> linalg();
std::vector<Entry> losses();
std::vector<Entry> nn();
std::vector<Entry> recurrent();
std::vector<Entry> reductions();
std::vector<Entry> shape();
std::vector<Entry> sorting();

struct Family {
  std::string_view name;
  std::vector<Entry> entries;
};

/// All of them, by name.
std::vector<Family> families();

}  // namespace wick::conformance
