#pragma once

// The data sets behind DataView's methods.

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "wick/nn/data/dataset.h"

namespace wick::data {

/// Another data set's samples in a random order (Fisher and Yates, by our own generator: the
/// standard library's shuffle differs between implementations).
class ShuffledView final : public Dataset {
 public:
  ShuffledView(std::shared_ptr<const Dataset> base, uint64_t seed);

  [[nodiscard]] int64_t size() const override { return base_->size(); }

  [[nodiscard]] Sample get(int64_t index) const override {
    return base_->get(order_[static_cast<size_t>(index)]);
  }

 private:
  std::shared_ptr<const Dataset> base_;  // shared with the other views of it
  std::vector<int64_t> order_;
};

/// Several samples of another data set stacked.
class BatchView final : public Dataset {
 public:
  BatchView(std::shared_ptr<const Dataset> base, int64_t count, bool drop_last);

  [[nodiscard]] int64_t size() const override { return size_; }

  /// Throws std::invalid_argument when the samples of a batch differ in type.
  [[nodiscard]] Sample get(int64_t index) const override;

 private:
  std::shared_ptr<const Dataset> base_;  // shared with the other views of it
  int64_t count_;
  int64_t size_;
};

/// A function of another data set's samples.
class TransformedView final : public Dataset {
 public:
  TransformedView(std::shared_ptr<const Dataset> base, std::function<Sample(Sample)> fn)
      : base_(std::move(base)),
        fn_(std::move(fn)) {}

  [[nodiscard]] int64_t size() const override { return base_->size(); }

  [[nodiscard]] Sample get(int64_t index) const override { return fn_(base_->get(index)); }

 private:
  std::shared_ptr<const Dataset> base_;  // shared with the other views of it
  std::function<Sample(Sample)> fn_;
};

}  // namespace wick::data
