#pragma once

// What a pass is, and what it may ask for and tell while it runs.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wick/ir/graph.h"

namespace wick::passes {

/// One explanation by a pass: `code` is stable (`fused`, `missed-shape`...), `text` is for people.
struct Remark {
  std::string pass;
  std::string code;
  bool missed = false;
  Location where;
  Location other;  // the second end, where there is one
  std::string text;
};

/// `train.cpp:41:12: remark: fuse: missed-shape: ...; see loss.cpp:7:3`.
std::string to_string(const Remark& remark);

/// Collects what passes of one compile say. Cheap when nobody listens.
class PassContext {
 public:
  explicit PassContext(bool wants_remarks = false) : wants_remarks_(wants_remarks) {}

  /// Callers skip building texts when this is false.
  [[nodiscard]] bool wants_remarks() const { return wants_remarks_; }

  void remark(Remark remark);

  [[nodiscard]] const std::vector<Remark>& remarks() const { return remarks_; }

  /// Adds to a named statistic of the running pass.
  void count(std::string_view statistic, int64_t amount = 1);

  /// Keyed by "pass.statistic".
  [[nodiscard]] const std::map<std::string, int64_t, std::less<>>& statistics() const {
    return statistics_;
  }

  void set_running_pass(std::string name) { running_pass_ = std::move(name); }

  /// Empty between passes.
  [[nodiscard]] const std::string& running_pass() const { return running_pass_; }

 private:
  bool wants_remarks_;
  std::string running_pass_;
  std::vector<Remark> remarks_;
  std::map<std::string, int64_t, std::less<>> statistics_;
};

/// Options of a pass as written in a pipeline: `fuse{max-ops=64}`.
using PassOptions = std::map<std::string, std::string, std::less<>>;

class Pass {
 public:
  Pass() = default;
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;
  virtual ~Pass() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Rewrites the graph; true when it changed anything.
  virtual bool run(ir::Graph& graph, PassContext& context) = 0;
};

}  // namespace wick::passes
