#include "wick/ir/utf8.h"

#include <nlohmann/json.hpp>

namespace wick::ir {

bool is_utf8(std::string_view text) {
  // Where the text is sound, dropping and replacing bad bytes give the same.
  using Handling = nlohmann::json::error_handler_t;
  const nlohmann::json json(text);
  return json.dump(-1, ' ', false, Handling::ignore) ==
         json.dump(-1, ' ', false, Handling::replace);
}

}  // namespace wick::ir
