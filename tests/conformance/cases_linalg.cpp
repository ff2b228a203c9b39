#include "table.h"

namespace wick::conformance {

std::vector<Entry> linalg() {
  return {{"bmm", [](const Call& c) { return matmul(c[0], c[1]); }},
          {"matmul", [](const Call& c) { return matmul(c[0], c[1]); }},
          {"mv", [](const Call& c) { return matmul(c[0], c[1]); }}};
}

}  // namespace wick::conformance
