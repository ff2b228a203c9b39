#include "wick/nn/pending_state.h"

#include <utility>

#include "wick/tensor/materialize.h"

namespace wick::nn::detail {

namespace {

/// Forward passes without an optimizer's step are computed this often. Accumulating gradients over
/// fewer batches stays one program.
constexpr int kMaxTimesListed = 16;

std::vector<std::weak_ptr<Cell>>& listed_cells() {
  thread_local std::vector<std::weak_ptr<Cell>> cells;
  return cells;
}

}  // namespace

void list_pending(const std::shared_ptr<Cell>& cell) {
  if (cell->value.is_materialized()) return;
  if (cell->times_listed++ == 0) listed_cells().push_back(cell);
  if (cell->times_listed < kMaxTimesListed) return;
  const std::vector<Tensor> values = take_pending_state();
  wick::detail::materialize_with_escaping(values, "pending state");
}

std::vector<Tensor> take_pending_state() {
  std::vector<Tensor> values;
  for (const std::weak_ptr<Cell>& weak : std::exchange(listed_cells(), {})) {
    const std::shared_ptr<Cell> cell = weak.lock();
    if (cell == nullptr) continue;
    cell->times_listed = 0;
    if (!cell->value.is_materialized()) values.push_back(cell->value);
  }
  return values;
}

}  // namespace wick::nn::detail
