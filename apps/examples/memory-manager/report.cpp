#include "report.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace {

using wick::runtime::ArenaItem;

constexpr size_t kMostRows = 15;

template <typename... Values>
std::string formatted(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string size_text(int64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (bytes < 10'000) return formatted("%lld B", static_cast<long long>(bytes));
  if (bytes < 1 << 20) return formatted("%.1f KiB", value / 1024);
  return formatted("%.2f MiB", value / (1 << 20));
}

std::string percent(double part, double whole) {
  return formatted("%.1f %%", whole > 0 ? 100 * part / whole : 0);
}

/// `apps/mnist/network.cpp:18`: the last three parts of the path.
std::string place(const wick::Location& where) {
  if (!where.is_known()) return "-";
  std::string_view file = where.file;
  size_t cut = file.size();
  for (int parts = 0; parts < 3 && cut != std::string_view::npos && cut > 0; ++parts)
    cut = file.rfind('/', cut - 1);
  if (cut != std::string_view::npos) file.remove_prefix(cut + 1);
  return std::string(file) + ":" + std::to_string(where.line);
}

struct Row {
  int64_t bytes = 0;
  int64_t blocks = 0;
  std::string what;
  std::string op;
  std::string where;
};

struct Table {
  std::string title;
  int64_t whole = 0;  // that the shares are of
  std::vector<Row> rows;
};

void sort_and_cut(Table& table) {
  std::ranges::stable_sort(table.rows, std::ranges::greater{}, &Row::bytes);
  if (table.rows.size() <= kMostRows) return;
  Row rest;
  rest.what = "others";
  for (size_t i = kMostRows; i < table.rows.size(); ++i) {
    rest.bytes += table.rows[i].bytes;
    rest.blocks += table.rows[i].blocks;
  }
  table.rows.resize(kMostRows);
  table.rows.push_back(std::move(rest));
}

Table owners_at_peak(const Peak& peak) {
  Table table{"Owners at the peak", peak.sample.in_use, {}};
  for (const auto& [owner, holding] : peak.owners) {
    table.rows.push_back({holding.bytes,
                          holding.blocks,
                          std::string(owner.purpose),
                          std::string(owner.op),
                          place(owner.where)});
  }
  sort_and_cut(table);
  return table;
}

/// The bytes taken during a step. A result computed in place shares those of its operand.
size_t bytes_taken(const std::vector<ArenaItem>& items, int step) {
  std::vector<std::pair<size_t, size_t>> ranges;  // begin and end
  for (const ArenaItem& item : items) {
    if (item.first_step <= step && step <= item.last_step)
      ranges.emplace_back(item.offset, item.offset + item.bytes);
  }
  std::ranges::sort(ranges);
  size_t bytes = 0;
  size_t counted_to = 0;
  for (const auto& [begin, end] : ranges) {
    if (end <= counted_to) continue;
    bytes += end - std::max(begin, counted_to);
    counted_to = end;
  }
  return bytes;
}

/// The step at which the arena's tenants take most bytes.
int fullest_step(const std::vector<ArenaItem>& items) {
  int best = 0;
  size_t most = 0;
  for (const ArenaItem& candidate : items) {
    const size_t bytes = bytes_taken(items, candidate.first_step);
    if (bytes > most) {
      most = bytes;
      best = candidate.first_step;
    }
  }
  return best;
}

Table arena_tenants(const Peak& peak) {
  const int step = fullest_step(peak.arena);
  Table table{"Tenants of the arena at its fullest step, number " + std::to_string(step) + " (" +
                  size_text(peak.arena_bytes) + " in all, which " +
                  std::to_string(peak.arena.size()) + " values share over time)",
              peak.arena_bytes,
              {}};
  for (const ArenaItem& item : peak.arena) {
    if (step < item.first_step || item.last_step < step) continue;
    table.rows.push_back({static_cast<int64_t>(item.bytes),
                          1,
                          item.is_scratch ? "scratch" : "value",
                          std::string(item.op),
                          place(item.where)});
  }
  sort_and_cut(table);
  return table;
}

std::string summary(const Ledger& ledger) {
  const Sample& peak = ledger.peak().sample;
  return "Peak " + size_text(peak.in_use) + " in use of " + size_text(peak.reserved) +
         " reserved, after " + formatted("%.2f s", peak.seconds) + "; fragmentation there " +
         percent(peak.fragmentation, 1) + "; " + std::to_string(ledger.allocations()) +
         " allocations in all";
}

double worst_fragmentation(const Ledger& ledger) {
  double worst = 0;
  for (const Sample& sample : ledger.samples())
    worst = std::max(worst, sample.fragmentation);
  return worst;
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

void append_text(std::ostringstream& out, const Table& table) {
  out << "\n" << table.title << "\n";
  out << formatted(
      "%8s %12s %7s  %-14s %-20s %s\n", "share", "bytes", "blocks", "what", "op", "where");
  for (const Row& row : table.rows) {
    out << formatted(
               "%8s %12lld %7lld  %-14s %-20s ",
               percent(static_cast<double>(row.bytes), static_cast<double>(table.whole)).c_str(),
               static_cast<long long>(row.bytes),
               static_cast<long long>(row.blocks),
               row.what.c_str(),
               row.op.c_str())
        << row.where << "\n";
  }
}

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '&')
      safe += "&amp;";
    else
      safe += c;
  }
  return safe;
}

