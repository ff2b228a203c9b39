// What moves, chooses and pools more than it computes.

#include <utility>
#include <vector>

#include "harness/row.h"
#include "rows/inputs.h"

namespace wick::bench {

namespace {

Row concat_columns() {
  constexpr int64_t kSide = 1021;
  return {.name = "concat-4x1021x1021",
          .what = "four matrices side by side",
          .floor = copy_floor(2 * 4 * f32_bytes(kSide * kSide)),
          .make = []() -> Workload {
            std::vector<Tensor> parts;
            for (int i = 0; i < 4; ++i)
              parts.push_back(uniform_input({kSide, kSide}));
            return {[=] { materialize(concat(parts, 1)); }};
          }};
}

Row pad_images() {
  const Shape shape{16, 64, 56, 56};
  return {.name = "pad-16x64x56x56",
          .what = "images padded by one",
          .floor = copy_floor(f32_bytes(shape.numel()) + f32_bytes(16 * 64 * 58 * 58)),
          .make = [=]() -> Workload {
            const Tensor x = uniform_input(shape);
            return {[=] { materialize(pad(x, {0, 0, 1, 1}, {0, 0, 1, 1})); }};
          }};
}

Row reverse_axes() {
  const Shape shape{127, 131, 257};
  return {.name = "reverse-axes-127x131x257",
          .what = "permute(x, {2, 1, 0})",
          .floor = copy_floor(2 * f32_bytes(shape.numel())),
          .make = [=]() -> Workload {
            const Tensor x = uniform_input(shape);
            return {[=] { materialize(permute(x, {2, 1, 0})); }};
          }};
}

/// Reads x and the cotangent, writes the maxima and the gradient.
Row max_pool_gradient() {
  const Shape shape{8, 64, 112, 112};
  return {.name = "max-pool-8x64x112x112-grad",
          .what = "maxima of 2x2 windows and their gradient",
          .floor = copy_floor(2.5 * f32_bytes(shape.numel())),
          .make = [=]() -> Workload {
            Tensor x = uniform_input(shape);
            const Tensor cotangent = uniform_input({8, 64, 56, 56});
            x.requires_grad_();
            return {[=] {
              const Tensor y = max_pool2d(x, {.kernel = {2, 2}});
              const Tensor outputs[] = {y};
              const Tensor inputs[] = {x};
              materialize(
                  y, grad(outputs, inputs, {.cotangents = {cotangent}, .retain_graph = false})[0]);
            }};
          }};
}

Row resize_images() {
  const Shape shape{8, 64, 33, 35};
  return {.name = "resize-8x64x33x35",
          .what = "images of twice the extents, bilinear",
          .floor = copy_floor(5 * f32_bytes(shape.numel())),
          .make = [=]() -> Workload {
            const Tensor x = uniform_input(shape);
            return {[=] {
              materialize(interpolate(x, {.size = {66, 70}, .mode = Interpolation::linear}));
            }};
          }};
}

Row top_ten() {
  const Shape shape{1000, 10007};
  return {.name = "topk-10-of-1000x10007",
          .what = "the ten largest of each row",
          .floor = read_floor(f32_bytes(shape.numel())),
          .make = [=]() -> Workload {
            const Tensor x = uniform_input(shape);
            return {[=] { materialize(topk(x, 10).values); }};
          }};
}

Row sorted_rows() {
  const Shape shape{997, 1009};
  return {.name = "sort-997x1009",
          .what = "each row sorted",
          .floor = copy_floor(2 * f32_bytes(shape.numel())),
          .make = [=]() -> Workload {
            const Tensor x = uniform_input(shape);
            return {[=] { materialize(sort(x, 1).values); }};
          }};
}

}  // namespace

Family movement_rows() {
  return {"movement",
          {concat_columns(),
           pad_images(),
           reverse_axes(),
           max_pool_gradient(),
           resize_images(),
           top_ten(),
           sorted_rows()}};
}

}  // namespace wick::bench
