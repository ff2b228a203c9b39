#include "table.h"

namespace wick::conformance {

std::vector<Family> families() {
  return {{"activations", activations()},
          {"creation", creation()},
          {"elementwise", elementwise()},
          {"index", index()},
          {"linalg", linalg()},
          {"losses", losses()},
          {"nn", nn()},
          {"recurrent", recurrent()},
          {"reductions", reductions()},
          {"shape", shape()},
          {"sorting", sorting()}};
}

}  // namespace wick::conformance
