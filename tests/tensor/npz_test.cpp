#include "wick/tensor/npz.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "expect_values.h"
#include "support/temporary_folder.h"
#include "support/test_file.h"

#include "wick/ir/literal.h"
#include "wick/ir/npz.h"

namespace wick {
namespace {

using testing_support::expect_values;

std::string reference(const std::string& name) {
  return test_file(WICK_SOURCE_DIR "/tests/tensor/npz_files/" + name);
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Of bytes that outlive it. What is asked for must be within them.
ir::ByteSource source_of(std::string_view bytes) {
  return {bytes.size(), [bytes](uint64_t offset, std::span<std::byte> part) {
            ASSERT_LE(offset, bytes.size());
            ASSERT_LE(part.size(), bytes.size() - offset);
            const auto all = std::as_bytes(std::span(bytes));
            std::ranges::copy(all.subspan(offset, part.size()), part.begin());
          }};
}

/// The arrays in the bytes of a file.
std::map<std::string, Literal> parse(std::string_view bytes) {
  std::map<std::string, Literal> arrays;
  ir::read_npz(source_of(bytes), {.op = "test"}, [&](std::string_view name, const Type& type) {
    return (arrays[std::string(name)] = Literal(type)).data();
  });
  return arrays;
}

class Npz : public ::testing::Test {
 protected:
  const TemporaryFolder folder_;
  const std::string path_ = folder_.path() / "tensor.npz";
};

TEST_F(Npz, LoadsWhatNumPyWrote) {
  for (const char* name : {"stored.npz", "compressed.npz", "zip64.npz"}) {
    const std::map<std::string, Tensor> arrays = load_npz(reference(name));

    expect_values(arrays.at("counting"), {2, 3}, {-2, -1, 0, 1, 2, 3});
    expect_values(arrays.at("big_endian"), {3}, {1, -2, 300});
    expect_values(arrays.at("fortran"), {2, 3}, {0, 1, 2, 3, 4, 5});
    expect_values(arrays.at("flags"), {3}, {1, 0, 1});
    expect_values(arrays.at("half"), {2}, {0.5, INFINITY});
    expect_values(arrays.at("nothing"), {0, 3}, {});
    expect_values(arrays.at("scalar"), {}, {2.5});
    expect_values(arrays.at("größe/1"), {1}, {7});
    EXPECT_EQ(arrays.at("half").dtype(), DType::f16);
    EXPECT_EQ(arrays.size(), std::string_view(name) == "compressed.npz" ? 9U : 8U);
  }
  EXPECT_TRUE(load_npz(reference("empty.npz")).empty());
}

TEST_F(Npz, ReadsBackWhatItWrites) {
  const Tensor random = randn({300, 100}, DType::f64);
  std::map<std::string, Tensor> tensors = {
      {"random", random}, {"", ones({})}, {"a/ß", arange(5)}, {"none", zeros({2, 0}, DType::f16)}};
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (dtype != DType::bf16) tensors[std::string(to_string(dtype))] = arange(300).to(dtype);
  }
  for (const bool compressed : {false, true}) {
    save_npz(path_, tensors, {.compressed = compressed});
    const auto size = std::filesystem::file_size(path_);
    const std::map<std::string, Tensor> back = load_npz(path_);

    ASSERT_EQ(back.size(), tensors.size());
    for (const auto& [name, tensor] : tensors) {
      EXPECT_EQ(back.at(name).type(), tensor.type()) << name;
      EXPECT_EQ(back.at(name).to_vector<double>(), tensor.to_vector<double>()) << name;
    }
    EXPECT_EQ(size < 245'000, compressed) << size;  // 240000 of them hardly compress
  }
}

TEST_F(Npz, TheSameArraysGiveTheSameBytes) {
  save_npz(path_, {{"a", arange(10)}, {"b", ones({2})}});
  const std::string first = contents(path_);
  save_npz(path_, {{"b", ones({2})}, {"a", arange(10)}});

  EXPECT_EQ(contents(path_), first);
}

/// Broken in one byte or cut off, a file gives an Error or, where nothing important was hit, the
/// same values: checksums see to the rest.
TEST_F(Npz, BrokenFilesGiveErrorsAndNeverWrongValues) {
  for (const char* name : {"stored.npz", "compressed.npz"}) {
    const std::string bytes = contents(reference(name));
    const std::map<std::string, Literal> expected = parse(bytes);
    const auto expect_error_or_same = [&](const std::string& broken, size_t at) {
      try {
        for (const auto& [key, array] : parse(broken)) {
          const bool is_same = std::ranges::any_of(
              expected, [&](const auto& original) { return original.second == array; });
          EXPECT_TRUE(is_same) << name << ", byte " << at << ", " << key;
        }
      } catch (const Error&) {
      }
    };
    for (size_t i = 0; i < bytes.size(); ++i) {
      EXPECT_THROW((void)parse(std::string_view(bytes).substr(0, i)), Error) << name << " " << i;
      for (const char flip : {'\x01', '\x80'}) {
        std::string broken = bytes;
        broken[i] = static_cast<char>(broken[i] ^ flip);
        expect_error_or_same(broken, i);
      }
    }
  }
}

/// A zip directory that claims more than the file can hold is not believed.
TEST_F(Npz, LyingSizesAllocateNothing) {
  std::string bytes = contents(reference("compressed.npz"));
  const size_t directory = bytes.find("PK\x01\x02");
  constexpr size_t kUncompressedSize = 24;
  bytes.replace(directory + kUncompressedSize, 4, "\xF0\xFF\xFF\x7F", 4);
  bool allocated = false;

  EXPECT_THROW(ir::read_npz(source_of(bytes),
                            {.op = "test"},
                            [&](std::string_view, const Type&) {
                              allocated = true;
                              return static_cast<std::byte*>(nullptr);
                            }),
               Error);
  EXPECT_FALSE(allocated);
}

/// The directory is read before what it points to.
TEST_F(Npz, EntriesBeyondTheEndAreNotRead) {
  std::string bytes = contents(reference("stored.npz"));
  constexpr size_t kOffsetOfLocalHeader = 42;
  bytes.replace(bytes.find("PK\x01\x02") + kOffsetOfLocalHeader, 4, "\xF0\xFF\xFF\x7F", 4);

  EXPECT_THROW((void)parse(bytes), Error);
}

TEST_F(Npz, ErrorsNameTheCallTheFileAndTheLine) {
  struct Case {
    std::string op;
    std::string text;
    std::function<void()> call;
  };

  const auto load = [](const std::string& name) { return [=] { (void)load_npz(name); }; };
  const std::string half(1, '\xC3');
  const std::vector<Case> cases = {
      {"load_npz", path_ + ": No such file or directory", load(path_)},
      {"load_npz", reference("make.py") + ": is no zip archive", load(reference("make.py"))},
      {"load_npz",
       reference("text.npz") + ": entry \"readme.txt\": is no .npy file",
       load(reference("text.npz"))},
      {"load_npz",
       reference("bzip2.npz") +
           ": entry \"a.npy\": compression method 12 is none of stored and deflated",
       load(reference("bzip2.npz"))},
      {"load_npz",
       reference("complex.npz") +
           ": entry \"z.npy\": the dtype \"<c16\" is none of Wick's, which are f4, f8, f2, i1, i2, "
           "i4, i8, u1 and b1",
       load(reference("complex.npz"))},
      {"load_npz",
       reference("objects.npz") +
           ": entry \"o.npy\": the dtype \"|O\" is none of Wick's, which are f4, f8, f2, i1, i2, "
           "i4, i8, u1 and b1",
       load(reference("objects.npz"))},
      {"save_npz",
       path_ + ": tensor x: NumPy has no dtype for bf16",
       [&] { save_npz(path_, {{"x", ones({2}, DType::bf16)}}); }},
      {"save_npz", path_ + ": tensor x is undefined", [&] { save_npz(path_, {{"x", Tensor()}}); }},
      {"save_npz",
       path_ + ": the name \"\xC3\" is no UTF-8 text of at most 65531 bytes",
       [&] { save_npz(path_, {{half, ones({})}}); }},
      {"save_npz",
       "/nowhere/x.npz: cannot be written",
       [] { save_npz("/nowhere/x.npz", {{"x", ones({})}}); }},
  };
  for (const Case& each : cases) {
    try {
      each.call();
      ADD_FAILURE() << "no Error was thrown: " << each.text;
    } catch (const Error& error) {
      EXPECT_EQ(error.op(), each.op);
      EXPECT_EQ(error.text(), each.text);
      EXPECT_TRUE(std::string_view(error.where().file).ends_with("npz_test.cpp"));
    }
  }
  EXPECT_FALSE(std::filesystem::exists(path_)) << "a file that was not written whole";
}

}  // namespace
}  // namespace wick
