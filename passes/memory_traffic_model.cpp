#include "wick/passes/memory_traffic_model.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "wick/passes/options.h"

namespace wick::passes {

namespace {

/// Rows of up to so many elements may stand side by side in vectors, whatever is computed of them.
constexpr int64_t kSideBySide = 32;

/// Whether reading rows a second time takes less than a costly function of one value for each: what
/// the last cache holds, and short rows.
bool is_soon_read_again(int64_t bytes, int64_t columns) {
  constexpr int64_t kCachedBytes = int64_t{16} << 20U;
  constexpr int64_t kShortRow = 128;
  return bytes <= kCachedBytes || columns < kShortRow;
}

/// Computing more than this again costs more than a load.
constexpr int64_t kCheapOps = 16;

/// Of what is not stored any more the store counts more than the load: it reads its lines first.
int64_t worth_of(const RecomputeCandidate& candidate) {
  const int64_t saved = candidate.bytes_saved();
  return candidate.is_only_reader() ? saved + saved / 4 : saved;
}

/// An exponential takes a core about as long as loading its result does.
int64_t cost_as_bytes(const RecomputeCandidate& candidate) {
  int64_t bytes = candidate.bytes_loaded();
  for (const ir::Node* op : candidate.ops()) {
    if (has(op->op(), ir::kCostly)) bytes += static_cast<int64_t>(op->type().num_bytes());
  }
  return bytes;
}

/// Right when none of the work stays behind or is done more than once, or when that takes less time
/// than to store a value for a single reader.
Objection check_costly(const RecomputeCandidate& candidate) {
  if (candidate.is_complete_move()) return {};
  if (candidate.num_readers() > 1) {
    constexpr auto kWhy = "with {} readers its costly ops are better computed once and stored";
    return {fusion_code::kReuse, kWhy, candidate.num_readers()};
  }
  if (candidate.is_repeated()) {
    return {fusion_code::kCost, "its costly ops would be computed for each time it is read"};
  }
  const bool is_small = static_cast<int64_t>(candidate.ops().size()) <= kCheapOps;
  if (is_small && cost_as_bytes(candidate) <= worth_of(candidate)) return {};
  return {fusion_code::kReuse, "its costly ops are needed where they are as well"};
}

/// Random bits come from two scalars. The mask of a dropout is drawn again in the backward pass
/// rather than kept until then.
bool is_better_drawn_again(const RecomputeCandidate& candidate) {
  return candidate.is_random() && static_cast<int64_t>(candidate.ops().size()) <= kCheapOps &&
         !candidate.is_repeated() && candidate.bytes_loaded() == 0;
}

/// A vector of quotients, roots or joined parts that each row of a matrix meets is better stored,
/// where there is more to gain than another kernel costs.
Objection check_repeated(const RecomputeCandidate& candidate) {
  constexpr int64_t kLong = 8;
  constexpr int64_t kOften = 16;
  constexpr int64_t kFewestPositions = 16384;
  const auto is_long = [](const ir::Node* op) { return evaluation_cost(*op) >= kLong; };
  if (std::ranges::none_of(candidate.ops(), is_long) || !candidate.is_repeated()) return {};
  const int64_t positions = candidate.reader().domain().numel(ir::Domain::Level::full);
  if (positions < std::max(kFewestPositions, kOften * candidate.value().type().numel())) return {};
  return {fusion_code::kCost, "its long ops would be computed for each time it is read"};
}

Objection check_recomputed(const RecomputeCandidate& candidate) {
  if (candidate.value().type().numel() <= 1) return {};
  if (is_better_drawn_again(candidate)) return {};
  if (candidate.is_costly()) return check_costly(candidate);
  if (Objection no = check_repeated(candidate); !no.empty()) return no;
  // Loads move along, but what was only computed there may have to be stored, and loaded here.
  const int64_t handed_on = 2 * candidate.bytes_stored();
  if (candidate.is_complete_move() && handed_on <= candidate.bytes_saved()) return {};
  const auto num_ops = static_cast<int64_t>(candidate.ops().size());
  if (num_ops > kCheapOps) {
    return {fusion_code::kCost, "computing it takes {} ops, more than {}", num_ops, kCheapOps};
  }
  // A mask is better stored than computed again from what takes four times the room.
  const int64_t loaded = candidate.bytes_loaded();
  const int64_t worth = worth_of(candidate);
  if (loaded == worth && loaded > 0 && candidate.is_stored_anyway()) {
    return {fusion_code::kCost, "it is stored anyway, and computing it again loads as much"};
  }
  if (loaded <= worth) return {};
  constexpr auto kWhy = "computing it again loads {} bytes to save {}";
  return {fusion_code::kCost, kWhy, loaded, candidate.bytes_saved()};
}

/// Whether reductions to `columns` elements are made of a costly function of one value a row.
bool columns_wait_for_costly(const FusionGroup& fused, int64_t rows, int64_t columns) {
  const std::vector<const ir::Node*> ops = fused.ops();
  std::vector<const ir::Node*> pending;
  std::unordered_set<const ir::Node*> unseen(ops.begin(), ops.end());
  const auto follow = [&](const ir::Node& op) {
    for (const ir::Value& operand : op.operands()) {
      if (unseen.erase(operand.node) > 0) pending.push_back(operand.node);
    }
  };
  for (const ir::Node* op : ops) {
    if (has(op->op(), ir::kReduction) && op->type().numel() == columns) follow(*op);
  }
  while (!pending.empty()) {
    const ir::Node& op = *pending.back();
    pending.pop_back();
    if (has(op.op(), ir::kCostly) && op.type().numel() == rows) return true;
    follow(op);
  }
  return false;
}

/// Partial results of columns should stay in a core's own cache, and be those of many rows. Where a
/// row adds to them only after a reduction and a costly function of what that gave, the next one
/// hardly begins meanwhile: reading what the cache holds a second time takes half as long.
Objection check_columns(const MergeCandidate& candidate) {
  constexpr int64_t kFewestRows = 64;
  constexpr int64_t kMostColumns = 16384;
  using Level = ir::Domain::Level;
  const ir::Domain& domain = candidate.fused.domain();
  const int64_t rows = domain.numel(Level::row);
  const int64_t columns = domain.numel(Level::column);
  if (rows < kFewestRows || columns > kMostColumns) {
    constexpr auto kWhy = "one reduces {} rows of {} elements, the other reduces over the rows";
    return {fusion_code::kCost, kWhy, rows, columns};
  }
  if (is_soon_read_again(candidate.fused.bytes_moved(), columns) &&
      columns_wait_for_costly(candidate.fused, rows, columns)) {
    return {fusion_code::kCost, "its costly ops would be computed for one row at a time"};
  }
  return {};
}

/// Whether the op walks rows for the sake of sums over the rows alone, in a kernel of their own:
/// see check_columns.
bool is_for_columns_apart(const ir::Node& op, int64_t rows) {
  const auto bytes = static_cast<int64_t>(op.type().num_bytes());
  if (!is_soon_read_again(bytes, op.type().numel() / rows)) return false;
  return std::ranges::all_of(op.uses(), [&](const ir::Use& use) {
    return use.user != nullptr && has(use.user->op(), ir::kReduction) &&
           use.user->type().numel() * rows == op.type().numel();
  });
}

/// Ops at the same positions, and all that read them there. None where the search is long, or a
/// value is read where the positions are rows and the reader walks what is in them.
std::vector<const ir::Node*> ops_behind_rows(std::vector<const ir::Node*> ops, int64_t rows) {
  constexpr size_t kMostSearched = 64;
  for (size_t next = 0; next < ops.size(); ++next) {
    if (ops.size() > kMostSearched) return {};
    for (const ir::Use& use : ops[next]->uses()) {
      const ir::Node* user = use.user;
      if (user == nullptr) continue;  // a result of the graph
      if (user->num_results() != 1) return {};
      if (user->type().numel() > rows) {
        if (is_for_columns_apart(*user, rows)) continue;
        return {};
      }
      const bool walks_rows = has(user->op(), ir::kElementwise) || has(user->op(), ir::kMovement);
      const bool is_behind = walks_rows && user->type().numel() == rows;
      if (is_behind && std::ranges::find(ops, user) == ops.end()) ops.push_back(user);
    }
  }
  return ops;
}

/// What follows a reduction is computed for one row at a time, and functions such as `exp` then
/// take as long for one value as for a vector of them: they are for a kernel that walks what the
/// reductions give, with what leads up to them and would only make that more. Rows that are short
/// stand side by side, and lanes are rows.
Objection check_behind_rows(const MergeCandidate& candidate) {
  constexpr int64_t kFewestRows = 64;
  using Level = ir::Domain::Level;
  if (candidate.first.has_reduction() == candidate.second.has_reduction()) return {};
  const FusionGroup& behind = candidate.first.has_reduction() ? candidate.second : candidate.first;
  const ir::Domain& domain = candidate.fused.domain();
  const int64_t rows = domain.numel(Level::row);
  if (rows < kFewestRows || domain.numel(Level::full) <= rows * kSideBySide) return {};
  if (!domain.has_rows() || behind.domain().numel(Level::full) != rows) return {};
  const auto is_costly = [](const ir::Node* op) { return has(op->op(), ir::kCostly); };
  if (std::ranges::none_of(ops_behind_rows(behind.ops(), rows), is_costly)) return {};
  return {fusion_code::kCost, "its costly ops would be computed for one row at a time"};
}

/// Whether neighbours in the result are far apart in the operand, and there are many of them.
bool moves_across(const ir::Node& node) {
  constexpr int64_t kFewestElements = 4096;
  if (node.op() != ir::OpKind::permute || node.type().numel() < kFewestElements) return false;
  const auto has_extent = [](const Shape& shape, int64_t axis) {
    return shape[static_cast<size_t>(axis)] > 1;
  };
  const std::vector<int64_t>& axes = node.attributes().integers("axes");
  const auto last = std::ranges::find_if(axes.rbegin(), axes.rend(), [&](int64_t axis) {
    return has_extent(node.operand(0).type().shape, axis);
  });
  return std::ranges::any_of(axes, [&](int64_t axis) {
    return axis > *last && has_extent(node.operand(0).type().shape, axis);
  });
}

/// Kernels that reduce nothing read transposed operands in tiles, and where rows are short, lanes
/// are rows; one that reduces long rows would read a line of memory for each element.
template <typename Ops>
Objection check_across(const Ops& ops, const ir::Domain& domain) {
  using Level = ir::Domain::Level;
  if (domain.numel(Level::full) <= domain.numel(Level::row) * kSideBySide) return {};
  if (std::ranges::none_of(ops, [](const ir::Node* op) { return moves_across(*op); })) return {};
  return {fusion_code::kCost, "what is transposed would be read a line for each element"};
}

/// What is computed and then transposed is computed at other positions than what is stored as it
/// is: one kernel would load and compute all of both, as two do, and these read in tiles what lies
/// across theirs.
Objection check_two_orders(const FusionGroup& fused) {
  if (!fused.has_permute() || fused.has_reduction()) return {};
  std::unordered_set<const ir::Node*> computed;
  std::unordered_set<const ir::Node*> transposed;
  for (const ir::Node* op : fused.ops()) {
    const auto reads_one_of = [&](const std::unordered_set<const ir::Node*>& ops) {
      return std::ranges::any_of(op->operands(),
                                 [&](ir::Value value) { return ops.contains(value.node); });
    };
    if (has(op->op(), ir::kElementwise) || reads_one_of(computed)) computed.insert(op);
    if ((moves_across(*op) && reads_one_of(computed)) || reads_one_of(transposed))
      transposed.insert(op);
  }
  if (transposed.empty()) return {};
  const auto is_transposed = [&](const ir::Node* op) { return transposed.contains(op); };
  if (std::ranges::all_of(fused.results(), is_transposed)) return {};
  return {fusion_code::kCost,
          "what is transposed would be computed beside what is stored as it is"};
}

/// Whether neighbours in the result are elements apart in the operand.
bool moves_apart(const ir::Node& node) {
  if (node.op() != ir::OpKind::slice || !node.attributes().has("steps")) return false;
  const std::vector<int64_t>& steps = node.attributes().integers("steps");
  return !steps.empty() && std::abs(steps.back()) > 1;
}

/// What is not in order is loaded element by element: in a kernel of joined tensors, each of which
/// asks for its own, for all that is joined, and in one that itself takes every second element,
/// from further apart with each such step.
Objection check_apart(const RecomputeCandidate& candidate) {
  const auto is_apart = [](const ir::Node* op) { return moves_apart(*op); };
  if (std::ranges::none_of(candidate.ops(), is_apart)) return {};
  const auto takes_apart = [&](const ir::Node* op) {
    if (op->op() == ir::OpKind::concat) return true;
    return moves_apart(*op) && std::ranges::find(candidate.ops(), op) == candidate.ops().end();
  };
  const std::vector<const ir::Node*> readers = candidate.reader().ops();
  if (std::ranges::none_of(readers, takes_apart)) return {};
  return {fusion_code::kCost, "it would be loaded element by element from further apart"};
}

/// Each element asks a joined tensor which part it is from, and that again if it is joined itself:
/// vector loops are cut where any answer changes, and not if that is in too many places.
Objection check_joined_again(const RecomputeCandidate& candidate) {
  constexpr int64_t kMostJoins = 2;
  const auto is_join = [](const ir::Node* op) { return op->op() == ir::OpKind::concat; };
  if (std::ranges::none_of(candidate.ops(), is_join)) return {};
  std::unordered_map<const ir::Node*, int64_t> joins;  // one after the other, up to the op
  int64_t most = 0;
  for (const ir::Node* op : candidate.reader().ops()) {
    int64_t before = 0;
    for (const ir::Value& operand : op->operands()) {
      const auto found = joins.find(operand.node);
      if (found != joins.end()) before = std::max(before, found->second);
    }
    joins[op] = before + (is_join(op) ? 1 : 0);
    most = std::max(most, joins[op]);
  }
  if (most <= kMostJoins) return {};
  constexpr auto kWhy = "its elements would be sought in {} joined tensors, one in the other";
  return {fusion_code::kCost, kWhy, most};
}

int64_t last_extent(const Shape& shape) {
  return shape.ndim() == 0 ? 1 : shape[shape.ndim() - 1];
}

/// Joined rows of a narrow matrix fill vectors, as columns that are reduced. Where a kernel also
/// computes what has a value for each of the few columns they fall apart again, but one that only
/// computes walks such rows as one.
template <typename Ops>
Objection check_joined_rows(const FusionGroup& reducing, const Ops& others) {
  constexpr int64_t kVector = 16;
  constexpr int64_t kFewestElements = 4096;
  int64_t most = 0;  // elements of a narrow matrix
  for (const ir::Node* op : others) {
    if (has(op->op(), ir::kElementwise) && last_extent(op->type().shape) < kVector)
      most = std::max(most, op->type().numel());
  }
  if (most < kFewestElements) return {};
  const auto joins_rows = [&](const ir::Node* op) {
    if (!has(op->op(), ir::kReduction)) return false;
    const Type& type = op->operand(0).type();
    const std::vector<int64_t>& axes = op->attributes().integers("axes");
    const bool keeps_last = std::ranges::find(axes, type.shape.ndim() - 1) == axes.end();
    return keeps_last && last_extent(type.shape) >= kVector && type.numel() <= most;
  };
  if (std::ranges::none_of(reducing.ops(), joins_rows)) return {};
  return {fusion_code::kCost, "rows that were joined to fill vectors would fall apart"};
}

/// Rows behind each other that a reduction takes, in each of so many blocks.
struct ReducedRows {
  int64_t blocks = 1;
  int64_t count = 1;
  int64_t last_axis = 1;  // elements behind each other of what is kept
};

/// None where what is reduced lies apart, or nothing is kept behind it.
std::optional<ReducedRows> reduced_rows(const ir::Node& reduction) {
  const Shape& shape = reduction.operand(0).type().shape;
  const std::vector<int64_t>& axes = reduction.attributes().integers("axes");
  const auto is_reduced = [&](int axis) { return std::ranges::find(axes, axis) != axes.end(); };
  ReducedRows rows;
  int64_t columns = 1;
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    if (shape[axis] == 1) continue;
    if (is_reduced(axis)) {
      if (columns > 1) return {};
      rows.count *= shape[axis];
    } else {
      (rows.count > 1 ? columns : rows.blocks) *= shape[axis];
      rows.last_axis = shape[axis];
    }
  }
  if (columns == 1) return {};
  return rows;
}

/// Whether a value that is broadcast to `shape` has for each row of a block numbers of its own, one
/// for several columns.
bool repeats_in_each_row(const Shape& value, const Shape& shape, ReducedRows rows) {
  const int missing = shape.ndim() - value.ndim();
  bool is_of_rows = false;
  bool repeats = false;
  bool moves = false;
  int64_t before = 1;
  for (int axis = 0; axis < shape.ndim(); before *= shape[axis++]) {
    if (shape[axis] == 1 || before < rows.blocks) continue;
    const bool is_one = axis < missing || value[axis - missing] == 1;
    if (before < rows.blocks * rows.count) {
      is_of_rows |= !is_one;
    } else {
      (is_one ? repeats : moves) = true;
    }
  }
  return is_of_rows && repeats && moves;
}

/// Columns of several axes are reduced as one, in whole vectors, where each operand has its
/// elements in their order, or the same for all rows. Not on GPUs.
Objection check_joined_columns(const std::vector<const ir::Node*>& ops) {
  if (targets_gpu()) return {};
  constexpr int64_t kShortAxis = 64;  // of longer ones vectors are nearly whole as well
  constexpr int64_t kFewestElements = 4096;
  constexpr int64_t kFewestRows = 8;
  // What is made of vectors would be stored and loaded only to be reduced.
  const auto is_loaded = [&](const Shape& matrix) {
    return std::ranges::any_of(ops, [&](const ir::Node* op) {
      return std::ranges::any_of(op->operands(), [&](const ir::Value& operand) {
        return operand.type().numel() == matrix.numel() &&
               std::ranges::find(ops, operand.node) == ops.end();
      });
    });
  };
  const auto falls_apart = [&](const Shape& matrix, ReducedRows rows) {
    return std::ranges::any_of(ops, [&](const ir::Node* op) {
      if (!has(op->op(), ir::kElementwise) || op->type().numel() != matrix.numel()) return false;
      return std::ranges::any_of(op->operands(), [&](const ir::Value& operand) {
        return repeats_in_each_row(operand.type().shape, op->type().shape, rows);
      });
    });
  };
  for (const ir::Node* op : ops) {
    if (!has(op->op(), ir::kReduction)) continue;
    const Shape& shape = op->operand(0).type().shape;
    if (shape.numel() < kFewestElements) continue;
    const std::optional<ReducedRows> rows = reduced_rows(*op);
    if (!rows || rows->count < kFewestRows || rows->last_axis >= kShortAxis) continue;
    if (falls_apart(shape, *rows) && is_loaded(shape))
      return {fusion_code::kCost, "columns that are reduced as one would fall apart"};
  }
  return {};
}

class MemoryTrafficModel final : public FusionCostModel {
 public:
  [[nodiscard]] std::string_view name() const override { return kDefaultFusionCostModel; }

