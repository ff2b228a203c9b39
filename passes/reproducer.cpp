#include "wick/passes/reproducer.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <stdexcept>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "wick/ir/error.h"
#include "wick/passes/options.h"
#include "wick/passes/plugin.h"

namespace wick::passes {

namespace {

constexpr std::string_view kTitle = "// Wick reproducer";
constexpr std::string_view kPipeline = "// pass-pipeline: ";
constexpr std::string_view kPlugin = "// plugin: ";

std::string new_path() {
  static std::atomic<int> number{0};
  const Options& options = wick::options();
  std::filesystem::path folder = options.reproducer_dir;
  if (folder.empty()) folder = options.dump_to;
  std::error_code ignored;
  if (folder.empty()) folder = std::filesystem::temp_directory_path(ignored);
  std::filesystem::create_directories(folder, ignored);
  return folder / fmt::format("wick-reproducer-{}-{}.wick", getpid(), number++);
}

// What a crash handler needs is ready before the crash: it may call little more than write().

struct CrashNote {
  const std::string* path;
  const std::string* text;
  const std::string* command;
};

thread_local CrashNote current_note{};  // null members: nothing runs on this thread

constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
std::array<struct sigaction, kSignals.size()> previous_handlers;
std::mutex handlers_mutex;
int armed = 0;

void restore_handlers() {
  for (size_t i = 0; i < kSignals.size(); ++i)
    sigaction(kSignals[i], &previous_handlers[i], nullptr);
}

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

void on_crash(int signal) {
  restore_handlers();
  if (current_note.path != nullptr) {
    constexpr int kMode = 0644;
    const int file = ::open(current_note.path->c_str(), O_WRONLY | O_CREAT | O_TRUNC, kMode);
    if (file >= 0) {
      write_all(file, *current_note.text);
      ::close(file);
      write_all(STDERR_FILENO, "wick: a pass crashed; replay with: ");
      write_all(STDERR_FILENO, *current_note.command);
      write_all(STDERR_FILENO, "\n");
    }
  }
  raise(signal);  // to the handler before this one, once this returns
}

void arm() {
  const std::lock_guard guard(handlers_mutex);
  if (armed++ > 0) return;
  struct sigaction action{};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK;
  for (size_t i = 0; i < kSignals.size(); ++i)
    sigaction(kSignals[i], &action, &previous_handlers[i]);
}

void disarm() {
  const std::lock_guard guard(handlers_mutex);
  if (--armed == 0) restore_handlers();
}

/// A stack overflow leaves no stack to handle it on.
void give_signal_stack(std::vector<std::byte>& memory) {
  stack_t old{};
  if (sigaltstack(nullptr, &old) != 0 || (old.ss_flags & SS_DISABLE) == 0) return;
  memory.resize(size_t{64} * 1024);
  stack_t fresh{};
  fresh.ss_sp = memory.data();
  fresh.ss_size = memory.size();
  sigaltstack(&fresh, nullptr);
}

void take_signal_stack(const std::vector<std::byte>& memory) {
  if (memory.empty()) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

Reproducer::Reproducer(const std::string& pipeline, std::string recorded)
    : path_(new_path()),
      command_("wick-opt --run-reproducer " + path_) {
  text_ = fmt::format("{}; replay with: {}\n{}{}\n", kTitle, command_, kPipeline, pipeline);
  for (const LoadedPlugin& plugin : loaded_plugins())
    text_ += fmt::format("{}{}\n", kPlugin, plugin.path);
  text_ += recorded;
  give_signal_stack(signal_stack_);
  current_note = {&path_, &text_, &command_};
  arm();
}

Reproducer::~Reproducer() {
  disarm();
  current_note = {};
  take_signal_stack(signal_stack_);
}

std::string Reproducer::write(const std::string& cause) const {
  std::ofstream file(path_, std::ios::binary);
  file << text_ << "// " << one_line(cause) << "\n";
  file.close();
  if (!file) return fmt::format("no reproducer: cannot write {}", path_);
  return fmt::format("reproducer: {}\nreplay with: {}", path_, command_);
}

void Reproducer::rethrow(const std::string& pass, const std::exception& failure) {
  const std::string what = fmt::format("pass '{}' failed: {}", pass, failure.what());
  const std::string where = write(what);
  if (const auto* error = dynamic_cast<const Error*>(&failure)) {
    throw Error(error->where(),
                error->op(),
                fmt::format("pass '{}' failed: {}\n{}", pass, error->text(), where));
  }
  throw std::runtime_error(what + "\n" + where);
}

std::optional<ReproducerHeader> read_reproducer_header(std::string_view text) {
  if (!text.starts_with(kTitle)) return std::nullopt;
  ReproducerHeader header;
  while (text.starts_with("//")) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.starts_with(kPipeline)) header.pipeline = line.substr(kPipeline.size());
    if (line.starts_with(kPlugin)) header.plugins.emplace_back(line.substr(kPlugin.size()));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return header;
}

}  // namespace wick::passes
