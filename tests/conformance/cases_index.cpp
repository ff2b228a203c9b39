#include "table.h"

namespace wick::conformance {

std::vector<Entry> index() {
  return {{"embedding", [](const Call& c) { return take(c[1], c[0], 0); }},
          {"index_select", [](const Call& c) { return take(c[0], c[1], c.axis()); }}};
}

}  // namespace wick::conformance
