#include "wick/nn/data/dataset.h"

#include <fmt/format.h>

#include "wick/ir/error.h"
#include "wick/nn/data/views.h"

namespace wick::data {

TensorDataset::TensorDataset(std::vector<HostArray> fields, Where where)
    : fields_(std::move(fields)) {
  if (fields_.empty()) throw Error(where, "tensor_dataset", "no arrays given");
  const Type& first = fields_.front().type();
  for (const HostArray& field : fields_) {
    const Shape& shape = field.shape();
    if (shape.ndim() > 0 && first.shape.ndim() > 0 && shape[0] == first.shape[0]) continue;
    throw Error(
        where,
        "tensor_dataset",
        fmt::format("first extents differ: {} and {}", to_string(first), to_string(field.type())));
  }
}

Sample TensorDataset::get(int64_t index) const {
  Sample sample;
  sample.reserve(fields_.size());
  for (const HostArray& field : fields_) {
    sample.push_back(field.row(index));
  }
  return sample;
}

Sample DataView::get(int64_t index, Where where) const {
  if (index < 0 || index >= size()) {
    throw Error(where, "get", fmt::format("index {} in a data set of {}", index, size()));
  }
  return dataset_->get(index);
}

DataView DataView::shuffle(uint64_t seed) const {
  return DataView(ShuffledView(dataset_, seed));
}

DataView DataView::batch(int64_t count, bool drop_last, Where where) const {
  if (count < 1) throw Error(where, "batch", fmt::format("the batch size is {}", count));
  return DataView(BatchView(dataset_, count, drop_last));
}

DataView DataView::transform(std::function<Sample(Sample)> fn) const {
  return DataView(TransformedView(dataset_, std::move(fn)));
}

Prefetcher DataView::prefetch(int threads, int depth, Where where) const {
  if (threads < 1 || depth < 1) {
    throw Error(where, "prefetch", fmt::format("{} threads and depth {}", threads, depth));
  }
  return {{.size = size(), .threads = threads, .depth = depth},
          [dataset = dataset_](int64_t index) { return dataset->get(index); }};
}

DataView::Iterator DataView::begin() const {
  return {*dataset_, 0};
}

DataView::Iterator DataView::end() const {
  return {*dataset_, size()};
}

}  // namespace wick::data
