#pragma once

// Which values share storage by nature, and for how long it is needed. Internal to passes/.

#include <vector>

#include "wick/ir/graph.h"

namespace wick::passes {

/// A value and its aliases: the same bytes. Positions count nodes in order; a storage is busy from
/// `begin` to `end`, both included, and to the position after the last node when it is a result.
struct Storage {
  enum class Root : unsigned char { computed, parameter, constant };
  Root root = Root::computed;
  int parameter = -1;  // number of the root parameter
  int result = -1;     // the first graph result that is this storage
  int begin = 0;
  int end = 0;
  size_t bytes = 0;
};

class StorageClasses {
 public:
  explicit StorageClasses(const ir::Graph& graph);

  [[nodiscard]] const std::vector<Storage>& storages() const { return storages_; }

  /// Number of a value's storage.
  [[nodiscard]] int of(const ir::Value& value) const {
    return first_storage_[static_cast<size_t>(value.node->id())] + value.index;
  }

  [[nodiscard]] const Storage& storage(const ir::Value& value) const {
    return storages_[static_cast<size_t>(of(value))];
  }

  [[nodiscard]] int position(const ir::Node& node) const {
    return positions_[static_cast<size_t>(node.id())];
  }

  [[nodiscard]] int num_positions() const { return num_positions_; }

 private:
  int add_storages(const ir::Node& node);

  std::vector<Storage> storages_;
  std::vector<int> first_storage_;  // by node id: of result 0, those of the others follow
  std::vector<int> positions_;      // by node id
  int num_positions_ = 0;
};

/// Number of the operand that result i may take the storage of, if nobody needs that any more, or
/// -1: what the attribute `in_place` says, and x of a scatter.
int operand_to_overwrite(const ir::Node& node, int i);

}  // namespace wick::passes
