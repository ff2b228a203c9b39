// The header of .npy files: a magic string, a version, a length and a Python dictionary.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "wick/ir/format.h"
#include "wick/ir/infer_rules.h"
#include "wick/ir/literal_text.h"
#include "wick/ir/npy.h"

namespace wick::ir {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kAlignment = 64;  // of the elements in the file

struct Descriptor {
  std::string_view text;  // without the byte order
  DType dtype;
};

constexpr std::array kDescriptors = {Descriptor{"f4", DType::f32},
                                     Descriptor{"f8", DType::f64},
                                     Descriptor{"f2", DType::f16},
                                     Descriptor{"i1", DType::i8},
                                     Descriptor{"i2", DType::i16},
                                     Descriptor{"i4", DType::i32},
                                     Descriptor{"i8", DType::i64},
                                     Descriptor{"u1", DType::u8},
                                     Descriptor{"b1", DType::bool_}};
static_assert(kDescriptors.size() == kNumDTypes - 1, "all but bf16");

/// Reads the part of Python's syntax that NumPy writes.
class DictionaryReader {
 public:
  DictionaryReader(std::string_view text, const FileUse& use) : text_(text), use_(use) {}

  void parse(NpyHeader& header) {
    expect('{');
    while (!accept('}')) {
      entry(header);
      if (!accept(',') && !is('}')) fail_expected("',' or '}'");
    }
    skip_blanks();
    if (at_ != text_.size()) fail_expected("the end of the header");
    if (!has_descr_) use_.fail("the header has no 'descr'");
    if (!has_order_) use_.fail("the header has no 'fortran_order'");
    if (!has_shape_) use_.fail("the header has no 'shape'");
  }

 private:
  void entry(NpyHeader& header) {
    const std::string_view key = string("a key");
    expect(':');
    if (key == "descr") {
      once(has_descr_, key);
      descr(header);
    } else if (key == "fortran_order") {
      once(has_order_, key);
      header.fortran_order = boolean();
    } else if (key == "shape") {
      once(has_shape_, key);
      header.type.shape = shape();
    } else {
      use_.fail(fmt::format("the header has the unknown key {}", quoted(key)));
    }
  }

  void once(bool& seen, std::string_view key) const {
    if (seen) use_.fail(fmt::format("the header has '{}' twice", key));
    seen = true;
  }

  void descr(NpyHeader& header) {
    if (is('[')) use_.fail("the dtype is a structure, not of numbers");
    const std::string_view text = string("a dtype");
    constexpr std::string_view kOrders = "<>|=";
    const size_t prefix = !text.empty() && kOrders.find(text[0]) != std::string_view::npos ? 1 : 0;
    const auto* const row = std::ranges::find(kDescriptors, text.substr(prefix), &Descriptor::text);
    if (row == kDescriptors.end()) {
      constexpr auto kText =
          "the dtype {} is none of Wick's, which are f4, f8, f2, i1, i2, i4, i8, u1 and b1";
      use_.fail(fmt::format(kText, quoted(text)));
    }
    header.type.dtype = row->dtype;
    header.big_endian = text[0] == '>';
  }

  bool boolean() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return word == "True";
      }
    }
    fail_expected("True or False");
  }

  Shape shape() {
    std::vector<int64_t> extents;
    expect('(');
    while (!accept(')')) {
      extents.push_back(extent());
      // Python reads `(3)` as a number.
      if (!accept(',') && (extents.size() == 1 || !is(')'))) fail_expected("','");
    }
    Shape result{std::span<const int64_t>(extents)};
    if (!is_countable(result)) use_.fail(fmt::format("the shape {} has too many elements", result));
    return result;
  }

  int64_t extent() {
    skip_blanks();
    int64_t value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, problem] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (problem == std::errc::result_out_of_range) use_.fail("an extent is out of range");
    if (problem != std::errc() || *begin == '-') fail_expected("an extent");
    at_ += static_cast<size_t>(end - begin);
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote long integers so
    return value;
  }

  std::string_view string(std::string_view what) {
    skip_blanks();
    const char quote = is('"') ? '"' : '\'';
    if (!accept(quote)) fail_expected(what);
    const size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) fail_expected("the end of a string");
    const std::string_view result = text_.substr(at_, end - at_);
    at_ = end + 1;
    return result;
  }

  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\n", at_), text_.size()); }

  bool is(char c) {
    skip_blanks();
    return at_ < text_.size() && text_[at_] == c;
  }

  bool accept(char c) {
    if (!is(c)) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail_expected(fmt::format("'{}'", c));
  }

  [[noreturn]] void fail_expected(std::string_view what) const {
    constexpr size_t kShown = 20;
    const std::string found =
        at_ < text_.size() ? quoted(text_.substr(at_, kShown)) : "the end of the header";
    use_.fail(fmt::format("the header should have {} instead of {}", what, found));
  }

  std::string_view text_;
  const FileUse& use_;
  size_t at_ = 0;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

