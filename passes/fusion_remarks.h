#pragma once

// What the fuse pass has to say about its decisions, once they are final.

#include <utility>
#include <vector>

#include "wick/passes/fusion_clusters.h"
#include "wick/passes/pass.h"

namespace wick::passes {

/// Keeps what was tried, if anybody listens, and tells at the end what came of it: a remark for
/// each value and kernel that reads it, and for each pair of kernels that read the same value.
class FusionLog {
 public:
  explicit FusionLog(PassContext& context) : context_(context) {}

  /// The consumer's group was to take in the producer's.
  void merged(const ir::Node& producer, const ir::Node& consumer, const Objection& no);
  /// The reader's group was to compute the value again.
  void recomputed(const ir::Node& value, const ir::Node& reader, const Objection& no);
  /// Two groups that read `shared` were to become one.
  void joined(const ir::Node& one,
              const ir::Node& other,
              const ir::Node& shared,
              const Objection& no);

  /// Remarks on the groups as they are now.
  void explain(const FusionClusters& clusters) const;

 private:
  friend class FusionExplainer;

  struct Attempt {
    const ir::Node* producer;
    const ir::Node* consumer;
    Objection no;
    const ir::Node* shared = nullptr;
  };

  PassContext& context_;
  std::vector<Attempt> merges_;
  std::vector<Attempt> copies_;
  std::vector<Attempt> siblings_;
};

}  // namespace wick::passes
