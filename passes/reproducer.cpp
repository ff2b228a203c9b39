#include "wick/passes/reproducer.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>

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
  std::error_code ignored;
  std::filesystem::path folder = options.reproducer_dir;
  // Now, for a crash handler cannot.
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  if (folder.empty()) folder = options.dump_to;
  if (folder.empty()) folder = std::filesystem::temp_directory_path(ignored);
  static const auto start = std::chrono::system_clock::now().time_since_epoch().count();
  return folder / fmt::format("wick-reproducer-{:x}-{}-{}.wick", start, getpid(), number++);
}

// What a crash handler needs is ready before the crash: it may call little more than write().

// Null members: nothing runs on this thread. The model keeps a handler from allocating it.
thread_local CrashNote current_note __attribute__((tls_model("initial-exec"))){};

constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
std::array<struct sigaction, kSignals.size()> previous_handlers;
std::mutex handlers_mutex;
int armed = 0;

void on_crash(int signal, siginfo_t* info, void* context);

/// Handlers that the program has installed meanwhile stay.
void restore_handlers() {
  for (size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction now{};
    sigaction(kSignals[i], nullptr, &now);
    const bool is_ours = (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_crash;
    if (is_ours) sigaction(kSignals[i], &previous_handlers[i], nullptr);
  }
}

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

/// A new file of this name alone: what a link or an earlier run has left there stays.
int create_file(const std::string& path) {
  constexpr int kMode = 0644;
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode);
}

void on_crash(int signal, siginfo_t* info, void* context) {
  const auto which = static_cast<size_t>(std::ranges::find(kSignals, signal) - kSignals.begin());
  const struct sigaction& previous = previous_handlers[which];
  if (current_note.path == nullptr) {  // no pass of this thread: the program may want the signal
    if ((previous.sa_flags & SA_SIGINFO) != 0) return previous.sa_sigaction(signal, info, context);
    if (previous.sa_handler == SIG_IGN) return;
    if (previous.sa_handler != SIG_DFL) return previous.sa_handler(signal);
  } else if (const int file = create_file(*current_note.path); file >= 0) {
    write_all(file, *current_note.text);
    ::close(file);
    write_all(STDERR_FILENO, "wick: a pass crashed; replay with: ");
    write_all(STDERR_FILENO, *current_note.command);
    write_all(STDERR_FILENO, "\n");
  }
  restore_handlers();
  const bool is_fault = signal != SIGABRT && info->si_code > 0;
  if (is_fault) return;  // the instruction faults again, with all that the handler there wants
  raise(signal);
}

void arm() {
  const std::lock_guard guard(handlers_mutex);
  if (armed++ > 0) return;
  struct sigaction action{};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_ONSTACK | SA_SIGINFO;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &previous_handlers[i]);
    sigaction(kSignals[i], &action, nullptr);
  }
}

void disarm() {
  const std::lock_guard guard(handlers_mutex);
  if (--armed == 0) restore_handlers();
}

/// A stack overflow leaves no stack to handle it on. False where the thread has another one.
bool give_signal_stack() {
  constexpr size_t kBytes = size_t{64} * 1024;
  thread_local const auto memory = std::make_unique_for_overwrite<std::byte[]>(kBytes);
  stack_t old{};
  if (sigaltstack(nullptr, &old) != 0 || (old.ss_flags & SS_DISABLE) == 0) return false;
  stack_t fresh{};
  fresh.ss_sp = memory.get();
  fresh.ss_size = kBytes;
  return sigaltstack(&fresh, nullptr) == 0;
}

void take_signal_stack() {
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
  has_signal_stack_ = give_signal_stack();
  outer_ = std::exchange(current_note, {&path_, &text_, &command_});
  arm();
}

Reproducer::~Reproducer() {
  disarm();
  current_note = outer_;
  if (has_signal_stack_) take_signal_stack();
}

std::string Reproducer::write(const std::string& cause) const {
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), ignored);
  const int file = create_file(path_);
  if (file < 0) return fmt::format("no reproducer: cannot write {}", path_);
  write_all(file, fmt::format("{}// {}\n", text_, one_line(cause)));
  ::close(file);
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
