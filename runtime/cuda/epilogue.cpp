#include "wick/runtime/cuda/epilogue.h"

#include <array>
#include <cstddef>

namespace wick::runtime::cuda {
namespace {

constexpr std::array kEpilogues{
    EpilogueTraits{Epilogue::none, "none", CUBLASLT_EPILOGUE_DEFAULT, false, false, AuxKind::none},
    EpilogueTraits{Epilogue::bias, "bias", CUBLASLT_EPILOGUE_BIAS, true, false, AuxKind::none},
    EpilogueTraits{Epilogue::relu, "relu", CUBLASLT_EPILOGUE_RELU, false, false, AuxKind::none},
    EpilogueTraits{
        Epilogue::relu_bias, "relu_bias", CUBLASLT_EPILOGUE_RELU_BIAS, true, false, AuxKind::none},
    EpilogueTraits{
        Epilogue::relu_aux, "relu_aux", CUBLASLT_EPILOGUE_RELU_AUX, false, false, AuxKind::bits},
    EpilogueTraits{Epilogue::relu_aux_bias,
                   "relu_aux_bias",
                   CUBLASLT_EPILOGUE_RELU_AUX_BIAS,
                   true,
                   false,
                   AuxKind::bits},
    EpilogueTraits{Epilogue::gelu, "gelu", CUBLASLT_EPILOGUE_GELU, false, false, AuxKind::none},
    EpilogueTraits{
        Epilogue::gelu_bias, "gelu_bias", CUBLASLT_EPILOGUE_GELU_BIAS, true, false, AuxKind::none},
    EpilogueTraits{
        Epilogue::gelu_aux, "gelu_aux", CUBLASLT_EPILOGUE_GELU_AUX, false, false, AuxKind::values},
    EpilogueTraits{Epilogue::gelu_aux_bias,
                   "gelu_aux_bias",
                   CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
                   true,
                   false,
                   AuxKind::values},
    EpilogueTraits{Epilogue::relu_gradient,
                   "relu_gradient",
                   CUBLASLT_EPILOGUE_DRELU,
                   false,
                   false,
                   AuxKind::bits},
    EpilogueTraits{Epilogue::relu_bias_gradients,
                   "relu_bias_gradients",
                   CUBLASLT_EPILOGUE_DRELU_BGRAD,
                   false,
                   true,
                   AuxKind::bits},
    EpilogueTraits{Epilogue::gelu_gradient,
                   "gelu_gradient",
                   CUBLASLT_EPILOGUE_DGELU,
                   false,
                   false,
                   AuxKind::values},
    EpilogueTraits{Epilogue::gelu_bias_gradients,
                   "gelu_bias_gradients",
                   CUBLASLT_EPILOGUE_DGELU_BGRAD,
                   false,
                   true,
                   AuxKind::values},
    // Wick's rhs is cuBLASLt's A: see matmul.cpp.
    EpilogueTraits{
        Epilogue::rhs_row_sum, "rhs_row_sum", CUBLASLT_EPILOGUE_BGRADA, false, true, AuxKind::none},
};

constexpr bool is_in_order() {
  for (size_t i = 0; i < kEpilogues.size(); ++i) {
    if (static_cast<size_t>(kEpilogues[i].epilogue) != i) return false;
  }
  return kEpilogues.size() == static_cast<size_t>(Epilogue::rhs_row_sum) + 1;
}

static_assert(is_in_order());

}  // namespace

const EpilogueTraits& traits_of(Epilogue epilogue) {
  return kEpilogues[static_cast<size_t>(epilogue)];
}

int64_t aux_row(AuxKind kind, int64_t n) {
  switch (kind) {
    case AuxKind::none:
      return 0;
    case AuxKind::bits:
      return (n + 127) / 128 * 128;
    case AuxKind::values:
      return (n + 7) / 8 * 8;
  }
  return 0;
}

}  // namespace wick::runtime::cuda
