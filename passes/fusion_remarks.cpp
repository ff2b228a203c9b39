#include "wick/passes/fusion_remarks.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

#include "wick/ir/format.h"

namespace wick::passes {

using ir::Node;
using ir::OpKind;

namespace {

/// Of what nobody read before.
constexpr auto kStoredInstead = "it is stored in place of what is computed from it again";

constexpr int kNone = FusionClusters::kNone;

/// `exp f32[8,8]`; places are the remark's.
std::string described(const Node& node) {
  return fmt::format("{} {}", node.op_name(), node.type());
}

/// Positions alone forbid one kernel for both, not computing the value again; whatever else forbids
/// one kernel says more than what keeps the value from being computed twice.
std::pair<Objection, Objection> ranked(const Objection& merge, const Objection& copy) {
  if (copy.empty()) return {merge, copy};
  const bool merge_is_weak =
      merge.empty() || merge.code() == fusion_code::kShape || merge.code() == fusion_code::kIndexed;
  return merge_is_weak ? std::pair(copy, merge) : std::pair(merge, copy);
}

}  // namespace

/// One telling of a log.
class FusionExplainer {
 public:
  FusionExplainer(const FusionLog& log, const FusionClusters& clusters)
      : log_(log),
        clusters_(clusters) {
    for (const FusionLog::Attempt& attempt : log.merges_)
      merges_[{attempt.producer->id(), attempt.consumer->id()}] = attempt.no;
    for (const FusionLog::Attempt& attempt : log.copies_)
      copies_[attempt.producer->id()].push_back(&attempt);
  }

  void run() {
    for (const Node* node : clusters_.order()) {
      if (!clusters_.is_dead(*node)) explain_operands(*node, clusters_.home(*node));
      for (const int number : clusters_.copied_into(*node))
        explain_operands(*node, number);
    }
    for (const FusionLog::Attempt& attempt : log_.siblings_)
      explain_siblings(attempt);
  }

 private:
  /// Why what the node reads is in the same kernel, or is not.
  void explain_operands(const Node& node, int number) {
    if (number == kNone && is_alias(node)) return;
    for (const ir::Value& operand : node.operands())
      explain_edge(*operand.node, node, number);
  }

  void explain_edge(const Node& operand, const Node& consumer, int number) {
    const Node* producer = &operand;
    Objection merge = merge_of(operand, consumer);
    while (is_alias(*producer)) {
      const Node* source = producer->operand(0).node;
      if (merge.empty()) merge = merge_of(*source, *producer);
      producer = source;
    }
    const bool is_data = producer->op() == OpKind::parameter || producer->op() == OpKind::constant;
    if (is_data) return;
    // Ops by themselves have no number: each reads for itself.
    const int place = number == kNone ? -1 - consumer.id() : number;
    if (!told_.emplace(producer->id(), place).second) return;
    // An op that several kernels compute reads its operands in each.
    if (!edges_.emplace(producer->id(), consumer.id()).second) return;
    if (number != kNone && clusters_.is_inside(*producer, number)) {
      const bool is_copy = clusters_.home(*producer) != number && !clusters_.is_dead(*producer);
      say_fused(*producer, consumer, is_copy ? "is computed again in" : "joins");
      return;
    }
    const int home = clusters_.home(*producer);
    if (home == kNone && number == kNone) return;  // nothing that could fuse
    parted_.insert(std::minmax(home, number));
    if (home == kNone || number == kNone) {
      const Node& opaque = home == kNone ? *producer : consumer;
      say_missed(*producer,
                 consumer,
                 {fusion_code::kOpaque},
                 is_fusion(opaque) ? "a fusion that is there already stays as it is"
                                   : fmt::format("kernels do not compute {}", opaque.op_name()));
      return;
    }
    explain_missed(*producer, consumer, number, merge);
  }

  /// A reshape outside of kernels: free, wherever it stands.
  [[nodiscard]] bool is_alias(const Node& node) const {
    return node.op() == OpKind::reshape && clusters_.home(node) == kNone &&
           !clusters_.is_dead(node);
  }

  static bool is_fusion(const Node& node) {
    const auto reads_one = [](const ir::Value& operand) {
      return operand.node->op() == OpKind::fusion;
    };
    return node.op() == OpKind::fusion || std::ranges::any_of(node.operands(), reads_one);
  }

