// What stands for runtime/onednn where Wick is built without oneDNN: Wick's own calls, or the
// interpreter, take over.

#include "wick/runtime/library_call.h"
#include "wick/runtime/onednn/ways.h"

namespace wick::runtime {

std::unique_ptr<HostCall> make_bf16_matmul(const LibraryOp& /*op*/) {
  return nullptr;
}

std::unique_ptr<HostCall> make_onednn_convolution(const LibraryOp& /*op*/) {
  return nullptr;
}

std::string onednn::description() {
  return "no onednn";
}

std::vector<Candidate> onednn::matmul_ways(const LibraryOp& /*op*/) {
  return {};
}

std::vector<Candidate> onednn::convolution_ways(const LibraryOp& /*op*/) {
  return {};
}

}  // namespace wick::runtime
