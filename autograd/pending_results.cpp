#include "wick/autograd/pending_results.h"

#include <mutex>
#include <utility>
#include <vector>

#include "wick/autograd/autograd.h"
#include "wick/tensor/materialize.h"

namespace wick {
namespace {

using autograd::LeafMeta;

/// Losses are few; when many live, not every call looks through them.
class LossList {
 public:
  void add(const Tensor& loss) {
    if (losses_.size() >= prune_at_) {
      prune();
      constexpr size_t kFew = 16;
      prune_at_ = losses_.size() < kFew ? 1 : 2 * losses_.size();
    }
    if (!loss.is_materialized()) losses_.push_back(loss);
  }

  std::vector<Tensor> take() {
    prune();
    prune_at_ = 1;
    return std::exchange(losses_, {});
  }

 private:
  /// Drops those that are known by now and those that nobody but this list holds.
  void prune() {
    std::erase_if(losses_, [](const Tensor& loss) {
      return loss.is_materialized() || loss.node()->ref_count() == 1;
    });
  }

  std::vector<Tensor> losses_;
  size_t prune_at_ = 1;
};

struct WaitingLeaf {
  Ref<detail::AutogradMeta> meta;  // a LeafMeta
  int64_t since;                   // the call of backward() that began it

  [[nodiscard]] LeafMeta& leaf() const { return static_cast<LeafMeta&>(*meta); }
};

/// Leaves whose threads ended before their gradients were asked for: kept reachable, no more.
struct LeftLeaves {
  std::mutex mutex;
  std::vector<WaitingLeaf> leaves;

  static LeftLeaves& instance() {
    static auto* const left = new LeftLeaves;  // NOLINT: outlives every thread.
    return *left;
  }
};

bool is_pending(const Tensor& gradient) {
  return gradient.defined() && !gradient.is_materialized();
}

bool is_done(const WaitingLeaf& waiting) {
  return !is_pending(waiting.leaf().grad());
}

class GradientList {
 public:
  GradientList() { (void)LeftLeaves::instance(); }

  GradientList(const GradientList&) = delete;
  GradientList& operator=(const GradientList&) = delete;

  ~GradientList() {
    prune();
    LeftLeaves& left = LeftLeaves::instance();
    const std::lock_guard lock(left.mutex);
    for (WaitingLeaf& waiting : leaves_)
      left.leaves.push_back(std::move(waiting));
  }

  void add(LeafMeta& leaf) {
    if (!leaf.start_waiting()) return;
    leaves_.push_back({Ref<detail::AutogradMeta>(&leaf), calls_});
  }

  /// Counts a call of backward(); true when some gradient waited too long.
  bool count_call() {
    ++calls_;
    prune();
    return !leaves_.empty() && calls_ - leaves_.front().since > autograd::kMaxPendingCalls;
  }

  std::vector<Tensor> take() {
    std::vector<Tensor> gradients;
    for (const WaitingLeaf& waiting : std::exchange(leaves_, {})) {
      waiting.leaf().stop_waiting();
      Tensor gradient = waiting.leaf().grad();
      if (is_pending(gradient)) gradients.push_back(std::move(gradient));
    }
    return gradients;
  }

 private:
  /// Drops leaves whose gradients are known or cleared.
  void prune() {
    std::erase_if(leaves_, [](const WaitingLeaf& waiting) {
      if (!is_done(waiting)) return false;
      waiting.leaf().stop_waiting();
      return true;
    });
  }

  std::vector<WaitingLeaf> leaves_;  // oldest first
  int64_t calls_ = 0;
};

LossList& losses() {
  thread_local LossList list;
  return list;
}

GradientList& gradients() {
  thread_local GradientList list;
  return list;
}

}  // namespace

namespace autograd {

void note_gradient(LeafMeta& leaf) {
  gradients().add(leaf);
}

void note_backward(const Tensor& loss, std::source_location where) {
  losses().add(loss);
  if (!gradients().count_call()) return;
  detail::materialize_with_escaping(gradients().take(), "gradients pending for long", where);
}

}  // namespace autograd

std::vector<Tensor> take_pending_losses() {
  return losses().take();
}

std::vector<Tensor> take_pending_gradients() {
  return gradients().take();
}

}  // namespace wick
