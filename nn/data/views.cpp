#include "wick/nn/data/views.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "wick/nn/data/split_mix.h"

namespace wick::data {

namespace {

/// An array with room for `count` samples like this one.
HostArray make_stack(const HostArray& sample, int64_t count) {
  std::vector<int64_t> extents = {count};
  extents.insert(extents.end(), sample.shape().begin(), sample.shape().end());
  return HostArray({sample.type().dtype, Shape(extents)});
}

void copy_into(HostArray& stack, int64_t position, const HostArray& sample) {
  const auto from = sample.bytes();
  if (from.empty()) return;
  const size_t offset = static_cast<size_t>(position) * from.size();
  std::memcpy(stack.mutable_bytes().data() + offset, from.data(), from.size());
}

void check_alike(const Sample& first, const Sample& other) {
  const bool alike = std::ranges::equal(first, other, {}, &HostArray::type, &HostArray::type);
  if (alike) return;
  std::string text = "samples of one batch differ in type:";
  for (const Sample* sample : {&first, &other}) {
    text += " (";
    for (const HostArray& field : *sample) {
      text += to_string(field.type()) + (&field == &sample->back() ? "" : ", ");
    }
    text += ")";
  }
  throw std::invalid_argument(text);
}

}  // namespace

ShuffledView::ShuffledView(std::shared_ptr<const Dataset> base, uint64_t seed)
    : base_(std::move(base)),
      order_(static_cast<size_t>(base_->size())) {
  std::iota(order_.begin(), order_.end(), int64_t{0});
  SplitMix random(seed);
  for (size_t left = order_.size(); left > 1; --left) {
    std::swap(order_[left - 1], order_[random.below(left)]);
  }
}

BatchView::BatchView(std::shared_ptr<const Dataset> base, int64_t count, bool drop_last)
    : base_(std::move(base)),
      count_(count),
      size_(drop_last ? base_->size() / count : (base_->size() + count - 1) / count) {}

Sample BatchView::get(int64_t index) const {
  const int64_t begin = index * count_;
  const int64_t end = std::min(begin + count_, base_->size());
  const Sample first = base_->get(begin);
  Sample batch;
  for (const HostArray& field : first) {
    batch.push_back(make_stack(field, end - begin));
  }
  for (int64_t i = begin; i < end; ++i) {
    const Sample sample = i == begin ? first : base_->get(i);
    check_alike(first, sample);
    for (size_t f = 0; f < batch.size(); ++f) {
      copy_into(batch[f], i - begin, sample[f]);
    }
  }
  return batch;
}

}  // namespace wick::data
