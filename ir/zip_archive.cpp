#include "wick/ir/zip_archive.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <unzip.h>
#include <zip.h>
#include <zlib.h>

#include "wick/ir/literal_text.h"
#include "wick/ir/utf8.h"

namespace wick::ir {

namespace {

/// A position in a source, as minizip's file functions want it. They are C: nothing may be thrown
/// through them, and minizip reports what they report.
struct Cursor {
  const ByteSource* source;
  uint64_t at = 0;
  bool failed = false;  // minizip takes bytes that it does not get for zeros unless it is told
};

Cursor& cursor(voidpf opaque) {
  return *static_cast<Cursor*>(opaque);
}

voidpf open_source(voidpf opaque, const void* /*name*/, int /*mode*/) {
  return opaque;
}

uLong read_source(voidpf opaque, voidpf /*stream*/, void* buffer, uLong size) {
  Cursor& from = cursor(opaque);
  const uint64_t rest = from.source->size - std::min(from.at, from.source->size);
  const auto count = static_cast<size_t>(std::min<uint64_t>(size, rest));
  from.failed = from.failed || count < size;
  try {
    from.source->read(from.at, {static_cast<std::byte*>(buffer), count});
  } catch (...) {
    from.failed = true;
    return 0;
  }
  from.at += count;
  return count;
}

ZPOS64_T tell_source(voidpf opaque, voidpf /*stream*/) {
  return cursor(opaque).at;
}

long seek_source(voidpf opaque, voidpf /*stream*/, ZPOS64_T offset, int origin) {
  Cursor& from = cursor(opaque);
  uint64_t base = 0;
  if (origin == ZLIB_FILEFUNC_SEEK_CUR) base = from.at;
  if (origin == ZLIB_FILEFUNC_SEEK_END) base = from.source->size;
  if (offset > from.source->size - std::min(base, from.source->size)) return -1;
  from.at = base + offset;
  return 0;
}

int close_source(voidpf /*opaque*/, voidpf /*stream*/) {
  return 0;
}

int has_failed(voidpf opaque, voidpf /*stream*/) {
  return cursor(opaque).failed ? 1 : 0;
}

/// An archive of nothing is the end of the zip directory alone, which minizip does not find at the
/// start of a file.
bool is_empty_archive(const ByteSource& source) {
  constexpr std::string_view kNothing("PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);
  if (source.size != kNothing.size()) return false;
  std::string bytes(kNothing.size(), '\0');
  source.read(0, std::as_writable_bytes(std::span(bytes)));
  return bytes == kNothing;
}

constexpr uLong kEncrypted = 1;  // bit of the flags of an entry

/// Deflate codes 258 bytes in two bits at best.
constexpr uint64_t kLargestRatio = 1032;

}  // namespace

struct ZipReader::State {
  Cursor cursor;
  unzFile archive = nullptr;
  bool started = false;
  bool is_open = false;  // the entry

  void close_entry() {
    if (std::exchange(is_open, false)) unzCloseCurrentFile(archive);
  }

