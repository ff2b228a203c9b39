#pragma once

// Where a value lies when a plan runs: the strings of the attribute `buffers`.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "wick/ir/graph.h"

namespace wick::passes {

/// `arena+128`: 128 bytes into the arena of temporaries. `result:2`: the fresh buffer of graph
/// result 2. `param:1`: the buffer of parameter 1, read (an alias) or written over (donated).
/// `constant`: the bytes of a constant.
struct BufferPlace {
  enum class Kind : unsigned char { arena, result, param, constant };
  Kind kind = Kind::arena;
  size_t offset = 0;  // arena
  int index = 0;      // result, param
  friend bool operator==(const BufferPlace&, const BufferPlace&) = default;
};

/// Whether a node outside of fusions gives its operand's bytes: nothing is computed for it.
bool is_alias(const ir::Node& node);

std::string to_string(const BufferPlace& place);
/// Empty for a text of another form.
std::optional<BufferPlace> parse_buffer_place(std::string_view text);

}  // namespace wick::passes
