#pragma once

// Results as they come: a Markdown table on standard output, what is going on on standard error.

#include <span>
#include <string>

#include "harness/measure.h"

namespace wick::bench {

class Table {
 public:
  /// `with_peers` adds their columns.
  explicit Table(bool with_peers) : with_peers_(with_peers) {}

  void print_header() const;
  void print_row(const Measurement& m) const;
  /// Goals reached, memory and starts of models, and the geometric means against the peers.
  void print_summary(std::span<const Measurement> all) const;

 private:
  bool with_peers_;
};

/// Shows what is going on, on a terminal alone.
void show_progress(const std::string& text);

/// How many times as long the peer of that name takes; 0 when there is none.
double peer_ratio(const Measurement& m, const std::string& name);

/// Against the fastest of all peers.
double best_peer_ratio(const Measurement& m);

}  // namespace wick::bench
