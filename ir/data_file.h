#pragma once

// Files of tensor data: errors that name the file, and writes that happen whole or not at all.

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include "wick/ir/location.h"

namespace wick {

/// Who uses which file, for the errors of readers and writers.
struct FileUse {
  std::string_view op;  // the function that the user called
  std::string path = "<bytes>";
  Location where = {};

  /// Throws an Error that reads `op: path: text`.
  [[noreturn]] void fail(std::string_view text) const;
};

/// A file open for reading.
class InputFile {
 public:
  /// Error if it is not there, no plain file or cannot be opened.
  explicit InputFile(FileUse use);

  [[nodiscard]] const FileUse& use() const { return use_; }

  [[nodiscard]] uint64_t size() const { return size_; }

  /// Fills `bytes` with what begins at `offset`. Error if the file ends before.
  void read(uint64_t offset, std::span<std::byte> bytes);

 private:
  FileUse use_;
  std::ifstream stream_;
  uint64_t size_ = 0;
};

/// A file on its way: other programs see the old file until commit(), then the new one. Without a
/// commit it leaves nothing behind.
class PartialFile {
 public:
  explicit PartialFile(FileUse use);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  /// Where to write; beside the file that it becomes.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Once everything is written and closed. Error if the file cannot be put in its place.
  void commit();

 private:
  FileUse use_;
  std::string path_;
};

/// Writes the parts one after another. Other programs see the old file or the new one, never half
/// of one. Error if it cannot be written; the old file then stays.
void write_file(const FileUse& use, std::span<const std::span<const std::byte>> parts);

}  // namespace wick
