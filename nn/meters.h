#pragma once

// Running averages over a loop. Tensors may be added while they are pending: they are read when the
// training step that computes them has run, so that a loop's metrics cost it no extra program.

#include <cstdint>
#include <deque>

#include "wick/nn/parameter.h"
#include "wick/tensor/ops.h"
#include "wick/tensor/tensor.h"

namespace wick::nn {

/// Weighted mean of numbers.
class AverageMeter {
 public:
  void add(double value, double weight = 1) {
    sum_ += value * weight;
    weight_ += weight;
  }

  /// A scalar tensor. One that takes part in training (it requires a gradient) is read after the
  /// optimizer's step; any other is computed here. Error if it has several elements.
  void add(const Tensor& value, double weight = 1, Where where = Where::current());

  /// NaN when nothing was added; computes what is still pending.
  [[nodiscard]] double value() const;
  void reset();

 private:
  struct Waiting {
    Tensor value;
    double weight;
  };

  /// Adds waiting values from the oldest on, up to the first that is not computed.
  void read_computed() const;
  void read_all() const;

  mutable std::deque<Waiting> waiting_;
  mutable double sum_ = 0;
  mutable double weight_ = 0;
};

/// Share of rows whose largest score is at the label.
class AccuracyMeter {
 public:
  /// scores f32[n, c], labels integers [n]. Scores that take part in training are counted within
  /// the optimizer's step; any others are counted here. Error if shapes or dtypes do not fit.
  void add(const Tensor& scores, const Tensor& labels, Where where = Where::current());

  /// Correct rows over all rows, NaN when nothing was added; computes what is still pending.
  [[nodiscard]] double value() const;
  [[nodiscard]] int64_t num_correct() const;

  [[nodiscard]] int64_t num_rows() const { return num_rows_; }

  void reset();

 private:
  Buffer correct_;  // i64[]; undefined before the first add
  int64_t num_rows_ = 0;
  bool is_started_ = false;
};

}  // namespace wick::nn
