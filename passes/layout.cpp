#include "wick/passes/layout.h"

#include <algorithm>
#include <span>
#include <unordered_set>

#include "wick/passes/channel_blocking.h"
#include "wick/passes/host_lanes.h"
#include "wick/passes/pass_options.h"

namespace wick::passes {

namespace {

/// With AVX-512 oneDNN has Winograd convolutions, which work on blocks alone: on images that are
/// many of their tiles they make up for permuting these.
bool gains_alone(const ir::Node& node, int64_t block) {
  constexpr int64_t kBlock = 16;
  constexpr int64_t kLeastExtent = 16;
  if (block != kBlock || node.op() == ir::OpKind::conv_weight_grad) return false;
  const Shape& weight = node.operand(1).type().shape;
  const Shape& images = node.operand(0).type().shape;
  const auto is_large = [](int64_t extent) { return extent >= kLeastExtent; };
  const auto& attributes = node.attributes();
  const auto is_unit = [&](const char* name) {
    return !attributes.has(name) ||
           std::ranges::all_of(attributes.integers(name), [](int64_t n) { return n == 1; });
  };
  return weight.ndim() == 4 && weight[1] % block == 0 && weight[2] == 3 && weight[3] == 3 &&
         std::all_of(images.begin() + 2, images.end(), is_large) && is_unit("stride") &&
         is_unit("dilation") && attributes.integer("groups", 1) == 1;
}

/// Whether images go from one convolution to another, as they are or through ops that take blocks.
bool is_chain(std::span<ir::Node* const> nodes, int64_t block) {
  std::unordered_set<const ir::Node*> from_convolution;
  for (const ir::Node* node : nodes) {
    const auto comes_from_one = [&](ir::Value operand) {
      return from_convolution.contains(operand.node);
    };
    if (can_block(*node, block)) {
      const bool reads_two = node->op() == ir::OpKind::conv_weight_grad;
      if (comes_from_one(node->operand(0)) || (reads_two && comes_from_one(node->operand(1)))) {
        return true;
      }
      if (!reads_two) from_convolution.insert(node);
    } else if (passes_images_on(*node)) {
      if (std::ranges::any_of(node->operands(), comes_from_one)) from_convolution.insert(node);
    }
  }
  return false;
}

class Layout final : public Pass {
 public:
  explicit Layout(int64_t block) : block_(block) {}

  [[nodiscard]] std::string_view name() const override { return "layout"; }

  bool run(ir::Graph& graph, PassContext& context) override {
    const std::vector<ir::Node*> nodes = graph.nodes();
    const auto gains = [this](const ir::Node* node) {
      return can_block(*node, block_) && gains_alone(*node, block_);
    };
    // A convolution that no other follows permutes its operands as well as any kernel could.
    if (!is_chain(nodes, block_) && std::ranges::none_of(nodes, gains)) return false;
    ChannelBlocking blocking(graph, block_);
    int64_t count = 0;
    for (ir::Node* node : nodes)
      count += blocking.rewrite(*node) ? 1 : 0;
    context.count("blocked", count);
    return count > 0;
  }

 private:
  int64_t block_;
};

}  // namespace

PassInfo layout_pass_info() {
  return {.name = "layout",
          .summary = "keep images in blocks of channels from one convolution to the next",
          .options = {{"block", "lanes of a vector"}},
          .create = [](const PassOptions& options) {
            return std::make_unique<Layout>(integer_option(options, "block", host_lanes(), 1));
          }};
}

}  // namespace wick::passes
