#pragma once

// NumPy's .npy files as tensors; wick/ir/npy.h says what is read and written.

#include <source_location>
#include <string>

#include "wick/tensor/tensor.h"

namespace wick {

/// The array of a file. Error naming the file, what was expected and what was found when it is
/// missing, truncated, too long or no .npy file that Wick can read.
Tensor load_npy(const std::string& path,
                std::source_location where = std::source_location::current());

/// Materializes the tensor, then writes the file whole or not at all. Error for bf16, which NumPy
/// has not, and if the file cannot be written.
void save_npy(const std::string& path,
              const Tensor& tensor,
              std::source_location where = std::source_location::current());

}  // namespace wick
