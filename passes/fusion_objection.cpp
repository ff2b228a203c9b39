#include "wick/passes/fusion_objection.h"

#include <fmt/format.h>

namespace wick::passes {

std::string Objection::reason() const {
  if (!text_.empty()) return text_;
  return fmt::format(fmt::runtime(why_), first_, second_);
}

}  // namespace wick::passes
