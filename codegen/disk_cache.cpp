#include "wick/codegen/disk_cache.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "wick/passes/options.h"

namespace wick::codegen {

namespace {

constexpr std::string_view kMagic = "WICKKRNL";
constexpr uint32_t kFormatVersion = 1;

void append(std::string& out, const void* data, size_t size) {
  out.append(static_cast<const char*>(data), size);
}

template <typename T>
void append_value(std::string& out, T value) {
  append(out, &value, sizeof value);
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// False on failure. Not synced: after a power cut a short file fails its checksum, no more.
bool write_file(const std::string& path, std::initializer_list<std::string_view> parts) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) return false;
  bool ok = true;
  for (std::string_view part : parts) {
    while (ok && !part.empty()) {
      const ssize_t written = write(file, part.data(), part.size());
      ok = written > 0;
      if (ok) part.remove_prefix(static_cast<size_t>(written));
    }
  }
  return (close(file) == 0) && ok;
}

}  // namespace

DiskCache::DiskCache(std::string directory, std::string target_id)
    : directory_(std::move(directory)),
      target_id_(std::move(target_id)) {}

/// The name tells targets apart too, so that machines sharing a home folder do not overwrite each
/// other's kernels.
std::string DiskCache::path_of(const Hash128& key) const {
  const Hash128 name = combine(key, hash_bytes(target_id_));
  return directory_ + "/" + to_string(name) + ".kernel";
}

/// Everything before the object: equal bytes mean that the object is for this kernel and target,
/// complete and undamaged.
std::string DiskCache::header_of(std::string_view kernel_text,
                                 std::span<const std::byte> object) const {
  std::string header(kMagic);
  append_value(header, kFormatVersion);
  append_value(header, static_cast<uint32_t>(kernel_text.size()));
  append_value(header, hash_bytes(target_id_));
  append_value(header, static_cast<uint64_t>(object.size()));
  append_value(header, hash_bytes(as_text(object)));
  header += kernel_text;
  return header;
}

DiskCache::Found DiskCache::find(const Hash128& key, std::string_view kernel_text) const {
  if (directory_.empty()) return {};
  std::ifstream file(path_of(key), std::ios::binary);
  if (!file) return {};
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  const size_t header_size = header_of(kernel_text, {}).size();
  if (content.size() <= header_size) return {.object = std::nullopt, .rejected = true};
  const auto* first = reinterpret_cast<const std::byte*>(content.data());
  std::vector<std::byte> object(first + header_size, first + content.size());
  if (std::string_view(content).substr(0, header_size) != header_of(kernel_text, object)) {
    return {.object = std::nullopt, .rejected = true};
  }
  return {.object = std::move(object), .rejected = false};
}

void DiskCache::store(const Hash128& key,
                      std::string_view kernel_text,
                      std::span<const std::byte> object) const {
  if (directory_.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(directory_, error);
  static std::atomic<uint64_t> counter{0};
  const std::string path = path_of(key);
  const std::string temporary = fmt::format("{}.{}.{}.tmp", path, getpid(), counter++);
  if (write_file(temporary, {header_of(kernel_text, object), as_text(object)})) {
    std::filesystem::rename(temporary, path, error);
    if (!error) return;
  }
  unlink(temporary.c_str());
}

std::string default_cache_directory() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  const std::string& chosen = options().cache_dir;
  if (!chosen.empty()) return chosen == "off" ? "" : chosen;
  const std::string shared = variable("XDG_CACHE_HOME");
  if (!shared.empty()) return shared + "/wick";
  const std::string home = variable("HOME");
  return home.empty() ? "" : home + "/.cache/wick";
}

}  // namespace wick::codegen
