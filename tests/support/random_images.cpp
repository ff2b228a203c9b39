#include "random_images.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "random_graph_generator.h"

#include "wick/ir/error.h"
#include "wick/passes/dce.h"

namespace wick::testing_support {

namespace {

using ir::Attributes;
using ir::OpKind;
using ir::Value;
using Extents = std::vector<int64_t>;

constexpr int64_t kMostElements = 20000;
constexpr int64_t kBlock = 16;

Extents extents_of(const Value& value) {
  const Shape& shape = value.type().shape;
  return {shape.begin(), shape.end()};
}

class ImagesGenerator {
 public:
  explicit ImagesGenerator(uint64_t seed)
      : random_(seed),
        rank_(random_.chance(0.7)   ? 4
              : random_.chance(0.5) ? 3
                                    : 5),
        dtype_(random_.chance(0.9) ? DType::f32 : DType::f64),
        graph_(std::make_unique<ir::Graph>("images" + std::to_string(seed))) {}

  std::unique_ptr<ir::Graph> run() {
    Extents first = {random_.between(1, 2), channels()};
    if (rank_ == 3) first.push_back(random_.between(5, 40));
    if (rank_ == 4) first.push_back(random_.chance(0.2) ? 17 : random_.between(4, 10));
    while (static_cast<int>(first.size()) < rank_)
      first.push_back(random_.between(3, rank_ == 4 ? 9 : 5));
    images_.push_back(parameter(first));
    images_.push_back(parameter(first));
    const int64_t steps = random_.between(8, 18);
    int64_t taken = 0;
    for (int64_t tries = 0; taken < steps && tries < 10 * steps; ++tries) {
      // Some steps do not fit the images that are drawn for them.
      try {
        taken += step() ? 1 : 0;
      } catch (const Error&) {
        continue;
      }
    }
    graph_->set_results(results());
    erase_unread();
    return std::move(graph_);
  }

 private:
  int64_t channels() {
    return random_.pick(random_.chance(0.85) ? Extents{16, 32, 48} : Extents{3, 8, 20});
  }

  Value parameter(const Extents& extents) { return parameter(extents, dtype_); }

  Value parameter(const Extents& extents, DType dtype) {
    const Type type{dtype, Shape(std::span<const int64_t>(extents))};
    Attributes attributes;
    if (random_.chance(0.2)) attributes.set("donate", true);
    const std::string name = "p" + std::to_string(graph_->parameters().size());
    return graph_->add_parameter(type, name, attributes)->result();
  }

  Value add(OpKind op, std::vector<Value> operands, Attributes attributes = {}) {
    return graph_->add(op, std::move(operands), std::move(attributes))->result();
  }

  Value scalar(double value) {
    return graph_->add_constant(Literal::scalar(dtype_, value))->result();
  }

  /// One of the images, more likely a late one.
  Value pick() {
    const size_t n = images_.size();
    return images_[random_.chance(0.75) ? n - 1 - random_.below(std::min<size_t>(n, 3))
                                        : random_.below(n)];
  }

  /// Images of the same extents, but for those of one axis if there is one.
  Value pick_like(const Value& images, int axis = -1) {
    std::vector<Value> fit;
    for (const Value& each : images_) {
      Shape shape = each.type().shape;
      if (axis >= 0) shape.set(axis, images.type().shape[axis]);
      if (shape == images.type().shape) fit.push_back(each);
    }
    return random_.pick(fit);
  }

  bool keep(const Value& images) {
    const int64_t elements = images.type().shape.numel();
    if (elements == 0 || elements > kMostElements) return false;
    images_.push_back(images);
    return true;
  }

  /// Within [-1,1] what may be large.
  Value settled(const Value& value) {
    static const std::vector<OpKind> kOps = {OpKind::tanh, OpKind::sigmoid, OpKind::sin};
    return add(random_.pick(kOps), {value});
  }

  bool step() {
    const double choice = random_.uniform(0, 1);
    if (choice < 0.38) return convolution();
    if (choice < 0.52) return arithmetic();
    if (choice < 0.58) return pooling();
    if (choice < 0.65) return concat();
    if (choice < 0.72) return slice();
    if (choice < 0.78) return pad();
    if (choice < 0.84) return resampling();
    if (choice < 0.89) return reduction();
    if (choice < 0.95) return reshape();
    return normalization_of_pixels();
  }

