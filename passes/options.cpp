#include "wick/passes/options.h"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "wick/passes/default_backend.h"
#include "wick/passes/plugin.h"
#include "wick/passes/switches.h"

namespace wick {

namespace {

// Every recorded op asks for the options: the model makes that one load instead of a call.
thread_local Options* scoped __attribute__((tls_model("initial-exec"))) = nullptr;

/// Null until the plug-ins are loaded.
std::atomic<Options*> process_options_in_force{nullptr};

/// Never destroyed: what runs at exit reads the switches.
Options& process_options() {
  static Options& instance = *new Options([] {  // NOLINT
    const char* flags = std::getenv("WICK_FLAGS");
    Options fresh;
    fresh.backend = default_backend();
    parse_switches(flags == nullptr ? "" : flags, fresh);
    return fresh;
  }());
  return instance;
}

/// Plug-ins use Wick while they are loaded: their calls of options() find `loading` set.
Options& load_process_options() {
  Options& all = process_options();
  static thread_local bool loading = false;
  if (loading) return all;
  static std::mutex mutex;
  const std::lock_guard guard(mutex);
  if (process_options_in_force.load(std::memory_order_relaxed) != nullptr) return all;
  loading = true;
  try {
    for (const std::string& path : all.plugins)
      passes::load_plugin(path);
  } catch (...) {
    loading = false;
    throw;
  }
  loading = false;
  process_options_in_force.store(&all, std::memory_order_release);
  return all;
}

}  // namespace

Options& options() {
  if (scoped != nullptr) return *scoped;
  Options* const all = process_options_in_force.load(std::memory_order_acquire);
  return all != nullptr ? *all : load_process_options();
}

bool targets_gpu() {
  return options().backend.starts_with("cuda");
}

ScopedOptions::ScopedOptions(Options options) : options_(std::move(options)) {
  (void)wick::options();  // whatever is in force, the plug-ins of the process are loaded
  previous_ = std::exchange(scoped, &options_);
}

ScopedOptions::~ScopedOptions() {
  scoped = previous_;
}

}  // namespace wick
