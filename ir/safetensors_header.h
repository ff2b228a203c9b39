#pragma once

// The header of files in the safetensors format: which tensors they hold and where. Internal to
// the readers and writers of such files.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "wick/ir/data_file.h"
#include "wick/ir/type.h"

namespace wick::ir {

struct SafetensorsEntry {
  std::string name;
  Type type;
  uint64_t offset = 0;  // of its elements, from the start of the file
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> tensors;
  std::map<std::string, std::string> metadata;
};

/// The header begins with its own length.
inline constexpr size_t kSafetensorsLengthBytes = 8;

/// How many bytes of a file its header takes with its length. `start`: the file's first bytes.
size_t safetensors_header_bytes(std::span<const std::byte> start,
                                uint64_t file_size,
                                const FileUse& use);

/// `start`: the file's first bytes, its header at least. Every rule of the format is checked: see
/// wick/tensor/safetensors.h.
SafetensorsHeader parse_safetensors_header(std::span<const std::byte> start,
                                           uint64_t file_size,
                                           const FileUse& use);

/// Error for a bool that is neither 0 nor 1.
void check_safetensors_data(const SafetensorsEntry& entry,
                            std::span<const std::byte> elements,
                            const FileUse& use);

/// A header for tensors of these names and types, whose elements follow in this order. Error for a
/// name that is no UTF-8 text or that the format reserves.
std::string safetensors_header(std::span<const SafetensorsEntry> tensors,
                               const std::map<std::string, std::string>& metadata,
                               const FileUse& use);

}  // namespace wick::ir
