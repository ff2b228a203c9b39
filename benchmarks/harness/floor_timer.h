#pragma once

// Measures the floor of a row.

#include <functional>
#include <memory>
#include <utility>

#include "harness/gpu.h"
#include "harness/product_timer.h"
#include "harness/row.h"
#include "harness/stream.h"

namespace wick::bench {

/// Whether this build can measure the floor where the rows run: on a GPU those of memory and
/// budgets.
bool can_measure(const Floor& floor);

/// What a floor needs is made when it is first asked for: until then the memory of the process is
/// that of the step alone.
class FloorTimer {
 public:
  /// `products` gives those of the step, `work` is the workload's own floor.
  FloorTimer(Floor floor, std::function<const Products&()> products, std::function<void()> work)
      : floor_(floor),
        products_of_step_(std::move(products)),
        work_(std::move(work)) {}

  /// Milliseconds.
  double time();

 private:
  double time_gpu_copy();
  double time_host_copy();
  double time_host_read();

  Floor floor_;
  std::function<const Products&()> products_of_step_;
  std::function<void()> work_;
  std::unique_ptr<StreamBuffer> from_;
  std::unique_ptr<StreamBuffer> to_;
  std::unique_ptr<GpuCopy> gpu_copy_;
  std::unique_ptr<ProductTimer> products_;
};

}  // namespace wick::bench