  bool convolution() {
    const Value images = pick();
    const Shape& shape = images.type().shape;
    const int64_t inputs = shape[1];
    int64_t outputs = channels();
    int64_t groups = 1;
    if (random_.chance(0.2)) {
      groups = random_.pick(Extents{2, inputs});
      outputs = random_.chance(0.5) ? inputs : outputs;
      if (inputs % groups != 0 || outputs % groups != 0) return false;
    }
    const int64_t kernel = random_.pick(Extents{1, 3, 3, 2});
    const int64_t stride = random_.chance(0.7) ? 1 : 2;
    const int64_t padding = random_.between(0, kernel / 2);
    const int64_t dilation = random_.chance(0.9) ? 1 : 2;
    const size_t planar = static_cast<size_t>(rank_) - 2;
    const Attributes window = {{"stride", Axes(planar, stride)},
                               {"padding", Axes(planar, padding)},
                               {"dilation", Axes(planar, dilation)},
                               {"groups", groups}};
    const auto weight_shape = [&](int64_t to, int64_t from) {
      Extents extents(planar + 2, kernel);
      extents[0] = to;
      extents[1] = from;
      return extents;
    };
    const double products = static_cast<double>(inputs / groups) * std::pow(kernel, planar);
    const Value scale = scalar(1 / std::sqrt(products));
    const double choice = random_.uniform(0, 1);
    if (choice < 0.75) {
      const Value weight = parameter(weight_shape(outputs, inputs / groups));
      return keep(settled(add(OpKind::mul, {add(OpKind::conv, {images, weight}, window), scale})));
    }
    // The images are those of outputs, or both.
    Extents input_shape = {shape[0], outputs};
    for (int axis = 2; axis < rank_; ++axis) {
      input_shape.push_back((shape[axis] - 1) * stride + dilation * (kernel - 1) + 1 - 2 * padding);
    }
    const Value weight = parameter(weight_shape(inputs, outputs / groups));
    Attributes attributes = window;
    if (choice < 0.9) {
      attributes.set("input_shape", input_shape);
      const Value input = add(OpKind::conv_input_grad, {images, weight}, std::move(attributes));
      return keep(settled(add(OpKind::mul, {input, scale})));
    }
    attributes.set("weight_shape", extents_of(weight));
    const Value input = parameter(input_shape);
    const Value sums = add(OpKind::conv_weight_grad, {input, images}, std::move(attributes));
    ends_.push_back(add(OpKind::mul, {sums, scalar(1.0 / static_cast<double>(shape.numel()))}));
    return true;
  }

  /// With others, or with a value by image, channel or pixel.
  bool arithmetic() {
    const Value images = pick();
    static const std::vector<OpKind> kOps = {
        OpKind::add, OpKind::sub, OpKind::mul, OpKind::maximum};
    Extents extents = extents_of(images);
    Value other = pick_like(images);
    if (random_.chance(0.5)) {
      for (int64_t& extent : extents)
        if (random_.chance(0.6)) extent = 1;
      if (random_.chance(0.4)) extents.erase(extents.begin());
      other = parameter(extents);
    }
    const OpKind op = random_.pick(kOps);
    const Value value = add(op, {images, other});
    const bool grows = op != OpKind::maximum;
    return keep(grows ? settled(value) : value);
  }

  bool pooling() {
    if (rank_ != 4) return false;
    const Value images = pick();
    const int64_t kernel = random_.between(2, 3);
    Attributes attributes = {{"kernel", Axes{kernel, kernel}},
                             {"stride", random_.chance(0.6) ? Axes{2, 2} : Axes{1, 1}}};
    if (random_.chance(0.4)) attributes.set("padding", Axes{1, 1});
    if (random_.chance(0.4)) return keep(add(OpKind::max_pool2d, {images}, attributes));
    if (random_.chance(0.5)) {
      return keep(add(OpKind::avg_pool2d, {images}, attributes));
    }
    // Far enough apart that rounding does not decide which is the largest.
    const Shape& shape = images.type().shape;
    const Value places =
        add(OpKind::iota,
            {},
            {{"axis", int64_t{0}}, {"dtype", dtype_}, {"shape", Axes{shape[2] * shape[3]}}});
    const Value ramp = add(OpKind::mul,
                           {add(OpKind::reshape, {places}, {{"shape", Axes{shape[2], shape[3]}}}),
                            scalar(random_.chance(0.5) ? 4 : -4)});
    Attributes of_numbers = attributes;
    of_numbers.set("argmax", true);
    const Value argmax = add(OpKind::max_pool2d, {add(OpKind::add, {images, ramp})}, of_numbers);
    attributes.set("input_shape", extents_of(images));
    const Value cotangent = parameter(extents_of(argmax));
    return keep(settled(add(OpKind::max_pool2d_grad, {argmax, cotangent}, attributes)));
  }

