#include "wick/nn/meters.h"

#include <array>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "wick/autograd/autograd.h"
#include "wick/ir/error.h"
#include "wick/tensor/materialize.h"

namespace wick::nn {

namespace {

/// A loop without optimizer steps is read this often.
constexpr size_t kMaxWaiting = 256;

void compute(const Tensor& tensor, Where where) {
  const std::array<Tensor, 1> wanted = {tensor};
  wick::detail::materialize_with_escaping(wanted, "meter", where);
}

}  // namespace

void AverageMeter::add(const Tensor& value, double weight, Where where) {
  if (value.numel() != 1) {
    throw Error(where, "average_meter", fmt::format("{} is no scalar", to_string(value.type())));
  }
  if (!value.requires_grad() && !value.is_materialized()) compute(value, where);
  waiting_.push_back({value, weight});
  read_computed();
  if (waiting_.size() > kMaxWaiting) read_all();
}

void AverageMeter::read_computed() const {
  while (!waiting_.empty() && waiting_.front().value.is_materialized()) {
    const Waiting& oldest = waiting_.front();
    sum_ += oldest.value.item<double>() * oldest.weight;
    weight_ += oldest.weight;
    waiting_.pop_front();
  }
}

void AverageMeter::read_all() const {
  std::vector<Tensor> pending;
  for (const Waiting& waiting : waiting_) {
    pending.push_back(waiting.value);
  }
  if (!pending.empty()) wick::detail::materialize_with_escaping(pending, "meter");
  read_computed();
}

double AverageMeter::value() const {
  read_all();
  return weight_ == 0 ? std::numeric_limits<double>::quiet_NaN() : sum_ / weight_;
}

void AverageMeter::reset() {
  *this = AverageMeter();
}

void AccuracyMeter::add(const Tensor& scores, const Tensor& labels, Where where) {
  if (scores.ndim() != 2 || labels.ndim() != 1 || scores.shape()[0] != labels.shape()[0] ||
      !is_integer(labels.dtype())) {
    throw Error(where,
                "accuracy_meter",
                fmt::format("scores must be [n,c] and labels integers [n]: scores {}, labels {}",
                            to_string(scores.type()),
                            to_string(labels.type())));
  }
  const NoGradGuard no_grad;
  const bool is_training = scores.requires_grad();
  if (!is_started_) {
    // Memory of its own from the start: the first step is the same program as the later ones.
    const std::vector<int64_t> zero = {0};
    correct_ = Buffer(from_vector(zero, {}, where));
    is_started_ = true;
  }
  const Tensor hits = argmax(scores, 1, false, where) == cast(labels, DType::i64, where);
  correct_.assign(correct_.value() + sum(hits, {}, false, where), where);
  num_rows_ += scores.shape()[0];
  if (!is_training) compute(correct_.value(), where);
}

int64_t AccuracyMeter::num_correct() const {
  return is_started_ ? correct_.value().item<int64_t>() : 0;
}

double AccuracyMeter::value() const {
  if (num_rows_ == 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(num_correct()) / static_cast<double>(num_rows_);
}

void AccuracyMeter::reset() {
  *this = AccuracyMeter();
}

}  // namespace wick::nn
