#include "wick/tensor/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "wick/tensor/ops.h"

namespace wick {

namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

using Json = nlohmann::json;

constexpr uint64_t kMaxHeader = 100'000'000;  // as the format's own reader
constexpr std::string_view kMetadata = "__metadata__";

struct DTypeName {
  std::string_view name;
  DType dtype;
};

constexpr std::array<DTypeName, kNumDTypes> kDTypeNames = {{{"F32", DType::f32},
                                                            {"F64", DType::f64},
                                                            {"F16", DType::f16},
                                                            {"BF16", DType::bf16},
                                                            {"I8", DType::i8},
                                                            {"I16", DType::i16},
                                                            {"I32", DType::i32},
                                                            {"I64", DType::i64},
                                                            {"U8", DType::u8},
                                                            {"BOOL", DType::bool_}}};

/// Where a reader stands, for its errors.
struct Reader {
  const std::string& path;
  std::source_location where;

  [[noreturn]] void fail(const std::string& text) const {
    throw Error(where, "load_safetensors", path + ": " + text);
  }

  [[noreturn]] void fail(const std::string& tensor, const std::string& text) const {
    fail(fmt::format("tensor {}: {}", tensor, text));
  }
};

struct Entry {
  std::string name;
  Type type;
  uint64_t begin = 0;
  uint64_t end = 0;
};

DType parse_dtype(const Reader& reader, const std::string& name, const Json& json) {
  const auto field = json.find("dtype");
  if (field == json.end() || !field->is_string()) reader.fail(name, "dtype is no string");
  const std::string text = field->get<std::string>();
  const auto row = std::ranges::find(kDTypeNames, text, &DTypeName::name);
  if (row == kDTypeNames.end()) reader.fail(name, fmt::format("dtype {} is unknown", text));
  return row->dtype;
}

std::vector<uint64_t> parse_numbers(const Reader& reader,
                                    const std::string& name,
                                    const Json& json,
                                    const char* field_name) {
  const auto field = json.find(field_name);
  const bool is_list =
      field != json.end() && field->is_array() &&
      std::ranges::all_of(*field, [](const Json& each) { return each.is_number_unsigned(); });
  if (!is_list) reader.fail(name, fmt::format("{} is no list of numbers", field_name));
  return field->get<std::vector<uint64_t>>();
}

Shape parse_shape(const Reader& reader, const std::string& name, const Json& json) {
  constexpr uint64_t kMaxElements = uint64_t{1} << 48U;
  std::vector<int64_t> extents;
  uint64_t numel = 1;
  for (const uint64_t extent : parse_numbers(reader, name, json, "shape")) {
    if (extent > kMaxElements || (extent != 0 && numel > kMaxElements / extent)) {
      reader.fail(name, "shape has too many elements");
    }
    numel *= extent;
    extents.push_back(static_cast<int64_t>(extent));
  }
  return Shape(std::span<const int64_t>(extents));
}

Entry parse_entry(const Reader& reader, const std::string& name, const Json& json, uint64_t size) {
  if (!json.is_object()) reader.fail(name, "its description is no object");
  Entry entry{name, {parse_dtype(reader, name, json), parse_shape(reader, name, json)}};
  const std::vector<uint64_t> offsets = parse_numbers(reader, name, json, "data_offsets");
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    reader.fail(name, "data_offsets are no begin and end");
  }
  entry.begin = offsets[0];
  entry.end = offsets[1];
  if (entry.end > size) {
    constexpr auto kText = "data ends at byte {}, the file has {} of data";
    reader.fail(name, fmt::format(kText, entry.end, size));
  }
  if (entry.end - entry.begin != entry.type.num_bytes()) {
    constexpr auto kText = "{} needs {} bytes, data_offsets span {}";
    reader.fail(
        name,
        fmt::format(kText, to_string(entry.type), entry.type.num_bytes(), entry.end - entry.begin));
  }
  return entry;
}

/// Entries must follow each other without overlap or gap, up to the end of the file.
void check_coverage(const Reader& reader, std::vector<Entry> entries, uint64_t size) {
  std::ranges::stable_sort(
      entries, {}, [](const Entry& entry) { return std::pair(entry.begin, entry.end); });
  uint64_t at = 0;
  for (const Entry& entry : entries) {
    if (entry.begin < at) {
      reader.fail(entry.name, fmt::format("data overlaps the tensor before, which ends at {}", at));
    }
    if (entry.begin > at) {
      constexpr auto kText = "{} bytes before its data belong to no tensor";
      reader.fail(entry.name, fmt::format(kText, entry.begin - at));
    }
    at = entry.end;
  }
  if (at != size) {
    reader.fail(fmt::format("{} bytes of data belong to no tensor", size - at));
  }
}

std::map<std::string, std::string> parse_metadata(const Reader& reader, const Json& json) {
  std::map<std::string, std::string> metadata;
  if (!json.is_object()) reader.fail("__metadata__ is no object");
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) reader.fail(fmt::format("metadata {} is no string", key));
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

