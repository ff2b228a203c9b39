#include "wick/ir/npy.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>

#include "support/temporary_folder.h"
#include "support/test_file.h"
#include <gtest/gtest.h>

#include "wick/ir/error.h"

namespace wick {
namespace {

/// A file that NumPy wrote: tests/ir/npy_files/make.py.
std::string numpy_file(const std::string& name) {
  return test_file(WICK_SOURCE_DIR "/tests/ir/npy_files/" + name + ".npy");
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<double> doubles(const Literal& literal) {
  std::vector<double> values;
  for (int64_t i = 0; i < literal.numel(); ++i)
    values.push_back(literal.as_double(i));
  return values;
}

/// A file of version 1.0 with this dictionary and data.
std::string file_with(const std::string& dictionary, const std::string& data = "") {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(dictionary.size() & 0xFFU);
  bytes += static_cast<char>(dictionary.size() >> 8U);
  return bytes + dictionary + data;
}

/// The sentence that refuses these bytes.
std::string problem_of(const std::string& bytes) {
  try {
    (void)ir::parse_npy(std::as_bytes(std::span(bytes)), {.op = "read_npy"});
  } catch (const Error& error) {
    EXPECT_TRUE(error.text().starts_with("<bytes>: ")) << error.text();
    return error.text().substr(9);
  }
  return "none";
}

std::string problem_of_dictionary(const std::string& dictionary, const std::string& data = "") {
  return problem_of(file_with(dictionary, data));
}

TEST(ReadNpy, EveryDTypeInBothByteAndElementOrders) {
  const std::pair<const char*, DType> kFiles[] = {{"f2", DType::f16},
                                                  {"f4", DType::f32},
                                                  {"f8", DType::f64},
                                                  {"i1", DType::i8},
                                                  {"i2", DType::i16},
                                                  {"i4", DType::i32},
                                                  {"i8", DType::i64}};
  for (const auto& [name, dtype] : kFiles) {
    for (const char* suffix : {"", "_big_endian_fortran"}) {
      const Literal literal = read_npy(numpy_file(std::string(name) + suffix));
      EXPECT_EQ(literal.type(), (Type{dtype, {2, 3}})) << name << suffix;
      EXPECT_EQ(doubles(literal), (std::vector<double>{-2, -1, 0, 1, 2, 3})) << name << suffix;
    }
  }
  EXPECT_EQ(read_npy(numpy_file("u1")),
            Literal::from<uint8_t>({2, 3}, std::vector<uint8_t>{254, 255, 0, 1, 2, 3}));
  EXPECT_EQ(doubles(read_npy(numpy_file("b1"))), (std::vector<double>{0, 0, 0, 1, 1, 1}));
}

TEST(ReadNpy, SpecialValuesScalarsAndEmptyArrays) {
  const Literal special = read_npy(numpy_file("special_f4"));
  ASSERT_EQ(special.type(), (Type{DType::f32, {5}}));
  EXPECT_TRUE(std::isnan(special.as_double(0)));
  EXPECT_EQ(special.as_double(1), INFINITY);
  EXPECT_EQ(special.as_double(2), -INFINITY);
  EXPECT_TRUE(std::signbit(special.as_double(3)));
  EXPECT_EQ(special.values<float>()[4], 1e-45F);
  EXPECT_EQ(read_npy(numpy_file("scalar_f8")), Literal::scalar(DType::f64, 2.5));
  EXPECT_EQ(read_npy(numpy_file("empty_f4")), Literal(Type{DType::f32, {0, 3}}));
}

TEST(ReadNpy, FormatVersions) {
  const Literal expected = Literal::from<int32_t>({2, 3}, std::vector<int32_t>{-2, -1, 0, 1, 2, 3});
  EXPECT_EQ(read_npy(numpy_file("version_2")), expected);
  EXPECT_EQ(read_npy(numpy_file("version_3")), expected);
}

TEST(ReadNpy, TransposesFortranOrderOfHigherRank) {
  std::vector<int16_t> values(24);
  std::iota(values.begin(), values.end(), 0);
  EXPECT_EQ(read_npy(numpy_file("fortran_rank_3")), Literal::from<int16_t>({2, 3, 4}, values));
}

TEST(ReadNpy, OtherSpellingsOfTheDictionary) {
  const Literal value = [] {
    const std::string bytes = file_with(
        "{\"shape\":(2L,), \"fortran_order\":True,\n'descr' : '=i2'}", std::string("\1\0\2\0", 4));
    return ir::parse_npy(std::as_bytes(std::span(bytes)), {.op = "read_npy"});
  }();
  EXPECT_EQ(value, Literal::from<int16_t>({2}, std::vector<int16_t>{1, 2}));
}

TEST(ReadNpy, RefusesDTypesThatWickLacks) {
  const auto problem = [](const std::string& name) {
    return problem_of(bytes_of(numpy_file(name)));
  };
  EXPECT_EQ(problem("unsupported_u4"),
            "the dtype \"<u4\" is none of Wick's, which are f4, f8, f2, i1, i2, i4, i8, u1 and b1");
  EXPECT_TRUE(problem("unsupported_c8").starts_with("the dtype \"<c8\" is none of Wick's"));
  EXPECT_EQ(problem("unsupported_structure"), "the dtype is a structure, not of numbers");
}

TEST(ReadNpy, EveryTruncationOfAFileIsAnError) {
  const std::string whole = bytes_of(numpy_file("f4"));
  ASSERT_EQ(problem_of(whole), "none");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(problem_of(whole.substr(0, size)), "none") << size << " bytes";
  }
  EXPECT_EQ(problem_of(""), "the file is empty");
  EXPECT_EQ(problem_of("\x93NUM"),
            "is no .npy file: it begins with the bytes 93 4e 55 4d, not 93 4e 55 4d 50 59");
  EXPECT_EQ(problem_of(whole.substr(0, 6)), "the file ends before its version");
  EXPECT_EQ(problem_of(whole.substr(0, 9)), "the file ends before the length of its header");
  EXPECT_EQ(problem_of(whole.substr(0, 20)), "the header claims 118 bytes, the file has 10 more");
  EXPECT_EQ(problem_of(whole.substr(0, 150)), "f32[2,3] needs 24 bytes of data, the file has 22");
  EXPECT_EQ(problem_of(whole + "x"), "f32[2,3] needs 24 bytes of data, the file has 25");
}

TEST(ReadNpy, RefusesOtherFilesAndVersions) {
  EXPECT_EQ(problem_of("PK\3\4 and more"),
            "is no .npy file: it begins with the bytes 50 4b 03 04 20 61, not 93 4e 55 4d 50 59");
  EXPECT_EQ(problem_of(std::string("\x93NUMPY\x04\x00\x00\x00", 10)),
            "expected format version 1.0, 2.0 or 3.0, found 4.0");
  EXPECT_EQ(problem_of(std::string("\x93NUMPY\x02\x01\x00\x00", 10)),
            "expected format version 1.0, 2.0 or 3.0, found 2.1");
  EXPECT_EQ(problem_of(std::string("\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF", 12)),
            "the header claims 4294967295 bytes, the file has 0 more");
  EXPECT_EQ(
      problem_of(std::string("\x93NUMPY\x02\x00\x00\x00\x01\x00", 12) + std::string(70000, ' ')),
      "the header claims 65536 bytes, Wick reads 65524 at most");
}

TEST(ReadNpy, RefusesBadDictionaries) {
  const auto& problem = problem_of_dictionary;
  EXPECT_EQ(problem("", ""), "the header should have '{' instead of the end of the header");
  EXPECT_EQ(problem("{}", ""), "the header has no 'descr'");
  EXPECT_EQ(problem("{'descr':'<f4'}", ""), "the header has no 'fortran_order'");
  EXPECT_EQ(problem("{'descr':'<f4','fortran_order':False}", ""), "the header has no 'shape'");
  EXPECT_EQ(problem("{'descr':'<f4','descr':'<f4'}", ""), "the header has 'descr' twice");
  EXPECT_EQ(problem("{'dtype':'<f4'}", ""), "the header has the unknown key \"dtype\"");
  EXPECT_EQ(problem("{'descr':''}", "").substr(0, 31), "the dtype \"\" is none of Wick's,");
  EXPECT_EQ(problem("{'descr':3}", ""), "the header should have a dtype instead of \"3}\"");
  EXPECT_EQ(problem("{'descr':'<f4", ""),
            "the header should have the end of a string instead of \"<f4\"");
  EXPECT_EQ(problem("{'fortran_order':false}", ""),
            "the header should have True or False instead of \"false}\"");
  EXPECT_EQ(problem("{'shape':(3)}", ""), "the header should have ',' instead of \")}\"");
  EXPECT_EQ(problem("{'shape':(-3,)}", ""),
            "the header should have an extent instead of \"-3,)}\"");
  EXPECT_EQ(problem("{'shape':()} x", ""),
            "the header should have the end of the header instead of \"x\"");
}

TEST(ReadNpy, RefusesShapesThatOverflow) {
  const auto with_shape = [](const std::string& shape) {
    return problem_of_dictionary("{'descr':'<f8','fortran_order':True,'shape':" + shape + "}");
  };
  EXPECT_EQ(with_shape("(99999999999999999999,)"), "an extent is out of range");
  EXPECT_EQ(with_shape("(4294967296,4294967296)"),
            "the shape [4294967296,4294967296] has too many elements");
  EXPECT_EQ(with_shape("(0,4294967296,4294967296)"),
            "the shape [0,4294967296,4294967296] has too many elements");
  EXPECT_EQ(with_shape("(1099511627776,)"),
            "f64[1099511627776] needs 8796093022208 bytes of data, the file has 0");
}

TEST(ReadNpy, RefusesOtherBools) {
  EXPECT_EQ(problem_of_dictionary("{'descr':'|b1','fortran_order':False,'shape':(1,)}", "\2"),
            "a bool is neither 0 nor 1");
}

TEST(ReadNpy, NamesTheFile) {
  try {
    (void)read_npy("/no/such/file.npy");
    FAIL() << "no Error was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.op(), "read_npy");
    EXPECT_EQ(error.text(), "/no/such/file.npy: No such file or directory");
    EXPECT_GT(error.where().line, 0U);
  }
}

class WriteNpy : public ::testing::Test {
 protected:
  const TemporaryFolder folder_;
  const std::string path_ = folder_.path() / "write.npy";
};

TEST_F(WriteNpy, GivesTheBytesThatNumPyGives) {
  for (const char* name : {"f2",
                           "f4",
                           "f8",
                           "i1",
                           "i2",
                           "i4",
                           "i8",
                           "u1",
                           "b1",
                           "special_f4",
                           "scalar_f8",
                           "empty_f4"}) {
    write_npy(path_, read_npy(numpy_file(name)));
    EXPECT_EQ(bytes_of(path_), bytes_of(numpy_file(name))) << name;
  }
}

TEST_F(WriteNpy, HeadersOfHighRank) {
  const auto ones_of_rank = [](size_t rank) {
    const std::vector<int64_t> extents(rank, 1);
    return Literal(Type{DType::u8, Shape(std::span<const int64_t>(extents))});
  };
  write_npy(path_, ones_of_rank(21000));
  EXPECT_EQ(read_npy(path_).type().shape.ndim(), 21000);
  try {
    write_npy(path_, ones_of_rank(22000));
    FAIL() << "no Error was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.text(), path_ + ": rank 22000 is too high for an .npy file");
  }
}

TEST_F(WriteNpy, RefusesWhatNumPyCannotHold) {
  try {
    write_npy(path_, Literal(Type{DType::bf16, {2}}));
    FAIL() << "no Error was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.text(), path_ + ": NumPy has no dtype for bf16");
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_THROW(write_npy("/no/such/folder/x.npy", Literal::scalar(DType::f32, 1)), Error);
}

}  // namespace
}  // namespace wick
