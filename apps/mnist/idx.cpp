#include "idx.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <zlib.h>

namespace mnist {

namespace {

constexpr uint32_t kByteElements = 0x08;
constexpr int64_t kMaxBytes = int64_t{1} << 32;

/// Reads through zlib, which passes plain files on as they are.
class GzReader {
 public:
  explicit GzReader(const std::string& path) : path_(path), file_(gzopen(path.c_str(), "rb")) {
    if (file_ == nullptr) fail(fmt::format("cannot be opened: {}", std::strerror(errno)));
  }

  /// Bytes read; fewer than asked for at the end of the file. Error for damaged compression.
  size_t read(uint8_t* to, size_t count) {
    constexpr size_t kPiece = size_t{1} << 24;
    size_t done = 0;
    while (done < count) {
      const int got =
          gzread(file_.get(), to + done, static_cast<unsigned>(std::min(kPiece, count - done)));
      if (got < 0) fail(fmt::format("damaged compressed data: {}", error_text()));
      if (got == 0) break;
      done += static_cast<size_t>(got);
    }
    return done;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(fmt::format("{}: {}", path_, what));
  }

 private:
  struct Close {
    void operator()(gzFile_s* file) const { gzclose(file); }
  };

  std::string error_text() {
    int code = 0;
    const char* text = gzerror(file_.get(), &code);
    return code == Z_ERRNO ? std::strerror(errno) : text;
  }

  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
};

uint32_t read_u32(GzReader& reader) {
  uint8_t raw[4] = {};
  if (reader.read(raw, 4) != 4) reader.fail("truncated: the header is incomplete");
  return uint32_t{raw[0]} << 24 | uint32_t{raw[1]} << 16 | uint32_t{raw[2]} << 8 | raw[3];
}

void check_magic(const GzReader& reader, uint32_t magic, int rank) {
  const uint32_t wanted = kByteElements << 8 | static_cast<uint32_t>(rank);
  if (magic == wanted) return;
  reader.fail(fmt::format("wrong magic number 0x{:08x}, expected 0x{:08x}", magic, wanted));
}

}  // namespace

IdxArray read_idx(const std::string& path, int rank) {
  GzReader reader(path);
  check_magic(reader, read_u32(reader), rank);
  IdxArray array;
  int64_t count = 1;
  for (int axis = 0; axis < rank; ++axis) {
    array.extents.push_back(read_u32(reader));
    if (array.extents.back() != 0 && count > kMaxBytes / array.extents.back()) {
      reader.fail("wrong counts: the header asks for more than 4 GiB");
    }
    count *= array.extents.back();
  }
  array.bytes.resize(static_cast<size_t>(count));
  const size_t got = reader.read(array.bytes.data(), array.bytes.size());
  if (got != array.bytes.size()) {
    reader.fail(fmt::format("truncated: {} bytes of {}", got, count));
  }
  uint8_t extra = 0;
  if (reader.read(&extra, 1) != 0) {
    reader.fail(fmt::format("wrong counts: more than the {} bytes of its header", count));
  }
  return array;
}

std::string find_idx(const std::string& directory, const std::string& name) {
  const std::string plain = directory + "/" + name;
  const std::string packed = plain + ".gz";
  if (std::filesystem::exists(plain)) return plain;
  if (std::filesystem::exists(packed)) return packed;
  throw std::runtime_error(fmt::format("{}: no such file, nor {}.gz", plain, name));
}

}  // namespace mnist
