#include "wick/ir/parse_values.h"

#include <bit>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "wick/ir/convert.h"
#include "wick/ir/format.h"
#include "wick/ir/infer_rules.h"

namespace wick::ir {
namespace {

template <typename T>
void check_number(const TokenStream& tokens,
                  const Token& token,
                  std::string_view text,
                  std::from_chars_result result) {
  if (result.ec == std::errc::result_out_of_range) {
    tokens.fail(token, fmt::format("{} is out of range", token.text));
  }
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) {
    constexpr bool kInteger = std::is_integral_v<T>;
    tokens.fail(token,
                fmt::format("{} is not {}", token.text, kInteger ? "an integer" : "a number"));
  }
}

template <typename T>
T parse_decimal(const TokenStream& tokens, const Token& token) {
  const std::string_view text = token.text;
  T value{};
  check_number<T>(
      tokens, token, text, std::from_chars(text.data(), text.data() + text.size(), value));
  return value;
}

template <typename T>
T parse_hexadecimal(const TokenStream& tokens, const Token& token, std::string_view digits) {
  T value{};
  const char* end = digits.data() + digits.size();
  check_number<T>(tokens, token, digits, std::from_chars(digits.data(), end, value, 16));
  return value;
}

/// `nan`, or `nan(0x7fc00001)` with all bits.
template <typename T>
T parse_nan(TokenStream& tokens) {
  tokens.take();
  if (!tokens.accept("(")) return from_double<T>(std::numeric_limits<double>::quiet_NaN());
  using Bits = std::conditional_t<sizeof(T) == 2,
                                  uint16_t,
                                  std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
  const Token token = tokens.expect(TokenKind::number, "the bits of a NaN");
  if (!token.text.starts_with("0x")) tokens.fail(token, "expected hexadecimal bits");
  const auto bits = parse_hexadecimal<Bits>(tokens, token, token.text.substr(2));
  tokens.expect(")");
  const auto value = std::bit_cast<T>(bits);
  if (!std::isnan(to_double(value))) tokens.fail(token, "expected the bits of a NaN");
  return value;
}

template <typename T>
T parse_float(TokenStream& tokens) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (tokens.is_word("nan")) return parse_nan<T>(tokens);
  if (tokens.is_word("inf") || tokens.is_word("-inf")) {
    return from_double<T>(tokens.take().text == "inf" ? kInfinity : -kInfinity);
  }
  const Token token = tokens.expect(TokenKind::number, "a number");
  if constexpr (std::is_same_v<T, float>) {
    return parse_decimal<float>(tokens, token);
  } else {
    return from_double<T>(parse_decimal<double>(tokens, token));
  }
}

template <typename T>
T parse_element(TokenStream& tokens) {
  if constexpr (kIsFloat<T>) {
    return parse_float<T>(tokens);
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!tokens.is_word("true") && !tokens.is_word("false")) {
      tokens.fail_expected("'true' or 'false'");
    }
    return tokens.take().text == "true";
  } else {
    const Token token = tokens.peek();
    const int64_t value = parse_integer(tokens);
    if (value != static_cast<T>(value)) {
      tokens.fail(token, fmt::format("{} does not fit {}", value, dtype_of<T>()));
    }
    return static_cast<T>(value);
  }
}

template <typename T>
Literal parse_splat(TokenStream& tokens, const Token& start, const Type& type) {
  const T value = parse_element<T>(tokens);
  tokens.spend(start, type.num_bytes());
  Literal literal(type);
  for (T& element : literal.mutable_values<T>()) {
    element = value;
  }
  return literal;
}

template <typename T>
Literal parse_elements(TokenStream& tokens, const Token& start, const Type& type) {
  // Counted before memory is asked for: the type may claim anything. Bytes, since vector<bool> has
  // no elements to point to.
  std::vector<std::byte> bytes;
  int64_t count = 0;
  if (!tokens.is(">")) {
    tokens.expect(":");
    if (tokens.is_word("splat")) {
      tokens.take();
      return parse_splat<T>(tokens, start, type);
    }
    do {
      const T value = parse_element<T>(tokens);
      const auto* first = reinterpret_cast<const std::byte*>(&value);
      bytes.insert(bytes.end(), first, first + sizeof value);
      ++count;
    } while (tokens.accept(","));
  }
  if (count != type.numel()) {
    tokens.fail(start,
                fmt::format("{} should have {} elements, not {}", type, type.numel(), count));
  }
  return {type, bytes};
}

Literal parse_literal(TokenStream& tokens) {
  const Token start = tokens.take();  // dense
  tokens.expect("<");
  const Type type = parse_type(tokens);
  Literal literal =
      visit_dtype(type.dtype, [&]<typename T>() { return parse_elements<T>(tokens, start, type); });
  tokens.expect(">");
  return literal;
}