// The charts.

constexpr double kLeft = 84;
constexpr double kWidth = 780;
constexpr double kRight = 16;
constexpr int kTicks = 4;

/// A round number of at least this: 1, 2, 2.5 or 5 times a power of ten.
double round_up(double value) {
  double unit = 1;
  while (unit < value)
    unit *= 10;
  while (unit / 10 >= value && unit > 1e-9)
    unit /= 10;
  for (const double part : {0.2, 0.25, 0.5, 1.0}) {
    if (unit * part >= value) return unit * part;
  }
  return unit;
}

struct Chart {
  double height = 0;
  double seconds = 0;
  double top = 0;  // value of the upper edge

  [[nodiscard]] double x(double at) const {
    return kLeft + (seconds > 0 ? at / seconds : 0) * kWidth;
  }

  [[nodiscard]] double y(double value) const { return 10 + (1 - value / top) * height; }
};

/// A line of steps: each value holds until the next.
template <typename Value>
std::string steps(const Chart& chart, const std::vector<Sample>& samples, const Value& value) {
  std::string points;
  for (size_t i = 0; i < samples.size(); ++i) {
    const double x = chart.x(samples[i].seconds);
    const double y = chart.y(value(samples[i]));
    points += i == 0 ? formatted("M%.1f,%.1f", x, y) : formatted("H%.1fV%.1f", x, y);
  }
  return points + formatted("H%.1f", kLeft + kWidth);
}

std::string open_chart(const Chart& chart, const std::string& name, const std::string& unit) {
  std::string svg =
      formatted(
          "<svg viewBox='0 0 %.0f %.0f' role='img'>", kLeft + kWidth + kRight, chart.height + 48) +
      "<title>" + name + "</title>";
  for (int i = 0; i <= kTicks; ++i) {
    const double value = chart.top * i / kTicks;
    const double y = chart.y(value);
    svg += formatted("<line class='grid' x1='%.0f' x2='%.0f' y1='%.1f' y2='%.1f'/>",
                     kLeft,
                     kLeft + kWidth,
                     y,
                     y);
    svg += formatted("<text x='%.0f' y='%.1f' text-anchor='end'>%g %s</text>",
                     kLeft - 8,
                     y + 4,
                     value,
                     unit.c_str());
    const double second = chart.seconds * i / kTicks;
    svg += formatted("<text x='%.1f' y='%.0f' text-anchor='%s'>%.2f s</text>",
                     chart.x(second),
                     chart.height + 30,
                     i == kTicks ? "end" : "middle",
                     second);
  }
  return svg;
}

