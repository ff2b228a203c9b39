#pragma once

// Runs pipelines of passes.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wick/passes/pass.h"

namespace wick::passes {

/// Called around each pass; `changed` is the pass's own word. Members may be empty.
struct Instrumentation {
  /// False leaves the pass out; asked of all instrumentations, each once a pass.
  std::function<bool(const Pass&, const ir::Graph&)> should_run = {};
  std::function<void(const Pass&, const ir::Graph&)> before = {};
  std::function<void(const Pass&, const ir::Graph&, bool changed, double milliseconds)> after = {};
};

class PassManager {
 public:
  /// Parses `canonicalize,cse,fuse{max-ops=64},plan-memory`. Throws std::invalid_argument whose
  /// text shows the pipeline with a caret under what is wrong and the nearest known name.
  /// Passes named in `leave_out` are left out.
  static PassManager parse(std::string_view pipeline, std::span<const std::string> leave_out = {});

  void add(std::unique_ptr<Pass> pass);
  void add_instrumentation(Instrumentation instrumentation);

  /// Verify after every pass; a broken graph throws std::logic_error naming the pass.
  void set_verify_each(bool verify) { verify_each_ = verify; }

  /// The pipeline as text, extension points replaced by what they stood for.
  [[nodiscard]] const std::string& text() const { return text_; }

  void run(ir::Graph& graph, PassContext& context);

 private:
  [[nodiscard]] bool should_run(const Pass& pass, const ir::Graph& graph) const;

  std::vector<std::unique_ptr<Pass>> passes_;
  std::vector<Instrumentation> instrumentations_;
  std::string text_;
  bool verify_each_ = false;
};

/// The pipeline that the backend in force starts from, as text.
std::string_view default_pipeline();

}  // namespace wick::passes
