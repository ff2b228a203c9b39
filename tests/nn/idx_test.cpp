// Reading MNIST files, good and malformed.

#include "idx.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "digit_data.h"
#include "drawn_digits.h"
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

namespace mnist {
namespace {

std::string big_endian(uint32_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) {
    text += static_cast<char>(value >> shift & 0xff);
  }
  return text;
}

std::string idx_text(uint32_t magic, const std::vector<uint32_t>& extents, size_t bytes) {
  std::string text = big_endian(magic);
  for (const uint32_t extent : extents) {
    text += big_endian(extent);
  }
  for (size_t i = 0; i < bytes; ++i) {
    text += static_cast<char>(i % 10);
  }
  return text;
}

class IdxFiles : public ::testing::Test {
 protected:
  IdxFiles()
      : directory_(std::filesystem::temp_directory_path() /
                   ("wick_idx_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(directory_);
  }

  ~IdxFiles() override { std::filesystem::remove_all(directory_); }

  [[nodiscard]] std::string path(const std::string& name) const { return directory_ / name; }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  std::string write_gz(const std::string& name, const std::string& text) const {
    gzFile_s* file = gzopen(path(name).c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    return path(name);
  }

  template <typename Fn>
  static std::string message_of(Fn fn) {
    try {
      fn();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return "";
  }

  /// The four files of a set with these counts.
  void write_set(uint32_t images, uint32_t labels) const {
    for (const std::string part : {"train", "t10k"}) {
      write_gz(part + "-images-idx3-ubyte.gz", idx_text(0x803, {images, 28, 28}, images * 784));
      write(part + "-labels-idx1-ubyte", idx_text(0x801, {labels}, labels));
    }
  }

  [[nodiscard]] std::string directory() const { return directory_; }

 private:
  std::filesystem::path directory_;
};

TEST_F(IdxFiles, ReadsPlainAndCompressed) {
  const std::string text = idx_text(0x803, {2, 3, 4}, 24);

  for (const std::string& file : {write("plain", text), write_gz("packed.gz", text)}) {
    const IdxArray array = read_idx(file, 3);
    EXPECT_EQ(array.extents, (std::vector<int64_t>{2, 3, 4}));
    ASSERT_EQ(array.bytes.size(), 24U);
    EXPECT_EQ(array.bytes[13], 3);
  }
}

TEST_F(IdxFiles, NamesAMissingFile) {
  EXPECT_EQ(message_of([&] { read_idx(path("none"), 1); }),
            path("none") + ": cannot be opened: No such file or directory");
  EXPECT_EQ(message_of([&] { find_idx(directory(), "none"); }),
            path("none") + ": no such file, nor none.gz");
}

TEST_F(IdxFiles, RefusesTruncatedFiles) {
  const std::string text = idx_text(0x801, {24}, 24);

  EXPECT_EQ(message_of([&] { read_idx(write("cut", text.substr(0, 20)), 1); }),
            path("cut") + ": truncated: 12 bytes of 24");
  EXPECT_EQ(message_of([&] { read_idx(write("head", text.substr(0, 6)), 1); }),
            path("head") + ": truncated: the header is incomplete");
  EXPECT_EQ(message_of([&] { read_idx(write("empty", ""), 1); }),
            path("empty") + ": truncated: the header is incomplete");
}

TEST_F(IdxFiles, RefusesTruncatedCompression) {
  const std::string file = write_gz("cut.gz", idx_text(0x801, {100000}, 100000));
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);

  const std::string message = message_of([&] { read_idx(file, 1); });

  EXPECT_TRUE(message.starts_with(file + ": truncated: ") ||
              message.starts_with(file + ": damaged compressed data: "))
      << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST_F(IdxFiles, RefusesAnotherMagicNumber) {
  EXPECT_EQ(message_of([&] { read_idx(write("magic", idx_text(0x803, {1, 1, 1}, 1)), 1); }),
            path("magic") + ": wrong magic number 0x00000803, expected 0x00000801");
  EXPECT_EQ(message_of([&] { read_idx(write("text", "hello, world"), 1); }),
            path("text") + ": wrong magic number 0x68656c6c, expected 0x00000801");
}

TEST_F(IdxFiles, RefusesWrongCounts) {
  EXPECT_EQ(message_of([&] { read_idx(write("long", idx_text(0x801, {3}, 4)), 1); }),
            path("long") + ": wrong counts: more than the 3 bytes of its header");
  EXPECT_EQ(message_of([&] {
              read_idx(write("huge", idx_text(0x803, {0xffffffff, 0xffffffff, 9}, 4)), 3);
            }),
            path("huge") + ": wrong counts: the header asks for more than 4 GiB");
}

TEST_F(IdxFiles, LoadsASet) {
  write_set(20, 20);

  const DigitData digits = load_digits(directory());

  EXPECT_EQ(digits.train.size(), 20);
  const wick::data::Sample batch = normalised_batches(digits.test, 8).get(2);
  EXPECT_EQ(to_string(batch[0].type()), "f32[4,1,28,28]");
  EXPECT_EQ(to_string(batch[1].type()), "i64[4]");
  // Pixel 784 * 16 + 3 is (784 * 16 + 3) % 10 = 7.
  EXPECT_NEAR(batch[0].values<float>()[3], (7.0 / 255 - 0.1307) / 0.3081, 1e-6);
  EXPECT_EQ(batch[1].values<int64_t>()[1], 7);
}

TEST_F(IdxFiles, RefusesSetsThatDoNotFit) {
  write_set(20, 19);
  EXPECT_EQ(message_of([&] { load_digits(directory()); }),
            path("train-labels-idx1-ubyte") + ": wrong counts: 19 labels for the 20 images of " +
                path("train-images-idx3-ubyte.gz"));

  write_gz("train-images-idx3-ubyte.gz", idx_text(0x803, {19, 14, 14}, 19 * 196));
  EXPECT_EQ(message_of([&] { load_digits(directory()); }),
            path("train-images-idx3-ubyte.gz") + ": images of 14x14, expected 28x28");
}

TEST(DrawnDigits, AreDecidedByTheSeed) {
  const DrawnDigits one = draw_digits(100, 1);
  const DrawnDigits again = draw_digits(100, 1);
  const DrawnDigits two = draw_digits(100, 2);

  EXPECT_EQ(one.images, again.images);
  EXPECT_EQ(one.labels, again.labels);
  EXPECT_NE(one.images, two.images);
}

TEST(DrawnDigits, AreLikeHandwriting) {
  const DrawnDigits digits = draw_digits(1000, 3);

  std::vector<int> classes(10);
  double ink = 0;
  for (const uint8_t label : digits.labels) {
    ++classes.at(label);
  }
  for (const uint8_t pixel : digits.images) {
    ink += pixel;
  }
  for (const int count : classes) {
    EXPECT_NEAR(count, 100, 48);  // five standard deviations
  }
  // A few strokes on an empty page: MNIST's mean is 33.
  EXPECT_GT(ink / static_cast<double>(digits.images.size()), 15);
  EXPECT_LT(ink / static_cast<double>(digits.images.size()), 60);
}

}  // namespace
}  // namespace mnist
