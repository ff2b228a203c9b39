#include "harness/products.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "wick/ir/format.h"
#include "wick/runtime/matmul_shape.h"
#include "wick/runtime/step_labels.h"

namespace wick::bench {

namespace {

using ir::OpKind;
using runtime::LibraryOp;
using runtime::MatmulShape;

/// What decides the time of a product, as text.
std::string key_of(const LibraryOp& op) {
  if (op.op == OpKind::matmul) {
    const MatmulShape s = matmul_shape(op);
    return fmt::format("matmul {} x {} x {} x {}", s.batch(), s.m, s.k, s.n);
  }
  return fmt::format("{} {} {} {} / {} + {} * {} | {}",
                     ir::to_string(op.op),
                     op.operands[0],
                     op.operands[1],
                     op.result,
                     op.attributes.integers("stride"),
                     op.attributes.integers("padding"),
                     op.attributes.integers("dilation"),
                     op.attributes.integer("groups", 1));
}

}  // namespace

void Products::add(const ir::Graph& graph) {
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (!ir::has(node->op(), ir::kContraction) || node->type().dtype != DType::f32) continue;
    LibraryOp op = runtime::library_op_of(*node);
    flops += runtime::flops(op);
    Entry& entry = entries[key_of(op)];
    if (entry.count++ == 0) entry.op = std::move(op);
  }
}

}  // namespace wick::bench