  [[nodiscard]] Objection merge(const MergeCandidate& candidate) const override {
    if (candidate.columns_with_rows) return check_columns(candidate);
    if (candidate.first.has_reduction() != candidate.second.has_reduction()) {
      const FusionGroup& other =
          candidate.first.has_reduction() ? candidate.second : candidate.first;
      const std::vector<const ir::Node*> others = other.ops();
      if (Objection no = check_across(others, candidate.fused.domain()); !no.empty()) return no;
      const FusionGroup& reducing =
          candidate.first.has_reduction() ? candidate.first : candidate.second;
      if (Objection no = check_joined_rows(reducing, others); !no.empty()) return no;
    }
    if (Objection no = check_two_orders(candidate.fused); !no.empty()) return no;
    if (candidate.fused.has_reduction()) {
      if (Objection no = check_joined_columns(candidate.fused.ops()); !no.empty()) return no;
    }
    return check_behind_rows(candidate);
  }

  [[nodiscard]] Objection recompute(const RecomputeCandidate& candidate) const override {
    if (Objection no = check_recomputed(candidate); !no.empty()) return no;
    const FusionGroup reader = candidate.reader();
    if (!reader.has_reduction()) return {};
    if (Objection no = check_across(candidate.ops(), reader.domain()); !no.empty()) return no;
    std::vector<const ir::Node*> ops = reader.ops();
    ops.insert(ops.end(), candidate.ops().begin(), candidate.ops().end());
    if (Objection no = check_joined_columns(ops); !no.empty()) return no;
    return check_joined_rows(reader, candidate.ops());
  }

  [[nodiscard]] Objection evaluate(const RecomputeCandidate& candidate,
                                   int64_t more_ops) const override {
    if (Objection no = check_apart(candidate); !no.empty()) return no;
    if (Objection no = check_joined_again(candidate); !no.empty()) return no;
    if (more_ops <= kCheapOps) return {};
    constexpr auto kWhy = "the elements that are read take {} ops more to compute, more than {}";
    return {fusion_code::kCost, kWhy, more_ops, kCheapOps};
  }
};

}  // namespace

std::unique_ptr<FusionCostModel> make_memory_traffic_model() {
  return std::make_unique<MemoryTrafficModel>();
}

}  // namespace wick::passes
