#pragma once

// Data sets and the views that are put on top of each other: shuffled, transformed, in batches,
// computed ahead of the reader.
//
//     auto train = data::DataView(data::TensorDataset({images, labels})).shuffle(seed).batch(64);
//     for (const data::Sample& batch : train.prefetch(2, 4)) {
//       Tensor x = batch[0].to_tensor();
//       ...
//     }

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "wick/nn/data/host_array.h"
#include "wick/nn/data/prefetcher.h"

namespace wick::data {

/// Samples by position. get() is called from several threads at once.
class Dataset {
 public:
  Dataset() = default;
  Dataset(const Dataset&) = default;
  Dataset& operator=(const Dataset&) = default;
  Dataset(Dataset&&) = default;
  Dataset& operator=(Dataset&&) = default;
  virtual ~Dataset() = default;

  [[nodiscard]] virtual int64_t size() const = 0;
  /// 0 <= index < size().
  [[nodiscard]] virtual Sample get(int64_t index) const = 0;
};

/// Arrays with a common first extent n: n samples, each a row of every array.
class TensorDataset final : public Dataset {
 public:
  /// Error when there is no array or first extents differ.
  explicit TensorDataset(std::vector<HostArray> fields, Where where = Where::current());

  [[nodiscard]] int64_t size() const override { return fields_.front().shape()[0]; }

  [[nodiscard]] Sample get(int64_t index) const override;

 private:
  std::vector<HostArray> fields_;
};

/// A handle to a data set, from which views of it are made. Copying is cheap.
class DataView {
 public:
  template <std::derived_from<Dataset> D>
  explicit DataView(D dataset) : dataset_(std::make_shared<D>(std::move(dataset))) {}

  explicit DataView(std::shared_ptr<const Dataset> dataset) : dataset_(std::move(dataset)) {}

  [[nodiscard]] int64_t size() const { return dataset_->size(); }

  /// Error if the index is out of range.
  [[nodiscard]] Sample get(int64_t index, Where where = Where::current()) const;

  /// The samples in an order that the seed decides, the same on every machine.
  [[nodiscard]] DataView shuffle(uint64_t seed) const;
  /// `count` samples stacked along a new first axis of every field. The last batch is smaller when
  /// `count` does not divide size(), or left out. Error for count < 1.
  [[nodiscard]] DataView batch(int64_t count,
                               bool drop_last = false,
                               Where where = Where::current()) const;
  /// fn(sample) for every sample; called from several threads at once.
  [[nodiscard]] DataView transform(std::function<Sample(Sample)> fn) const;

  /// One pass over the samples in order, with up to `depth` of them computed ahead by `threads`
  /// threads. Error unless both are positive.
  [[nodiscard]] Prefetcher prefetch(int threads, int depth, Where where = Where::current()) const;

  class Iterator;
  [[nodiscard]] Iterator begin() const;
  [[nodiscard]] Iterator end() const;

 private:
  std::shared_ptr<const Dataset> dataset_;  // shared by all views of it
};

/// Computes the samples in the reader's thread.
class DataView::Iterator {
 public:
  using value_type = Sample;

  Iterator(const Dataset& dataset, int64_t index) : dataset_(&dataset), index_(index) {}

  Sample operator*() const { return dataset_->get(index_); }

  Iterator& operator++() {
    ++index_;
    return *this;
  }

  friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }

 private:
  const Dataset* dataset_;  // the view that made this lives longer
  int64_t index_;
};

}  // namespace wick::data
