#pragma once

// The rows of the benchmark in libtorch, as a user of it would write them.

#include <functional>
#include <string>
#include <vector>

#include <torch/torch.h>

namespace torch_bench {

/// Makes the inputs and gives the step.
using Make = std::function<std::function<void()>()>;

struct Workload {
  std::string name;  // of the row, or ROW:VARIANT for another way to write it
  Make make;
};

using Workloads = std::vector<Workload>;

inline torch::Tensor uniform(at::IntArrayRef shape, double low = -1, double high = 1) {
  return torch::empty(shape).uniform_(low, high);
}

void add_micro(Workloads& all);
void add_models(Workloads& all);
void add_movement(Workloads& all);
void add_loops(Workloads& all);

}  // namespace torch_bench
