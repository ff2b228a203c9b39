#include "wick/passes/plugin.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>
#include <stdexcept>

#include <dlfcn.h>
#include <fmt/format.h>

namespace wick::passes {

namespace {

constexpr const char* kEntry = "wick_plugin_info";

struct LoadedList {
  std::recursive_mutex mutex;  // a plug-in may load others
  std::vector<LoadedPlugin> plugins;
  std::map<std::string, std::string> failed;  // what went wrong, by path
};

LoadedList& loaded_list() {
  static auto* const list = new LoadedList;  // NOLINT: never destroyed, as the plug-ins.
  return *list;
}

[[noreturn]] void fail(const std::string& path, std::string_view problem) {
  throw std::runtime_error(fmt::format("plug-in {}: {}", path, problem));
}

std::string message_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "its registrations failed";
  }
}

PluginInfo read_info(void* library, const std::string& path) {
  using Entry = void(PluginInfo*);
  auto* entry = reinterpret_cast<Entry*>(dlsym(library, kEntry));
  if (entry == nullptr) {
    fail(path, fmt::format("it has no {}: is it made with WICK_PLUGIN?", kEntry));
  }
  PluginInfo info{};
  entry(&info);
  return info;
}

void check_compatible(const PluginInfo& info, const std::string& path) {
  if (info.api_version != kPluginApiVersion) {
    fail(path,
         fmt::format("it was built for plug-in API {}, this Wick has API {}: rebuild it",
                     info.api_version,
                     kPluginApiVersion));
  }
  if (info.abi_hash != plugin_abi_hash()) {
    fail(path,
         fmt::format("it was built by compiler {} with ABI {:016x}, this Wick by compiler {} with "
                     "ABI {:016x}: rebuild it against the headers of this Wick",
                     info.built_by,
                     info.abi_hash,
                     __VERSION__,
                     plugin_abi_hash()));
  }
}

}  // namespace

void load_plugin(const std::string& path) {
  // Loads those of the process first, so that the locks are always taken in one order.
  (void)wick::options();
  LoadedList& list = loaded_list();
  const std::lock_guard guard(list.mutex);
  std::error_code ignored;
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(path, ignored);
  const std::string file = ignored ? path : canonical.string();
  if (std::ranges::find(list.plugins, file, &LoadedPlugin::path) != list.plugins.end()) return;
  // What it had registered is still there: a second try would only trip over that.
  if (const auto before = list.failed.find(file); before != list.failed.end()) {
    fail(path, before->second);
  }

  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays open: its code is in use
  if (library == nullptr) fail(path, dlerror());
  const PluginInfo info = read_info(library, path);
  check_compatible(info, path);
  list.plugins.push_back({info.name, info.version, file});
  try {
    info.install();
  } catch (...) {
    // Not the last one: a plug-in may have loaded others.
    std::erase_if(list.plugins, [&](const LoadedPlugin& each) { return each.path == file; });
    const std::string problem = message_of(std::current_exception());
    list.failed.emplace(file, problem);
    fail(path, problem);
  }
}

std::vector<LoadedPlugin> loaded_plugins() {
  LoadedList& list = loaded_list();
  const std::lock_guard guard(list.mutex);
  return list.plugins;
}

}  // namespace wick::passes
