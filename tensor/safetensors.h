#pragma once

// Files in the safetensors format: named tensors and a few strings of metadata.

#include <map>
#include <source_location>
#include <string>

#include "wick/tensor/tensor.h"

namespace wick {

struct SafetensorsFile {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// Error naming the file, and the tensor where it is about one, when the file is missing, truncated
/// or breaks a rule of the format: bad header length or JSON, unknown dtype, offsets that overlap,
/// leave gaps or the file, or do not fit dtype and shape.
SafetensorsFile read_safetensors(const std::string& path,
                                 std::source_location where = std::source_location::current());

/// The tensors of read_safetensors.
std::map<std::string, Tensor> load_safetensors(
    const std::string& path, std::source_location where = std::source_location::current());

/// Materializes the tensors in one program, then writes the file whole or not at all. Error naming
/// the file when it cannot be written.
void save_safetensors(const std::string& path,
                      const std::map<std::string, Tensor>& tensors,
                      const std::map<std::string, std::string>& metadata = {},
                      std::source_location where = std::source_location::current());

}  // namespace wick
