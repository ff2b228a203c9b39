#pragma once

// The IDX file format of the MNIST data set (LeCun, Cortes and Burges): big-endian magic number
// 0x0000TTRR of element type TT (8: bytes) and rank RR, RR extents, then the elements.

#include <cstdint>
#include <string>
#include <vector>

namespace mnist {

struct IdxArray {
  std::vector<int64_t> extents;
  std::vector<uint8_t> bytes;
};

/// Reads a file of bytes, gzip-compressed or plain. Throws std::runtime_error with one line naming
/// the file and what is wrong: missing, truncated, too long, another magic number or rank.
IdxArray read_idx(const std::string& path, int rank);

/// `DIR/name`, or `DIR/name.gz` where only that exists. Throws std::runtime_error naming both when
/// neither does.
std::string find_idx(const std::string& directory, const std::string& name);

}  // namespace mnist
