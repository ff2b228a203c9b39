#include "wick/ir/npz.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "wick/ir/literal_text.h"
#include "wick/ir/npy.h"
#include "wick/ir/utf8.h"

namespace wick::ir {

namespace {

constexpr std::string_view kSuffix = ".npy";

/// The bytes of the entry come once, in order: those behind the header that were read with it are
/// the first of the elements.
void read_array(ZipReader& archive,
                std::string_view name,
                const std::function<std::byte*(std::string_view, const Type&)>& allocate) {
  const uint64_t size = archive.entry().size;
  std::vector<std::byte> start(std::min<uint64_t>(size, kMaxNpyHeader));
  archive.read(start);
  const NpyHeader header = parse_npy_header(start, size, archive.entry_use());
  const std::span<std::byte> elements(allocate(name, header.type), header.type.num_bytes());
  const auto early = std::span(start).subspan(header.data_offset);
  std::ranges::copy(early, elements.begin());
  archive.read(elements.subspan(early.size()));
  archive.finish_entry();
  decode_npy(header, elements, archive.entry_use());
}

}  // namespace

void read_npz(const ByteSource& source,
              const FileUse& use,
              const std::function<std::byte*(std::string_view, const Type&)>& allocate) {
  ZipReader archive(source, use);
  std::set<std::string, std::less<>> names;
  while (archive.next()) {
    std::string_view name = archive.entry().name;
    if (!name.ends_with(kSuffix)) archive.entry_use().fail("is no .npy file");
    name.remove_suffix(kSuffix.size());
    if (!names.emplace(name).second) archive.entry_use().fail("is given twice");
    read_array(archive, name, allocate);
  }
}

std::string npz_entry_name(const std::string& name, const FileUse& use) {
  constexpr size_t kLongest = 0xFFFF - kSuffix.size();
  if (!is_utf8(name) || name.find('\0') != std::string::npos || name.size() > kLongest) {
    use.fail(
        fmt::format("the name {} is no UTF-8 text of at most {} bytes", quoted(name), kLongest));
  }
  return name + std::string(kSuffix);
}

}  // namespace wick::ir
