#include "digit_data.h"

#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

#include "drawn_digits.h"
#include "idx.h"
#include <fmt/format.h>

namespace mnist {

namespace {

using wick::data::DataView;
using wick::data::HostArray;
using wick::data::Sample;
using wick::data::TensorDataset;

DataView make_view(const std::vector<uint8_t>& images, const std::vector<uint8_t>& labels) {
  const auto count = static_cast<int64_t>(labels.size());
  const std::vector<int64_t> wide(labels.begin(), labels.end());
  return DataView(TensorDataset(
      {HostArray::copy(images, {count, kImageSide, kImageSide}), HostArray::copy(wide, {count})}));
}

DataView load_part(const std::string& directory, const std::string& part) {
  const std::string images_path = find_idx(directory, part + "-images-idx3-ubyte");
  const std::string labels_path = find_idx(directory, part + "-labels-idx1-ubyte");
  const IdxArray images = read_idx(images_path, 3);
  const IdxArray labels = read_idx(labels_path, 1);
  if (images.extents[1] != kImageSide || images.extents[2] != kImageSide) {
    throw std::runtime_error(fmt::format(
        "{}: images of {}x{}, expected 28x28", images_path, images.extents[1], images.extents[2]));
  }
  if (images.extents[0] != labels.extents[0]) {
    throw std::runtime_error(fmt::format("{}: wrong counts: {} labels for the {} images of {}",
                                         labels_path,
                                         labels.extents[0],
                                         images.extents[0],
                                         images_path));
  }
  for (const uint8_t label : labels.bytes) {
    if (label > 9) throw std::runtime_error(fmt::format("{}: label {}", labels_path, label));
  }
  return make_view(images.bytes, labels.bytes);
}

std::array<float, 256> normalisation_table() {
  constexpr double kMean = 0.1307;
  constexpr double kDeviation = 0.3081;
  std::array<float, 256> table{};
  for (size_t value = 0; value < table.size(); ++value) {
    table[value] = static_cast<float>((static_cast<double>(value) / 255 - kMean) / kDeviation);
  }
  return table;
}

Sample normalised(Sample batch) {
  static const std::array<float, 256> kTable = normalisation_table();
  const HostArray& bytes = batch[0];
  HostArray images({wick::DType::f32, {bytes.shape()[0], 1, kImageSide, kImageSide}});
  const auto from = bytes.values<uint8_t>();
  const auto to = images.mutable_values<float>();
  for (size_t i = 0; i < from.size(); ++i) {
    to[i] = kTable[from[i]];
  }
  return {std::move(images), batch[1]};
}

DataView drawn_view(int64_t count, uint64_t seed) {
  const DrawnDigits digits = draw_digits(count, seed);
  return make_view(digits.images, digits.labels);
}

}  // namespace

DigitData load_digits(const std::string& directory) {
  return {.train = load_part(directory, "train"), .test = load_part(directory, "t10k")};
}

DigitData drawn_digits(const DrawnSizes& sizes, uint64_t seed) {
  // Two streams whose seeds differ in a bit that no seed of the command line has.
  constexpr uint64_t kTestBit = uint64_t{1} << 63;
  return {.train = drawn_view(sizes.train, seed), .test = drawn_view(sizes.test, seed | kTestBit)};
}

DataView normalised_batches(const DataView& digits, int64_t batch) {
  return digits.batch(batch).transform(normalised);
}

}  // namespace mnist
