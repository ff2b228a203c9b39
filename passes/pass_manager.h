#pragma once

// Runs pipelines of passes.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "wick/passes/pass.h"

namespace wick::passes {

/// Called around each pass; `changed` is the pass's own word.
struct Instrumentation {
  std::function<void(const Pass&, const ir::Graph&)> before;
  std::function<void(const Pass&, const ir::Graph&, bool changed, double milliseconds)> after;
};

class PassManager {
 public:
  /// Parses `canonicalize,cse,fuse{max-ops=64},plan-memory`. Throws std::invalid_argument whose
  /// text shows the pipeline with a caret under what is wrong and the nearest known name.
  static PassManager parse(std::string_view pipeline);

  void add(std::unique_ptr<Pass> pass);
  void add_instrumentation(Instrumentation instrumentation);

  /// Verify after every pass; a broken graph throws std::logic_error naming the pass.
  void set_verify_each(bool verify) { verify_each_ = verify; }

  void run(ir::Graph& graph, PassContext& context);

 private:
  std::vector<std::unique_ptr<Pass>> passes_;
  std::vector<Instrumentation> instrumentations_;
  bool verify_each_ = false;
};

/// The pipeline every backend starts from, as text.
std::string_view default_pipeline();

}  // namespace wick::passes
