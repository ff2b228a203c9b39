#pragma once

// Kernels whose machine code and speed are looked at.

#include "kernel_builder.h"

namespace wick::codegen::test {

/// y = tanh(a * b + c) * sigmoid(a - c) + 0.5 * b on `count` elements.
inline KernelBuilder chain_kernel(int64_t count) {
  using ir::OpKind;
  KernelBuilder k("chain");
  for (int i = 0; i < 3; ++i)
    k.buffer(DType::f32);
  k.buffer(DType::f32, true);
  k.vector(k.outer(count));
  k.straight();
  const int a = k.load(0, k.at({1}));
  const int b = k.load(1, k.at({1}));
  const int c = k.load(2, k.at({1}));
  const auto f32 = [&](OpKind op, std::vector<int> operands) {
    return k.compute(op, DType::f32, std::move(operands));
  };
  const int left = f32(OpKind::tanh, {f32(OpKind::add, {f32(OpKind::mul, {a, b}), c})});
  const int right = f32(OpKind::sigmoid, {f32(OpKind::sub, {a, c})});
  const int half = k.constant(Literal::scalar(DType::f32, 0.5));
  const int product = f32(OpKind::mul, {left, right});
  k.store(3, k.at({1}), f32(OpKind::add, {product, f32(OpKind::mul, {half, b})}));
  return k;
}

/// Softmax over the last axis of [rows, columns], in three loops over a row.
inline KernelBuilder softmax_kernel(int64_t rows, int64_t columns) {
  using ir::OpKind;
  KernelBuilder k("softmax");
  k.buffer(DType::f32);
  k.buffer(DType::f32, true);
  k.outer(rows);
  k.vector(k.inner(columns));
  const Affine address = k.at({columns, 1});
  k.loop();
  const int x = k.load(0, address);
  const int largest = k.accumulate(OpKind::reduce_max, DType::f32, {x});
  k.loop();
  k.again(x);
  const int shifted = k.compute(OpKind::sub, DType::f32, {x, largest});
  const int power = k.compute(OpKind::exp, DType::f32, {shifted});
  const int sum = k.accumulate(OpKind::reduce_sum, DType::f32, {power});
  k.loop();
  for (const int number : {x, shifted, power})
    k.again(number);
  k.store(1, address, k.compute(OpKind::div, DType::f32, {power, sum}));
  return k;
}

/// Sums over the last axis of [rows, columns].
inline KernelBuilder row_sum_kernel(int64_t rows, int64_t columns) {
  KernelBuilder k("row_sums");
  k.buffer(DType::f32);
  k.buffer(DType::f32, true);
  k.outer(rows);
  k.vector(k.inner(columns));
  k.loop();
  const int x = k.load(0, k.at({columns, 1}));
  const int sum = k.accumulate(ir::OpKind::reduce_sum, DType::f32, {x});
  k.straight();
  k.store(1, k.at({1, 0}), sum);
  return k;
}

/// Sums over the first axis of [rows, columns].
inline KernelBuilder column_sum_kernel(int64_t rows, int64_t columns) {
  KernelBuilder k("column_sums");
  k.buffer(DType::f32);
  k.buffer(DType::f32, true);
  k.vector(k.outer(columns));
  k.inner(rows);
  k.loop();
  const int x = k.load(0, k.at({1, columns}));
  const int sum = k.accumulate(ir::OpKind::reduce_sum, DType::f32, {x});
  k.straight();
  k.store(1, k.at({1, 0}), sum);
  return k;
}

}  // namespace wick::codegen::test
