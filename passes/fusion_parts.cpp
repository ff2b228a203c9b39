#include "wick/passes/fusion_parts.h"

#include <algorithm>
#include <deque>
#include <limits>

namespace wick::passes {

namespace {

using ir::Node;

/// Another kernel is worth moving so many bytes.
constexpr int64_t kBytesOfKernel = 4096;

size_t index(const Node& node) {
  return static_cast<size_t>(node.id());
}

int64_t bytes_of(const Node& value) {
  return static_cast<int64_t>(value.type().num_bytes());
}

/// The members of a cluster by depth.
std::vector<Node*> by_depth(const FusionClusters& clusters, int number) {
  std::vector<Node*> members = clusters.cluster(number).members;
  std::ranges::sort(members, {}, [&](const Node* node) { return clusters.position(*node); });
  return members;
}

/// Puts the members of a cluster in an order that keeps few values waiting: each behind all that it
/// needs, of which what is deepest comes first, so that a sum is complete up to a term before the
/// next term begins; and the last reader of a value soon.
class DepthFirst {
 public:
  DepthFirst(const FusionClusters& clusters, int number)
      : clusters_(clusters),
        number_(number),
        is_sorted_(clusters.id_bound()),
        num_missing_(clusters.id_bound()),
        num_unread_(clusters.id_bound()),
        readers_(clusters.id_bound()) {}

  std::vector<Node*> run() {
    const std::vector<Node*> members = by_depth(clusters_, number_);
    for (Node* node : members) {
      for (Node* operand : operands(*node)) {
        readers_[index(*operand)].push_back(node);
        ++num_unread_[index(*operand)];
        ++num_missing_[index(*node)];
      }
    }
    for (auto node = members.rbegin(); node != members.rend(); ++node) {
      std::vector<Node*> pending{*node};
      while (!pending.empty()) {
        step(pending);
        follow_readers();
      }
    }
    return std::move(sorted_);
  }

 private:
  /// What the op reads of the cluster, once each, by depth.
  [[nodiscard]] std::vector<Node*> operands(const Node& node) const {
    std::vector<Node*> found;
    for (const ir::Value& operand : node.operands()) {
      if (clusters_.home(*operand.node) == number_) found.push_back(operand.node);
    }
    std::ranges::sort(found, {}, [&](const Node* each) { return clusters_.position(*each); });
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
  }

  /// Places the last of the pending ops, or adds what it waits for.
  void step(std::vector<Node*>& pending) {
    Node* node = pending.back();
    if (!is_sorted_[index(*node)] && num_missing_[index(*node)] > 0) {
      for (Node* operand : operands(*node)) {
        if (!is_sorted_[index(*operand)]) pending.push_back(operand);
      }
      return;
    }
    pending.pop_back();
    if (!is_sorted_[index(*node)]) place(*node);
  }

  void follow_readers() {
    while (!last_readers_.empty()) {
      std::vector<Node*> pending{last_readers_.front()};
      last_readers_.pop_front();
      while (!pending.empty())
        step(pending);
    }
  }

  void place(Node& node) {
    is_sorted_[index(node)] = true;
    sorted_.push_back(&node);
    for (const Node* reader : readers_[index(node)])
      --num_missing_[index(*reader)];
    release(node);
    for (const Node* operand : operands(node)) {
      --num_unread_[index(*operand)];
      release(*operand);
    }
  }

  /// Turns to the only op that the value waits for, if little else is missing for that.
  void release(const Node& value) {
    if (num_unread_[index(value)] != 1) return;
    for (Node* reader : readers_[index(value)]) {
      if (!is_sorted_[index(*reader)] && is_near(*reader)) last_readers_.push_back(reader);
    }
  }

  [[nodiscard]] bool is_near(Node& node) const {
    constexpr size_t kFew = 8;
    std::vector<Node*> missing{&node};
    for (size_t next = 0; next < missing.size(); ++next) {
      for (Node* operand : operands(*missing[next])) {
        if (is_sorted_[index(*operand)] || std::ranges::find(missing, operand) != missing.end())
          continue;
        if (missing.size() == kFew) return false;
        missing.push_back(operand);
      }
    }
    return true;
  }