  bool concat() {
    const Value images = pick();
    const int axis = static_cast<int>(random_.chance(0.6) ? 1 : random_.between(0, rank_ - 1));
    std::vector<Value> parts = {images, pick_like(images, axis)};
    if (random_.chance(0.3)) parts.push_back(pick_like(images, axis));
    return keep(add(OpKind::concat, parts, {{"axis", int64_t{axis}}}));
  }

  bool slice() {
    const Value images = pick();
    Extents starts;
    Extents sizes;
    Extents steps;
    int axis = 0;
    for (const int64_t extent : extents_of(images)) {
      // As many channels as blocks have, mostly where one begins.
      const bool by_blocks = axis++ == 1 && random_.chance(0.9) && extent % kBlock == 0;
      const int64_t unit = by_blocks ? kBlock : 1;
      const bool whole = random_.chance(0.5);
      int64_t step = by_blocks || whole || random_.chance(0.6) ? 1 : 2;
      const int64_t first_unit = random_.chance(0.8) ? unit : 1;
      const int64_t last = (extent - unit) / first_unit;
      int64_t start = whole ? 0 : first_unit * random_.between(0, last);
      const int64_t most = (extent - 1 - start) / step + 1;
      const int64_t size = whole ? extent : unit * random_.between(1, most / unit);
      if (unit == 1 && random_.chance(0.15)) {
        start += (size - 1) * step;
        step = -step;
      }
      starts.push_back(start);
      sizes.push_back(size);
      steps.push_back(step);
    }
    return keep(
        add(OpKind::slice, {images}, {{"sizes", sizes}, {"starts", starts}, {"steps", steps}}));
  }

  bool pad() {
    const auto rank = static_cast<size_t>(rank_);
    Axes low(rank, 0);
    Axes high(rank, 0);
    Axes interior(rank, 0);
    for (size_t axis = 1; axis < rank; ++axis) {
      const int64_t unit = axis > 1 ? 1 : random_.chance(0.7) ? kBlock : kBlock / 2;
      if (random_.chance(axis == 1 ? 0.3 : 0.6)) low[axis] = unit * random_.between(0, 1);
      if (random_.chance(axis == 1 ? 0.3 : 0.6)) high[axis] = unit * random_.between(0, 2);
      if (axis > 1 && random_.chance(0.3)) interior[axis] = 1;
    }
    return keep(add(OpKind::pad,
                    {pick(), scalar(random_.chance(0.7) ? 0 : -1.5)},
                    {{"low", low}, {"high", high}, {"interior", interior}}));
  }

  /// By indices of images, rows or columns, and the sums that are its gradient.
  bool resampling() {
    const Value images = pick();
    const int64_t drawn = random_.between(1, rank_ - 1);
    const int64_t axis = drawn == 1 ? 0 : drawn;  // channels stay
    const int64_t extent = images.type().shape[static_cast<int>(axis)];
    const int64_t count = random_.between(1, 2 * extent);
    const Value indices = parameter({count}, random_.chance(0.5) ? DType::i32 : DType::i64);
    if (random_.chance(0.6)) return keep(add(OpKind::gather, {images, indices}, {{"axis", axis}}));
    Extents extents = extents_of(images);
    extents[static_cast<size_t>(axis)] = count;
    const Value sums =
        add(OpKind::scatter, {images, indices, parameter(extents)}, {{"axis", axis}});
    return keep(settled(add(OpKind::mul, {sums, scalar(1.0 / static_cast<double>(count))})));
  }

