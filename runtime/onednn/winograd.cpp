#include "wick/runtime/onednn/winograd.h"

#include "wick/runtime/onednn/winograd_call.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime::onednn {
namespace {

using winograd::Algorithms;
using winograd::Images;

/// Those of the widest vectors that divide the blocks of the images on both sides.
const Algorithms* algorithms_for(const Images& some,
                                 const Images& others,
                                 int64_t window,
                                 int64_t stride) {
  const auto are_divided = [](const Images& images) {
    return images.block == 1 || images.block % 16 == 0;
  };
  if (vector_lanes() >= 16 && are_divided(some) && are_divided(others))
    return winograd::find_algorithms<16>(window, stride);
  return have_vectors() ? winograd::find_algorithms<8>(window, stride) : nullptr;
}

}  // namespace

std::unique_ptr<HostCall> make_winograd(const LibraryOp& op) {
  const bool is_of_windows = op.op == ir::OpKind::conv_weight_grad;
  const Shape& windows = is_of_windows ? op.result.shape : op.operands[1].shape;
  const Shape& outputs = is_of_windows ? op.operands[1].shape : op.result.shape;
  const Pair stride = pair_of(op, "stride", 1);
  if (stride.rows != stride.columns) return nullptr;
  const Algorithms* algorithms = algorithms_for(images_of(op.operands[0].shape, windows),
                                                images_of(outputs, windows),
                                                windows[2],
                                                stride.rows);
  if (algorithms == nullptr) return nullptr;
  if (is_of_windows) return make_winograd_windows(op, algorithms->window_gradient);
  return make_winograd_images(op, *algorithms);
}

}  // namespace wick::runtime::onednn
