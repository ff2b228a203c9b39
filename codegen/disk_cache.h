#pragma once

// What took long to find out, on disk: kernels, and which of several calls was the fastest. A file
// each, named by the hash of the question and of the target. Any number of processes may read and
// write one folder: a file appears complete under its name or not at all. Internal to codegen/.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wick/ir/hash.h"

namespace wick::codegen {

class DiskCache {
 public:
  /// "" turns the cache off. The folder is made at the first store.
  DiskCache(std::string directory, std::string target_id);

  struct Found {
    std::optional<std::vector<std::byte>> object;
    bool rejected = false;  // there was a file, and it is not what was asked for
  };

  [[nodiscard]] Found find(const Hash128& key, std::string_view kernel_text) const;
  /// A folder that cannot be written is no error: the kernel is compiled again next time.
  void store(const Hash128& key,
             std::string_view kernel_text,
             std::span<const std::byte> object) const;

 private:
  [[nodiscard]] std::string path_of(const Hash128& key) const;
  [[nodiscard]] std::string header_of(std::string_view kernel_text,
                                      std::span<const std::byte> object) const;

  std::string directory_;
  std::string target_id_;
};

/// Options::cache_dir ("off": none), else wick in XDG_CACHE_HOME, else in ~/.cache; "" for none.
std::string default_cache_directory();

}  // namespace wick::codegen
