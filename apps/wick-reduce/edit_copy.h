#pragma once

// A copy of a graph in which nodes are found by their originals.

#include <memory>
#include <vector>

#include "wick/ir/graph.h"

namespace wick::reduce {

class EditCopy {
 public:
  explicit EditCopy(const ir::Graph& original);

  [[nodiscard]] ir::Graph& graph() const { return *graph_; }

  [[nodiscard]] ir::Node* operator()(const ir::Node* original) const {
    return twins_[static_cast<size_t>(original->id())];
  }

  [[nodiscard]] ir::Value operator()(ir::Value original) const {
    return {(*this)(original.node), original.index};
  }

  std::unique_ptr<ir::Graph> take() { return std::move(graph_); }

 private:
  std::unique_ptr<ir::Graph> graph_;
  std::vector<ir::Node*> twins_;  // by the original's id
};

}  // namespace wick::reduce
