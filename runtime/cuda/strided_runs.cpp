#include "wick/runtime/cuda/strided_runs.h"

namespace wick::runtime::cuda {
namespace {

/// Whether offsets begin..begin+count-1 are a stride apart.
bool is_strided(const std::vector<int64_t>& offsets, size_t begin, size_t count, int64_t stride) {
  for (size_t i = begin + 1; i < begin + count; ++i) {
    if (offsets[i] - offsets[i - 1] != stride) return false;
  }
  return true;
}

size_t strided_prefix(const std::vector<int64_t>& offsets) {
  if (offsets.size() < 2) return offsets.size();
  size_t count = 2;
  while (count < offsets.size() && offsets[count] - offsets[count - 1] == offsets[1] - offsets[0])
    ++count;
  return count;
}

bool repeats(const std::vector<int64_t>& offsets, size_t length, int64_t stride) {
  for (size_t begin = 0; begin < offsets.size(); begin += length) {
    if (!is_strided(offsets, begin, length, stride)) return false;
  }
  return true;
}

}  // namespace

StridedRuns strided_runs(const MatmulShape& shape) {
  const std::vector<int64_t>& lhs = shape.lhs_offsets;
  const std::vector<int64_t>& rhs = shape.rhs_offsets;
  StridedRuns runs;
  size_t length = std::min(strided_prefix(lhs), strided_prefix(rhs));
  if (length > 1) {
    runs.lhs_stride = lhs[1] - lhs[0];
    runs.rhs_stride = rhs[1] - rhs[0];
    const bool covers = lhs.size() % length == 0 && repeats(lhs, length, runs.lhs_stride) &&
                        repeats(rhs, length, runs.rhs_stride);
    if (!covers) {
      length = 1;
      runs.lhs_stride = 0;
      runs.rhs_stride = 0;
    }
  }
  runs.length = static_cast<int64_t>(length);
  for (size_t begin = 0; begin < lhs.size(); begin += length) {
    runs.lhs_starts.push_back(lhs[begin]);
    runs.rhs_starts.push_back(rhs[begin]);
  }
  return runs;
}

}  // namespace wick::runtime::cuda
