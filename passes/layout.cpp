#include "wick/passes/layout.h"

#include <algorithm>

#include "wick/passes/channel_blocking.h"
#include "wick/passes/pass_options.h"

namespace wick::passes {

namespace {

/// Channels that fill a vector register of this machine.
int64_t native_block() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") ? 16 : 8;
#else
  return 8;
#endif
}

class Layout final : public Pass {
 public:
  explicit Layout(int64_t block) : block_(block) {}

  [[nodiscard]] std::string_view name() const override { return "layout"; }

  bool run(ir::Graph& graph, PassContext& context) override {
    const std::vector<ir::Node*> nodes = graph.nodes();
    const auto is_candidate = [this](const ir::Node* node) { return can_block(*node, block_); };
    // A convolution alone permutes its operands as well as any kernel could.
    if (std::ranges::count_if(nodes, is_candidate) < 2) return false;
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
            return std::make_unique<Layout>(integer_option(options, "block", native_block(), 1));
          }};
}

}  // namespace wick::passes
