#include "harness/row_process.h"

#include <memory>
#include <optional>
#include <utility>

#include "harness/inspection.h"
#include "harness/stream.h"
#include "harness/turns.h"
#include <nlohmann/json.hpp>

namespace wick::bench {

namespace {

/// A row at work. What its floor needs is made when it is first asked for: until then the memory of
/// the process is that of the step alone.
class RowAtWork {
 public:
  explicit RowAtWork(const Row& row) : floor_(row.floor), workload_(row.make()) {}

  void step() const { workload_.step(); }

  double floor_ms();
  std::string facts();

 private:
  const Inspection& inspection();

  Floor floor_;
  Workload workload_;
  std::optional<Inspection> inspection_;
  std::unique_ptr<StreamBuffer> from_;
  std::unique_ptr<StreamBuffer> to_;
  std::unique_ptr<ProductTimer> products_;
};

const Inspection& RowAtWork::inspection() {
  if (!inspection_) inspection_ = inspect(workload_.step);
  return *inspection_;
}

double RowAtWork::floor_ms() {
  switch (floor_.kind) {
    case Floor::Kind::none:
      return 0;
    case Floor::Kind::copy: {
      const auto half = static_cast<size_t>(floor_.bytes / 2);
      if (!from_) from_ = std::make_unique<StreamBuffer>(half);
      if (!to_) to_ = std::make_unique<StreamBuffer>(half);
      return time_copy(*from_, *to_);
    }
    case Floor::Kind::read:
      if (!from_) from_ = std::make_unique<StreamBuffer>(static_cast<size_t>(floor_.bytes));
      return time_read(*from_);
    case Floor::Kind::products:
      if (!products_) products_ = std::make_unique<ProductTimer>(inspection().products);
      return products_->time();
    case Floor::Kind::work:
      return time_ms(workload_.floor);
    case Floor::Kind::budget:
      return floor_.ms;
  }
  return 0;
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
