#include "wick/ir/safetensors_header.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "wick/ir/format.h"
#include "wick/ir/infer_rules.h"
#include "wick/ir/utf8.h"

namespace wick::ir {
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

/// One tensor's description, for errors that name it.
struct Description {
  const FileUse& use;
  const std::string& name;
  const Json& json;

  [[noreturn]] void fail(const std::string& text) const {
    use.fail(fmt::format("tensor {}: {}", name, text));
  }

  [[nodiscard]] DType dtype() const {
    const auto field = json.find("dtype");
    if (field == json.end() || !field->is_string()) fail("dtype is no string");
    const auto& text = field->get_ref<const std::string&>();
    const auto* const row = std::ranges::find(kDTypeNames, text, &DTypeName::name);
    if (row == kDTypeNames.end()) fail(fmt::format("dtype {} is unknown", text));
    return row->dtype;
  }

  [[nodiscard]] std::vector<uint64_t> numbers(const char* field_name) const {
    const auto field = json.find(field_name);
    const bool is_list =
        field != json.end() && field->is_array() &&
        std::ranges::all_of(*field, [](const Json& each) { return each.is_number_unsigned(); });
    if (!is_list) fail(fmt::format("{} is no list of numbers", field_name));
    return field->get<std::vector<uint64_t>>();
  }

  [[nodiscard]] Shape shape() const {
    std::vector<int64_t> extents;
    for (const uint64_t extent : numbers("shape")) {
      if (extent > INT64_MAX) fail("shape has too many elements");
      extents.push_back(static_cast<int64_t>(extent));
    }
    Shape result{std::span<const int64_t>(extents)};
    if (!is_countable(result)) fail("shape has too many elements");
    return result;
  }
};

/// Where a tensor's elements lie, from the end of the header.
struct Extent {
  uint64_t begin = 0;
  uint64_t end = 0;
};

Extent parse_offsets(const Description& tensor, const Type& type, uint64_t data_size) {
  const std::vector<uint64_t> offsets = tensor.numbers("data_offsets");
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    tensor.fail("data_offsets are no begin and end");
  }
  const Extent extent{offsets[0], offsets[1]};
  if (extent.end > data_size) {
    constexpr auto kText = "data ends at byte {}, the file has {} of data";
    tensor.fail(fmt::format(kText, extent.end, data_size));
  }
  if (extent.end - extent.begin != type.num_bytes()) {
    constexpr auto kText = "{} needs {} bytes, data_offsets span {}";
    tensor.fail(fmt::format(kText, type, type.num_bytes(), extent.end - extent.begin));
  }
  return extent;
}

/// Tensors must follow each other without overlap or gap, up to the end of the file.
void check_coverage(const FileUse& use,
                    std::vector<std::pair<Extent, std::string_view>> tensors,
                    uint64_t data_size) {
  std::ranges::stable_sort(
      tensors, {}, [](const auto& each) { return std::pair(each.first.begin, each.first.end); });
  uint64_t at = 0;
  for (const auto& [extent, name] : tensors) {
    if (extent.begin < at) {
      constexpr auto kText = "tensor {}: data overlaps the tensor before, which ends at {}";
      use.fail(fmt::format(kText, name, at));
    }
    if (extent.begin > at) {
      constexpr auto kText = "tensor {}: {} bytes before its data belong to no tensor";
      use.fail(fmt::format(kText, name, extent.begin - at));
    }
    at = extent.end;
  }
  if (at != data_size) {
    use.fail(fmt::format("{} bytes of data belong to no tensor", data_size - at));
  }
}

std::map<std::string, std::string> parse_metadata(const FileUse& use, const Json& json) {
  std::map<std::string, std::string> metadata;
  if (!json.is_object()) use.fail("__metadata__ is no object");
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) use.fail(fmt::format("metadata {} is no string", key));
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

