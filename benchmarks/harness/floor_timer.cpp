#include "harness/floor_timer.h"

#include <cstddef>

#include "harness/turns.h"

#include "wick/ir/check.h"

namespace wick::bench {

bool can_measure(const Floor& floor) {
  switch (floor.kind) {
    case Floor::Kind::none:
    case Floor::Kind::copy:
    case Floor::Kind::read:
    case Floor::Kind::budget:
      return true;
    case Floor::Kind::products:
      return can_time_products() && !runs_on_gpu();
    case Floor::Kind::work:  // a loop on the CPU
      return !runs_on_gpu();
  }
  return false;
}

double FloorTimer::time() {
  switch (floor_.kind) {
    case Floor::Kind::none:
      return 0;
    case Floor::Kind::copy:
      return runs_on_gpu() ? time_gpu_copy() : time_host_copy();
    case Floor::Kind::read:
      return runs_on_gpu() ? time_gpu_copy() : time_host_read();
    case Floor::Kind::products:
      if (!products_) {
        check(!products_of_step_().entries.empty(), "a floor of products has some");
        products_ = std::make_unique<ProductTimer>(products_of_step_());
      }
      return products_->time();
    case Floor::Kind::work:
      return time_ms(work_);
    case Floor::Kind::budget:
      return floor_.ms;
  }
  return 0;
}

/// A GPU's memory reads about as fast as it copies, so that this is also the floor of reading.
double FloorTimer::time_gpu_copy() {
  if (!gpu_copy_) gpu_copy_ = std::make_unique<GpuCopy>(floor_.bytes);
  return gpu_copy_->time_ms();
}

double FloorTimer::time_host_copy() {
  const auto half = static_cast<size_t>(floor_.bytes / 2);
  if (!from_) from_ = std::make_unique<StreamBuffer>(half);
  if (!to_) to_ = std::make_unique<StreamBuffer>(half);
  return time_copy(*from_, *to_);
}

double FloorTimer::time_host_read() {
  if (!from_) from_ = std::make_unique<StreamBuffer>(static_cast<size_t>(floor_.bytes));
  return time_read(*from_);
}

}  // namespace wick::bench
