#include "wick/passes/text_diff.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

namespace wick::passes {

namespace {

using Lines = std::vector<std::string_view>;

Lines split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

struct Edit {
  char kind = ' ';  // ' ' in both, '-' removed, '+' added
  std::string_view line;
};

/// A shortest edit script by the greedy algorithm of Myers, "An O(ND) Difference Algorithm and Its
/// Variations", 1986: for each number of edits d, the furthest point reached on each diagonal.
class Myers {
 public:
  Myers(const Lines& a, const Lines& b) : a_(a), b_(b) {}

  std::vector<Edit> run() {
    const int64_t most = std::ssize(a_) + std::ssize(b_);
    for (int64_t d = 0; d <= most; ++d) {
      if (d > kMostEdits) return replace_all();
      if (advance(d)) break;
    }
    return trace_back();
  }

 private:
  /// Memory is the square of the number of edits; texts this different are better shown whole.
  static constexpr int64_t kMostEdits = 2000;

  [[nodiscard]] std::vector<Edit> replace_all() const {
    std::vector<Edit> edits;
    for (const std::string_view line : a_)
      edits.push_back({'-', line});
    for (const std::string_view line : b_)
      edits.push_back({'+', line});
    return edits;
  }

  /// Reach of diagonal k (x - y) with d edits; rows hold the diagonals -d, -d+2 ... d.
  [[nodiscard]] int64_t reach(int64_t d, int64_t k) const {
    if (d < 0 || k < -d || k > d) return -1;
    return rows_[static_cast<size_t>(d)][static_cast<size_t>((k + d) / 2)];
  }

  /// Whether diagonal k is reached with d edits by an added line, not a removed one.
  [[nodiscard]] bool comes_from_above(int64_t d, int64_t k) const {
    return k == -d || (k != d && reach(d - 1, k - 1) < reach(d - 1, k + 1));
  }

  bool advance(int64_t d) {
    std::vector<int64_t> row;
    bool done = false;
    for (int64_t k = -d; k <= d; k += 2) {
      int64_t x = 0;
      if (d > 0) x = comes_from_above(d, k) ? reach(d - 1, k + 1) : reach(d - 1, k - 1) + 1;
      while (x < std::ssize(a_) && x - k < std::ssize(b_) && x - k >= 0 &&
             a_[static_cast<size_t>(x)] == b_[static_cast<size_t>(x - k)]) {
        ++x;
      }
      row.push_back(x);
      done = done || (x >= std::ssize(a_) && x - k >= std::ssize(b_));
    }
    rows_.push_back(std::move(row));
    return done;
  }

  [[nodiscard]] std::vector<Edit> trace_back() const {
    std::vector<Edit> edits;
    int64_t x = std::ssize(a_);
    int64_t y = std::ssize(b_);
    for (int64_t d = std::ssize(rows_) - 1; d > 0; --d) {
      const int64_t k = x - y;
      const bool added = comes_from_above(d, k);
      const int64_t from = added ? reach(d - 1, k + 1) : reach(d - 1, k - 1);
      const int64_t start = added ? from : from + 1;  // of the common lines after the edit
      for (; x > start; --x, --y)
        edits.push_back({' ', a_[static_cast<size_t>(x - 1)]});
      if (added) {
        edits.push_back({'+', b_[static_cast<size_t>(--y)]});
      } else {
        edits.push_back({'-', a_[static_cast<size_t>(--x)]});
      }
    }
    for (; x > 0; --x)
      edits.push_back({' ', a_[static_cast<size_t>(x - 1)]});
    std::ranges::reverse(edits);
    return edits;
  }

  const Lines& a_;
  const Lines& b_;
  std::vector<std::vector<int64_t>> rows_;
};

constexpr size_t kContext = 3;

std::string hunk_text(const std::vector<Edit>& edits, size_t begin, size_t end, bool color) {
  const auto before = [&](char kind) {
    return std::count_if(edits.begin(),
                         edits.begin() + static_cast<std::ptrdiff_t>(begin),
                         [&](const Edit& edit) { return edit.kind == ' ' || edit.kind == kind; });
  };
  std::string text = fmt::format("@@ -{} +{} @@\n", before('-') + 1, before('+') + 1);
  for (size_t i = begin; i < end; ++i) {
    const auto& [kind, line] = edits[i];
    const std::string_view on = kind == '-' ? "\033[31m" : "\033[32m";
    if (color && kind != ' ') {
      text += fmt::format("{}{}{}\033[0m\n", on, kind, line);
    } else {
      text += fmt::format("{}{}\n", kind, line);
    }
  }
  return text;
}

}  // namespace

std::string diff_lines(std::string_view before, std::string_view after, bool color) {
  const Lines a = split(before);
  const Lines b = split(after);
  const std::vector<Edit> edits = Myers(a, b).run();
  std::string text;
  size_t i = 0;
  while (i < edits.size()) {
    if (edits[i].kind == ' ') {
      ++i;
      continue;
    }
    const size_t begin = i > kContext ? i - kContext : 0;
    size_t last = i;  // the last edit of the hunk
    for (size_t j = i; j < edits.size() && j - last <= 2 * kContext; ++j) {
      if (edits[j].kind != ' ') last = j;
    }
    const size_t end = std::min(last + kContext + 1, edits.size());
    text += hunk_text(edits, begin, end, color);
    i = end;
  }
  return text;
}

}  // namespace wick::passes