/// The header's JSON. A parser's later value would silently win where a key is given twice.
Json parse_json(std::string_view text, const FileUse& use) {
  if (!text.starts_with('{')) use.fail("the header does not begin with '{'");
  std::vector<std::set<std::string>> keys;  // of the objects around
  std::string tensor;
  const auto note = [&](int depth, Json::parse_event_t event, const Json& value) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event != Json::parse_event_t::key) return true;
    const auto& key = value.get_ref<const std::string&>();
    if (depth == 1) tensor = key;
    if (keys.back().insert(key).second) return true;
    if (depth == 1) use.fail(fmt::format("tensor {}: is given twice", key));
    use.fail(fmt::format("{}: {} is given twice", tensor, key));
  };
  Json json = Json::parse(text, note, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_object()) use.fail("the header is no JSON object");
  return json;
}

std::string_view dtype_name(DType dtype) {
  return std::ranges::find(kDTypeNames, dtype, &DTypeName::dtype)->name;
}

}  // namespace

size_t safetensors_header_bytes(std::span<const std::byte> start,
                                uint64_t file_size,
                                const FileUse& use) {
  uint64_t length = 0;
  if (file_size < sizeof length) {
    use.fail(fmt::format("{} bytes are too few for a header", file_size));
  }
  check(start.size() >= sizeof length, "the header's length is there");
  std::memcpy(&length, start.data(), sizeof length);
  if (length > kMaxHeader || length > file_size - sizeof length) {
    constexpr auto kText = "header length {} does not fit a file of {} bytes";
    use.fail(fmt::format(kText, length, file_size));
  }
  return sizeof length + length;
}

SafetensorsHeader parse_safetensors_header(std::span<const std::byte> start,
                                           uint64_t file_size,
                                           const FileUse& use) {
  const size_t data_start = safetensors_header_bytes(start, file_size, use);
  check(start.size() >= data_start, "the header is there");
  const std::string_view text(reinterpret_cast<const char*>(start.data()), data_start);
  const Json json = parse_json(text.substr(kSafetensorsLengthBytes), use);
  const uint64_t data_size = file_size - data_start;

  SafetensorsHeader header;
  std::vector<std::pair<Extent, std::string_view>> extents;
  for (const auto& item : json.items()) {
    if (item.key() == kMetadata) {
      header.metadata = parse_metadata(use, item.value());
      continue;
    }
    const Description tensor{use, item.key(), item.value()};
    if (!tensor.json.is_object()) tensor.fail("its description is no object");
    const Type type{tensor.dtype(), tensor.shape()};
    const Extent extent = parse_offsets(tensor, type, data_size);
    extents.emplace_back(extent, item.key());
    header.tensors.push_back({item.key(), type, data_start + extent.begin});
  }
  check_coverage(use, std::move(extents), data_size);
  return header;
}

void check_safetensors_data(const SafetensorsEntry& entry,
                            std::span<const std::byte> elements,
                            const FileUse& use) {
  if (entry.type.dtype == DType::bool_ &&
      std::ranges::any_of(elements, [](std::byte byte) { return byte > std::byte{1}; })) {
    use.fail(fmt::format("tensor {}: a bool is neither 0 nor 1", entry.name));
  }
}

std::string safetensors_header(std::span<const SafetensorsEntry> tensors,
                               const std::map<std::string, std::string>& metadata,
                               const FileUse& use) {
  Json header = Json::object();
  if (!metadata.empty()) header[std::string(kMetadata)] = metadata;
  uint64_t offset = 0;
  for (const SafetensorsEntry& tensor : tensors) {
    if (!is_utf8(tensor.name)) use.fail("a tensor's name is no UTF-8 text");
    if (tensor.name == kMetadata) use.fail(fmt::format("no tensor may be called {}", kMetadata));
    const Shape& shape = tensor.type.shape;
    const uint64_t end = offset + tensor.type.num_bytes();
    header[tensor.name] = {{"dtype", dtype_name(tensor.type.dtype)},
                           {"shape", std::vector<int64_t>(shape.begin(), shape.end())},
                           {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  while (text.size() % sizeof(uint64_t) != 0)
    text += ' ';  // aligns the data
  const uint64_t length = text.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + text;
}

}  // namespace wick::ir
