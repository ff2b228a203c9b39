#pragma once

// Tokens of graph IR text. Internal to ir/.

#include <cstddef>
#include <string>
#include <string_view>

namespace wick::ir {

enum class TokenKind : uint8_t {
  end,
  identifier,  // add, f32, -inf
  value,       // %name
  symbol,      // @name
  number,
  string,
  punctuation,  // one of {}()[]:,=<>^, or ->
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;  // of the source; without the sigil for values and symbols
  size_t offset = 0;      // of the first character, sigil and quote included
};

/// The tokens of a text, one ahead. Holds views: text and file outlive it.
class TokenStream {
 public:
  TokenStream(std::string_view text, std::string_view file);

  [[nodiscard]] const Token& peek() const { return next_; }

  Token take();
  [[nodiscard]] bool is(std::string_view punctuation) const;
  [[nodiscard]] bool is_word(std::string_view identifier) const;
  bool accept(std::string_view punctuation);
  void expect(std::string_view punctuation);
  void expect_word(std::string_view identifier);
  Token expect(TokenKind kind, std::string_view what);

  /// Counts memory that a repeated literal asks for, a few characters for any amount. Fails when
  /// those of the whole text ask for more than 1 GiB.
  void spend(const Token& at, size_t bytes);

  /// Throws ParseError: place, text, the source line and a caret.
  [[noreturn]] void fail(const Token& at, std::string_view text) const;
  [[noreturn]] void fail_expected(std::string_view what) const;

 private:
  void advance();
  void skip_blanks();
  [[nodiscard]] size_t end_of_name(size_t from) const;
  [[nodiscard]] size_t end_of_number(size_t from) const;
  [[nodiscard]] size_t end_of_string(size_t from) const;
  void lex_sigil(TokenKind kind);
  void lex_punctuation();

  [[nodiscard]] char at(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  std::string_view text_;
  std::string_view file_;
  size_t offset_ = 0;
  size_t spent_ = 0;
  Token next_;
};

}  // namespace wick::ir
