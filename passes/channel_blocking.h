#pragma once

// Rewrites the nodes of a graph, one after the other, to work on images in blocks of channels.
// Internal to passes/layout.cpp.

#include <map>
#include <utility>
#include <vector>

#include "wick/ir/graph.h"

namespace wick::passes {

/// Whether the node is a convolution, or a gradient of one, that has a form for such images.
bool can_block(const ir::Node& node, int64_t block);

/// Whether the node may make images of images, in blocks where theirs are.
bool passes_images_on(const ir::Node& node);

class ChannelBlocking {
 public:
  ChannelBlocking(ir::Graph& graph, int64_t block) : graph_(graph), block_(block) {}

  /// Replaces the node by its form for blocked images, where it has one and convolutions or what
  /// was rewritten before ask for it. To be called in the order of the nodes.
  bool rewrite(ir::Node& node);

 private:
  using ValueKey = std::pair<int, int>;  // node, result

  static ValueKey key(ir::Value value) { return {value.node->id(), value.index}; }

  ir::Value blocked_form(ir::Node& node);
  ir::Value convolution(ir::Node& node);
  ir::Value pooling(ir::Node& node);
  ir::Value elementwise(ir::Node& node);
  ir::Value broadcast(ir::Node& node);
  ir::Value reshaped_planes(ir::Node& node);
  ir::Value concat(ir::Node& node);
  ir::Value slice(ir::Node& node);
  ir::Value pad(ir::Node& node);
  ir::Value gather_or_scatter(ir::Node& node);
  ir::Value reduction(ir::Node& node);

  /// Whether images of this shape divide into blocks.
  [[nodiscard]] bool fits(const Shape& shape) const;

  [[nodiscard]] bool is_blocked(ir::Value plain) const { return blocked_.contains(key(plain)); }

  [[nodiscard]] bool reads_blocked(const ir::Node& node) const;

  ir::Value add(ir::OpKind op, std::vector<ir::Value> operands, ir::Attributes attributes = {});
  ir::Value reshape(ir::Value value, const Shape& shape);
  ir::Value permute(ir::Value value, std::vector<int64_t> axes);
  /// The value with axes of extent 1 before its own, as broadcasting takes it.
  ir::Value with_rank(ir::Value value, int rank);
  /// The images with their channels in blocks, and back.
  ir::Value block(ir::Value plain);
  ir::Value block_if_it_fits(ir::Value plain);
  ir::Value unblock(ir::Value blocked);

  ir::Graph& graph_;
  int64_t block_;
  ir::Node* before_ = nullptr;              // where nodes go
  std::map<ValueKey, ir::Value> blocked_;   // of values made in blocks
  std::map<ValueKey, ir::Value> permuted_;  // of others
};

}  // namespace wick::passes