uint64_t little_endian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i) {
    value = value << 8U | static_cast<uint8_t>(bytes[i - 1]);
  }
  return value;
}

std::string hexadecimal(std::string_view bytes) {
  const std::span<const uint8_t> numbers(reinterpret_cast<const uint8_t*>(bytes.data()),
                                         bytes.size());
  return fmt::format("{:02x}", fmt::join(numbers, " "));
}

/// The dictionary's text; `data_offset` becomes its end.
std::string_view dictionary_text(std::string_view start,
                                 uint64_t file_size,
                                 const FileUse& use,
                                 size_t& data_offset) {
  if (start.empty()) use.fail("the file is empty");
  const std::string_view magic = start.substr(0, kMagic.size());
  if (magic != kMagic) {
    constexpr auto kText = "is no .npy file: it begins with the bytes {}, not {}";
    use.fail(fmt::format(kText, hexadecimal(magic), hexadecimal(kMagic)));
  }
  if (start.size() < kMagic.size() + 2) use.fail("the file ends before its version");
  const auto major = static_cast<uint8_t>(start[kMagic.size()]);
  const auto minor = static_cast<uint8_t>(start[kMagic.size() + 1]);
  if (major < 1 || major > 3 || minor != 0) {
    constexpr auto kText = "expected format version 1.0, 2.0 or 3.0, found {}.{}";
    use.fail(fmt::format(kText, major, minor));
  }
  const size_t length_size = major == 1 ? 2 : 4;
  const size_t begin = kMagic.size() + 2 + length_size;
  if (start.size() < begin) use.fail("the file ends before the length of its header");
  const uint64_t length = little_endian(start.substr(begin - length_size, length_size));
  if (length > file_size - begin) {
    constexpr auto kText = "the header claims {} bytes, the file has {} more";
    use.fail(fmt::format(kText, length, file_size - begin));
  }
  if (length > kMaxNpyHeader - begin) {
    constexpr auto kText = "the header claims {} bytes, Wick reads {} at most";
    use.fail(fmt::format(kText, length, kMaxNpyHeader - begin));
  }
  data_offset = begin + length;
  return start.substr(begin, length);
}

}  // namespace

NpyHeader parse_npy_header(std::span<const std::byte> start,
                           uint64_t file_size,
                           const FileUse& use) {
  check(start.size() == file_size || start.size() >= kMaxNpyHeader, "enough of the file is there");
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  NpyHeader header;
  const std::string_view dictionary = dictionary_text(text, file_size, use, header.data_offset);
  DictionaryReader(dictionary, use).parse(header);
  const uint64_t found = file_size - header.data_offset;
  if (found != header.type.num_bytes()) {
    constexpr auto kText = "{} needs {} bytes of data, the file has {}";
    use.fail(fmt::format(kText, header.type, header.type.num_bytes(), found));
  }
  return header;
}

std::string npy_header(const Type& type, const FileUse& use) {
  const auto* const row = std::ranges::find(kDescriptors, type.dtype, &Descriptor::dtype);
  if (row == kDescriptors.end()) {
    use.fail(fmt::format("NumPy has no dtype for {}", type.dtype));
  }
  std::string extents;
  for (const int64_t extent : type.shape) {
    extents += fmt::format("{}{}", extents.empty() ? "" : ", ", extent);
  }
  if (type.shape.ndim() == 1) extents += ',';
  const char order = size_of(type.dtype) == 1 ? '|' : '<';
  std::string dictionary = fmt::format(
      "{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}", order, row->text, extents);
  // NumPy leaves room for an array that grows along its first axis to rewrite its header.
  constexpr size_t kLongestExtent = 21;
  if (type.shape.ndim() > 0) {
    dictionary.append(kLongestExtent - std::to_string(type.shape[0]).size(), ' ');
  }
  const size_t begin = kMagic.size() + 4;  // after version and length
  while ((begin + dictionary.size() + 1) % kAlignment != 0)
    dictionary += ' ';
  dictionary += '\n';
  if (begin + dictionary.size() > kMaxNpyHeader) {
    use.fail(fmt::format("rank {} is too high for an .npy file", type.shape.ndim()));
  }
  std::string result(kMagic);
  result += {'\1', '\0'};
  result += static_cast<char>(dictionary.size() & 0xFFU);
  result += static_cast<char>(dictionary.size() >> 8U);
  return result + dictionary;
}

}  // namespace wick::ir
