#pragma once

// NumPy's .npy files: one array each, as numpy.save writes and numpy.load reads.
//
// Format versions 1.0, 2.0 and 3.0; either byte order; C and Fortran element order. NumPy's dtypes
// f4 f8 f2 i1 i2 i4 i8 u1 b1 are those of Wick but bf16; every other one is an error.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>
#include <span>
#include <string>

#include "wick/ir/data_file.h"
#include "wick/ir/literal.h"

namespace wick {

/// The array of a file. Error naming the file, what was expected and what was found when it is
/// missing, truncated, too long or no .npy file that Wick can read.
Literal read_npy(const std::string& path,
                 std::source_location where = std::source_location::current());

/// Writes the file whole or not at all, byte for byte as NumPy does. Error for bf16, which NumPy
/// has not, and if the file cannot be written.
void write_npy(const std::string& path,
               const Literal& value,
               std::source_location where = std::source_location::current());

namespace ir {

/// What comes before the elements of an .npy file.
struct NpyHeader {
  Type type;
  bool big_endian = false;
  bool fortran_order = false;  // the first axis runs fastest
  size_t data_offset = 0;
};

/// More bytes than any header that is read. NumPy writes longer ones for structured dtypes alone.
inline constexpr size_t kMaxNpyHeader = size_t{1} << 16U;

/// Reads a header and checks that the elements end where the file does. `start` holds the first
/// bytes of the file: all of them, or kMaxNpyHeader at least.
NpyHeader parse_npy_header(std::span<const std::byte> start,
                           uint64_t file_size,
                           const FileUse& use);

/// Turns the elements of a file into those of a row-major array of this machine, in place. Error
/// for a bool that is neither 0 nor 1.
void decode_npy(const NpyHeader& header, std::span<std::byte> elements, const FileUse& use);

/// The array in the bytes of a file.
Literal parse_npy(std::span<const std::byte> bytes, const FileUse& use);

/// Reads a file into the memory that `allocate` gives for its type; returns the type.
Type read_npy_into(InputFile& file, const std::function<std::byte*(const Type&)>& allocate);

/// A header of version 1.0 for elements of this type.
std::string npy_header(const Type& type, const FileUse& use);

}  // namespace ir
}  // namespace wick
