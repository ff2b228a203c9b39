#pragma once

// Types, literals and attributes from tokens. Internal to ir/.

#include "wick/ir/attributes.h"
#include "wick/ir/lexer.h"
#include "wick/ir/type.h"

namespace wick::ir {

/// `f32[64,784]`.
Type parse_type(TokenStream& tokens);

/// What stands between the quotes of a string token, escapes resolved.
std::string parse_string(TokenStream& tokens);

int64_t parse_integer(TokenStream& tokens);

/// `{axes = [1], keepdims = true, flag}`, or nothing at all. Names and kinds are not checked.
Attributes parse_attributes(TokenStream& tokens);

}  // namespace wick::ir