std::string memory_chart(const Ledger& ledger) {
  const std::vector<Sample>& samples = ledger.samples();
  const auto mebibytes = [](int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  double most = 0;
  for (const Sample& sample : samples)
    most = std::max(most, mebibytes(std::max(sample.in_use, sample.reserved)));
  const Chart chart{260, samples.empty() ? 0 : samples.back().seconds, round_up(most)};
  std::string svg = open_chart(chart, "Memory over time", "MiB");
  const auto in_use = [&](const Sample& sample) { return mebibytes(sample.in_use); };
  const auto reserved = [&](const Sample& sample) { return mebibytes(sample.reserved); };
  const std::string line = steps(chart, samples, in_use);
  svg += "<path class='fill' d='" + line + formatted("V%.1f", chart.y(0)) +
         formatted("H%.1fZ'/>", kLeft);
  svg += "<path class='reserved' d='" + steps(chart, samples, reserved) + "'/>";
  svg += "<path class='used' d='" + line + "'/>";
  const Sample& peak = ledger.peak().sample;
  const double x = chart.x(peak.seconds);
  const double y = chart.y(in_use(peak));
  const bool is_late = x > kLeft + kWidth / 2;
  svg += formatted("<circle cx='%.1f' cy='%.1f' r='4'/>", x, y);
  svg += formatted("<text class='peak' x='%.1f' y='%.1f' text-anchor='%s'>peak %s</text>",
                   is_late ? x - 8 : x + 8,
                   y - 6,
                   is_late ? "end" : "start",
                   size_text(peak.in_use).c_str());
  return svg + "</svg>";
}

std::string fragmentation_chart(const Ledger& ledger) {
  const std::vector<Sample>& samples = ledger.samples();
  const Chart chart{120, samples.empty() ? 0 : samples.back().seconds, 100};
  const auto value = [](const Sample& sample) { return 100 * sample.fragmentation; };
  return open_chart(chart, "Fragmentation over time", "%") + "<path class='fragmentation' d='" +
         steps(chart, samples, value) + "'/></svg>";
}

void append_html(std::ostringstream& out, const Table& table) {
  out << "<h2>" << escaped(table.title) << "</h2>\n<table><tr><th>share<th class='number'>bytes"
      << "<th class='number'>blocks<th>what<th>op<th>where</tr>\n";
  for (const Row& row : table.rows) {
    const double share =
        table.whole > 0 ? static_cast<double>(row.bytes) / static_cast<double>(table.whole) : 0;
    out << "<tr><td><span class='share'>" << percent(share, 1)
        << "</span><span class='bar' style='width:" << formatted("%.0f", 100 * share)
        << "px'></span><td class='number'>" << size_text(row.bytes) << "<td class='number'>"
        << row.blocks << "<td>" << escaped(row.what) << "<td>" << escaped(row.op) << "<td><code>"
        << escaped(row.where) << "</code></tr>\n";
  }
  out << "</table>\n";
}

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Memory of a Wick program</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; color: #1c2430; max-width: 900px; margin: 32px auto; padding: 0 16px; }
h1 { font-size: 24px; margin-bottom: 4px; } h2 { font-size: 17px; margin: 28px 0 8px; }
svg { width: 100%; } svg text { font-size: 12px; fill: #5b6675; } svg .peak { fill: #1c2430; font-weight: 600; }
.grid { stroke: #e3e7ec; } path { fill: none; stroke-width: 1.5; } .fill { fill: #2f6fde22; }
.used { stroke: #2f6fde; } .reserved { stroke: #9aa4b1; stroke-dasharray: 5 4; } .fragmentation { stroke: #c2571a; }
circle { fill: #2f6fde; } .key::before { content: ''; display: inline-block; width: 22px; margin: 0 6px 4px 0; border-top: 3px solid #2f6fde; }
.key.grey::before { border-top: 2px dashed #9aa4b1; } .key { margin-right: 20px; }
table { border-collapse: collapse; width: 100%; } th { text-align: left; color: #5b6675; font-weight: 500; }
td, th { padding: 3px 10px 3px 0; border-bottom: 1px solid #e3e7ec; white-space: nowrap; } .number { text-align: right; padding-right: 24px; }
.share { display: inline-block; width: 56px; } .bar { display: inline-block; height: 9px; background: #2f6fde; }
td:first-child { width: 180px; } code { font-size: 13px; }
</style>
)";

}  // namespace

void write_text_report(const std::string& path, const Ledger& ledger) {
  std::ostringstream out;
  out << summary(ledger) << "\nworst fragmentation " << percent(worst_fragmentation(ledger), 1)
      << "\n";
  append_text(out, owners_at_peak(ledger.peak()));
  if (!ledger.peak().arena.empty()) append_text(out, arena_tenants(ledger.peak()));
  write(path, out.str());
}

void write_html_report(const std::string& path, const Ledger& ledger) {
  std::ostringstream out;
  out << kHead << "<h1>Memory</h1>\n<p>" << summary(ledger) << ".</p>\n"
      << "<p><span class='key'>in use</span><span class='key grey'>reserved</span></p>\n"
      << memory_chart(ledger)
      << "\n<h2>Fragmentation: free bytes outside the largest free block</h2>\n"
      << fragmentation_chart(ledger) << "\n";
  append_html(out, owners_at_peak(ledger.peak()));
  if (!ledger.peak().arena.empty()) append_html(out, arena_tenants(ledger.peak()));
  out << "</html>\n";
  write(path, out.str());
}
