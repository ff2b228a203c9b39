#include "wick/autograd/pending_losses.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "wick/autograd/autograd.h"

namespace wick {
namespace {

struct LossList {
  std::vector<Tensor> losses;
  size_t prune_at = 1;

  /// Drops those that are known by now and those that nobody but this list holds.
  void prune() {
    std::erase_if(losses, [](const Tensor& loss) {
      return loss.is_materialized() || loss.node()->ref_count() == 1;
    });
  }
};

LossList& loss_list() {
  thread_local LossList list;
  return list;
}

}  // namespace

namespace autograd {

void note_loss(const Tensor& loss) {
  LossList& list = loss_list();
  if (list.losses.size() >= list.prune_at) {
    list.prune();
    // Many losses that live are not looked through at every backward.
    constexpr size_t kFew = 16;
    list.prune_at = list.losses.size() < kFew ? 1 : 2 * list.losses.size();
  }
  if (!loss.is_materialized()) list.losses.push_back(loss);
}

}  // namespace autograd

std::vector<Tensor> take_pending_losses() {
  LossList& list = loss_list();
  list.prune();
  list.prune_at = 1;
  return std::exchange(list.losses, {});
}

}  // namespace wick