  ~State() {
    if (archive == nullptr) return;
    close_entry();
    unzClose(archive);
  }
};

ZipReader::ZipReader(const ByteSource& source, FileUse use)
    : use_(std::move(use)),
      size_(source.size),
      state_(std::make_unique<State>()) {
  if (is_empty_archive(source)) return;
  state_->cursor.source = &source;
  zlib_filefunc64_def functions = {.zopen64_file = open_source,
                                   .zread_file = read_source,
                                   .zwrite_file = nullptr,
                                   .ztell64_file = tell_source,
                                   .zseek64_file = seek_source,
                                   .zclose_file = close_source,
                                   .zerror_file = has_failed,
                                   .opaque = &state_->cursor};
  state_->archive = unzOpen2_64("", &functions);
  if (state_->archive == nullptr) use_.fail("is no zip archive");
}

ZipReader::~ZipReader() = default;

bool ZipReader::next() {
  unzFile archive = state_->archive;
  if (archive == nullptr) return false;
  state_->close_entry();
  const bool is_first = !std::exchange(state_->started, true);
  const int moved = is_first ? unzGoToFirstFile(archive) : unzGoToNextFile(archive);
  if (moved == UNZ_END_OF_LIST_OF_FILE) return false;
  if (moved != UNZ_OK) use_.fail("the zip directory is broken");
  check_entry();
  if (unzOpenCurrentFile(archive) != UNZ_OK) {
    entry_use_.fail("the entry does not fit its description in the zip directory");
  }
  state_->is_open = true;
  return true;
}

void ZipReader::check_entry() {
  unz_file_info64 info{};
  std::string name(std::numeric_limits<uint16_t>::max(), '\0');
  if (unzGetCurrentFileInfo64(
          state_->archive, &info, name.data(), name.size(), nullptr, 0, nullptr, 0) != UNZ_OK) {
    use_.fail("the zip directory is broken");
  }
  name.resize(std::min<size_t>(info.size_filename, name.size()));
  if (!is_utf8(name) || name.find('\0') != std::string::npos) {
    use_.fail("the name of an entry is no UTF-8 text");
  }
  entry_use_ = use_;
  entry_use_.path = fmt::format("{}: entry {}", use_.path, quoted(name));
  entry_ = {std::move(name), info.uncompressed_size};
  if ((info.flag & kEncrypted) != 0) entry_use_.fail("is encrypted");
  const bool is_stored = info.compression_method == 0;
  if (!is_stored && info.compression_method != Z_DEFLATED) {
    constexpr auto kText = "compression method {} is none of stored and deflated";
    entry_use_.fail(fmt::format(kText, info.compression_method));
  }
  // Sizes that cannot be true must not be believed: somebody would allocate them.
  if (info.compressed_size > size_ - compressed_total_) {
    constexpr auto kText = "{} compressed bytes do not fit an archive of {}";
    entry_use_.fail(fmt::format(kText, info.compressed_size, size_));
  }
  compressed_total_ += info.compressed_size;
  const uint64_t most = is_stored ? info.compressed_size : info.compressed_size * kLargestRatio;
  if (info.uncompressed_size > most || (is_stored && info.uncompressed_size < most)) {
    constexpr auto kText = "{} bytes cannot come from {} compressed ones";
    entry_use_.fail(fmt::format(kText, info.uncompressed_size, info.compressed_size));
  }
}

void ZipReader::read(std::span<std::byte> bytes) {
  constexpr size_t kMost = size_t{1} << 30U;  // minizip counts in 32 bits
  while (!bytes.empty()) {
    const auto wanted = static_cast<unsigned>(std::min(bytes.size(), kMost));
    const int count = unzReadCurrentFile(state_->archive, bytes.data(), wanted);
    if (count < 0) entry_use_.fail("the compressed data is broken");
    if (count == 0) entry_use_.fail("the data ends early");
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
}

void ZipReader::finish_entry() {
  state_->is_open = false;
  const int closed = unzCloseCurrentFile(state_->archive);
  if (closed == UNZ_CRCERROR) entry_use_.fail("the checksum is wrong");
  if (closed != UNZ_OK) entry_use_.fail("the compressed data is broken");
}

ZipWriter::ZipWriter(const std::string& path, FileUse use, bool compressed)
    : use_(std::move(use)),
      compressed_(compressed),
      file_(zipOpen64(path.c_str(), APPEND_STATUS_CREATE)) {
  if (file_ == nullptr) fail();
}

ZipWriter::~ZipWriter() {
  if (file_ != nullptr) zipClose(file_, nullptr);
}

void ZipWriter::fail() const {
  use_.fail("cannot be written");
}

void ZipWriter::add(const std::string& name, std::span<const std::span<const std::byte>> parts) {
  uint64_t size = 0;
  for (const std::span<const std::byte> part : parts)
    size += part.size();
  zip_fileinfo info{};
  constexpr uLong kFirstDay = 1U << 5U | 1U;  // 1 January 1980: the same bytes for the same arrays
  info.dosDate = kFirstDay;
  constexpr uLong kUtf8 = 1U << 11U;
  constexpr uint64_t kLarge = 0xF0000000;  // deflate may make it longer
  if (zipOpenNewFileInZip4_64(file_,
                              name.c_str(),
                              &info,
                              nullptr,
                              0,
                              nullptr,
                              0,
                              nullptr,
                              compressed_ ? Z_DEFLATED : 0,
                              Z_DEFAULT_COMPRESSION,
                              0,
                              -MAX_WBITS,
                              DEF_MEM_LEVEL,
                              Z_DEFAULT_STRATEGY,
                              nullptr,
                              0,
                              0,
                              kUtf8,
                              size >= kLarge ? 1 : 0) != ZIP_OK) {
    fail();
  }
  constexpr size_t kMost = size_t{1} << 30U;  // minizip counts in 32 bits
  for (std::span<const std::byte> part : parts) {
    while (!part.empty()) {
      const std::span<const std::byte> piece = part.first(std::min(part.size(), kMost));
      if (zipWriteInFileInZip(file_, piece.data(), static_cast<unsigned>(piece.size())) != ZIP_OK) {
        fail();
      }
      part = part.subspan(piece.size());
    }
  }
  if (zipCloseFileInZip(file_) != ZIP_OK) fail();
}

void ZipWriter::finish() {
  if (zipClose(std::exchange(file_, nullptr), nullptr) != ZIP_OK) fail();
}

}  // namespace wick::ir
