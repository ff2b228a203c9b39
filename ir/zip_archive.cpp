#include "wick/ir/zip_archive.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zip.h>
#include <zlib.h>

#include "wick/ir/literal_text.h"
#include "wick/ir/utf8.h"

namespace wick::ir {

namespace {

// Records of the format, each with its size without names and extra fields.
constexpr std::string_view kLocalHeader = "PK\x03\x04";
constexpr size_t kLocalHeaderSize = 30;
constexpr std::string_view kEntryHeader = "PK\x01\x02";
constexpr size_t kEntryHeaderSize = 46;
constexpr std::string_view kEnd = "PK\x05\x06";
constexpr size_t kEndSize = 22;
constexpr std::string_view kLargeEnd = "PK\x06\x06";
constexpr size_t kLargeEndSize = 56;
constexpr std::string_view kLargeEndLocator = "PK\x06\x07";
constexpr size_t kLargeEndLocatorSize = 20;

constexpr uint16_t kIsEncrypted = 1;  // bit of the flags of an entry
constexpr uint16_t kStored = 0;
constexpr uint16_t kDeflated = 8;
constexpr uint16_t kLargeSizes = 1;  // id of an extra field

/// Stands for a number that does not fit and is given elsewhere with 64 bits.
constexpr uint32_t kElsewhere = 0xFFFFFFFF;

/// Deflate codes 258 bytes in two bits at best.
constexpr uint64_t kLargestRatio = 1032;

/// The little-endian number of `size` bytes at a place that is there.
uint64_t number(std::string_view bytes, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i > 0; --i)
    value = value << 8U | static_cast<uint8_t>(bytes[at + i - 1]);
  return value;
}

uint16_t number16(std::string_view bytes, size_t at) {
  return static_cast<uint16_t>(number(bytes, at, 2));
}

uint32_t number32(std::string_view bytes, size_t at) {
  return static_cast<uint32_t>(number(bytes, at, 4));
}

uint64_t number64(std::string_view bytes, size_t at) {
  return number(bytes, at, 8);
}

/// Bytes of a source; fewer where it ends.
std::string bytes_at(const ByteSource& source, uint64_t offset, uint64_t count) {
  const uint64_t begin = std::min(offset, source.size);
  std::string bytes(static_cast<size_t>(std::min(count, source.size - begin)), '\0');
  source.read(begin, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

/// Where the record is with which an archive ends; npos if nowhere. `tail` is what it ends with.
size_t find_end(std::string_view tail) {
  if (tail.size() < kEndSize) return std::string_view::npos;
  size_t at = tail.size() - kEndSize;
  while (true) {
    at = tail.rfind(kEnd, at);
    if (at == std::string_view::npos) return at;
    constexpr size_t kCommentSize = 20;
    if (at + kEndSize + number16(tail, at + kCommentSize) == tail.size()) return at;
    if (at == 0) return std::string_view::npos;
    --at;
  }
}

}  // namespace

/// The bytes of a deflated entry.
class ZipReader::Inflater {
 public:
  Inflater(const ByteSource& source, uint64_t begin, uint64_t size, const FileUse& use)
      : source_(source),
        at_(begin),
        left_(size),
        use_(use) {
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) use_.fail("zlib cannot be started");
  }

  ~Inflater() { inflateEnd(&stream_); }

  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  void read(std::span<std::byte> bytes) {
    constexpr size_t kMost = size_t{1} << 30U;  // zlib counts in 32 bits
    while (!bytes.empty()) {
      if (stream_.avail_in == 0 && left_ > 0) refill();
      const size_t wanted = std::min(bytes.size(), kMost);
      stream_.next_out = reinterpret_cast<Bytef*>(bytes.data());
      stream_.avail_out = static_cast<uInt>(wanted);
      const int status = inflate(&stream_, Z_NO_FLUSH);
      const size_t count = wanted - stream_.avail_out;
      bytes = bytes.subspan(count);
      // Without progress: all there was has been read.
      const bool has_ended = status == Z_STREAM_END || status == Z_BUF_ERROR;
      if (has_ended && !bytes.empty()) use_.fail("the data ends early");
      if (!has_ended && status != Z_OK) use_.fail("the compressed data is broken");
    }
  }

 private:
  void refill() {
    const auto count = static_cast<size_t>(std::min<uint64_t>(left_, buffer_.size()));
    source_.read(at_, std::span(buffer_).first(count));
    at_ += count;
    left_ -= count;
    stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_in = static_cast<uInt>(count);
  }

  const ByteSource& source_;
  uint64_t at_;
  uint64_t left_;
  const FileUse& use_;  // of the reader, which lives longer
  z_stream stream_{};
  std::vector<std::byte> buffer_ = std::vector<std::byte>(size_t{1} << 16U);
};

ZipReader::ZipReader(const ByteSource& source, FileUse use)
    : source_(source),
      use_(std::move(use)) {
  read_directory();
}

ZipReader::~ZipReader() = default;

void ZipReader::read_directory() {
  constexpr uint64_t kLongestEnd = kEndSize + 0xFFFF;
  const uint64_t tail_at = source_.size - std::min(source_.size, kLongestEnd);
  const std::string tail = bytes_at(source_, tail_at, kLongestEnd);
  const size_t end = find_end(tail);
  if (end == std::string::npos) use_.fail("is no zip archive");
  entries_left_ = number16(tail, end + 10);
  uint64_t size = number32(tail, end + 12);
  uint64_t offset = number32(tail, end + 16);
  if (entries_left_ == 0xFFFF || size == kElsewhere || offset == kElsewhere) {
    const uint64_t end_at = tail_at + end;
    const std::string locator =
        end_at < kLargeEndLocatorSize
            ? ""
            : bytes_at(source_, end_at - kLargeEndLocatorSize, kLargeEndLocatorSize);
    if (!locator.starts_with(kLargeEndLocator)) use_.fail("the zip directory is broken");
    const std::string large = bytes_at(source_, number64(locator, 8), kLargeEndSize);
    if (large.size() < kLargeEndSize || !large.starts_with(kLargeEnd)) {
      use_.fail("the zip directory is broken");
    }
    entries_left_ = number64(large, 32);
    size = number64(large, 40);
    offset = number64(large, 48);
  }
  directory_ = bytes_at(source_, offset, size);
  if (directory_.size() < size) use_.fail("the zip directory is broken");
}

bool ZipReader::next() {
  inflater_.reset();
  const bool is_at_end = at_ == directory_.size();
  if (is_at_end != (entries_left_ == 0)) use_.fail("the zip directory is broken");
  if (is_at_end) return false;
  --entries_left_;
  parse_entry();
  check_entry();
  find_data();
  checksum_ = 0;
  if (description_.method == kDeflated) {
    inflater_ =
        std::make_unique<Inflater>(source_, data_at_, description_.compressed_size, entry_use_);
  }
  return true;
}

/// Reads the directory's next entry.
void ZipReader::parse_entry() {
  const auto rest = std::string_view(directory_).substr(at_);
  const auto fail = [&] { use_.fail("the zip directory is broken"); };
  if (rest.size() < kEntryHeaderSize || !rest.starts_with(kEntryHeader)) fail();
  const size_t name_size = number16(rest, 28);
  const size_t extra_size = number16(rest, 30);
  const size_t size = kEntryHeaderSize + name_size + extra_size + number16(rest, 32);
  if (rest.size() < size) fail();
  entry_ = {std::string(rest.substr(kEntryHeaderSize, name_size)), number32(rest, 24)};
  description_ = {.flags = number16(rest, 8),
                  .method = number16(rest, 10),
                  .checksum = number32(rest, 16),
                  .compressed_size = number32(rest, 20),
                  .header_offset = number32(rest, 42)};
  // Numbers that are elsewhere come in this order.
  uint64_t* const numbers[] = {
      &entry_.size, &description_.compressed_size, &description_.header_offset};
  std::string_view extra = rest.substr(kEntryHeaderSize + name_size, extra_size);
  constexpr size_t kFieldHeader = 4;
  while (extra.size() >= kFieldHeader) {
    const uint16_t id = number16(extra, 0);
    std::string_view field = extra.substr(kFieldHeader, number16(extra, 2));
    extra.remove_prefix(kFieldHeader + field.size());
    if (id != kLargeSizes) continue;
    for (uint64_t* const each : numbers) {
      if (*each != kElsewhere || field.size() < sizeof(uint64_t)) continue;
      *each = number64(field, 0);
      field.remove_prefix(sizeof(uint64_t));
    }
  }
  at_ += size;
}

void ZipReader::check_entry() {
  if (!is_utf8(entry_.name) || entry_.name.find('\0') != std::string::npos) {
    use_.fail("the name of an entry is no UTF-8 text");
  }
  entry_use_ = use_;
  entry_use_.path = fmt::format("{}: entry {}", use_.path, quoted(entry_.name));
  if ((description_.flags & kIsEncrypted) != 0) entry_use_.fail("is encrypted");
  const bool is_stored = description_.method == kStored;
  if (!is_stored && description_.method != kDeflated) {
    constexpr auto kText = "compression method {} is none of stored and deflated";
    entry_use_.fail(fmt::format(kText, description_.method));
  }
  // Sizes that cannot be true must not be believed: somebody would allocate them.
  const uint64_t compressed = description_.compressed_size;
  if (compressed > source_.size - compressed_total_) {
    constexpr auto kText = "{} compressed bytes do not fit an archive of {}";
    entry_use_.fail(fmt::format(kText, compressed, source_.size));
  }
  compressed_total_ += compressed;
  const uint64_t most = is_stored ? compressed : compressed * kLargestRatio;
  if (entry_.size > most || (is_stored && entry_.size < most)) {
    constexpr auto kText = "{} bytes cannot come from {} compressed ones";
    entry_use_.fail(fmt::format(kText, entry_.size, compressed));
  }
}

/// The bytes of an entry follow a header of their own.
void ZipReader::find_data() {
  const std::string header = bytes_at(source_, description_.header_offset, kLocalHeaderSize);
  const auto fail = [&] {
    entry_use_.fail("the entry does not fit its description in the zip directory");
  };
  if (header.size() < kLocalHeaderSize || !header.starts_with(kLocalHeader)) fail();
  const uint16_t name_size = number16(header, 26);
  const uint64_t name_at = description_.header_offset + kLocalHeaderSize;
  if (number16(header, 8) != description_.method || name_size != entry_.name.size() ||
      bytes_at(source_, name_at, name_size) != entry_.name) {
    fail();
  }
  data_at_ = name_at + name_size + number16(header, 28);
  if (data_at_ > source_.size || description_.compressed_size > source_.size - data_at_) fail();
}

void ZipReader::read(std::span<std::byte> bytes) {
  if (bytes.empty()) return;  // zlib begins a new checksum where it is given null
  if (inflater_ != nullptr) {
    inflater_->read(bytes);
  } else {
    const uint64_t end = data_at_ + bytes.size();
    if (end > source_.size) entry_use_.fail("the data ends early");
    source_.read(data_at_, bytes);
    data_at_ = end;
  }
  checksum_ = static_cast<uint32_t>(
      crc32_z(checksum_, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

void ZipReader::finish_entry() {
  if (checksum_ != description_.checksum) entry_use_.fail("the checksum is wrong");
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
