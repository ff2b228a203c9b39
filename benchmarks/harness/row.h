#pragma once

// A row of the benchmark: one workload, what it is measured against, and how its inputs are made.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace wick::bench {

/// The least time that a step could take, measured between its runs.
struct Floor {
  enum class Kind : uint8_t {
    none,
    copy,      // moving `bytes`, half read and half written, at the rate of a streaming copy
    read,      // reading `bytes`
    products,  // the program's matrix products and convolutions alone, by the fastest oneDNN call
    work,      // Workload::floor
    budget     // `ms`
  };
  Kind kind = Kind::none;
  double bytes = 0;
  double ms = 0;
};

Floor copy_floor(double bytes);
Floor read_floor(double bytes);
Floor products_floor();
Floor work_floor();
Floor budget(double ms);

/// What the time is also shown as: `amount` units a second.
struct Rate {
  double amount = 0;      // 0: the floor's bytes, or the operations of the program's products
  std::string unit = {};  // "GB", "GFLOP", "Mop"
};

/// Inputs are there; each call of `step` computes and drops everything that it makes.
struct Workload {
  std::function<void()> step;
  std::function<void()> floor = {};
};

struct Row {
  std::string name;
  std::string what;
  Floor floor = {};
  /// Fraction of the floor that the row should reach; 0: none.
  double goal = 0;
  Rate rate = {};
  /// Also show the first step in a new process, with and without compiled kernels on disk.
  bool shows_start = false;
  bool needs_gpu = false;  // of a size that only a GPU is measured with
  std::function<Workload()> make;
};

struct Family {
  std::string name;
  std::vector<Row> rows;
};

// The rows by family.
Family elementwise_rows();
Family reduction_rows();
Family movement_rows();
Family loop_rows();
Family optimizer_rows();
Family product_rows();
Family small_op_rows();
Family model_rows();

/// What a GPU's memory and its parallelism need to be seen.
Row on_gpu(Row row);

/// Rows for a GPU are left out where none computes, and so are floors that cannot be measured here,
/// with the goals that go by them.
std::vector<Family> all_families();

}  // namespace wick::bench
