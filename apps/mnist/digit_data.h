#pragma once

// The program's data: from IDX files or drawn, as data sets of normalised batches.

#include <cstdint>
#include <string>

#include "wick/nn/data/dataset.h"

namespace mnist {

struct DigitData {
  // Samples: image u8[28,28], label i64[].
  wick::data::DataView train;
  wick::data::DataView test;
};

/// The four MNIST files of a directory. Throws std::runtime_error naming the file that is missing,
/// malformed, or does not fit its labels.
DigitData load_digits(const std::string& directory);

struct DrawnSizes {
  int64_t train = 12000;
  int64_t test = 2000;
};

DigitData drawn_digits(const DrawnSizes& sizes, uint64_t seed);

/// Batches of images f32[n,1,28,28], with mean 0 and variance 1 over MNIST, and labels i64[n].
wick::data::DataView normalised_batches(const wick::data::DataView& digits, int64_t batch);

}  // namespace mnist
