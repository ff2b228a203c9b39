#include "wick/runtime/cuda/matmul.h"

#include <algorithm>
#include <bit>

#include "wick/ir/check.h"
#include "wick/runtime/cuda/transfer.h"

namespace wick::runtime::cuda {
namespace {

/// What every start of a run is aligned to, in bytes, when the operand itself is to kAlignment.
uint32_t alignment_of(const std::vector<int64_t>& starts, size_t element_bytes) {
  size_t all_bits = Matmul::kAlignment;
  for (const int64_t start : starts)
    all_bits |= static_cast<size_t>(start) * element_bytes;
  return uint32_t{1} << static_cast<unsigned>(std::countr_zero(all_bits));
}

StridedProduct product_of(const MatmulSpec& spec, const StridedRuns& runs) {
  const size_t bytes = size_of(spec.dtype);
  const int64_t result_run = runs.length * spec.shape.m * spec.shape.n;
  const bool several = runs.lhs_starts.size() > 1;
  return {.m = spec.shape.m,
          .n = spec.shape.n,
          .k = spec.shape.k,
          .transpose_lhs = spec.shape.transpose_lhs,
          .transpose_rhs = spec.shape.transpose_rhs,
          .batch = runs.length,
          .lhs_stride = runs.lhs_stride,
          .rhs_stride = runs.rhs_stride,
          .lhs_alignment = alignment_of(runs.lhs_starts, bytes),
          .rhs_alignment = alignment_of(runs.rhs_starts, bytes),
          .result_alignment = alignment_of({several ? result_run : 0}, bytes),
          .dtype = spec.dtype,
          .epilogue = spec.epilogue,
          .tf32 = spec.tf32};
}

void* at(const void* base, size_t offset) {
  return const_cast<std::byte*>(static_cast<const std::byte*>(base)) + offset;
}

}  // namespace

Matmul::Matmul(Blas& blas, const MatmulSpec& spec, const WayTrial* trial)
    : blas_(blas),
      runs_(strided_runs(spec.shape)),
      product_(product_of(spec, runs_)) {
  const EpilogueTraits& epilogue = traits_of(spec.epilogue);
  check(!epilogue.makes_sum || spec.shape.batch() == 1,
        "a sum over rows is made for one product, not for a batch");
  if (is_empty()) {
    check(spec.epilogue == Epilogue::none, "an empty product has no epilogue");
    return;
  }
  descriptors_ = std::make_unique<MatmulDescriptors>(blas, product_);
  algorithm_ = blas.algorithm(product_, [&] { return choose(trial); });
}

MatmulAlgorithm Matmul::choose(const WayTrial* trial) {
  const std::vector<MatmulAlgorithm> algorithms =
      descriptors_->algorithms(trial == nullptr ? 1 : trial->most_ways());
  if (algorithms.size() == 1) return algorithms.front();
  const std::optional<size_t> known = trial->known();
  if (known && *known < algorithms.size()) return algorithms[*known];
  std::vector<Way> ways;
  for (const MatmulAlgorithm& algorithm : algorithms) {
    ways.push_back(
        {algorithm.workspace_bytes, [&](const Stream& stream, const CallAddresses& addresses) {
           algorithm_ = algorithm;
           enqueue(stream, addresses);
         }});
  }
  const size_t number = trial->fastest(ways);
  trial->keep(number);
  return algorithms[number];
}

bool Matmul::is_empty() const {
  return product_.m == 0 || product_.n == 0 || product_.k == 0 || runs_.lhs_starts.empty();
}

size_t Matmul::aux_bytes_of_run() const {
  const AuxKind kind = traits_of(product_.epilogue).aux;
  const auto elements =
      static_cast<size_t>(aux_row(kind, product_.n) * product_.m * product_.batch);
  return kind == AuxKind::bits ? elements / 8 : elements * size_of(product_.dtype);
}

size_t Matmul::aux_bytes() const {
  return aux_bytes_of_run() * runs_.lhs_starts.size();
}

void Matmul::enqueue(const Stream& stream, const MatmulArguments& arguments) const {
  if (is_empty()) {  // a sum over nothing
    const int64_t elements =
        product_.m * product_.n * product_.batch * static_cast<int64_t>(runs_.lhs_starts.size());
    fill_zero(stream, arguments.result, static_cast<size_t>(elements) * size_of(product_.dtype));
    return;
  }
  const std::lock_guard lock(mutex_);
  for (size_t run = 0; run < runs_.lhs_starts.size(); ++run)
    multiply(stream, arguments, run);
}

void Matmul::enqueue(const Stream& stream, const CallAddresses& addresses) const {
  const bool has_bias = traits_of(product_.epilogue).has_bias;
  enqueue(stream,
          MatmulArguments{.lhs = addresses.operands[0],
                          .rhs = addresses.operands[1],
                          .result = addresses.result,
                          .bias = has_bias ? const_cast<void*>(addresses.operands[2]) : nullptr,
                          .workspace = addresses.workspace});
}

void Matmul::multiply(const Stream& stream, const MatmulArguments& arguments, size_t run) const {
  const EpilogueTraits& epilogue = traits_of(product_.epilogue);
  if (epilogue.has_bias || epilogue.makes_sum) descriptors_->set_bias(arguments.bias);
  if (epilogue.aux != AuxKind::none) {
    descriptors_->set_aux(at(arguments.aux, run * aux_bytes_of_run()));
  }
  const size_t element_bytes = size_of(product_.dtype);
  const auto result_run = static_cast<size_t>(product_.m * product_.n * product_.batch);
  void* result = at(arguments.result, run * result_run * element_bytes);
  const auto operand = [&](const void* base, const std::vector<int64_t>& starts) {
    return static_cast<const void*>(at(base, static_cast<size_t>(starts[run]) * element_bytes));
  };
  const double one_f64 = 1;
  const double zero_f64 = 0;
  const float one_f32 = 1;
  const float zero_f32 = 0;
  const bool is_f64 = product_.dtype == DType::f64;
  blas_.call("multiplying matrices",
             blas_.api().cublasLtMatmul,
             blas_.handle(),
             descriptors_->operation(),
             is_f64 ? static_cast<const void*>(&one_f64) : &one_f32,
             operand(arguments.rhs, runs_.rhs_starts),
             descriptors_->rhs(),
             operand(arguments.lhs, runs_.lhs_starts),
             descriptors_->lhs(),
             is_f64 ? static_cast<const void*>(&zero_f64) : &zero_f32,
             static_cast<const void*>(result),
             descriptors_->result(),
             result,
             descriptors_->result(),
             &algorithm_.code,
             arguments.workspace,
             algorithm_.workspace_bytes,
             stream.handle());
}

}  // namespace wick::runtime::cuda
