#include "harness/row.h"

#include <utility>

#include "harness/floor_timer.h"
#include "harness/gpu.h"

namespace wick::bench {

Floor copy_floor(double bytes) {
  return {.kind = Floor::Kind::copy, .bytes = bytes};
}

Floor read_floor(double bytes) {
  return {.kind = Floor::Kind::read, .bytes = bytes};
}

Floor products_floor() {
  return {.kind = Floor::Kind::products};
}

Floor work_floor() {
  return {.kind = Floor::Kind::work};
}

Floor budget(double ms) {
  return {.kind = Floor::Kind::budget, .ms = ms};
}

Row on_gpu(Row row) {
  row.needs_gpu = true;
  return row;
}

std::vector<Family> all_families() {
  std::vector<Family> families;
  families.push_back(elementwise_rows());
  families.push_back(reduction_rows());
  families.push_back(movement_rows());
  families.push_back(loop_rows());
  families.push_back(optimizer_rows());
  families.push_back(product_rows());
  families.push_back(small_op_rows());
  families.push_back(model_rows());
  for (Family& family : families) {
    if (!runs_on_gpu()) std::erase_if(family.rows, [](const Row& row) { return row.needs_gpu; });
    for (Row& row : family.rows) {
      if (can_measure(row.floor)) continue;
      row.floor = {};
      row.goal = 0;
    }
  }
  return families;
}

}  // namespace wick::bench
