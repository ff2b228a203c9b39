#pragma once

// What cuBLASLt computes on a product before it is stored, and what that takes beside the operands.

#include <cstdint>
#include <string_view>

#include <cublasLt.h>

namespace wick::runtime::cuda {

/// z is the product, b a vector over its columns. GELU is the approximation by tanh; ReLU of NaN
/// is cuBLASLt's, not Wick's. A gradient is of the function that the aux of the forward pass tells
/// of: z becomes z * relu'(...), and the bias gradient is the sum of that over the rows.
enum class Epilogue : uint8_t {
  none,                 // z
  bias,                 // z + b
  relu,                 // relu(z)
  relu_bias,            // relu(z + b)
  relu_aux,             // relu(z), aux: a bit for each element above 0
  relu_aux_bias,        // relu(z + b), aux likewise
  gelu,                 // gelu(z)
  gelu_bias,            // gelu(z + b)
  gelu_aux,             // gelu(z), aux: z
  gelu_aux_bias,        // gelu(z + b), aux: z + b
  relu_gradient,        // z where the aux bit is set
  relu_bias_gradients,  // and b: the bias gradient
  gelu_gradient,        // z * gelu'(aux)
  gelu_bias_gradients,  // and b: the bias gradient
  rhs_row_sum,          // z, and b: the sum of rhs over the inner axis k
};

enum class AuxKind : uint8_t { none, bits, values };

struct EpilogueTraits {
  Epilogue epilogue;
  std::string_view name;
  cublasLtEpilogue_t code;
  bool has_bias;   // reads b
  bool makes_sum;  // writes b
  AuxKind aux;
};

const EpilogueTraits& traits_of(Epilogue epilogue);

/// Elements from one row of aux to the next: n rounded up as cuBLASLt wants it; 0 without aux.
int64_t aux_row(AuxKind kind, int64_t n);

}  // namespace wick::runtime::cuda
