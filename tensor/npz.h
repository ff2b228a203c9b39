#pragma once

// NumPy's .npz files, which hold several arrays, as named tensors. wick/ir/npy.h says which arrays
// are read and written.

#include <map>
#include <string>

#include "wick/tensor/tensor.h"

namespace wick {

/// The arrays of a file that numpy.savez or numpy.savez_compressed wrote. Error naming the file,
/// and the array where it is about one, when it is missing, truncated, broken or holds anything but
/// arrays that Wick can read. Checksums are checked.
std::map<std::string, Tensor> load_npz(const std::string& path, Where where = Where::current());

struct NpzOptions {
  bool compressed = false;  // deflate the arrays, as numpy.savez_compressed does
};

/// Materializes the tensors in one program, then writes the file whole or not at all. Error for
/// bf16, which NumPy has not, and if the file cannot be written.
void save_npz(const std::string& path,
              const std::map<std::string, Tensor>& tensors,
              const NpzOptions& options = {},
              Where where = Where::current());

}  // namespace wick
