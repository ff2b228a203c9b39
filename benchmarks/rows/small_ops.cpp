// What an op costs beside its arithmetic: recording, finding the plan, running it.

#include "harness/row.h"
#include "rows/inputs.h"

namespace wick::bench {

namespace {

constexpr int kOps = 1000;

Rate ops_rate() {
  return {.amount = 1e-6 * kOps, .unit = "Mop"};
}

Tensor add_many(const Tensor& x, const Tensor& c) {
  Tensor y = x;
  for (int i = 0; i < kOps; ++i)
    y = y + c;
  return y;
}

}  // namespace

Family small_op_rows() {
  return {"small ops",
          {{.name = "adds-1000",
            .what = "1000 dependent adds of [16]; floor: a budget of 0.12 us each",
            .floor = budget(1e-3 * kOps * 0.12),
            .goal = 1,
            .rate = ops_rate(),
            .make = []() -> Workload {
              const Tensor x = uniform_input({16});
              const Tensor c = uniform_input({16});
              return {[=] { materialize(add_many(x, c)); }};
            }},
           {.name = "adds-1000-autograd",
            .what = "with history for gradients; floor: a budget of 0.2 us each",
            .floor = budget(1e-3 * kOps * 0.2),
            .goal = 1,
            .rate = ops_rate(),
            .make = []() -> Workload {
              Tensor x = uniform_input({16});
              const Tensor c = uniform_input({16});
              x.requires_grad_();
              return {[=] { materialize(add_many(x, c)); }};
            }},
           {.name = "adds-100-read-each",
            .what = "100 adds of [16], each computed before the next is recorded",
            .rate = {.amount = 1e-4, .unit = "Mop"},
            .make = []() -> Workload {
              const Tensor x = uniform_input({16});
              const Tensor c = uniform_input({16});
              return {[=] {
                Tensor y = x;
                for (int i = 0; i < 100; ++i) {
                  y = y + c;
                  materialize(y);
                }
              }};
            }}}};
}

}  // namespace wick::bench
