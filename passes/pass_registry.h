#pragma once

// Passes by name.

#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "wick/passes/pass.h"

namespace wick::passes {

struct PassInfo {
  std::string name;
  std::string summary;
  /// name=default of each option, for help and docs.
  std::vector<std::pair<std::string, std::string>> options;
  /// Throws std::invalid_argument for an option value that does not parse.
  std::function<std::unique_ptr<Pass>(const PassOptions&)> create;
};

/// Thread-safe; what it gives stays valid.
class PassRegistry {
 public:
  /// The process-wide registry, holding the built-in passes.
  static PassRegistry& instance();

  /// Throws std::invalid_argument when the name is taken.
  void add(PassInfo info);
  [[nodiscard]] const PassInfo* find(std::string_view name) const;
  /// Sorted by name.
  [[nodiscard]] std::vector<const PassInfo*> all() const;

 private:
  [[nodiscard]] const PassInfo* find_locked(std::string_view name) const;

  mutable std::shared_mutex mutex_;
  std::vector<std::unique_ptr<PassInfo>> passes_;  // sorted by name
};

}  // namespace wick::passes
