#include "wick/nn/pending_state.h"

#include <utility>

#include "wick/tensor/materialize.h"

namespace wick::nn::detail {

namespace {

/// Training without an optimizer's step (a frozen network's statistics) computes this often.
constexpr size_t kMaxListed = 256;

std::vector<std::weak_ptr<Cell>>& listed_cells() {
  thread_local std::vector<std::weak_ptr<Cell>> cells;
  return cells;
}

}  // namespace

void list_pending(const std::shared_ptr<Cell>& cell) {
  if (cell->is_listed || cell->value.is_materialized()) return;
  auto& cells = listed_cells();
  if (cells.size() >= kMaxListed) {
    const std::vector<Tensor> values = take_pending_state();
    wick::detail::materialize_with_escaping(values, "pending state");
  }
  cells.push_back(cell);
  cell->is_listed = true;
}

std::vector<Tensor> take_pending_state() {
  std::vector<Tensor> values;
  for (const std::weak_ptr<Cell>& weak : std::exchange(listed_cells(), {})) {
    const std::shared_ptr<Cell> cell = weak.lock();
    if (cell == nullptr) continue;
    cell->is_listed = false;
    if (!cell->value.is_materialized()) values.push_back(cell->value);
  }
  return values;
}

}  // namespace wick::nn::detail
