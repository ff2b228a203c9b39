#include "table.h"

namespace wick::conformance {

std::vector<Entry> losses() {
  return {};
}

}  // namespace wick::conformance