/// The header's JSON, with the file's position left at the data.
Json read_header(const Reader& reader, std::ifstream& file, uint64_t file_size) {
  uint64_t length = 0;
  if (file_size < sizeof length) {
    reader.fail(fmt::format("{} bytes are too few for a header", file_size));
  }
  file.read(reinterpret_cast<char*>(&length), sizeof length);
  if (!file) reader.fail("cannot be read");
  if (length > kMaxHeader || length > file_size - sizeof length) {
    constexpr auto kText = "header length {} does not fit a file of {} bytes";
    reader.fail(fmt::format(kText, length, file_size));
  }
  std::string text(length, '\0');
  file.read(text.data(), static_cast<std::streamsize>(length));
  if (!file) reader.fail("cannot be read");
  Json header = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (header.is_discarded() || !header.is_object()) reader.fail("the header is no JSON object");
  return header;
}

Tensor read_tensor(const Reader& reader, std::ifstream& file, uint64_t data_start, Entry entry) {
  Ref<runtime::Buffer> buffer =
      runtime::Buffer::allocate(entry.type.num_bytes(), {"leaf", reader.where});
  file.seekg(static_cast<std::streamoff>(data_start + entry.begin));
  file.read(static_cast<char*>(buffer->data()),
            static_cast<std::streamsize>(entry.type.num_bytes()));
  if (!file) reader.fail(entry.name, "data cannot be read");
  if (entry.type.dtype == DType::bool_) {
    const auto* const bytes = static_cast<const uint8_t*>(buffer->data());
    if (std::any_of(bytes, bytes + buffer->size(), [](uint8_t byte) { return byte > 1; })) {
      reader.fail(entry.name, "a bool is neither 0 nor 1");
    }
  }
  return Tensor(detail::Node::leaf(std::move(entry.type), std::move(buffer), reader.where));
}

std::string_view dtype_name(DType dtype) {
  return std::ranges::find(kDTypeNames, dtype, &DTypeName::dtype)->name;
}

/// Length and JSON of the header, padded so that the data is aligned to 8 bytes.
std::string header_of(const std::map<std::string, Tensor>& tensors,
                      const std::map<std::string, std::string>& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) header[std::string(kMetadata)] = metadata;
  uint64_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    const uint64_t end = offset + tensor.type().num_bytes();
    header[name] = {{"dtype", dtype_name(tensor.dtype())},
                    {"shape", std::vector<int64_t>(tensor.shape().begin(), tensor.shape().end())},
                    {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  while (text.size() % sizeof(uint64_t) != 0)
    text += ' ';
  const uint64_t length = text.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + text;
}

bool is_utf8(const std::string& text) {
  // Where the text is sound, dropping and replacing bad bytes give the same.
  using Handling = Json::error_handler_t;
  const Json json(text);
  return json.dump(-1, ' ', false, Handling::ignore) ==
         json.dump(-1, ' ', false, Handling::replace);
}

}  // namespace

SafetensorsFile read_safetensors(const std::string& path, std::source_location where) {
  const Reader reader{path, where};
  std::error_code problem;
  const uint64_t file_size = std::filesystem::file_size(path, problem);
  if (problem) reader.fail(problem.message());
  std::ifstream file(path, std::ios::binary);
  if (!file) reader.fail("cannot be opened");
  const Json header = read_header(reader, file, file_size);
  const auto data_start = static_cast<uint64_t>(file.tellg());
  const uint64_t data_size = file_size - data_start;

  SafetensorsFile result;
  std::vector<Entry> entries;
  for (const auto& [name, json] : header.items()) {
    if (name == kMetadata) {
      result.metadata = parse_metadata(reader, json);
    } else {
      entries.push_back(parse_entry(reader, name, json, data_size));
    }
  }
  check_coverage(reader, entries, data_size);
  for (const Entry& entry : entries) {
    result.tensors[entry.name] = read_tensor(reader, file, data_start, entry);
  }
  return result;
}

std::map<std::string, Tensor> load_safetensors(const std::string& path,
                                               std::source_location where) {
  return read_safetensors(path, where).tensors;
}

void save_safetensors(const std::string& path,
                      const std::map<std::string, Tensor>& tensors,
                      const std::map<std::string, std::string>& metadata,
                      std::source_location where) {
  const auto fail = [&](const std::string& text) {
    throw Error(where, "save_safetensors", path + ": " + text);
  };
  std::vector<Tensor> values;
  for (const auto& [name, tensor] : tensors) {
    if (!is_utf8(name)) fail("a tensor's name is no UTF-8 text");
    if (!tensor.defined()) fail(fmt::format("tensor {} is undefined", name));
    if (name == kMetadata) fail(fmt::format("no tensor may be called {}", name));
    values.push_back(tensor);
  }
  materialize(values, where);

  // Readers see the old file or the new one, never half of one.
  const std::string partial = fmt::format("{}.{}.partial", path, ::getpid());
  std::ofstream file(partial, std::ios::binary | std::ios::trunc);
  if (!file) fail("cannot be written");
  file << header_of(tensors, metadata);
  for (const Tensor& tensor : values) {
    file.write(static_cast<const char*>(tensor.node()->data()),
               static_cast<std::streamsize>(tensor.type().num_bytes()));
  }
  file.close();
  std::error_code problem;
  if (file) std::filesystem::rename(partial, path, problem);
  if (!file || problem) {
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
    fail(problem ? problem.message() : "cannot be written");
  }
}

}  // namespace wick
