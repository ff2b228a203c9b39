#include "wick/runtime/library_call.h"

#include "wick/runtime/parallel.h"

namespace wick::runtime {

LibraryOp library_op_of(const ir::Node& node) {
  LibraryOp op{node.op(), node.attributes(), {}, node.type()};
  for (const ir::Value operand : node.operands())
    op.operands.push_back(operand.type());
  return op;
}

std::unique_ptr<HostCall> make_host_call(const LibraryOp& op, int threads) {
  // oneDNN decides how to split the work when a primitive is made.
  const ThreadCountScope scope(threads);
  for (const auto make : {make_f32_matmul,
                          make_bf16_matmul,
                          make_onednn_convolution,
                          make_blas_matmul,
                          make_native_argsort,
                          make_native_concat,
                          make_native_matmul,
                          make_row_pooling,
                          make_row_pooling_gradient,
                          make_native_pooling,
                          make_native_scan,
                          make_native_scatter,
                          make_row_convolution,
                          make_depthwise_gradient,
                          make_product_convolution,
                          make_registered_call}) {
    if (auto call = make(op)) return call;
  }
  return nullptr;
}

}  // namespace wick::runtime