  /// The images less what they are reduced to, or that alone.
  bool reduction() {
    const Value images = pick();
    Axes planes;
    for (int64_t axis = 2; axis < rank_; ++axis)
      planes.push_back(axis);
    std::vector<Axes> choices(6, planes);
    choices[1].insert(choices[1].begin(), 0);
    choices[2].insert(choices[2].begin(), 1);
    choices[3] = {0};
    choices[4] = {1};
    choices[5] = {rank_ - 1};
    const Axes axes = random_.pick(choices);
    const OpKind op = random_.chance(0.7) ? OpKind::reduce_sum : OpKind::reduce_max;
    int64_t elements = 1;
    for (const int64_t axis : axes)
      elements *= images.type().shape[static_cast<int>(axis)];
    const bool keepdims = random_.chance(0.8);
    Value value = add(op, {images}, {{"axes", axes}, {"keepdims", keepdims}});
    const double scale = op == OpKind::reduce_sum ? 1 / static_cast<double>(elements) : 0.5;
    value = add(OpKind::mul, {value, scalar(scale)});
    if (!keepdims || random_.chance(0.2)) {
      ends_.push_back(value);
      return true;
    }
    return keep(add(OpKind::sub, {images, add(OpKind::sigmoid, {value})}));
  }

  /// Channels dealt out anew, or planes of other extents.
  bool reshape() {
    const Value images = pick();
    Extents extents = extents_of(images);
    if (random_.chance(0.5)) {
      std::reverse(extents.begin() + 2, extents.end());
      return keep(add(OpKind::reshape, {images}, {{"shape", extents}}));
    }
    if (extents[1] % 2 != 0) return false;
    Extents dealt = extents;
    dealt[1] /= 2;
    dealt.insert(dealt.begin() + 1, 2);
    Axes order(dealt.size());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[1], order[2]);
    const Value halves = add(OpKind::reshape, {images}, {{"shape", dealt}});
    const Value turned = add(OpKind::permute, {halves}, {{"axes", order}});
    return keep(add(OpKind::reshape, {turned}, {{"shape", extents}}));
  }

  /// Along the channels, with these moved last and back.
  bool normalization_of_pixels() {
    const Value images = pick();
    Axes forth(static_cast<size_t>(rank_));
    std::iota(forth.begin(), forth.end(), 0);
    Axes back = forth;
    std::rotate(forth.begin() + 1, forth.begin() + 2, forth.end());
    std::rotate(back.begin() + 1, back.end() - 1, back.end());
    const Value last = add(OpKind::permute, {images}, {{"axes", forth}});
    const Value sums =
        add(OpKind::reduce_sum, {last}, {{"axes", Axes{rank_ - 1}}, {"keepdims", true}});
    const int64_t channels = images.type().shape[1];
    const Value mean = add(OpKind::mul, {sums, scalar(1.0 / static_cast<double>(channels))});
    const Value scaled = add(OpKind::mul, {add(OpKind::sub, {last, mean}), parameter({channels})});
    if (random_.chance(0.3)) {
      ends_.push_back(scaled);
      return true;
    }
    return keep(add(OpKind::permute, {settled(scaled)}, {{"axes", back}}));
  }

  /// What nobody reads, and some of the rest.
  std::vector<Value> results() {
    std::vector<Value> found = ends_;
    for (const Value& images : images_) {
      const bool is_parameter = images.node->op() == OpKind::parameter;
      if (!is_parameter && (!images.node->has_uses() || random_.chance(0.1))) {
        found.push_back(images);
      }
    }
    if (found.empty()) found.push_back(images_.back());
    return found;
  }

  /// Steps that did not fit leave ops and parameters.
  void erase_unread() {
    passes::erase_dead_nodes(*graph_);
    for (int i = static_cast<int>(graph_->parameters().size()) - 1; i >= 0; --i) {
      if (!graph_->parameters()[static_cast<size_t>(i)]->has_uses()) graph_->erase_parameter(i);
    }
  }

  Random random_;
  int rank_;  // of the images
  DType dtype_;
  std::unique_ptr<ir::Graph> graph_;
  std::vector<Value> images_;
  std::vector<Value> ends_;  // of other shapes
};

}  // namespace

std::unique_ptr<ir::Graph> random_images(uint64_t seed) {
  return ImagesGenerator(seed).run();
}

}  // namespace wick::testing_support
