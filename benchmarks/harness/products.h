#pragma once

// Matrix products and convolutions alone, each by the fastest call that oneDNN has for it: the
// floor of what is bound by arithmetic.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "wick/ir/graph.h"
#include "wick/runtime/library_call.h"

namespace wick::bench {

/// The contractions of a program, equal ones counted.
struct Products {
  struct Entry {
    runtime::LibraryOp op;
    int count = 0;
  };

  /// Adds those of a graph.
  void add(const ir::Graph& graph);

  std::map<std::string, Entry> entries;  // by what decides the time
  double flops = 0;
};

/// Runs a set of products.
class ProductTimer {
 public:
  /// Tries every call for each product, layouts free, and keeps the fastest.
  explicit ProductTimer(const Products& products);

  /// Milliseconds of all of them: each is run once and counts as often as the program has it.
  [[nodiscard]] double time() const;

 private:
  struct Call {
    std::function<void()> run;
    int count;
  };

  std::vector<Call> calls_;
};

}  // namespace wick::bench
