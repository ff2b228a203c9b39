#include "wick/ir/lexer.h"

#include <algorithm>

#include <fmt/format.h>

#include "wick/ir/literal_text.h"
#include "wick/ir/parser.h"
#include "wick/ir/value_names.h"

namespace wick::ir {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

std::string_view line_around(std::string_view text, size_t offset) {
  const size_t before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
}

/// As wide as the line's start, tabs included, so that the caret stands under its column.
std::string caret_below(std::string_view line, size_t column) {
  std::string blanks(line.substr(0, std::min(column, line.size())));
  std::ranges::replace_if(blanks, [](char c) { return c != '\t'; }, ' ');
  return blanks + '^';
}

}  // namespace

TokenStream::TokenStream(std::string_view text, std::string_view file) : text_(text), file_(file) {
  advance();
}

Token TokenStream::take() {
  const Token token = next_;
  advance();
  return token;
}

bool TokenStream::is(std::string_view punctuation) const {
  return next_.kind == TokenKind::punctuation && next_.text == punctuation;
}

bool TokenStream::is_word(std::string_view identifier) const {
  return next_.kind == TokenKind::identifier && next_.text == identifier;
}

bool TokenStream::accept(std::string_view punctuation) {
  if (!is(punctuation)) return false;
  advance();
  return true;
}

void TokenStream::expect(std::string_view punctuation) {
  if (!accept(punctuation)) fail_expected(fmt::format("'{}'", punctuation));
}

void TokenStream::expect_word(std::string_view identifier) {
  if (!is_word(identifier)) fail_expected(fmt::format("'{}'", identifier));
  advance();
}

Token TokenStream::expect(TokenKind kind, std::string_view what) {
  if (next_.kind != kind) fail_expected(what);
  return take();
}

void TokenStream::spend(const Token& at, size_t bytes) {
  constexpr size_t kMost = size_t{1} << 30U;
  if (bytes > kMost - spent_) fail(at, "the literal is too large");
  spent_ += bytes;
}

void TokenStream::fail(const Token& at, std::string_view text) const {
  const std::string_view line = line_around(text_, at.offset);
  const auto column = static_cast<size_t>(text_.data() + at.offset - line.data());
  const auto number = std::count(text_.begin(), text_.begin() + static_cast<long>(at.offset), '\n');
  throw ParseError(fmt::format("{}:{}:{}: error: {}\n{}\n{}",
                               file_,
                               number + 1,
                               column + 1,
                               text,
                               line,
                               caret_below(line, column)));
}

void TokenStream::fail_expected(std::string_view what) const {
  if (next_.kind == TokenKind::end) fail(next_, fmt::format("expected {}, found the end", what));
  const auto text_at = static_cast<size_t>(next_.text.data() - text_.data());
  const size_t end = text_at + next_.text.size() + (next_.kind == TokenKind::string ? 1 : 0);
  const std::string_view spelled = text_.substr(next_.offset, end - next_.offset);
  fail(next_, fmt::format("expected {}, found '{}'", what, spelled));
}

void TokenStream::skip_blanks() {
  while (offset_ < text_.size()) {
    const char c = text_[offset_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++offset_;
    } else if (c == '/' && at(offset_ + 1) == '/') {
      offset_ = std::min(text_.find('\n', offset_), text_.size());
    } else {
      return;
    }
  }
}

size_t TokenStream::end_of_name(size_t from) const {
  while (is_name_character(at(from)) && !(at(from) == '-' && at(from + 1) == '>')) {
    ++from;
  }
  return from;
}

size_t TokenStream::end_of_number(size_t from) const {
  if (at(from) == '-') ++from;
  if (at(from) == '0' && at(from + 1) == 'x') {
    from += 2;
    while (is_hex_digit(at(from))) {
      ++from;
    }
    return from;
  }
  while (is_digit(at(from)) || at(from) == '.') {
    ++from;
  }
  if (at(from) != 'e' && at(from) != 'E') return from;
  ++from;
  if (at(from) == '+' || at(from) == '-') ++from;
  while (is_digit(at(from))) {
    ++from;
  }
  return from;
}

size_t TokenStream::end_of_string(size_t from) const {
  for (size_t i = from + 1; i < text_.size() && text_[i] != '\n'; ++i) {
    if (text_[i] == '"') return i;
    if (text_[i] == '\\') ++i;
  }
  fail({TokenKind::string, {}, from}, "expected '\"' before the end of the line");
}

void TokenStream::lex_sigil(TokenKind kind) {
  const size_t begin = offset_;
  offset_ = end_of_name(begin + 1);
  next_ = {kind, text_.substr(begin + 1, offset_ - begin - 1), begin};
  if (next_.text.empty()) fail(next_, fmt::format("expected a name after '{}'", text_[begin]));
}

void TokenStream::lex_punctuation() {
  const size_t begin = offset_;
  const char c = text_[begin];
  if (c == '-' && at(begin + 1) == '>') {
    offset_ += 2;
  } else if (c != '\0' && std::string_view("{}()[]:,=<>^").find(c) != std::string_view::npos) {
    ++offset_;
  } else {
    const std::string character = quoted(text_.substr(begin, 1));
    fail({TokenKind::punctuation, {}, begin}, "unexpected character " + character);
  }
  next_ = {TokenKind::punctuation, text_.substr(begin, offset_ - begin), begin};
}

void TokenStream::advance() {
  skip_blanks();
  const size_t begin = offset_;
  if (begin >= text_.size()) {
    next_ = {TokenKind::end, text_.substr(text_.size()), text_.size()};
    return;
  }
  const char c = text_[begin];
  if (c == '%') return lex_sigil(TokenKind::value);
  if (c == '@') return lex_sigil(TokenKind::symbol);
  if (c == '"') {
    const size_t end = end_of_string(begin);
    next_ = {TokenKind::string, text_.substr(begin + 1, end - begin - 1), begin};
    offset_ = end + 1;
    return;
  }
  const bool negative_name = c == '-' && starts_identifier(at(begin + 1));
  if (starts_identifier(c) || negative_name) {
    offset_ = end_of_name(begin + 1);
    next_ = {TokenKind::identifier, text_.substr(begin, offset_ - begin), begin};
    return;
  }
  if (is_digit(c) || (c == '-' && is_digit(at(begin + 1)))) {
    offset_ = end_of_number(begin);
    next_ = {TokenKind::number, text_.substr(begin, offset_ - begin), begin};
    return;
  }
  lex_punctuation();
}

}  // namespace wick::ir
