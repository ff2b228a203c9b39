#include "wick/passes/options.h"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "wick/passes/plugin.h"
#include "wick/passes/switches.h"

namespace wick {

namespace {

thread_local Options* scoped = nullptr;

Options& process_options() {
  static Options instance = [] {
    const char* flags = std::getenv("WICK_FLAGS");
    Options fresh;
    parse_switches(flags == nullptr ? "" : flags, fresh);
    return fresh;
  }();
  return instance;
}

/// Plug-ins use Wick while they are loaded: their calls of options() find `loading` set.
void load_plugins_once(const Options& all) {
  static std::atomic<bool> loaded{false};
  static thread_local bool loading = false;
  if (loaded.load(std::memory_order_acquire) || loading) return;
  static std::mutex mutex;
  const std::lock_guard guard(mutex);
  if (loaded.load(std::memory_order_relaxed)) return;
  loading = true;
  try {
    for (const std::string& path : all.plugins)
      passes::load_plugin(path);
  } catch (...) {
    loading = false;
    throw;
  }
  loading = false;
  loaded.store(true, std::memory_order_release);
}

}  // namespace

Options& options() {
  if (scoped != nullptr) return *scoped;
  Options& all = process_options();
  load_plugins_once(all);
  return all;
}

ScopedOptions::ScopedOptions(Options options)
    : options_(std::move(options)),
      previous_(std::exchange(scoped, &options_)) {}

ScopedOptions::~ScopedOptions() {
  scoped = previous_;
}

}  // namespace wick
