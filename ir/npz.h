#pragma once

// NumPy's .npz files: zip archives of .npy files, as numpy.savez and numpy.savez_compressed write.
// Internal to the readers and writers of such files.

#include <functional>
#include <string_view>

#include "wick/ir/type.h"
#include "wick/ir/zip_archive.h"

namespace wick::ir {

/// Calls `allocate` with the name and the type of each array for the memory to read it into. Error
/// naming the entry for one that is no .npy file, is there twice or is broken. No more is allocated
/// than some thousand times the size of the file.
void read_npz(const ByteSource& source,
              const FileUse& use,
              const std::function<std::byte*(std::string_view, const Type&)>& allocate);

/// The name of an array's entry. Error for a name that is no UTF-8 text.
std::string npz_entry_name(const std::string& name, const FileUse& use);

}  // namespace wick::ir