AttributeValue parse_integers(TokenStream& tokens) {
  std::vector<int64_t> list;
  if (tokens.accept("]")) return list;
  do {
    list.push_back(parse_integer(tokens));
  } while (tokens.accept(","));
  tokens.expect("]");
  return list;
}

AttributeValue parse_texts(TokenStream& tokens) {
  std::vector<std::string> list;
  if (tokens.accept("]")) return list;
  do {
    list.push_back(parse_string(tokens));
  } while (tokens.accept(","));
  tokens.expect("]");
  return list;
}

bool is_integer_text(std::string_view text) {
  return text.find_first_not_of("-0123456789") == std::string_view::npos;
}

AttributeValue parse_word(TokenStream& tokens) {
  if (tokens.is_word("dense")) return parse_literal(tokens);
  if (tokens.is_word("nan") || tokens.is_word("inf") || tokens.is_word("-inf")) {
    return parse_float<double>(tokens);
  }
  if (tokens.is_word("true") || tokens.is_word("false")) return tokens.take().text == "true";
  if (tokens.is_word("texts")) {
    tokens.take();
    tokens.expect("[");
    return parse_texts(tokens);
  }
  const std::optional<DType> dtype = dtype_from_string(tokens.peek().text);
  if (!dtype) tokens.fail_expected("an attribute value");
  tokens.take();
  return *dtype;
}

AttributeValue parse_attribute_value(TokenStream& tokens) {
  switch (tokens.peek().kind) {
    case TokenKind::string:
      return parse_string(tokens);
    case TokenKind::identifier:
      return parse_word(tokens);
    case TokenKind::number:
      if (is_integer_text(tokens.peek().text)) return parse_integer(tokens);
      return parse_float<double>(tokens);
    case TokenKind::punctuation:
      if (tokens.accept("[")) {
        const bool texts = tokens.peek().kind == TokenKind::string;
        return texts ? parse_texts(tokens) : parse_integers(tokens);
      }
      break;
    case TokenKind::end:
    case TokenKind::value:
    case TokenKind::symbol:
      break;
  }
  tokens.fail_expected("an attribute value");
}

}  // namespace

int64_t parse_integer(TokenStream& tokens) {
  const Token token = tokens.expect(TokenKind::number, "an integer");
  return parse_decimal<int64_t>(tokens, token);
}

std::string parse_string(TokenStream& tokens) {
  const Token token = tokens.expect(TokenKind::string, "a string");
  std::string result;
  for (size_t i = 0; i < token.text.size(); ++i) {
    char c = token.text[i];
    if (c == '\\') {
      c = token.text[++i];  // the lexer ends no string at a backslash
      if (c == 'n') {
        c = '\n';
      } else if (c == 't') {
        c = '\t';
      } else if (c == 'x') {
        const std::string_view digits = token.text.substr(i + 1, 2);
        if (digits.size() != 2) tokens.fail(token, "expected two hexadecimal digits after \\x");
        c = static_cast<char>(parse_hexadecimal<uint8_t>(tokens, token, digits));
        i += 2;
      } else if (c != '"' && c != '\\') {
        tokens.fail(token, fmt::format("unknown escape '\\{}'", c));
      }
    }
    result += c;
  }
  return result;
}

Type parse_type(TokenStream& tokens) {
  const Token start = tokens.peek();
  const std::optional<DType> dtype = dtype_from_string(start.text);
  if (start.kind != TokenKind::identifier || !dtype) tokens.fail_expected("a type");
  tokens.take();
  tokens.expect("[");
  std::vector<int64_t> extents;
  if (!tokens.is("]")) {
    do {
      const Token token = tokens.peek();
      extents.push_back(parse_integer(tokens));
      if (extents.back() < 0) tokens.fail(token, "an extent should not be negative");
    } while (tokens.accept(","));
  }
  tokens.expect("]");
  Type type{*dtype, Shape(std::span<const int64_t>(extents))};
  if (!is_countable(type.shape)) tokens.fail(start, "the type has too many elements");
  return type;
}

Attributes parse_attributes(TokenStream& tokens) {
  Attributes attributes;
  if (!tokens.accept("{")) return attributes;
  do {
    const Token name = tokens.expect(TokenKind::identifier, "the name of an attribute");
    if (attributes.has(name.text)) {
      tokens.fail(name, fmt::format("attribute {} is given twice", name.text));
    }
    AttributeValue value = true;
    if (tokens.accept("=")) value = parse_attribute_value(tokens);
    attributes.set(name.text, std::move(value));
  } while (tokens.accept(","));
  tokens.expect("}");
  return attributes;
}

}  // namespace wick::ir
