#include "wick/nn/losses/ctc.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "wick/ir/error.h"
#include "wick/tensor/recording.h"

namespace wick::nn {

namespace {

using wick::detail::HistoryPause;

constexpr const char* kOp = "ctc_loss";

/// The logarithm of an impossible event. Finite, so that no difference of two is NaN; sums of it
/// over the steps stay so too.
constexpr double kImpossible = -1e30;

struct Sizes {
  int64_t steps;
  int64_t sequences;
  int64_t classes;
  int64_t labels;  // of the longest sequence

  /// A blank before, between and after the labels.
  [[nodiscard]] int64_t states() const { return 2 * labels + 1; }
};

void require_lengths(
    std::string_view name, const Axes& lengths, int64_t count, int64_t longest, Where where) {
  if (std::ssize(lengths) != count) {
    constexpr auto kText = "{} must be {} numbers, one a sequence, are {}";
    throw Error(where, kOp, fmt::format(kText, name, count, lengths));
  }
  for (const int64_t length : lengths) {
    if (length >= 0 && length <= longest) continue;
    throw Error(where, kOp, fmt::format("{} must be in [0, {}], are {}", name, longest, lengths));
  }
}

void require_types(const Tensor& log_probs, const Tensor& labels, Where where) {
  detail::require_float(kOp, "log_probs", log_probs, where);
  const bool fits =
      labels.defined() && is_integer(labels.dtype()) && (labels.ndim() == 1 || labels.ndim() == 2);
  if (log_probs.ndim() == 3 && fits) return;
  throw Error(
      where,
      kOp,
      fmt::format("log_probs must be floats [t,n,c] or [t,c], labels integers [n,s] or [k]: "
                  "log_probs {}, labels {}",
                  to_string(log_probs.type()),
                  labels.defined() ? to_string(labels.type()) : "undefined"));
}

/// Labels one after another as rows [n,s]; rows end in copies of other labels, which do not count.
Tensor label_rows(const Tensor& labels, const Axes& lengths, Where where) {
  const int64_t total = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  if (labels.numel() != total) {
    constexpr auto kText = "labels {} must be as many as label_lengths {} add up to";
    throw Error(where, kOp, fmt::format(kText, to_string(labels.type()), lengths));
  }
  const int64_t longest = lengths.empty() ? 0 : std::ranges::max(lengths);
  const auto count = static_cast<int64_t>(lengths.size());
  std::vector<int64_t> positions;
  int64_t start = 0;
  for (const int64_t length : lengths) {
    for (int64_t i = 0; i < longest; ++i)
      positions.push_back(start + (i < length ? i : 0));
    start += length;
  }
  if (positions.empty()) return reshape(labels, {count, longest}, where);
  return take(labels, from_vector(positions, {count, longest}, where), 0, where);
}

Tensor column(const Axes& numbers, Where where) {
  return from_vector(numbers, {static_cast<int64_t>(numbers.size()), 1}, where);
}

/// i64[n,states]: the class that each state stands for.
Tensor state_classes(const Tensor& labels, const Sizes& sizes, int64_t blank, Where where) {
  const Tensor blanks = full(labels.shape(), static_cast<double>(blank), DType::i64, where);
  const Tensor pairs[] = {blanks, cast(labels, DType::i64, where)};
  const Tensor leading =
      reshape(stack(pairs, 2, where), {sizes.sequences, 2 * sizes.labels}, where);
  const Tensor last = full({sizes.sequences, 1}, static_cast<double>(blank), DType::i64, where);
  return concat({leading, last}, 1, where);
}

/// State i as state i + count; the first ones get `value`.
Tensor shifted(const Tensor& x, int64_t count, double value, Where where) {
  return pad(x, {0, count}, {0, -count}, value, where);
}

/// Where a path may go from two states back: over a blank between two different labels.
Tensor may_skip(const Tensor& classes, Where where) {
  constexpr double kNoClass = -1;
  const Tensor before = shifted(classes, 2, kNoClass, where);
  const Tensor differs = Operand(before, where) != classes;
  return Operand(differs, where) & (Operand(before, where) != kNoClass);
}

/// log(exp(a) + exp(b) + exp(c)). The shift has no gradient: the sum does not depend on it.
Tensor log_sum(const Tensor& a, const Tensor& b, const Tensor& c, Where where) {
  Tensor peak;
  {
    const HistoryPause pause;
    peak = maximum(maximum(Operand(a, where), b), Operand(c, where));
  }
  const auto weight = [&](const Tensor& x) { return exp(Operand(x, where) - peak, where); };
  const Tensor total = (Operand(weight(a), where) + weight(b)) + Operand(weight(c), where);
  return Operand(log(total, where), where) + peak;
}

/// -log of the probability of each sequence, [n]; beyond -kImpossible / 2 for impossible ones.
Tensor sequence_losses(const Tensor& log_probs,
                       const Tensor& labels,
                       const Axes& input_lengths,
                       const Axes& label_lengths,
                       const Sizes& sizes,
                       int64_t blank,
                       Where where) {
  const Tensor classes = state_classes(labels, sizes, blank, where);
  const Tensor offsets = Operand(arange(sizes.sequences, DType::i64, where), where) * sizes.classes;
  const Tensor sources = Operand(classes, where) + unsqueeze(offsets, 1, where);
  const Tensor rows = reshape(log_probs, {sizes.steps, sizes.sequences * sizes.classes}, where);
  const Tensor emissions =
      maximum(Operand(take(rows, sources, 1, where), where), kImpossible);  // [t,n,states]

  const Tensor numbers = arange(sizes.states(), DType::i64, where);
  const Tensor skips = may_skip(classes, where);
  const Tensor lengths = column(input_lengths, where);
  const Tensor zero = zeros({sizes.sequences, sizes.states()}, log_probs.dtype(), where);
  // Before the first step a path is at the first blank.
  Tensor forward = wick::where(Operand(numbers, where) == 0, zero, Operand(kImpossible, where));
  for (int64_t step = 0; step < sizes.steps; ++step) {
    const Tensor skipped =
        wick::where(skips, shifted(forward, 2, kImpossible, where), Operand(kImpossible, where));
    const Tensor reached =
        log_sum(forward, shifted(forward, 1, kImpossible, where), skipped, where);
    const Tensor next = Operand(reached, where) + select(emissions, 0, step, where);
    forward = wick::where(Operand(lengths, where) > step, next, forward);
  }
  const Tensor last = Operand(column(label_lengths, where), where) * 2;
  const Tensor gap = Operand(last, where) - numbers;
  const Tensor is_end = (Operand(gap, where) == 0) | Operand(Operand(gap, where) == 1, where);
  const Tensor ends = wick::where(is_end, forward, Operand(kImpossible, where));
  return -Operand(logsumexp(ends, {1}, false, where), where);
}

}  // namespace

Tensor ctc_loss(const Tensor& log_probs,
                const Tensor& labels,
                const Axes& input_lengths,
                const Axes& label_lengths,
                const CtcOptions& options,
                Where where) {
  if (log_probs.defined() && log_probs.ndim() == 2) {
    const Tensor loss = ctc_loss(
        unsqueeze(log_probs, 1, where), labels, input_lengths, label_lengths, options, where);
    return options.reduction == Reduction::none ? squeeze(loss, 0, where) : loss;
  }
  require_types(log_probs, labels, where);
  const Shape& shape = log_probs.shape();
  const bool in_rows = labels.ndim() == 2;
  constexpr int64_t kAny = std::numeric_limits<int64_t>::max();
  require_lengths("input_lengths", input_lengths, shape[1], shape[0], where);
  require_lengths(
      "label_lengths", label_lengths, shape[1], in_rows ? labels.shape()[1] : kAny, where);
  if (options.blank < 0 || options.blank >= shape[2]) {
    constexpr auto kText = "blank {} must be one of the {} classes";
    throw Error(where, kOp, fmt::format(kText, options.blank, shape[2]));
  }
  const Tensor rows = in_rows ? labels : label_rows(labels, label_lengths, where);
  if (rows.shape()[0] != shape[1]) {
    constexpr auto kText = "labels {} must have a row for each of {} sequences";
    throw Error(where, kOp, fmt::format(kText, to_string(rows.type()), shape[1]));
  }
  const Sizes sizes{shape[0], shape[1], shape[2], rows.shape()[1]};
  Tensor losses = sequence_losses(detail::to_compute_dtype(log_probs, where),
                                  rows,
                                  input_lengths,
                                  label_lengths,
                                  sizes,
                                  options.blank,
                                  where);
  const double impossible = options.zero_infinity ? 0 : std::numeric_limits<double>::infinity();
  losses =
      wick::where(Operand(losses, where) > -kImpossible / 2, Operand(impossible, where), losses);
  if (options.reduction == Reduction::mean) {
    Axes counts = label_lengths;
    for (int64_t& count : counts)
      count = std::max<int64_t>(count, 1);
    const Tensor divisors = cast(column(counts, where), losses.dtype(), where);
    losses = Operand(losses, where) / reshape(divisors, losses.shape(), where);
  }
  return detail::reduce_loss(losses, options.reduction, log_probs.dtype(), where);
}

}  // namespace wick::nn
