#pragma once

// Zip archives, by minizip: stored and deflated entries, archives and entries beyond 4 GiB.
// Internal to the readers and writers of such files.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "wick/ir/data_file.h"

namespace wick::ir {

/// Bytes at any place of an archive; `read` may throw an Error.
struct ByteSource {
  uint64_t size = 0;
  std::function<void(uint64_t offset, std::span<std::byte> bytes)> read;
};

/// Reads an archive's entries one after another.
class ZipReader {
 public:
  /// Error if this is no zip archive. The source has to live as long.
  ZipReader(const ByteSource& source, FileUse use);
  ~ZipReader();
  ZipReader(const ZipReader&) = delete;
  ZipReader& operator=(const ZipReader&) = delete;

  struct Entry {
    std::string name;   // UTF-8
    uint64_t size = 0;  // of its bytes, as far as the archive says; never beyond what it can hold
  };

  /// Goes to the next entry; false after the last. Error for one that is broken, encrypted, or
  /// compressed in another way.
  bool next();

  [[nodiscard]] const Entry& entry() const { return entry_; }

  /// The next bytes of the entry. Error if it ends before.
  void read(std::span<std::byte> bytes);
  /// Call when all bytes are read. Error if their checksum is wrong.
  void finish_entry();

  /// For errors about the entry.
  [[nodiscard]] const FileUse& entry_use() const { return entry_use_; }

 private:
  /// What the directory says of the entry beyond its name and size.
  struct Description {
    uint16_t flags = 0;
    uint16_t method = 0;
    uint32_t checksum = 0;
    uint64_t compressed_size = 0;
    uint64_t header_offset = 0;
  };

  class Inflater;

  void read_directory();
  void parse_entry();
  void check_entry();
  void find_data();

  const ByteSource& source_;
  FileUse use_;
  FileUse entry_use_;
  Entry entry_;
  Description description_;
  std::string directory_;
  size_t at_ = 0;              // in the directory
  uint64_t entries_left_ = 0;  // by its count
  uint64_t compressed_total_ = 0;
  uint64_t data_at_ = 0;  // the next bytes of the entry in the source
  uint32_t checksum_ = 0;
  std::unique_ptr<Inflater> inflater_;  // of a deflated entry
};

/// Writes an archive to a path.
class ZipWriter {
 public:
  /// Errors, here and below, if the file at `path` cannot be written.
  ZipWriter(const std::string& path, FileUse use, bool compressed);
  /// Closes the file, complete or not.
  ~ZipWriter();
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

  /// One entry of these bytes, part after part.
  void add(const std::string& name, std::span<const std::span<const std::byte>> parts);
  /// Completes the archive.
  void finish();

 private:
  [[noreturn]] void fail() const;

  FileUse use_;
  bool compressed_;
  void* file_;  // minizip's
};

}  // namespace wick::ir
