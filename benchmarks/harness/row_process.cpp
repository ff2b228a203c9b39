#include "harness/row_process.h"

#include <memory>
#include <optional>

#include "harness/floor_timer.h"
#include "harness/gpu.h"
#include "harness/inspection.h"
#include "harness/turns.h"
#include <nlohmann/json.hpp>

namespace wick::bench {

namespace {

/// A row at work.
class RowAtWork {
 public:
  explicit RowAtWork(const Row& row)
      : workload_(row.make()),
        floor_(
            row.floor,
            [this]() -> const Products& { return inspection().products; },
            workload_.floor) {
    wait_for_results();  // the inputs
  }

  void step() const {
    workload_.step();
    wait_for_results();
  }

  double floor_ms() { return floor_.time(); }

  std::string facts();

 private:
  const Inspection& inspection();

  Workload workload_;
  FloorTimer floor_;
  std::optional<Inspection> inspection_;
};

const Inspection& RowAtWork::inspection() {
  if (!inspection_) inspection_ = inspect(workload_.step);
  return *inspection_;
}

std::string RowAtWork::facts() {
  const Inspection& found = inspection();
  return nlohmann::json{{"flops", found.products.flops},
                        {"programs", found.num_programs},
                        {"ops", found.num_ops},
                        {"kernels", found.num_kernels},
                        {"library_calls", found.num_library_calls},
                        {"interpreted", found.num_interpreted},
                        {"arena_bytes", found.arena_bytes},
                        {"peak_live_bytes", found.peak_live_bytes},
                        {"intermediate_bytes", found.intermediate_bytes}}
      .dump();
}

}  // namespace

int serve_row(const Row& row) {
  return serve_turns([&row] {
    const auto work = std::make_shared<RowAtWork>(row);
    return Turns{[work] { work->step(); },
                 [work] { return work->floor_ms(); },
                 [work] { return work->facts(); }};
  });
}

}  // namespace wick::bench