  const FusionClusters& clusters_;
  int number_;
  std::vector<bool> is_sorted_;  // this and the next ones by Node::id
  std::vector<int> num_missing_;
  std::vector<int> num_unread_;
  std::vector<std::vector<Node*>> readers_;
  std::deque<Node*> last_readers_;  // of values, the first first
  std::vector<Node*> sorted_;
};

/// Ops in a row, each behind what it reads, to be cut into kernels.
class Row {
 public:
  Row(const FusionClusters& clusters, std::vector<Node*> ops)
      : clusters_(clusters),
        ops_(std::move(ops)),
        place_(clusters.id_bound(), kElsewhere),
        last_reader_(ops_.size()),
        seen_(clusters.id_bound(), kElsewhere) {
    for (size_t i = 0; i < ops_.size(); ++i) {
      place_[index(*ops_[i])] = i;
      last_reader_[i] = i;
      for (const ir::Value& operand : ops_[i]->operands()) {
        const size_t at = place_[index(*operand.node)];
        if (at != kElsewhere) last_reader_[at] = i;
      }
    }
  }

  /// Where the parts end, and the bytes that all move.
  struct Cuts {
    std::vector<size_t> ends;
    int64_t bytes = 0;
  };

  /// The parts within the limits that move the fewest bytes.
  Cuts cut(const FusionLimits& limits) {
    const size_t count = ops_.size();
    constexpr int64_t kFar = std::numeric_limits<int64_t>::max();
    std::vector<int64_t> fewest(count + 1, kFar);
    std::vector<size_t> begin_of(count + 1);
    fewest[0] = 0;
    for (size_t begin = 0; begin < count; ++begin) {
      start(begin);
      for (size_t end = begin + 1; end <= count; ++end) {
        append(end - 1);
        if (end > begin + 1 && !is_within(limits, static_cast<int64_t>(end - begin))) break;
        const int64_t bytes = fewest[begin] + kBytesOfKernel + loaded_ + stored_;
        if (bytes >= fewest[end]) continue;
        fewest[end] = bytes;
        begin_of[end] = begin;
      }
    }
    Cuts cuts{.ends = {}, .bytes = fewest[count]};
    for (size_t end = count; end > 0; end = begin_of[end])
      cuts.ends.push_back(end);
    std::ranges::reverse(cuts.ends);
    return cuts;
  }

  [[nodiscard]] const std::vector<Node*>& ops() const { return ops_; }

 private:
  static constexpr size_t kElsewhere = std::numeric_limits<size_t>::max();

  void start(size_t begin) {
    begin_ = begin;
    loaded_ = stored_ = weight_ = num_costly_ = 0;
  }

  void append(size_t at) {
    const Node& op = *ops_[at];
    num_costly_ += length_of_code(op);
    if (last_reader_[at] > at) stored_ += bytes_of(op);
    for (const ir::Value& operand : op.operands()) {
      const Node& value = *operand.node;
      if (clusters_.is_free(value)) continue;
      // Each value once for all that reads it; one that is computed here is read where it is.
      const size_t place = place_[index(value)];
      const bool is_here = place != kElsewhere && place >= begin_;
      if (is_here && last_reader_[place] != at) continue;
      size_t& seen = seen_[index(value)];
      if (seen == begin_) continue;
      seen = begin_;
      if (is_here) {
        stored_ -= bytes_of(value);
      } else {
        loaded_ += bytes_of(value);
        weight_ += operand_weight(value);
      }
    }
  }

  [[nodiscard]] bool is_within(const FusionLimits& limits, int64_t num_ops) const {
    return num_ops <= limits.max_ops && num_costly_ <= limits.max_costly &&
           weight_ <= limits.max_operands * kWeightOfOperand;
  }

  const FusionClusters& clusters_;
  std::vector<Node*> ops_;
  std::vector<size_t> place_;        // by Node::id
  std::vector<size_t> last_reader_;  // of the values in the row
  std::vector<size_t> seen_;         // by Node::id: the begin for which a value was counted
  size_t begin_ = 0;
  int64_t loaded_ = 0;
  int64_t stored_ = 0;  // what is read behind these ops; what others store is stored anyway
  int64_t weight_ = 0;  // of what is loaded
  int64_t num_costly_ = 0;
};

}  // namespace

Parts cut_into_parts(const FusionClusters& clusters, const FusionLimits& limits) {
  Parts parts(clusters.id_bound());
  int part = 0;
  for (int number = 0; number < clusters.num_clusters(); ++number) {
    if (clusters.cluster(number).members.empty() || clusters.is_within(number, limits)) continue;
    Row row(clusters, by_depth(clusters, number));
    Row other(clusters, DepthFirst(clusters, number).run());
    const Row::Cuts cuts = row.cut(limits);
    const Row::Cuts other_cuts = other.cut(limits);
    const bool is_better = other_cuts.bytes < cuts.bytes;
    const std::vector<Node*>& ops = is_better ? other.ops() : row.ops();
    size_t at = 0;
    for (const size_t end : is_better ? other_cuts.ends : cuts.ends) {
      ++part;
      for (; at < end; ++at)
        parts[index(*ops[at])] = part;
    }
  }
  return parts;
}

}  // namespace wick::passes