  void explain_missed(const Node& producer,
                      const Node& consumer,
                      int number,
                      const Objection& merge) {
    const Objection parting = merge.empty() ? parting_of(clusters_.home(producer), number) : merge;
    auto [first, second] = ranked(parting, copy_of(producer, number));
    if (first.empty()) first = {fusion_code::kReuse, kStoredInstead};
    const std::string reason = first.reason();
    const std::string other = second.reason();
    const bool says_more = !other.empty() && other != reason;
    say_missed(producer, consumer, first, says_more ? reason + "; " + other : reason);
  }

  /// What kept the clusters of the two from being one, when that was tried.
  [[nodiscard]] Objection merge_of(const Node& producer, const Node& consumer) const {
    const auto attempt = merges_.find({producer.id(), consumer.id()});
    return attempt == merges_.end() ? Objection() : attempt->second;
  }

  /// What kept two clusters apart: of a value that nobody read before another one was computed from
  /// it again, nothing was asked.
  [[nodiscard]] Objection parting_of(int home, int reader) const {
    for (const FusionLog::Attempt& attempt : log_.merges_) {
      const bool is_between =
          clusters_.home(*attempt.producer) == home && clusters_.home(*attempt.consumer) == reader;
      if (is_between && !attempt.no.empty()) return attempt.no;
    }
    return {};
  }

  /// What kept the value from being computed again in the cluster.
  [[nodiscard]] Objection copy_of(const Node& value, int number) const {
    const auto attempts = copies_.find(value.id());
    if (attempts == copies_.end()) return {};
    for (const FusionLog::Attempt* attempt : attempts->second) {
      if (clusters_.is_inside(*attempt->consumer, number)) return attempt->no;
    }
    return {};
  }

  void explain_siblings(const FusionLog::Attempt& attempt) {
    const int one = clusters_.home(*attempt.producer);
    const int other = clusters_.home(*attempt.consumer);
    if (one == kNone || other == kNone) return;
    // A value that both compute themselves is not read by either.
    if (clusters_.is_dead(*attempt.shared)) return;
    const std::string why = fmt::format("both read {}", described(*attempt.shared));
    if (attempt.no.empty()) {
      remark(*attempt.producer,
             *attempt.consumer,
             fusion_code::kFused,
             false,
             fmt::format("{} shares the kernel of {}: {}",
                         described(*attempt.producer),
                         described(*attempt.consumer),
                         why));
      return;
    }
    if (one == other || !parted_.insert(std::minmax(one, other)).second) return;
    say_missed(*attempt.producer,
               *attempt.consumer,
               attempt.no,
               fmt::format("{}, but {}", why, attempt.no.reason()));
  }

  void say_fused(const Node& producer, const Node& consumer, std::string_view verb) {
    remark(producer,
           consumer,
           fusion_code::kFused,
           false,
           fmt::format("{} {} the kernel of {}", described(producer), verb, described(consumer)));
  }

  void say_missed(const Node& producer,
                  const Node& consumer,
                  const Objection& no,
                  const std::string& reason) {
    remark(producer,
           consumer,
           no.code(),
           true,
           fmt::format("{} stays out of the kernel of {}{}{}",
                       described(producer),
                       described(consumer),
                       reason.empty() ? "" : ": ",
                       reason));
  }

  void remark(const Node& producer,
              const Node& consumer,
              std::string_view code,
              bool missed,
              std::string text) {
    log_.context_.remark({.pass = {},
                          .code = std::string(code),
                          .missed = missed,
                          .where = consumer.location(),
                          .other = producer.location(),
                          .text = std::move(text)});
  }

  const FusionLog& log_;
  const FusionClusters& clusters_;
  std::map<std::pair<int, int>, Objection> merges_;               // by ids of producer and consumer
  std::map<int, std::vector<const FusionLog::Attempt*>> copies_;  // by id of the value
  std::set<std::pair<int, int>> edges_;   // ids of the ops that remarks have named
  std::set<std::pair<int, int>> told_;    // a value, and the kernel or op that reads it
  std::set<std::pair<int, int>> parted_;  // kernels that stay two, and why was said
};

void FusionLog::merged(const Node& producer, const Node& consumer, const Objection& no) {
  if (context_.wants_remarks()) merges_.push_back({&producer, &consumer, no});
}

void FusionLog::recomputed(const Node& value, const Node& reader, const Objection& no) {
  if (context_.wants_remarks()) copies_.push_back({&value, &reader, no});
}

void FusionLog::joined(const Node& one,
                       const Node& other,
                       const Node& shared,
                       const Objection& no) {
  if (context_.wants_remarks()) siblings_.push_back({&one, &other, no, &shared});
}

void FusionLog::explain(const FusionClusters& clusters) const {
  if (context_.wants_remarks()) FusionExplainer(*this, clusters).run();
}

}  // namespace wick::passes
