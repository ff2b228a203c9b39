#include "wick/runtime/profile_writer.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wick::runtime {
namespace {

using profile::Arg;
using profile::Event;
using profile::Label;

constexpr size_t kFlushBytes = size_t{1} << 20U;
// Rows of recording stand beside the threads'; thread ids of Linux stay below 2^22.
constexpr int64_t kRecordingRow = int64_t{1} << 24U;

/// Quoted; what is no UTF-8 becomes U+FFFD.
std::string json_text(std::string_view text) {
  using Json = nlohmann::json;
  return Json(text).dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

struct ValueText {
  std::string operator()(bool value) const { return value ? "true" : "false"; }

  std::string operator()(int64_t value) const { return fmt::format("{}", value); }

  std::string operator()(double value) const {
    return std::isfinite(value) ? fmt::format("{}", value) : "null";
  }

  std::string operator()(const std::string& value) const { return json_text(value); }
};

std::string members(const std::vector<Arg>& args) {
  std::string text;
  for (const Arg& arg : args) {
    if (!text.empty()) text += ",";
    text += json_text(arg.name) + ":" + std::visit(ValueText{}, arg.value);
  }
  return text;
}

class TraceWriter {
 public:
  TraceWriter(std::ostream& out, Profile& profile) : out_(out), profile_(profile) {}

  void run() {
    const nlohmann::json other = {{"program", profile_.program},
                                  {"threads", profile_.num_threads},
                                  {"backend", profile_.backend},
                                  {"dropped_events", profile_.dropped_events}};
    append("{{\"displayTimeUnit\":\"ms\",\"otherData\":{},\"traceEvents\":[",
           other.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
    metadata("process_name", 0, profile_.program);
    for (ThreadEvents& thread : profile_.threads)
      write(thread);
    text_ += "\n]}\n";
    flush();
  }

 private:
  /// The parts of an event that its label decides.
  struct LabelText {
    std::string name;
    std::string args;
  };

  void write(ThreadEvents& thread) {
    metadata("thread_name", thread.thread_id, thread.name);
    const auto has_recordings = [](const Event& e) { return e.kind == Event::Kind::recording; };
    if (std::ranges::any_of(thread.events, has_recordings)) {
      metadata("thread_name", thread.thread_id + kRecordingRow, "recording, " + thread.name);
    }
    std::ranges::stable_sort(thread.events, [](const Event& a, const Event& b) {
      return a.start != b.start ? a.start < b.start : a.duration > b.duration;
    });
    for (const Event& event : thread.events)
      write(event, thread.thread_id);
  }

  void write(const Event& event, int64_t thread) {
    const LabelText& label = text_of(event.label);
    const int64_t start = std::max(event.start, profile_.start);
    const int64_t duration = std::max<int64_t>(0, event.start + event.duration - start);
    const std::string args = join(label.args, members(event.args), rates(*event.label, duration));
    if (event.kind == Event::Kind::counter) {
      append(",\n{{\"ph\":\"C\",\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{},\"args\":{{{}}}}}",
             label.name,
             profile_.process_id,
             thread,
             microseconds(start - profile_.start),
             args);
      return;
    }
    append(
        ",\n{{\"ph\":\"X\",\"cat\":\"{}\",\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},"
        "\"args\":{{{}}}}}",
        event.category,
        label.name,
        profile_.process_id,
        thread + (event.kind == Event::Kind::recording ? kRecordingRow : 0),
        microseconds(start - profile_.start),
        microseconds(duration),
        args);
  }

  void metadata(std::string_view what, int64_t thread, std::string_view name) {
    append("{}{{\"ph\":\"M\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":{}}}}}",
           is_first_ ? "\n" : ",\n",
           what,
           profile_.process_id,
           thread,
           json_text(name));
    is_first_ = false;
  }

  static LabelText make_text(const Label& label) {
    LabelText text{json_text(label.name), members(label.args)};
    if (label.bytes > 0) text.args = join(text.args, fmt::format("\"bytes\":{}", label.bytes));
    if (label.flops > 0) text.args = join(text.args, fmt::format("\"flops\":{}", label.flops));
    return text;
  }

  /// Made once for labels that several events share.
  const LabelText& text_of(const std::shared_ptr<const Label>& label) {
    if (label.use_count() == 1) return single_ = make_text(*label);
    const auto [entry, is_new] = labels_.try_emplace(label.get());
    if (is_new) entry->second = make_text(*label);
    return entry->second;
  }

  static std::string rates(const Label& label, int64_t nanoseconds) {
    std::string text;
    if (nanoseconds <= 0) return text;
    const auto time = static_cast<double>(nanoseconds);
    if (label.bytes > 0) {
      text = fmt::format("\"GB/s\":{:.3f}", static_cast<double>(label.bytes) / time);
    }
    if (label.flops > 0) text = join(text, fmt::format("\"GFLOP/s\":{:.3f}", label.flops / time));
    return text;
  }

  template <typename... Texts>
  static std::string join(const Texts&... texts) {
    std::string all;
    for (const std::string_view text : {std::string_view(texts)...}) {
      if (!all.empty() && !text.empty()) all += ",";
      all += text;
    }
    return all;
  }

  /// Exact to the nanosecond, so that slices stay nested.
  static std::string microseconds(int64_t nanoseconds) {
    return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
  }

  template <typename... Parts>
  void append(fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Parts>(parts)...);
    if (text_.size() >= kFlushBytes) flush();
  }

  void flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

  std::ostream& out_;
  Profile& profile_;
  std::string text_;
  std::unordered_map<const Label*, LabelText> labels_;
  LabelText single_;
  bool is_first_ = true;
};

}  // namespace

void write_chrome_trace(std::ostream& out, Profile& profile) {
  TraceWriter(out, profile).run();
}

}  // namespace wick::runtime
