#include "wick/ir/data_file.h"

#include <atomic>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "wick/ir/error.h"

namespace wick {

void FileUse::fail(std::string_view text) const {
  throw Error(where, op, fmt::format("{}: {}", path, text));
}

InputFile::InputFile(FileUse use) : use_(std::move(use)) {
  std::error_code problem;
  size_ = std::filesystem::file_size(use_.path, problem);
  if (problem) use_.fail(problem.message());
  stream_.open(use_.path, std::ios::binary);
  if (!stream_) use_.fail("cannot be opened");
}

void InputFile::read(uint64_t offset, std::span<std::byte> bytes) {
  stream_.seekg(static_cast<std::streamoff>(offset));
  stream_.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!stream_) {
    use_.fail(fmt::format("{} bytes at byte {} cannot be read", bytes.size(), offset));
  }
}

PartialFile::PartialFile(FileUse use) : use_(std::move(use)) {
  static std::atomic<unsigned> number{0};  // two threads may save one path
  path_ = fmt::format("{}.{}.{}.partial", use_.path, ::getpid(), number++);
}

PartialFile::~PartialFile() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

void PartialFile::commit() {
  std::error_code problem;
  std::filesystem::rename(path_, use_.path, problem);
  if (problem) use_.fail(problem.message());
}

void write_file(const FileUse& use, std::span<const std::span<const std::byte>> parts) {
  PartialFile partial(use);
  std::ofstream file(partial.path(), std::ios::binary | std::ios::trunc);
  for (const std::span<const std::byte> part : parts) {
    file.write(reinterpret_cast<const char*>(part.data()),
               static_cast<std::streamsize>(part.size()));
  }
  file.close();
  if (!file) use.fail("cannot be written");
  partial.commit();
}

}  // namespace wick
