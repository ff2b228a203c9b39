#include <limits>

#include "table.h"

#include "wick/tensor/ops_shape.h"

namespace wick::conformance {
namespace {

/// PyTorch's pairs start with the last axis.
Tensor pad_from_the_end(const Call& c) {
  const Axes pairs = c.axes("pad");
  Axes low(static_cast<size_t>(c[0].ndim()), 0);
  Axes high = low;
  for (size_t i = 0; i < pairs.size(); i += 2) {
    low[low.size() - 1 - i / 2] = pairs[i];
    high[high.size() - 1 - i / 2] = pairs[i + 1];
  }
  const std::string mode = c.text("mode", "constant");
  if (mode == "reflect") return pad(c[0], low, high, PadMode::reflect);
  if (mode == "replicate") return pad(c[0], low, high, PadMode::replicate);
  if (mode == "circular") return pad(c[0], low, high, PadMode::circular);
  return pad(c[0], low, high, c.real("value", 0));
}

/// Axes that are longer stay, as in PyTorch.
Tensor squeeze_units(const Call& c) {
  if (!c.has("dim")) return squeeze(c[0]);
  Axes units;
  for (const int64_t axis : c.axes()) {
    if (c[0].ndim() > 0 && c[0].size(static_cast<int>(axis)) == 1) units.push_back(axis);
  }
  return squeeze(c[0], units);
}

Tensor diff_between(const Call& c) {
  const int axis = c.axis("dim", -1);
  std::vector<Tensor> parts = {c[0]};
  if (c[1].defined()) parts.insert(parts.begin(), c[1]);
  if (c[2].defined()) parts.push_back(c[2]);
  return diff(parts.size() == 1 ? c[0] : concat(parts, axis), c.integer("n", 1), axis);
}

}  // namespace

std::vector<Entry> shape() {
  return {
      {"cat", [](const Call& c) { return concat(c.inputs(), c.axis()); }},
      {"chunk", [](const Call& c) { return chunk(c[0], c.integer("chunks"), c.axis("dim", 0)); }},
      {"diag", [](const Call& c) { return diag(c[0], c.integer("diagonal", 0)); }},
      {"diag_embed",
       [](const Call& c) {
         return diag_embed(c[0], c.integer("offset", 0), c.axis("dim1", -2), c.axis("dim2", -1));
       }},
      {"diagonal",
       [](const Call& c) {
         return diagonal(c[0], c.integer("offset", 0), c.axis("dim1", 0), c.axis("dim2", 1));
       }},
      {"diff", diff_between},
      {"expand", [](const Call& c) { return expand(c[0], c.shape("size")); }},
      {"flatten",
       [](const Call& c) { return flatten(c[0], c.axis("start_dim", 0), c.axis("end_dim", -1)); }},
      {"flip", [](const Call& c) { return flip(c[0], c.axes("dims")); }},
      {"fliplr", fliplr},
      {"flipud", flipud},
      {"meshgrid",
       [](const Call& c) {
         const bool is_xy = c.text("indexing", "ij") == "xy";
         return meshgrid(c.inputs(), is_xy ? GridIndexing::xy : GridIndexing::ij);
       }},
      {"movedim",
       [](const Call& c) { return movedim(c[0], c.axes("source"), c.axes("destination")); }},
      {"narrow",
       [](const Call& c) {
         return narrow(c[0], c.axis(), c.integer("start"), c.integer("length"));
       }},
      {"pad", pad_from_the_end},
      {"permute", [](const Call& c) { return permute(c[0], c.axes("dims")); }},
      {"pixel_shuffle",
       [](const Call& c) { return pixel_shuffle(c[0], c.integer("upscale_factor")); }},
      {"pixel_unshuffle",
       [](const Call& c) { return pixel_unshuffle(c[0], c.integer("downscale_factor")); }},
      {"repeat", [](const Call& c) { return repeat(c[0], c.axes("repeats")); }},
      {"repeat_interleave",
       [](const Call& c) {
         const std::optional<int> axis = c.has("dim") ? std::optional(c.axis()) : std::nullopt;
         if (!c.has("repeats")) return repeat_interleave(c[0], c[1], axis);
         return repeat_interleave(c[0], c.integer("repeats"), axis);
       }},
      {"reshape", [](const Call& c) { return reshape(c[0], c.shape("shape")); }},
      {"roll", [](const Call& c) { return roll(c[0], c.axes("shifts"), c.axes("dims")); }},
      {"rot90",
       [](const Call& c) {
         const Axes plane = c.has("dims") ? c.axes("dims") : Axes{0, 1};
         return rot90(
             c[0], c.integer("k", 1), static_cast<int>(plane[0]), static_cast<int>(plane[1]));
       }},
      {"select", [](const Call& c) { return select(c[0], c.axis(), c.integer("index")); }},
      {"slice",
       [](const Call& c) {
         constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
         return slice(
             c[0], c.axis(), c.integer("start", 0), c.integer("end", kEnd), c.integer("step", 1));
       }},
      {"split",
       [](const Call& c) {
         const int axis = c.axis("dim", 0);
         return c.is_list("split_size") ? split_with_sizes(c[0], c.axes("split_size"), axis)
                                        : split(c[0], c.integer("split_size"), axis);
       }},
      {"squeeze", squeeze_units},
      {"stack", [](const Call& c) { return stack(c.inputs(), c.axis()); }},
      {"swapaxes", [](const Call& c) { return swapaxes(c[0], c.axis("axis0"), c.axis("axis1")); }},
      {"tile", [](const Call& c) { return tile(c[0], c.axes("dims")); }},
      {"trace", [](const Call& c) { return trace(c[0]); }},
      {"transpose", [](const Call& c) { return transpose(c[0], c.axis("dim0"), c.axis("dim1")); }},
      {"tril", [](const Call& c) { return tril(c[0], c.integer("diagonal", 0)); }},
      {"triu", [](const Call& c) { return triu(c[0], c.integer("diagonal", 0)); }},
      {"unbind", [](const Call& c) { return unbind(c[0], c.axis("dim", 0)); }},
      {"unflatten", [](const Call& c) { return unflatten(c[0], c.axis(), c.shape("sizes")); }},
      {"unsqueeze", [](const Call& c) { return unsqueeze(c[0], c.axis()); }}};
}

}  // namespace wick::conformance
